use hooks_core::agent::BeforeToolCall;
use hooks_core::{hooks, observe_fn};

fn main() {
    let _ = hooks![observe_fn::<BeforeToolCall, _>(|_, _| {})];
}
