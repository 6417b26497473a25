use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(only("shell", "a**"))]
fn look(_: &BeforeToolCall) {}

fn main() {}
