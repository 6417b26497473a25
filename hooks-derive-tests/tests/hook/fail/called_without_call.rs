// The hook is the value `deny`, and the function is `deny::call`. What is called and is no function is reported by rustc
// alone, without a trait to put a message on.
use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn deny(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block("no")
}

fn main() {
    assert!(!deny(&BeforeToolCall::default()).is_continue());
}
