use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct State {
    limit: usize,
}

#[hook]
impl State {
    fn check(&self, call: &BeforeToolCall) -> Result<(), String> {
        if self.is_long(&call.name, self.limit) { Err("long".into()) } else { Ok(()) }
    }

    fn is_long(&self, name: &str, limit: usize) -> bool {
        name.len() > limit
    }

    fn is(&self, limit: usize) -> bool {
        self.limit == limit
    }

    fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

fn main() {}
