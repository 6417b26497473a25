use hooks_core::HookRegistry;
use hooks_core::agent::AgentEvent;

fn main() {
    let _ = HookRegistry::<AgentEvent>::new().with(|name: &str| name.len());
}
