use hooks_core::hook;

#[hook]
fn look(&self, _: &hooks_core::agent::BeforeToolCall) {}

fn main() {}
