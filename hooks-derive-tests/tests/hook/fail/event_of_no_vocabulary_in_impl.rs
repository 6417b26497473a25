use hooks_core::agent::{BeforeToolCall, ToolCall};
use hooks_core::{HookAction, hook, hooks};

struct Guard;

#[hook]
impl Guard {
    fn check(&self, _: &BeforeToolCall) {}

    fn deny(&self, _: &ToolCall) -> HookAction<ToolCall> {
        HookAction::Continue
    }
}

fn main() {
    let _ = hooks![Guard];
}
