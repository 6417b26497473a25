//! What the macros' expansions use. Not for direct use.

pub use crate::decision::{ActionOn, Name, ResultOf, cancelled, go_on};
pub use crate::event::{
    Access, Agreed, Both, CanSave, CannotSave, Decisive, EventInfo, Every, If, Mode, Nibble, On,
    OnMany, One, Returned, Saving, SharesVocabulary,
};
#[cfg(feature = "std")]
pub use crate::hook::AnyWatch;
pub use crate::hook::{
    ABSENT, Around, Asynchronous, Changes, ChangesAndGuards, Digits, DispatchNow, Does, EveryView,
    ExactOf, Facts, Few, Group, Guards, Hook, Judges, Leaf, Looks, Number, Output, Planner,
    Rejudges, Row, RuleRow, RuleSet, Rules, Runs, Says, Synchronous, Unknown, catch, catch_async,
    deadline, is_same, judges, kept, misfit, nibble, nothing, restored, skipped,
};
pub use crate::once::{Fails, Holds, Once, Verdict};
#[cfg(not(feature = "std"))]
pub use crate::pipeline::spread;
pub use crate::pipeline::{
    Arrange, Listed, Listing, Pipeline, Plain, Spreads, Tuples, order, order_of,
};
#[cfg(feature = "std")]
pub use crate::registry::{
    BoxFacts, Boxes, Called, ask_boxed, ask_boxed_copy, spread, wants_boxed,
};
pub use crate::trace::{enter, traced};
pub use crate::{
    __boxes as boxes, __output as output, __rank as rank, __require_std as require_std,
    __require_tokio as require_tokio,
};
pub use alloc::borrow::Cow;
pub use alloc::boxed::Box;
pub use alloc::sync::Arc;
#[cfg(feature = "macros")]
pub use hooks_glob::{Token, matches};
#[cfg(feature = "macros")]
pub use hooks_macros::hooks;
