use hooks_core::agent::{AgentEvent, AgentHandler};
use hooks_core::{HookRegistry, async_trait};

struct Plugin<'a> {
    name: &'a str,
}

#[async_trait]
impl AgentHandler for Plugin<'_> {
    fn name(&self) -> &str {
        self.name
    }
}

fn main() {
    let name = String::from("plugin");
    let registry = HookRegistry::<AgentEvent>::new().with(Plugin { name: &name });
    drop(registry);
}
