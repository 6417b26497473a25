//! Hooks that write down, decide and wait.

use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hooks_core::agent::*;
use hooks_core::{Cancel, HookAction, Scope, hook, priority};
use serde_json::{Value, json};

pub(crate) use crate::common::{cx, now, poll_times, yield_once};

pub(crate) fn call() -> BeforeToolCall {
    BeforeToolCall::new("c1", "shell", json!({ "command": "ls" }))
}

pub(crate) fn cancel(hook: &'static str, scope: Scope) -> Cancel {
    Cancel {
        hook: Cow::Borrowed(hook),
        reason: Cow::Borrowed("enough"),
        scope,
    }
}

/// Writes down all events as they are raised, before any hook can stop them.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<Vec<Value>>);

#[hook(every, priority = priority::FIRST)]
impl Recorder {
    fn see(&self, event: AgentEvent<'_>) {
        let event = serde_json::to_value(event).expect("an event is JSON");
        self.0.lock().unwrap().push(event);
    }
}

impl Recorder {
    /// The names of the events, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let name = |event: &Value| event["event"].as_str().expect("a name").to_owned();
        self.events().iter().map(name).collect()
    }

    /// All events, in order.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.names().iter().filter(|other| *other == name).count()
    }

    /// All events of that name.
    pub(crate) fn all(&self, name: &str) -> Vec<Value> {
        let mut all = self.events();
        all.retain(|event| event["event"] == name);
        all
    }

    /// The only event of that name.
    pub(crate) fn only(&self, name: &str) -> Value {
        let mut all = self.all(name);
        assert_eq!(all.len(), 1, "{name} in {:?}", self.names());
        all.remove(0)
    }
}

/// What a scripted hook says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Say {
    Continue,
    Modify,
    Answer,
    Ask,
    Defer,
    Grant,
    Context,
    Block,
    AbortTurn,
    AbortRun,
}

/// Says one thing on the events of one name, if it can be said there; the first `times` of them.
#[derive(Debug)]
pub(crate) struct Says {
    on: &'static str,
    say: Say,
    left: AtomicUsize,
    has_said: AtomicBool,
}

impl Says {
    pub(crate) fn new(on: &'static str, say: Say) -> Self {
        Says {
            on,
            say,
            left: AtomicUsize::new(usize::MAX),
            has_said: AtomicBool::new(false),
        }
    }

    /// Whether it has ended the turn or the run; on an event that is only observed, it has not.
    pub(crate) fn has_aborted(&self) -> bool {
        let observed = [
            "AgentStart",
            "LlmInput",
            "LlmOutput",
            "ToolCallStart",
            "ToolCallEnd",
            "ToolCallSkipped",
            "AgentError",
            "AgentEnd",
        ];
        matches!(self.say, Say::AbortTurn | Say::AbortRun)
            && !observed.contains(&self.on)
            && self.has_said.load(Ordering::SeqCst)
    }

    pub(crate) fn times(self, times: usize) -> Self {
        let left = AtomicUsize::new(times);
        Says { left, ..self }
    }
}

#[hook(every)]
impl Says {
    fn decide(&self, event: AgentEventMut<'_>) -> AgentSaid {
        let take = |left: usize| left.checked_sub(1);
        if event.name() != self.on
            || self
                .left
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take)
                .is_err()
        {
            return AgentSaid::Continue;
        }
        self.has_said.store(true, Ordering::SeqCst);
        match self.say {
            Say::Block => return AgentSaid::block("enough"),
            Say::AbortTurn => return AgentSaid::abort_turn("enough"),
            Say::AbortRun => return AgentSaid::abort_run("enough"),
            _ => {}
        }
        match (self.say, event) {
            (Say::Answer, event) => answer(&event),
            (Say::Modify, event) => {
                modify(event);
                AgentSaid::Continue
            }
            (Say::Ask, AgentEventMut::BeforeToolCall(call)) => {
                call.approval = Approval::ask("it is dear");
                AgentSaid::Continue
            }
            (Say::Defer, AgentEventMut::BeforeToolCall(call)) => {
                call.approval = Approval::defer("the owner decides");
                AgentSaid::Continue
            }
            (Say::Grant, AgentEventMut::BeforeToolCall(call)) => {
                call.approval = Approval::granted("ada");
                AgentSaid::Continue
            }
            (
                Say::Context,
                AgentEventMut::BeforeToolCall(BeforeToolCall { context, .. })
                | AgentEventMut::AfterToolCall(AfterToolCall { context, .. }),
            ) => {
                context.push(format!("beside {}", self.on));
                AgentSaid::Continue
            }
            _ => AgentSaid::Continue,
        }
    }
}

fn answer(event: &AgentEventMut<'_>) -> AgentSaid {
    match event {
        AgentEventMut::BeforeLlmCall(_) => {
            HookAction::<BeforeLlmCall>::respond(LlmResponse::new("cached")).into()
        }
        AgentEventMut::LlmFailed(_) => HookAction::<LlmFailed>::respond(Retry::new()).into(),
        AgentEventMut::AfterLlmCall(_) => {
            HookAction::<AfterLlmCall>::respond(Retry::with_feedback("try again")).into()
        }
        AgentEventMut::InvalidToolCall(_) => {
            HookAction::<InvalidToolCall>::respond(ToolOutput::new("answered")).into()
        }
        AgentEventMut::BeforeToolCall(_) => {
            HookAction::<BeforeToolCall>::respond(ToolOutput::new("answered")).into()
        }
        AgentEventMut::ApproveToolCall(_) => {
            HookAction::<ApproveToolCall<'static>>::respond(Approved::new()).into()
        }
        _ => AgentSaid::Continue,
    }
}

fn modify(event: AgentEventMut<'_>) {
    match event {
        AgentEventMut::BeforeModelResolve(resolve) => resolve.model = "modified".into(),
        AgentEventMut::BeforePromptBuild(build) => build.prompt = "modified".into(),
        AgentEventMut::BeforeLlmCall(request) => request.model = "modified".into(),
        AgentEventMut::LlmFailed(failed) => failed.model = "modified".into(),
        AgentEventMut::AfterLlmCall(after) => after.response.content.push_str(" modified"),
        // It repairs the call.
        AgentEventMut::InvalidToolCall(call) => call.name = "shell".into(),
        AgentEventMut::BeforeToolCall(call) => call.args["modified"] = true.into(),
        AgentEventMut::AfterToolCall(after) => after.output.content = "modified".into(),
        AgentEventMut::BeforeStop(stop) => stop.response = "modified".into(),
        AgentEventMut::MessageReceived(message) => message.content = "modified".into(),
        AgentEventMut::MessageSending(message) => message.content = "modified".into(),
        _ => {}
    }
}

/// Waits once on every event; listed after a recorder, it runs after it.
#[hook(every, priority = priority::FIRST)]
pub(crate) async fn waits(_: AgentEvent<'_>) {
    yield_once().await;
}

/// What is held while it lives.
#[derive(Debug)]
pub(crate) struct Guard<'a>(&'a AtomicUsize);

impl<'a> Guard<'a> {
    pub(crate) fn of(held: &'a AtomicUsize) -> Self {
        held.fetch_add(1, Ordering::SeqCst);
        Guard(held)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
