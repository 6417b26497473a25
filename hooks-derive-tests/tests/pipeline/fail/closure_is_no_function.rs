use hooks_core::agent::BeforeToolCall;
use hooks_core::{hooks, intercept_fn};

fn main() {
    let _ = hooks![intercept_fn::<BeforeToolCall, _>("shell")];
}
