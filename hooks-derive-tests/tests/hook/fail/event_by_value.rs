use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
fn look(_: BeforeToolCall) {}

fn main() {}
