use std::cell::Cell;

use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Count(Cell<u32>);

#[hook]
impl Count {
    fn note(&self, _: &BeforeToolCall) {
        self.0.set(self.0.get() + 1);
    }
}

fn main() {}
