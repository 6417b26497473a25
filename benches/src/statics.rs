//! The hooks as this project runs them: `#[hook]` functions in a `hooks![…]` pipeline.

use std::future::ready;

use hooks_core::{HandlerSource, HookAction, hook, hooks};

use crate::event::{
    BenchEvent, BenchHooks, BenchHooksNow, Message, REASON, ToolCall, ToolCallEnd, blocks, note,
};
use crate::lists::{eight, scaled};
use crate::yield_once;

#[inline]
fn check(key: &str, call: &mut ToolCall) -> HookAction<ToolCall> {
    if blocks(key, call) {
        HookAction::block(REASON)
    } else {
        HookAction::Continue
    }
}

macro_rules! eight_hooks {
    ([] $($name:ident $priority:literal,)*) => {
        mod sync {
            use super::*;
            $(#[hook(priority = $priority)]
            pub(super) fn $name(call: &mut ToolCall) -> HookAction<ToolCall> {
                check(stringify!($name), call)
            })*
        }

        mod async_ready {
            use super::*;
            $(#[hook(priority = $priority)]
            pub(super) async fn $name(call: &mut ToolCall) -> HookAction<ToolCall> {
                ready(()).await;
                check(stringify!($name), call)
            })*
        }

        mod async_pending {
            use super::*;
            $(#[hook(priority = $priority)]
            pub(super) async fn $name(call: &mut ToolCall) -> HookAction<ToolCall> {
                yield_once().await;
                check(stringify!($name), call)
            })*
        }

        mod observe {
            use super::*;
            $(#[hook(priority = $priority)]
            pub(super) fn $name(done: &ToolCallEnd<'_>) {
                note(stringify!($name), $priority, done);
            })*
        }

        /// Eight checks.
        #[must_use]
        pub fn sync_8() -> impl BenchHooksNow {
            hooks![$(sync::$name),*]
        }

        /// Eight checks, and the handlers of a source in between.
        #[must_use]
        pub fn sync_8_spread(
            source: impl HandlerSource<Vocabulary = BenchEvent<'static>>,
        ) -> impl BenchHooks {
            hooks![$(sync::$name,)* ..source]
        }

        /// Eight checks, each after an await of what is ready.
        #[must_use]
        pub fn async_ready_8() -> impl BenchHooks {
            hooks![$(async_ready::$name),*]
        }

        /// Eight checks, each after an await that has to wait.
        #[must_use]
        pub fn async_pending_8() -> impl BenchHooks {
            hooks![$(async_pending::$name),*]
        }

        /// Eight notes.
        #[must_use]
        pub fn observe_8() -> impl BenchHooksNow {
            hooks![$(observe::$name),*]
        }
    };
}
eight!(eight_hooks!());

macro_rules! seven_on_messages {
    ($($name:ident $priority:literal,)*) => {
        mod on_messages {
            use super::*;
            $(#[hook(priority = $priority)]
            pub(super) fn $name(message: &Message) -> HookAction<Message> {
                if message.content == stringify!($name) {
                    HookAction::block(REASON)
                } else {
                    HookAction::Continue
                }
            })*
        }

        /// One check: the other seven of the eight hooks are on another event.
        #[must_use]
        pub fn one_of_eight_handles() -> impl BenchHooksNow {
            hooks![sync::browser, $(on_messages::$name),*]
        }
    };
}
seven_on_messages!(shell 7, delete 6, write_file 5, deploy 3, python 2, sql 1, send_mail 0,);

macro_rules! scaling {
    ([$function:ident] $($name:ident $priority:literal,)*) => {
        mod $function {
            use super::*;
            $(#[hook(priority = $priority)]
            pub(super) fn $name(call: &mut ToolCall) -> HookAction<ToolCall> {
                check(stringify!($name), call)
            })*
        }

        /// As many checks as its name says.
        #[must_use]
        pub fn $function() -> impl BenchHooksNow {
            hooks![$($function::$name),*]
        }
    };
}
scaled!(1 scaling!(scaling_1));
scaled!(4 scaling!(scaling_4));
scaled!(16 scaling!(scaling_16));
scaled!(64 scaling!(scaling_64));
