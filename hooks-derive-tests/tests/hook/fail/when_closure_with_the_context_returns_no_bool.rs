use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(when = |cx, _| cx.depth)]
fn look(_: &BeforeToolCall) {}

fn main() {}
