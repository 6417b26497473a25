use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let cx = AgentContext::new("s1");
    let call = BeforeToolCall::default();
    let _ = hooks![lower].observe(&cx, &call);
}
