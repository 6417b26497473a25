use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
unsafe fn look(_: &BeforeToolCall) {}

fn main() {}
