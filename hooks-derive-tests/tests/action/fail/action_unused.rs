#![deny(unused_must_use)]

use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

fn judge(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block(format!("no {} here", call.name))
}

#[hook]
fn deny(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    judge(call);
    HookAction::Continue
}

fn main() {}
