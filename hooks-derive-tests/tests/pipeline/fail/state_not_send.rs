use std::cell::Cell;
use std::rc::Rc;

use hooks_core::agent::{AgentContext, HeartbeatTick};
use hooks_core::{hooks, observe_fn};

fn main() {
    let seen = Rc::new(Cell::new(0));
    let cx = AgentContext::new("s1");
    let hooks = hooks![observe_fn::<HeartbeatTick, _>(|_, _| seen.set(seen.get() + 1))];
    hooks.observe_now(&cx, &HeartbeatTick);
}
