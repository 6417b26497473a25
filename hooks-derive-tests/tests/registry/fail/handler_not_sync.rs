use std::cell::Cell;

use hooks_core::HookRegistry;
use hooks_core::agent::{AgentEvent, AgentHandler};

struct Plugin(Cell<u32>);

impl AgentHandler for Plugin {}

fn main() {
    let _ = HookRegistry::<AgentEvent>::new().with(Plugin(Cell::new(1)));
}
