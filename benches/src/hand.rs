//! The hooks by hand: one function, the same checks in the same order, and no hooks.
//!
//! A function returns the reason to block, which is the least that an agent needs to know.

use std::future::ready;

use crate::event::{REASON, ToolCall, ToolCallEnd, blocks, note};
use crate::lists::{eight, scaled};
use crate::yield_once;

/// Checks one tool after the other; `$before` is what is done before each.
macro_rules! checks {
    ($call:ident, $($name:ident)*) => {
        $(if blocks(stringify!($name), $call) {
            return Some(REASON);
        })*
    };
    ($before:expr; $call:ident, $($name:ident)*) => {
        $(
            $before;
            if blocks(stringify!($name), $call) {
                return Some(REASON);
            }
        )*
    };
}

macro_rules! eight_hooks {
    ([] $($name:ident $priority:literal,)*) => {
        /// Eight checks.
        #[must_use]
        #[inline]
pub fn sync_8(call: &mut ToolCall) -> Option<&'static str> {
            checks!(call, $($name)*);
            None
        }

        /// Eight checks, each after an await of what is ready.
        #[inline]
pub async fn async_ready_8(call: &mut ToolCall) -> Option<&'static str> {
            checks!(ready(()).await; call, $($name)*);
            None
        }

        /// Eight checks, each after an await that has to wait.
        #[inline]
pub async fn async_pending_8(call: &mut ToolCall) -> Option<&'static str> {
            checks!(yield_once().await; call, $($name)*);
            None
        }

        /// Eight notes.
        #[inline]
pub fn observe_8(done: &ToolCallEnd<'_>) {
            $(note(stringify!($name), $priority, done);)*
        }
    };
}
eight!(eight_hooks!());

/// One check: the other seven of the eight hooks are on another event.
#[must_use]
#[inline]
pub fn one_of_eight_handles(call: &mut ToolCall) -> Option<&'static str> {
    checks!(call, browser);
    None
}

macro_rules! scaling {
    ([$function:ident] $($name:ident $priority:literal,)*) => {
        /// As many checks as its name says.
        #[must_use]
        #[inline]
pub fn $function(call: &mut ToolCall) -> Option<&'static str> {
            checks!(call, $($name)*);
            None
        }
    };
}
scaled!(1 scaling!(scaling_1));
scaled!(4 scaling!(scaling_4));
scaled!(16 scaling!(scaling_16));
scaled!(64 scaling!(scaling_64));
