use hooks_core::agent::{AgentContext, AgentEvent, AgentEventMut, AgentHandler, AgentSaid};
use hooks_core::{HookRegistry, async_trait};

struct Plugin;

#[async_trait]
impl AgentHandler for Plugin {
    async fn handle(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
        AgentSaid::Continue
    }
}

fn main() {
    let _ = HookRegistry::<AgentEvent>::new().with(Plugin);
}
