//! The hooks behind `dyn`: handlers under `#[async_trait]` in a `HookRegistry`.

use std::future::ready;
use std::marker::PhantomData;

use hooks_core::{EventInfo, HookRegistry, OnPanic, async_trait};

use crate::event::{BenchEvent, BenchEventMut, BenchHandler, BenchSaid, REASON, blocks, note};
use crate::lists::{Tool, eight, scaled, tools};
use crate::yield_once;

/// The registry of the benchmarked agent.
pub type Registry = HookRegistry<BenchEvent<'static>>;

/// What is behind `dyn`: a handler of one event.
macro_rules! handlers {
    ($($Handler:ident on $event:ident: |$payload:ident| $does:expr;)*) => { $(
        struct $Handler<T>(PhantomData<fn(T)>);

        #[async_trait]
        impl<T: Tool> BenchHandler for $Handler<T> {
            fn name(&self) -> &str {
                T::NAME
            }

            fn priority(&self) -> i32 {
                T::PRIORITY
            }

            fn wants(&self, event: &EventInfo, _subject: Option<&str>) -> bool {
                event.name == stringify!($event)
            }

            async fn handle(&self, (): &(), event: BenchEventMut<'_>) -> BenchSaid {
                match event {
                    BenchEventMut::$event($payload) => $does,
                    _ => BenchSaid::Continue,
                }
            }
        }
    )* };
}
handlers! {
    SyncHook on BeforeToolCall: |call| verdict(blocks(T::NAME, call));
    AsyncReadyHook on BeforeToolCall: |call| {
        ready(()).await;
        verdict(blocks(T::NAME, call))
    };
    AsyncPendingHook on BeforeToolCall: |call| {
        yield_once().await;
        verdict(blocks(T::NAME, call))
    };
    ObserveHook on AfterToolCall: |done| {
        note(T::NAME, T::PLACE, done);
        BenchSaid::Continue
    };
    MessageHook on BeforeMessage: |message| verdict(message.content == T::NAME);
}

fn verdict(blocks: bool) -> BenchSaid {
    if blocks {
        BenchSaid::block(REASON)
    } else {
        BenchSaid::Continue
    }
}

/// A handler behind `dyn`.
fn handler(handler: impl BenchHandler + 'static) -> Box<dyn BenchHandler> {
    Box::new(handler)
}

/// A registry that does for its handlers what static hooks have by default: a panic unwinds. To catch one, it would
/// copy the event before each handler, as `boxed` does.
fn plain() -> Registry {
    Registry::new().on_panic(OnPanic::Propagate)
}

/// A registry of one handler for each row.
macro_rules! registry {
    ([$Handler:ident] $($name:ident $priority:literal,)*) => {
        plain()$(.with(handler($Handler::<tools::$name>(PhantomData))))*
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
        .with(handler(MessageHook::<tools::shell>(PhantomData)))
        .with(handler(MessageHook::<tools::delete>(PhantomData)))
        .with(handler(MessageHook::<tools::write_file>(PhantomData)))
        .with(handler(SyncHook::<tools::browser>(PhantomData)))
        .with(handler(MessageHook::<tools::deploy>(PhantomData)))
        .with(handler(MessageHook::<tools::python>(PhantomData)))
        .with(handler(MessageHook::<tools::sql>(PhantomData)))
        .with(handler(MessageHook::<tools::send_mail>(PhantomData)))
}

/// Four checks, none of them of tool calls.
#[must_use]
pub fn on_messages() -> Registry {
    Registry::new()
        .with(handler(MessageHook::<tools::shell>(PhantomData)))
        .with(handler(MessageHook::<tools::delete>(PhantomData)))
        .with(handler(MessageHook::<tools::deploy>(PhantomData)))
        .with(handler(MessageHook::<tools::sql>(PhantomData)))
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
