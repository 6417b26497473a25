use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hook;

fn is_deep(_: &BeforeToolCall, cx: &AgentContext) -> bool {
    cx.depth > 3
}

#[hook(when = is_deep)]
fn look(_: &BeforeToolCall) {}

fn main() {}
