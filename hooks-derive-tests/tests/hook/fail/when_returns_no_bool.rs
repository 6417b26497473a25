use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(when = |call| call.name.len())]
fn look(_: &BeforeToolCall) {}

fn main() {}
