use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Guard;

impl Guard {
    #[hook]
    fn check(&self, _: &BeforeToolCall) {}
}

fn main() {}
