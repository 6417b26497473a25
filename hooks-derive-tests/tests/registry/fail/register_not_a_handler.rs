use hooks_core::HookRegistry;
use hooks_core::agent::AgentEvent;

struct Plugin;

fn main() {
    let mut registry = HookRegistry::<AgentEvent>::new();
    registry.register(Plugin);
}
