use hooks_core::agent::BeforeToolCall;
use hooks_core::{hook, hooks};

#[hook(prioritty = 10)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let call = &mut BeforeToolCall::default();
    lower::call(call);
    let hooks = hooks![lower];
    let _ = hooks.intercept_now(&Default::default(), call);
}
