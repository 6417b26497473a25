// Two messages: rustc refuses this return type in a plain function as well, as the reference has a lifetime too.
use hooks_core::agent::ApproveToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn approve(_: &ApproveToolCall) -> HookAction<ApproveToolCall> {
    HookAction::Continue
}

fn main() {}
