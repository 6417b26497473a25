use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook, hooks};

struct Words;

#[hook]
impl Words {
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if self.is_bad(&call.name) { HookAction::block("bad") } else { HookAction::Continue }
    }

    fn is_bad(&self, text: &str) -> bool {
        text == "bad"
    }
}

fn main() {
    let _ = hooks![Words];
}
