use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(on_panic = ignore)]
fn look(_: &BeforeToolCall) {}

fn main() {}
