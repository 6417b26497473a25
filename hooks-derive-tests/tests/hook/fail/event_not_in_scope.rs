use hooks_core::hook;

#[hook]
fn look(_: &BeforeToolCall) {}

fn main() {}
