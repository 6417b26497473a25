use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
use hooks_core::{HookRegistry, hooks};

fn main() {
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall::default();
    let hooks = hooks![HookRegistry::<AgentEvent>::new()];
    let _ = hooks.intercept_now(&cx, &mut call);
}
