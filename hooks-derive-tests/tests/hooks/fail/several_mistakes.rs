use hooks_core::agent::BeforeToolCall;
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let _ = [hooks![#[inline] lower, |_, _| {}, lower]];
}
