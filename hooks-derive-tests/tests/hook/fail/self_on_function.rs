use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
fn look(&self, _: &BeforeToolCall) {}

fn main() {}
