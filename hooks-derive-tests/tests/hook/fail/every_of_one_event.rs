use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(every)]
fn trace(_: BeforeToolCall) {}

fn main() {}
