//! What is said about an event: by one hook, and by all of them.
//!
//! | file | holds |
//! | --- | --- |
//! | `action` | [`HookAction`], what one hook says |
//! | `returns` | [`Return`], what a hook's function may return to say it |
//! | `result` | [`HookResult`], what a whole pipeline says, with [`Cancel`] and [`Scope`] |
//! | `kind` | what saying, and having said, means for each kind of event |
//! | `told` | [`Decision`], what a log is told |
//!
//! Nothing in this module runs a hook.

mod action;
mod kind;
mod result;
mod returns;
mod told;

pub use self::action::{HookAction, IntoPatch};
pub(crate) use self::kind::Decides;
pub use self::kind::{Dispatched, Outcome, Said, go_on, settle};
pub use self::result::{Cancel, HookResult, Scope};
pub use self::returns::Return;
pub use self::told::Decision;
