use hooks_core::agent::{AgentHooks, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

struct Agent<H> {
    hooks: H,
}

impl<H: AgentHooks> Agent<H> {
    fn new() -> Self {
        Agent { hooks: hooks![lower] }
    }
}

fn main() {}
