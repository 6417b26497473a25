use hooks_core::agent::{AgentEvent, BeforeToolCall};
use hooks_core::{HookRegistry, hook, hooks};

struct RateLimit;

#[hook]
impl RateLimit {
    fn check(&self, _: &BeforeToolCall) {}
}

fn main() {
    let limit = RateLimit;
    let _ = HookRegistry::<AgentEvent>::new().with(hooks![&limit]);
}
