use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
async fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

#[hook]
fn trim(call: &mut BeforeToolCall) {
    call.name = call.name.trim().into();
}

fn main() {
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall::default();
    let hooks = hooks![&trim, &trim, &trim, &trim, &trim, &trim, &trim, &trim, lower, trim];
    let _ = hooks.intercept_now(&cx, &mut call);
}
