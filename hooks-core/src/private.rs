//! What the macros' expansions use. Not for direct use.

pub use crate::decision::{Dispatched, Outcome, Said, Told, Witnesses, WitnessesOf, go_on, settle};
pub use crate::event::{
    Access, Agreed, Both, CanSave, CannotSave, Every, If, Later, Now, On, Returned, Saving, Succ,
    Zero,
};
pub use crate::glob::{Token, matches};
pub use crate::hook::{
    AnyEvent, Around, Before, Describe, Digits, EveryView, Few, Handle, HandleAsync, Listens,
    Never, Nibble, Number, Planner, Runs, Says, Switched, cancelled, catch, catch_async, deadline,
    events_of, misfit, nibble, skipped,
};
pub use crate::pipeline::{ABSENT, Group, Listed, Listing, order};
pub use crate::registry::{
    AsHandler, BoxFuture, GoOn, Handled, Handler, decided, fall_back, intercept_boxed, listen,
    listens, observe_boxed, spread,
};
pub use crate::trace::{enter, traced};
pub use crate::{
    __rank as rank, __require_std as require_std, __require_tokio as require_tokio,
    __sorts as sorts,
};
pub use alloc::borrow::Cow;
pub use alloc::boxed::Box;
pub use alloc::sync::Arc;
#[cfg(feature = "macros")]
pub use hooks_macros::hooks;
