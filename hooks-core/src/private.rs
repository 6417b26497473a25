//! What the macros write code against. Nothing in here is for people.

pub use crate::answers::{Both, Every, If, Later, Now, On, Succ, Zero};
pub use crate::event::{HasHandler, Said};
pub use crate::failure::{
    BlockFailed, DefaultFailed, OnFailure, Restore, SkipFailed, catch, catch_async, deadline,
};
pub use crate::glob::{Token, matches};
pub use crate::group::{ABSENT, Group};
pub use crate::hook::{Access, Handle, HandleAsync, Outcome};
pub use crate::order::{Agreed, Listed, Nibble, listed, nibble, order};
pub use crate::pipeline::at;
pub use crate::plan::{Describe, Planner};
pub use crate::registry::{BoxFuture, GoOn, Handler};
pub use crate::trace::{enter, traced};
pub use crate::{__rank as rank, __require_std as require_std, __require_tokio as require_tokio};
pub use alloc::boxed::Box;
pub use alloc::sync::Arc;
#[cfg(feature = "macros")]
pub use hooks_macros::hooks;

use crate::event::{Event, Intercepted, Kind};

/// Looks at the event that a dispatch holds.
#[inline(always)]
pub fn look<E: Event>(event: Access<'_, E>) -> &E {
    E::Kind::look::<E>(event)
}

/// Hands on the event that a dispatch holds, to be changed.
#[inline(always)]
#[must_use]
pub fn change<E: Intercepted>(event: Access<'_, E>) -> &mut E {
    event
}

/// Lends out the event that a dispatch holds.
#[inline(always)]
pub fn lend<'l, E: Event>(event: &'l mut Access<'_, E>) -> Access<'l, E> {
    E::Kind::lend::<E>(event)
}

/// Does to the event what a hook said, and tells the pipeline.
#[inline(always)]
pub fn settle<E: Event>(event: Access<'_, E>, said: Said<E>, hook: &'static str) -> Outcome<E> {
    E::Kind::settle::<E>(event, said, hook)
}

/// The outcome of having nothing to say.
#[inline(always)]
#[must_use]
pub fn go_on<E: Event>() -> Outcome<E> {
    E::Kind::go_on::<E>()
}
