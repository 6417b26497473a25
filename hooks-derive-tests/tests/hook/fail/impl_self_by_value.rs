use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Count(u32);

#[hook]
impl Count {
    fn note(self, _: &BeforeToolCall) {}
}

fn main() {}
