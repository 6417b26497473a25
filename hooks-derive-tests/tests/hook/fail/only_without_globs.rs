use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(only())]
fn look(_: &BeforeToolCall) {}

fn main() {}
