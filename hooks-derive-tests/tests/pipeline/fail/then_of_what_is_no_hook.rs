use hooks_core::agent::BeforeToolCall;
use hooks_core::{Hook, hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let _ = hooks![lower].then("more");
}
