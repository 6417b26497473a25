use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
use hooks_core::{HookRegistry, hooks};

fn main() {
    let plugins = HookRegistry::<AgentEvent>::new();
    let mut call = BeforeToolCall::default();
    let _ = hooks![..plugins].intercept_now(&AgentContext::new("s1"), &mut call);
}
