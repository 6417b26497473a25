use hooks_core::agent::HeartbeatTick;
use hooks_core::{HookAction, hooks, intercept_fn};

fn main() {
    let _ = hooks![intercept_fn::<HeartbeatTick, _>(|_, _| HookAction::Continue)];
}
