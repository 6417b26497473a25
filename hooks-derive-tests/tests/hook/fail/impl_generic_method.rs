use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Guard;

#[hook]
impl Guard {
    fn check<T>(&self, _: &BeforeToolCall) {}
}

fn main() {}
