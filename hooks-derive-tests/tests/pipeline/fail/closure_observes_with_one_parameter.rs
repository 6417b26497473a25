use hooks_core::agent::HeartbeatTick;
use hooks_core::{hooks, observe_fn};

fn main() {
    let _ = hooks![observe_fn::<HeartbeatTick, _>(|_| println!("tick"))];
}
