use hooks_core::agent::ToolCallEnd;
use hooks_core::hook;

#[hook(timeout = "2s", on_timeout = block)]
async fn report(_: &ToolCallEnd<'_>) {}

fn main() {}
