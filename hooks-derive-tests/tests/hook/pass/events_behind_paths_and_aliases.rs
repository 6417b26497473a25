use hooks_core::agent::{self, AgentContext};
use hooks_core::{hook, hooks};

type Call = agent::BeforeToolCall;
type End<'a> = agent::ToolCallEnd<'a>;
type Returned = hooks_core::HookAction<Call>;

#[hook]
fn by_path(_: &agent::AgentContext, call: &mut agent::BeforeToolCall) {
    call.name.push('1');
}

#[hook]
fn by_alias(call: &mut Call) -> Returned {
    call.name.push('2');
    Returned::Continue
}

#[hook]
fn by_alias_that_borrows(_: &End<'_>) {}

#[hook(every)]
fn every(_: crate::agent::AgentEvent<'_>) {}

fn main() {
    let mut call = Call::default();
    let hooks = hooks![by_path, by_alias, by_alias_that_borrows, every];
    assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
    assert_eq!(call.name, "12");
}
