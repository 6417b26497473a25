use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(timeout = 2)]
async fn look(_: &BeforeToolCall) {}

fn main() {}
