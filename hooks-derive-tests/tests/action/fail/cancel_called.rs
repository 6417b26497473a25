#![deny(deprecated)]
use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn deny(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::Cancel("no shell here".into())
}

fn main() {}
