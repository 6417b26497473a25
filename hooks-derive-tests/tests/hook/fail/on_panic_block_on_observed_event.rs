use hooks_core::agent::ToolCallEnd;
use hooks_core::hook;

#[hook(on_panic = block)]
fn report(_: &ToolCallEnd<'_>) {}

fn main() {}
