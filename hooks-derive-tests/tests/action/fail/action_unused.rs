#![deny(unused_must_use)]

use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn deny(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.name == "shell" {
        HookAction::<BeforeToolCall>::block("no shell here");
    }
    HookAction::Continue
}

fn main() {}
