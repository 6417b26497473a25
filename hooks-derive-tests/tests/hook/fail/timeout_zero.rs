use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(timeout = "0s")]
async fn look(_: &BeforeToolCall) {}

fn main() {}
