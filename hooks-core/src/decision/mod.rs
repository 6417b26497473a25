//! Decisions about an event: of one hook, and of all hooks.
//!
//! | file | holds |
//! | --- | --- |
//! | `action` | [`HookAction`], what one hook decides |
//! | `returns` | [`Return`], what a hook's function may return |
//! | `result` | [`HookResult`], what a whole pipeline decides, with [`Cancel`] and [`Scope`] |
//! | `kind` | what a decision means for each kind of event |
//! | `told` | [`Decision`], what a log receives |
//! | `witness` | [`Witness`], which sees the changes that a log tells |
//!
//! Nothing in this module runs a hook.

mod action;
mod kind;
mod result;
mod returns;
mod told;
mod witness;

pub use self::action::{HookAction, IntoPatch};
pub(crate) use self::kind::Decides;
pub use self::kind::{Dispatched, Outcome, Said, go_on, settle};
pub use self::result::{Cancel, HookResult, Scope};
pub use self::returns::Return;
pub use self::told::Decision;
pub use self::witness::{Told, Witness, Witnesses, WitnessesOf};
