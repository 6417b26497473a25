use hooks_core::agent::BeforeToolCall;
use hooks_core::{Pipeline, hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

static HOOKS: Pipeline<_> = hooks![lower];

fn main() {}
