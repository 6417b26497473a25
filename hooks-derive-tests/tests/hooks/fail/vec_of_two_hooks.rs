use hooks_core::agent::BeforeToolCall;
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

#[hook]
fn trim(call: &mut BeforeToolCall) {
    call.name = call.name.trim().into();
}

fn main() {
    let _ = hooks![vec![lower, trim]];
}
