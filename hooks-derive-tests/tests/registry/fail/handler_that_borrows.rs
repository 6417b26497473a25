use hooks_core::agent::{AgentContext, AgentEvent, AgentEventMut, AgentHandler, AgentSaid};
use hooks_core::{HookRegistry, async_trait};

struct Plugin<'a> {
    name: &'a str,
}

#[async_trait]
impl AgentHandler for Plugin<'_> {
    fn name(&self) -> &str {
        self.name
    }

    async fn handle(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
        AgentSaid::Continue
    }
}

fn main() {
    let name = String::from("plugin");
    let plugin: Box<dyn AgentHandler + '_> = Box::new(Plugin { name: &name });
    let registry = HookRegistry::<AgentEvent>::new().with(plugin);
    drop(registry);
}
