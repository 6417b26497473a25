use hooks_core::HookRegistry;
use hooks_core::agent::AgentEvent;

struct Plugin;

fn main() {
    let _ = HookRegistry::<AgentEvent>::new().with(Plugin);
}
