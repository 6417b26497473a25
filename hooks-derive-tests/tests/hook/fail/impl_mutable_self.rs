use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Count(u32);

#[hook]
impl Count {
    fn note(&mut self, _: &BeforeToolCall) {
        self.0 += 1;
    }
}

fn main() {}
