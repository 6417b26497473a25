use hooks_core::agent::ToolCallEnd;
use hooks_core::hook;

#[hook(guard)]
fn judge(_: &ToolCallEnd<'_>) {}

fn main() {}
