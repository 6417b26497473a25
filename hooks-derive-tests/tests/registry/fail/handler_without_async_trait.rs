// Lifetimes are compared before types, and what `#[async_trait]` writes has lifetimes of its own. rustc shows the line of
// the derive, which says what is missing.
use hooks_core::agent::{AgentContext, AgentEventMut, AgentHandler, AgentSaid};

struct Plugin;

impl AgentHandler for Plugin {
    async fn handle(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
        AgentSaid::Continue
    }
}

fn main() {}
