use hooks_core::agent::{AgentContext, AgentHooks, BeforeToolCall};
use hooks_core::hooks;

fn ours() -> impl AgentHooks {
    hooks![]
}

fn main() {
    let hooks = hooks![ours()];
    let _ = hooks.intercept(&AgentContext::new("s1"), &mut BeforeToolCall::default());
}
