use hooks_core::agent::BeforeToolCall;
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

struct RateLimit;

#[hook]
impl RateLimit {
    fn check(&self, _: &BeforeToolCall) {}
}

fn main() {
    let limit = RateLimit;
    let _ = hooks![lower, limit];
    let _ = hooks![limit];
}
