//! What several files of tests share.

#![allow(dead_code, reason = "each binary of tests uses some of it")]

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use crate::vocabulary::*;
use hooks_core::{Event, HookAction, HookResult, async_trait, hook};

pub(crate) type Registry = AgentRegistry;

pub(crate) fn cx() -> AgentContext {
    AgentContext::new("s1")
}

pub(crate) fn call(name: &str) -> BeforeToolCall {
    BeforeToolCall {
        name: name.into(),
        ..BeforeToolCall::default()
    }
}

/// Who stopped an event, and why.
pub(crate) fn stopped<E: Event>(result: &HookResult<E>) -> Option<(&str, &str)> {
    result
        .as_cancel()
        .map(|cancel| (&*cancel.hook, &*cancel.reason))
}

/// In which order hooks that leave their names in a call run.
pub(crate) async fn order(hooks: &impl AgentHooks) -> String {
    let mut call = call("x");
    assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
    call.id
}

pub(crate) fn order_now(hooks: &impl AgentHooksNow) -> String {
    let mut call = call("x");
    assert!(hooks.intercept_now(&cx(), &mut call).is_continue());
    call.id
}

/// An opaque hook, of which a combinator knows no more than that it can be asked.
pub(crate) fn opaque(hooks: impl AgentHooks) -> impl AgentHooks {
    hooks
}

/// Polls a future until it is done.
pub(crate) fn now<F: Future>(future: F) -> F::Output {
    poll_times(pin!(future), usize::MAX).expect("it is polled until it is done")
}

/// Polls a future at most so many times.
pub(crate) fn poll_times<F: Future>(mut future: Pin<&mut F>, times: usize) -> Option<F::Output> {
    let mut task = Context::from_waker(Waker::noop());
    for _ in 0..times {
        if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
            return Some(output);
        }
    }
    None
}

/// Has to wait once.
pub(crate) async fn yield_once() {
    let mut has_yielded = false;
    poll_fn(|_| {
        if std::mem::replace(&mut has_yielded, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

/// What hooks write down, in the order in which they do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn add(&self, note: impl Into<String>) {
        self.0.lock().unwrap().push(note.into());
    }

    /// What has been written down, which is then forgotten.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A hook in a box that adds its name to a call's id and to the notes, and blocks the tool that has its name.
struct Plugin {
    name: String,
    priority: i32,
    notes: Notes,
}

pub(crate) fn plugin(name: &str, priority: i32) -> Box<dyn AgentHandler> {
    noting(name, priority, &Notes::default())
}

/// A plugin that writes down when it runs.
pub(crate) fn noting(name: &str, priority: i32, notes: &Notes) -> Box<dyn AgentHandler> {
    Box::new(Plugin {
        name: name.into(),
        priority,
        notes: notes.clone(),
    })
}

#[async_trait]
impl AgentHandler for Plugin {
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    async fn handle(&self, cx: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        assert_eq!(cx.session_id, "s1");
        self.notes.add(self.name.as_str());
        tokio::task::yield_now().await;
        if let AgentEventMut::BeforeToolCall(call) = event {
            call.id.push_str(&self.name);
            if call.name == self.name {
                return AgentSaid::block("no");
            }
        }
        AgentSaid::Continue
    }
}

/// A hook that adds its text to a call's id.
#[derive(Clone)]
pub(crate) struct Mark(pub(crate) &'static str);

#[hook]
impl Mark {
    fn mark(&self, call: &mut BeforeToolCall) {
        call.id.push_str(self.0);
    }
}

/// The same, asynchronously.
pub(crate) struct MarkLater(pub(crate) &'static str);

#[hook]
impl MarkLater {
    async fn mark(&self, call: &mut BeforeToolCall) {
        tokio::task::yield_now().await;
        call.id.push_str(self.0);
    }
}

/// A hook that writes its name down, and blocks the tool that has it.
pub(crate) struct Blocks(pub(crate) &'static str, pub(crate) Notes);

#[hook]
impl Blocks {
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        self.1.add(self.0);
        if call.name == self.0 {
            HookAction::block("no")
        } else {
            HookAction::Continue
        }
    }
}

/// A hook that writes its name down on every event.
pub(crate) struct Log(pub(crate) &'static str, pub(crate) Notes);

#[hook(every)]
impl Log {
    fn write(&self, _event: AgentEvent<'_>) {
        self.1.add(self.0);
    }
}
