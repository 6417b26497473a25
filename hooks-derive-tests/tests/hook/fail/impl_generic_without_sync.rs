use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Cache<T>(T);

#[hook]
impl<T: Send> Cache<T> {
    fn look(&self, _: &BeforeToolCall) {
        let _ = &self.0;
    }
}

fn main() {}
