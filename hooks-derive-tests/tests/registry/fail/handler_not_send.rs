use std::rc::Rc;

use hooks_core::HookRegistry;
use hooks_core::agent::{AgentEvent, AgentHandler};

struct Plugin(Rc<u32>);

impl AgentHandler for Plugin {}

fn main() {
    let _ = HookRegistry::<AgentEvent>::new().with(Plugin(Rc::new(1)));
}
