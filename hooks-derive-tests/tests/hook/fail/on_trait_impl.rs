use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Guard;

trait Check {
    fn check(&self, call: &BeforeToolCall);
}

#[hook]
impl Check for Guard {
    fn check(&self, _: &BeforeToolCall) {}
}

fn main() {}
