use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hook;

fn depth(cx: &AgentContext, _: &BeforeToolCall) -> u32 {
    cx.depth
}

#[hook(when = depth)]
fn look(_: &BeforeToolCall) {}

fn main() {}
