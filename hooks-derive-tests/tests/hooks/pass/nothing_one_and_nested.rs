use hooks_core::agent::{AgentContext, BeforeToolCall, HeartbeatTick};
use hooks_core::{hook, hooks};

#[hook]
fn mark(call: &mut BeforeToolCall) {
    call.name.push('!');
}

fn main() {
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall::default();

    // A list without hooks belongs to every vocabulary.
    let nothing = hooks![];
    assert!(nothing.intercept_now(&cx, &mut call).is_continue());
    nothing.observe_now(&cx, &HeartbeatTick);

    let off: Option<mark> = None;
    let nested = hooks![hooks![mark,] @ 5, &mark, nothing, Some(mark) @ -5, off, std::sync::Arc::new(mark)];
    assert!(nested.intercept_now(&cx, &mut call).is_continue());
    assert_eq!(call.name, "!!!!");
}
