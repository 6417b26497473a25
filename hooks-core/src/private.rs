//! What the macros write code against. Nothing in here is for people.

pub use crate::answers::{Both, Every, Later, Now, On, Succ, Zero};
pub use crate::event::Said;
pub use crate::failure::{catch, catch_async, deadline, skipped};
pub use crate::glob::{Token, matches};
pub use crate::group::{ABSENT, Group};
pub use crate::hook::{Access, Handle, HandleAsync, Outcome};
pub use crate::order::{Agreed, Nibble, nibble, order};
pub use crate::plan::{Describe, Planner};
pub use crate::registry::{BoxFuture, GoOn, Handler, decided, intercept_boxed, observe_boxed};
pub use crate::trace::{enter, traced};
pub use crate::{__rank as rank, __require_std as require_std, __require_tokio as require_tokio};
pub use alloc::boxed::Box;
pub use alloc::sync::Arc;
#[cfg(feature = "macros")]
pub use hooks_macros::hooks;
