use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
fn look<T>(_: &BeforeToolCall) {}

fn main() {}
