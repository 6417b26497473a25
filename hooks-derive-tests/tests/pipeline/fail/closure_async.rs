use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hooks, intercept_fn};

fn main() {
    let _ = hooks![intercept_fn::<BeforeToolCall, _>(async |_, _| HookAction::Continue)];
}
