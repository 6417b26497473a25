use hooks_core::agent::{AgentHooks, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn with<A: AgentHooks, B: AgentHooks>(a: A, b: B) {
    let _ = hooks![lower, a, b];
}

fn main() {}
