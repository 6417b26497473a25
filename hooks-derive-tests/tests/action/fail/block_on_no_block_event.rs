use hooks_core::agent::AfterToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn redact(_: &AfterToolCall) -> HookAction<AfterToolCall> {
    HookAction::block("too late")
}

fn main() {}
