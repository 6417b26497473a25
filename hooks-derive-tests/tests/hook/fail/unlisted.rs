#![deny(dead_code)]
use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
fn deny_rm(_: &BeforeToolCall) {}

fn main() {}
