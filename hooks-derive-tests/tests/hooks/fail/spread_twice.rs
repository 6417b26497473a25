use hooks_core::agent::AgentEvent;
use hooks_core::{HookRegistry, hooks};

fn main() {
    let plugins = HookRegistry::<AgentEvent>::new();
    let others = HookRegistry::<AgentEvent>::new();
    let _ = hooks![..plugins, ..others];
}
