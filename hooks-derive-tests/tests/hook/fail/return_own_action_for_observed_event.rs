use hooks_core::agent::HeartbeatTick;
use hooks_core::{HookAction, hook};

#[hook]
fn report(_: &HeartbeatTick) -> HookAction<HeartbeatTick> {
    HookAction::Continue
}

fn main() {}
