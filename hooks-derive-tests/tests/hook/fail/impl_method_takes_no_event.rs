use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Guard;

#[hook]
impl Guard {
    fn check(&self, _: &BeforeToolCall) {}

    fn set_limit(&self, _: u32) {}
}

fn main() {}
