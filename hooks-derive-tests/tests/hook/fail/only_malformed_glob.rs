use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(only("file_[a-z"))]
fn look(_: &BeforeToolCall) {}

fn main() {}
