use hooks_core::agent::ToolCallEnd;
use hooks_core::hook;

#[hook]
async fn report(_: &mut ToolCallEnd<'_>) {}

fn main() {}
