use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct At<const P: i32>;

#[hook(priority = P)]
impl<const P: i32> At<P> {
    fn check(&self, _: &BeforeToolCall) {}
}

struct State;

impl State {
    const PRIORITY: i32 = 7;
}

#[hook(priority = Self::PRIORITY)]
impl State {
    fn check(&self, _: &BeforeToolCall) {}
}

fn main() {}
