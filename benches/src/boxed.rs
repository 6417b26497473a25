//! The hooks as a runner has them that trusts none of them: boxed, cloned and caught.
//!
//! It is written after ZeroClaw's `HookRunner`. A modifying hook is given a clone of the payload and
//! returns it, changed or not; its future is boxed, and a panic in it is caught and leaves the payload as
//! it was. Void hooks borrow their payload and run concurrently. It differs in one thing, which saves it a
//! move: the payload comes by `&mut`, so that all ways have the same contract with the agent.

use std::future::ready;
use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures_util::FutureExt;
use futures_util::future::join_all;

use crate::event::{Message, REASON, ToolCall, ToolCallEnd, blocks, note};
use crate::lists::{Tool, eight, scaled, tools};
use crate::yield_once;

/// What a modifying hook says.
#[derive(Debug)]
pub enum HookResult<T> {
    /// Go on, with this payload.
    Continue(T),
    /// Do not go on, for this reason.
    Cancel(String),
}

/// A hook. What it does not override passes its payload on.
#[async_trait]
pub trait HookHandler: Send + Sync {
    /// A higher one runs first.
    fn priority(&self) -> i32 {
        0
    }

    /// Before a tool runs.
    async fn before_tool_call(&self, call: ToolCall) -> HookResult<ToolCall> {
        HookResult::Continue(call)
    }

    /// Before a message is sent.
    async fn before_message(&self, message: Message) -> HookResult<Message> {
        HookResult::Continue(message)
    }

    /// After a tool has run.
    async fn after_tool_call(&self, _done: &ToolCallEnd<'_>) {}
}

/// Runs its hooks in the order of their priorities.
#[derive(Default)]
pub struct HookRunner {
    handlers: Vec<Box<dyn HookHandler>>,
}

impl std::fmt::Debug for HookRunner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HookRunner of {} hooks", self.handlers.len())
    }
}

impl HookRunner {
    /// Adds a hook.
    pub fn register(&mut self, handler: Box<dyn HookHandler>) {
        self.handlers.push(handler);
        self.handlers
            .sort_by_key(|handler| std::cmp::Reverse(handler.priority()));
    }

    /// Asks the hooks in order, until one cancels.
    pub async fn run_before_tool_call(&self, call: &mut ToolCall) -> Option<String> {
        for handler in &self.handlers {
            let asked = AssertUnwindSafe(handler.before_tool_call(call.clone()));
            match asked.catch_unwind().await {
                Ok(HookResult::Continue(changed)) => *call = changed,
                Ok(HookResult::Cancel(reason)) => return Some(reason),
                // The hook has panicked: the payload is as it was before it.
                Err(_) => {}
            }
        }
        None
    }

    /// Tells all hooks, concurrently.
    pub async fn fire_after_tool_call(&self, done: &ToolCallEnd<'_>) {
        join_all(
            self.handlers
                .iter()
                .map(|handler| handler.after_tool_call(done)),
        )
        .await;
    }
}

fn check<T: Tool>(mut call: ToolCall) -> HookResult<ToolCall> {
    if blocks(T::NAME, &mut call) {
        HookResult::Cancel(REASON.into())
    } else {
        HookResult::Continue(call)
    }
}

struct SyncHook<T>(PhantomData<fn(T)>);
struct AsyncReadyHook<T>(PhantomData<fn(T)>);
struct AsyncPendingHook<T>(PhantomData<fn(T)>);
struct ObserveHook<T>(PhantomData<fn(T)>);
struct MessageHook<T>(PhantomData<fn(T)>);

#[async_trait]
impl<T: Tool> HookHandler for SyncHook<T> {
    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn before_tool_call(&self, call: ToolCall) -> HookResult<ToolCall> {
        check::<T>(call)
    }
}

#[async_trait]
impl<T: Tool> HookHandler for AsyncReadyHook<T> {
    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn before_tool_call(&self, call: ToolCall) -> HookResult<ToolCall> {
        ready(()).await;
        check::<T>(call)
    }
}

#[async_trait]
impl<T: Tool> HookHandler for AsyncPendingHook<T> {
    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn before_tool_call(&self, call: ToolCall) -> HookResult<ToolCall> {
        yield_once().await;
        check::<T>(call)
    }
}

#[async_trait]
impl<T: Tool> HookHandler for ObserveHook<T> {
    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn after_tool_call(&self, done: &ToolCallEnd<'_>) {
        note(T::NAME, T::PLACE, done);
    }
}

#[async_trait]
impl<T: Tool> HookHandler for MessageHook<T> {
    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn before_message(&self, message: Message) -> HookResult<Message> {
        if message.content == T::NAME {
            HookResult::Cancel(REASON.into())
        } else {
            HookResult::Continue(message)
        }
    }
}

/// A runner of one hook for each row.
macro_rules! runner {
    ([$Handler:ident] $($name:ident $priority:literal,)*) => {{
        let mut runner = HookRunner::default();
        $(runner.register(Box::new($Handler::<tools::$name>(PhantomData)));)*
        runner
    }};
}

/// Eight checks.
#[must_use]
pub fn sync_8() -> HookRunner {
    eight!(runner!(SyncHook))
}

/// Eight checks, each after an await of what is ready.
#[must_use]
pub fn async_ready_8() -> HookRunner {
    eight!(runner!(AsyncReadyHook))
}

/// Eight checks, each after an await that has to wait.
#[must_use]
pub fn async_pending_8() -> HookRunner {
    eight!(runner!(AsyncPendingHook))
}

/// Eight notes.
#[must_use]
pub fn observe_8() -> HookRunner {
    eight!(runner!(ObserveHook))
}

/// One check: the other seven of the eight hooks are on another event.
#[must_use]
pub fn one_of_eight_handles() -> HookRunner {
    let mut runner = HookRunner::default();
    runner.register(Box::new(MessageHook::<tools::shell>(PhantomData)));
    runner.register(Box::new(MessageHook::<tools::delete>(PhantomData)));
    runner.register(Box::new(MessageHook::<tools::write_file>(PhantomData)));
    runner.register(Box::new(SyncHook::<tools::browser>(PhantomData)));
    runner.register(Box::new(MessageHook::<tools::deploy>(PhantomData)));
    runner.register(Box::new(MessageHook::<tools::python>(PhantomData)));
    runner.register(Box::new(MessageHook::<tools::sql>(PhantomData)));
    runner.register(Box::new(MessageHook::<tools::send_mail>(PhantomData)));
    runner
}

macro_rules! scaling {
    ($($hooks:tt $function:ident,)*) => { $(
        /// As many checks as its name says.
        #[must_use]
        pub fn $function() -> HookRunner {
            scaled!($hooks runner!(SyncHook))
        }
    )* };
}
scaling!(1 scaling_1, 4 scaling_4, 16 scaling_16, 64 scaling_64,);
