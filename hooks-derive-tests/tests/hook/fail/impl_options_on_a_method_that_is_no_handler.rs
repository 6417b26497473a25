use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Guard;

#[hook]
impl Guard {
    #[hook(only("shell"))]
    fn new() -> Self {
        Guard
    }

    fn check(&self, _: &BeforeToolCall) {}
}

fn main() {}
