use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(timeout = "2 parsecs")]
async fn look(_: &BeforeToolCall) {}

fn main() {}
