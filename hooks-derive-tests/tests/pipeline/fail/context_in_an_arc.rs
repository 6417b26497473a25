// `&*cx` is meant. The type of the context is a projection of the event's, which rustc does not know yet when it looks
// at `&cx`: so it neither dereferences the `Arc` nor asks a trait that could have a message of ours.
use std::sync::Arc;

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let (cx, mut call) = (Arc::new(AgentContext::new("s1")), BeforeToolCall::default());
    let _ = hooks![lower].intercept_now(&cx, &mut call);
}
