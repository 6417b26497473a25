use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct RateLimit;

#[hook]
impl RateLimit {
    fn check(&self, _: &BeforeToolCall) {}

    fn note(&self, _: &mut BeforeToolCall) {}
}

fn main() {}
