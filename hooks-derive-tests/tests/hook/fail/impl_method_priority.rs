use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Guard;

#[hook]
impl Guard {
    #[hook(priority = 1)]
    fn check(&self, _: &BeforeToolCall) {}
}

fn main() {}
