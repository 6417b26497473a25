use hooks_core::HookRegistry;
use hooks_core::agent::AgentEvent;

struct Plugin;

fn main() {
    let registry = HookRegistry::<AgentEvent>::new();
    let _ = registry.register(Plugin);
}
