use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(crate = "hooks_core")]
fn look(_: &BeforeToolCall) {}

fn main() {}
