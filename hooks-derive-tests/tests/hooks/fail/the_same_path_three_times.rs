use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
use hooks_core::{HookRegistry, hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let registry = HookRegistry::<AgentEvent>::new();
    let hooks = hooks![lower, lower @ 10, registry, lower, registry];
    let _ = hooks.intercept_now(&AgentContext::new("s1"), &mut BeforeToolCall::default());
}
