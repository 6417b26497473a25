use hooks_core::hook;

struct Guard;

impl Guard {
    #[hook]
    fn check(&self, _: &hooks_core::agent::BeforeToolCall) {}
}

fn main() {}
