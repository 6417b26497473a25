use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(priority = )]
fn look(_: &BeforeToolCall) {}

fn main() {}
