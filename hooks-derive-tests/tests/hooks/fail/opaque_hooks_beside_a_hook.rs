use hooks_core::agent::{AgentHooks, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn with(theirs: impl AgentHooks) -> impl AgentHooks {
    hooks![lower, theirs]
}

fn main() {}
