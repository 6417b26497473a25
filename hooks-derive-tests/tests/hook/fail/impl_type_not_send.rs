use std::rc::Rc;

use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Count(Rc<u32>);

#[hook]
impl Count {
    fn note(&self, _: &BeforeToolCall) {
        let _ = &self.0;
    }
}

fn main() {}
