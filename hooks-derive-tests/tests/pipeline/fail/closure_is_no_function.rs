// A closure's parameters are inferred from a bound on `Fn` itself, so no trait with a message of ours can stand in its
// place. rustc checks the call and its output apart.
use hooks_core::agent::BeforeToolCall;
use hooks_core::{hooks, intercept_fn};

fn main() {
    let _ = hooks![intercept_fn::<BeforeToolCall, _>("shell")];
}
