use hooks_core::agent::AfterToolCall;
use hooks_core::{HookAction, Scope, hook};

#[hook]
fn deny(_: &AfterToolCall) -> HookAction<AfterToolCall> {
    HookAction::Cancel {
        scope: Scope::Event,
        reason: "too late".into(),
        hook: None,
    }
}

fn main() {}
