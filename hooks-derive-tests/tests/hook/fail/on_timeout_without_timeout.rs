use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(on_timeout = skip)]
async fn look(_: &BeforeToolCall) {}

fn main() {}
