#![deny(unused_must_use)]

use hooks_core::agent::{AgentContext, HeartbeatTick};
use hooks_core::{hook, hooks};

#[hook]
fn report(_: &HeartbeatTick) {}

fn main() {
    let cx = AgentContext::new("s1");
    hooks![report].observe(&cx, &HeartbeatTick);
}
