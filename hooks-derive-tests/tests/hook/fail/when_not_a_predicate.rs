use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(when = true)]
fn look(_: &BeforeToolCall) {}

fn main() {}
