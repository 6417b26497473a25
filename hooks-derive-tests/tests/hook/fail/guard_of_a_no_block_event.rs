use hooks_core::agent::AfterToolCall;
use hooks_core::{HookAction, hook};

#[hook(guard)]
fn judge(_: &AfterToolCall) -> HookAction<AfterToolCall> {
    HookAction::Continue
}

fn main() {}
