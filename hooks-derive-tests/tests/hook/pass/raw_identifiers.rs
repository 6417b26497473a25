use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCallEnd};
use hooks_core::{HookAction, HookEvent, hook, hooks};

#[hook]
fn r#match(r#type: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block(r#type.name.clone())
}

#[allow(non_camel_case_types)]
struct r#struct;

#[hook]
impl r#struct {
    fn r#fn(&self, _: &ToolCallEnd<'_>) {}
}

#[allow(non_camel_case_types)]
pub struct r#impl {
    pub r#use: String,
}

#[derive(HookEvent)]
pub enum RawEvent<'r> {
    #[intercept(subject = r#use)]
    Match(&'r r#impl),
}

#[hook(only("a"))]
fn r#loop(event: &mut r#impl) {
    event.r#use.push('b');
}

fn main() {
    let hooks = hooks![r#match, r#struct];
    assert_eq!(format!("{hooks:?}"), "[match, struct]");
    let result = hooks.intercept_now(&AgentContext::new("s1"), &mut BeforeToolCall::default());
    assert_eq!(result.as_cancel().unwrap().hook, "match");

    let mut event = r#impl { r#use: "a".into() };
    assert!(hooks![r#loop].intercept_now(&(), &mut event).is_continue());
    assert_eq!(event.r#use, "ab");
}
