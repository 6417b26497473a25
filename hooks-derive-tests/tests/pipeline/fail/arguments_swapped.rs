// rustc takes both types from the arguments, and so does not see that they are swapped. The line of the method that it
// shows says how they stand.
use hooks_core::agent::{AgentContext, AgentHooks, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

async fn behind(hooks: impl AgentHooks, cx: &AgentContext, call: &mut BeforeToolCall) {
    let _ = hooks.intercept(call, cx).await;
}

fn main() {
    let (cx, mut call) = (AgentContext::new("s1"), BeforeToolCall::default());
    let _ = hooks![lower].intercept_now(&mut call, &cx);
}
