use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(when = |_, _, _| true)]
fn look(_: &BeforeToolCall) {}

fn main() {}
