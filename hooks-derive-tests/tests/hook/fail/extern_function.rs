use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
extern "C" fn look(_: &BeforeToolCall) {}

fn main() {}
