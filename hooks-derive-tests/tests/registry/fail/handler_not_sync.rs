use std::cell::Cell;

use hooks_core::agent::{AgentContext, AgentEventMut, AgentHandler, AgentSaid};
use hooks_core::async_trait;

struct Plugin(Cell<u32>);

#[async_trait]
impl AgentHandler for Plugin {
    async fn handle(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
        AgentSaid::Continue
    }
}

fn main() {}
