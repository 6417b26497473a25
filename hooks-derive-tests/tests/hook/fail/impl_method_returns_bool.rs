use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Guard;

#[hook]
impl Guard {
    fn check(&self, _: &BeforeToolCall) -> bool {
        true
    }
}

fn main() {}
