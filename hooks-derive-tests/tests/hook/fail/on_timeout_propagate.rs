use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(timeout = "2s", on_timeout = propagate)]
async fn look(_: &BeforeToolCall) {}

fn main() {}
