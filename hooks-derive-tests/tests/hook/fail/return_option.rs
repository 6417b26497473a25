use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn look(_: &BeforeToolCall) -> Option<HookAction<BeforeToolCall>> {
    None
}

fn main() {}
