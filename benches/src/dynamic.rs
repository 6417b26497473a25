//! The hooks behind `dyn`: handlers under `#[async_trait]` in a `HookRegistry`.

use std::future::ready;
use std::marker::PhantomData;

use hooks_core::{EventSet, HookAction, HookRegistry, OnPanic, async_trait};

use crate::event::{
    BenchEvent, BenchHandler, Message, REASON, ToolCall, ToolCallEnd, blocks, note,
};
use crate::lists::{Tool, eight, scaled, tools};
use crate::yield_once;

/// The registry of the benchmarked agent.
pub type Registry = HookRegistry<BenchEvent<'static>>;

fn check<T: Tool>(call: &mut ToolCall) -> HookAction<ToolCall> {
    if blocks(T::NAME, call) {
        HookAction::block(REASON)
    } else {
        HookAction::Continue
    }
}

struct SyncHook<T>(PhantomData<fn(T)>);
struct AsyncReadyHook<T>(PhantomData<fn(T)>);
struct AsyncPendingHook<T>(PhantomData<fn(T)>);
struct ObserveHook<T>(PhantomData<fn(T)>);
struct MessageHook<T>(PhantomData<fn(T)>);

#[async_trait]
impl<T: Tool> BenchHandler for SyncHook<T> {
    fn name(&self) -> &str {
        T::NAME
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn before_tool_call(&self, (): &(), call: &mut ToolCall) -> HookAction<ToolCall> {
        check::<T>(call)
    }
}

#[async_trait]
impl<T: Tool> BenchHandler for AsyncReadyHook<T> {
    fn name(&self) -> &str {
        T::NAME
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn before_tool_call(&self, (): &(), call: &mut ToolCall) -> HookAction<ToolCall> {
        ready(()).await;
        check::<T>(call)
    }
}

#[async_trait]
impl<T: Tool> BenchHandler for AsyncPendingHook<T> {
    fn name(&self) -> &str {
        T::NAME
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn before_tool_call(&self, (): &(), call: &mut ToolCall) -> HookAction<ToolCall> {
        yield_once().await;
        check::<T>(call)
    }
}

#[async_trait]
impl<T: Tool> BenchHandler for ObserveHook<T> {
    fn name(&self) -> &str {
        T::NAME
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn after_tool_call(&self, (): &(), done: &ToolCallEnd<'_>) {
        note(T::NAME, T::PLACE, done);
    }
}

#[async_trait]
impl<T: Tool> BenchHandler for MessageHook<T> {
    fn name(&self) -> &str {
        T::NAME
    }

    fn priority(&self) -> i32 {
        T::PRIORITY
    }

    async fn before_message(&self, (): &(), message: &mut Message) -> HookAction<Message> {
        if message.content == T::NAME {
            HookAction::block(REASON)
        } else {
            HookAction::Continue
        }
    }
}

/// A registry that does for its handlers what static hooks have by default: a panic unwinds. To catch one, it would
/// copy the event before each handler, as `boxed` does.
fn plain() -> Registry {
    Registry::new().on_panic(OnPanic::Propagate)
}

/// A registry of one handler for each row.
macro_rules! registry {
    ([$Handler:ident] $($name:ident $priority:literal,)*) => {
        plain()$(.with($Handler::<tools::$name>(PhantomData)))*
    };
}

/// Eight checks.
#[must_use]
pub fn sync_8() -> Registry {
    eight!(registry!(SyncHook))
}

/// Eight checks, each after an await of what is ready.
#[must_use]
pub fn async_ready_8() -> Registry {
    eight!(registry!(AsyncReadyHook))
}

/// Eight checks, each after an await that has to wait.
#[must_use]
pub fn async_pending_8() -> Registry {
    eight!(registry!(AsyncPendingHook))
}

/// Eight notes.
#[must_use]
pub fn observe_8() -> Registry {
    eight!(registry!(ObserveHook))
}

/// One check: the other seven of the eight handlers are on another event.
#[must_use]
pub fn one_of_eight_handles() -> Registry {
    plain()
        .with(MessageHook::<tools::shell>(PhantomData))
        .with(MessageHook::<tools::delete>(PhantomData))
        .with(MessageHook::<tools::write_file>(PhantomData))
        .with(SyncHook::<tools::browser>(PhantomData))
        .with(MessageHook::<tools::deploy>(PhantomData))
        .with(MessageHook::<tools::python>(PhantomData))
        .with(MessageHook::<tools::sql>(PhantomData))
        .with(MessageHook::<tools::send_mail>(PhantomData))
}

/// A handler that says that it is on messages only.
struct OnMessages<T>(PhantomData<fn(T)>);

#[async_trait]
impl<T: Tool> BenchHandler for OnMessages<T> {
    fn name(&self) -> &str {
        T::NAME
    }

    fn events(&self) -> EventSet {
        EventSet::of::<Message>()
    }

    async fn before_message(&self, (): &(), message: &mut Message) -> HookAction<Message> {
        if message.content == T::NAME {
            HookAction::block(REASON)
        } else {
            HookAction::Continue
        }
    }
}

/// Four checks, none of them of tool calls.
#[must_use]
pub fn on_messages() -> Registry {
    Registry::new()
        .with(OnMessages::<tools::shell>(PhantomData))
        .with(OnMessages::<tools::delete>(PhantomData))
        .with(OnMessages::<tools::deploy>(PhantomData))
        .with(OnMessages::<tools::sql>(PhantomData))
}

macro_rules! scaling {
    ($($hooks:tt $function:ident,)*) => { $(
        /// As many checks as its name says.
        #[must_use]
        pub fn $function() -> Registry {
            scaled!($hooks registry!(SyncHook))
        }
    )* };
}
scaling!(1 scaling_1, 4 scaling_4, 16 scaling_16, 64 scaling_64,);
