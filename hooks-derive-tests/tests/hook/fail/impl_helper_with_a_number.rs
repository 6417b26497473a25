use hooks_core::agent::BeforeToolCall;
use hooks_core::{hook, hooks};

struct Count;

#[hook]
impl Count {
    fn check(&self, call: &BeforeToolCall) {
        self.add(&call.name.len());
    }

    fn add(&self, by: &usize) {
        println!("{by}");
    }
}

fn main() {
    let _ = hooks![Count];
}
