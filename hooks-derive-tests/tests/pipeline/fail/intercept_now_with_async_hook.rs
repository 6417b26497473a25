use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
async fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall::default();
    let _ = hooks![lower].intercept_now(&cx, &mut call);
}
