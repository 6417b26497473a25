use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(priority: 1)]
fn colon(_: &BeforeToolCall) {}

#[hook(priority 1)]
fn blank(_: &BeforeToolCall) {}

fn main() {}
