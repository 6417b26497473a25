use hooks_core::agent::{
    AgentContext, AgentEvent, Approval, ApproveToolCall, LlmInput, ToolAnnotations, ToolCallEnd,
};
use hooks_core::{HookAction, HookEvent, hook, hooks};

#[hook]
fn named<'a>(end: &ToolCallEnd<'a>) {
    let _: &'a str = end.name;
}

#[hook]
async fn elided(input: &LlmInput<'_>) {
    assert_eq!(input.model, "m");
}

#[hook]
fn same<'a>(_: &AgentContext, ask: &ApproveToolCall<'a>) -> HookAction<ApproveToolCall<'a>> {
    HookAction::block(ask.name.to_owned())
}

#[hook(every)]
fn every(event: AgentEvent<'_>) {
    assert!(!event.name().is_empty());
}

#[hook(every)]
fn every_named<'a>(event: AgentEvent<'a>) {
    let _: AgentEvent<'a> = event;
}

/// Two lifetimes in one payload.
pub struct Pair<'l, 'r> {
    pub left: &'l str,
    pub right: &'r str,
}

#[derive(HookEvent)]
pub enum PairEvent<'e> {
    #[intercept(respond = Vec<&'static str>)]
    Paired(&'e Pair<'e, 'e>),
}

#[hook]
fn swap(pair: &mut Pair<'_, '_>) {
    assert_eq!((pair.left, pair.right), ("l", "r"));
    pair.left = "left";
}

fn main() {
    let hooks = hooks![named, elided, same, every, every_named];
    let cx = AgentContext::new("s1");
    let args = Default::default();
    let mut ask = ApproveToolCall {
        id: "1",
        name: "shell",
        args: &args,
        annotations: ToolAnnotations::default(),
        approval: &Approval::Usual,
    };
    let result = hooks.intercept_now(&cx, &mut ask);
    assert_eq!(result.as_cancel().unwrap().reason, "shell");

    let right = String::from("r");
    let mut pair = Pair {
        left: "l",
        right: &right,
    };
    assert!(hooks![swap].intercept_now(&(), &mut pair).is_continue());
    assert_eq!(pair.left, "left");
}
