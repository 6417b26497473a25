//! What several files of tests share.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each file of tests uses a part of it"
)]

use std::sync::{Arc, Mutex};

use hooks_core::agent::{
    AgentContext, AgentEvent, AgentHandler, BeforeToolCall, HeartbeatTick, ToolOutput,
};
use hooks_core::{Decision, HookAction, async_trait, hook};

pub fn cx() -> AgentContext {
    AgentContext::new("s1")
}

pub fn call(name: &str) -> BeforeToolCall {
    BeforeToolCall {
        name: name.into(),
        ..BeforeToolCall::default()
    }
}

/// What hooks write down, in the order in which they do.
#[derive(Clone, Debug, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub fn add(&self, note: impl Into<String>) {
        self.0.lock().unwrap().push(note.into());
    }

    /// What has been written down, which is then forgotten.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

pub fn word(decision: Decision<'_>) -> String {
    match decision {
        Decision::Continue => "goes on".into(),
        Decision::Respond => "answered".into(),
        Decision::Cancel(cancel) => format!("stopped by {}", cancel.hook),
        _ => unreachable!(),
    }
}

/// A handler that adds its name to a call's id and to the notes, and blocks the tool that has its name.
pub struct Plugin {
    pub name: String,
    pub priority: i32,
    pub notes: Notes,
}

pub fn plugin(name: &str, priority: i32) -> Plugin {
    Plugin {
        name: name.into(),
        priority,
        notes: Notes::default(),
    }
}

impl Plugin {
    #[must_use]
    pub fn noting(self, notes: &Notes) -> Self {
        Plugin {
            notes: notes.clone(),
            ..self
        }
    }
}

#[async_trait]
impl AgentHandler for Plugin {
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    async fn before_tool_call(
        &self,
        _cx: &AgentContext,
        call: &mut BeforeToolCall,
    ) -> HookAction<BeforeToolCall> {
        self.notes.add(format!("{} ran", self.name));
        call.id.push_str(&self.name);
        match call.name.strip_suffix('!') {
            Some(name) if name == self.name => HookAction::respond(ToolOutput::new("answer")),
            None if call.name == self.name => HookAction::block("no"),
            _ => HookAction::Continue,
        }
    }

    async fn heartbeat_tick(&self, _cx: &AgentContext, _: &HeartbeatTick) {
        self.notes.add(format!("{} ran", self.name));
    }

    fn decided(&self, _cx: &AgentContext, _: AgentEvent<'_>, decision: Decision<'_>) {
        self.notes
            .add(format!("{} told: {}", self.name, word(decision)));
    }
}

/// A hook that adds its text to a call's id.
pub struct Mark(pub &'static str);

#[hook]
impl Mark {
    fn mark(&self, call: &mut BeforeToolCall) {
        call.id.push_str(self.0);
    }
}

/// The same, asynchronously.
pub struct MarkLater(pub &'static str);

#[hook]
impl MarkLater {
    async fn mark(&self, call: &mut BeforeToolCall) {
        tokio::task::yield_now().await;
        call.id.push_str(self.0);
    }
}

/// A hook that blocks the tool that has its name, and answers in the place of the one with a `!`.
pub struct Guard(pub &'static str, pub Notes);

#[hook]
impl Guard {
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        self.1.add(format!("{} ran", self.0));
        match call.name.strip_suffix('!') {
            Some(name) if name == self.0 => HookAction::respond(ToolOutput::new("answer")),
            None if call.name == self.0 => HookAction::block("no"),
            _ => HookAction::Continue,
        }
    }
}

/// A hook that writes down what it is told of every event.
pub struct Log(pub &'static str, pub Notes);

#[hook(every)]
impl Log {
    fn write(&self, _event: AgentEvent<'_>, decision: Decision<'_>) {
        match decision {
            Decision::Continue => self.1.add(format!("{} ran", self.0)),
            other => self.1.add(format!("{} told: {}", self.0, word(other))),
        }
    }
}
