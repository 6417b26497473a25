use hooks_core::agent::{AgentContext, AgentHooks, BeforeToolCall};

fn check<H: AgentHooks>(hooks: &H, cx: &AgentContext, call: &mut BeforeToolCall) -> bool {
    hooks.intercept_now(cx, call).is_continue()
}

fn main() {}
