use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
fn look<const N: usize>(_: &BeforeToolCall) {}

fn main() {}
