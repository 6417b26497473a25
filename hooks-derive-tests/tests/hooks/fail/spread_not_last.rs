use hooks_core::agent::{AgentEvent, BeforeToolCall};
use hooks_core::{HookRegistry, hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let plugins = HookRegistry::<AgentEvent>::new();
    let _ = hooks![..plugins, lower];
}
