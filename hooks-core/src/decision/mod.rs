//! Decisions about an event: of one hook, and of all hooks.
//!
//! | file | holds |
//! | --- | --- |
//! | `action` | [`HookAction`], what one hook says |
//! | `result` | [`HookResult`], what a whole pipeline says, with [`Cancel`] and [`Scope`] |
//! | `any` | [`AnyAction`], the same for code that does not know the event |
//! | `name` | [`Name`], of the hook that says it |
//! | `kind` | what a hook may return, and what it means, for each kind of event |
//!
//! Nothing in this module runs a hook.

mod action;
mod any;
mod kind;
mod name;
mod result;

pub use self::action::{HookAction, IntoPatch, IntoResponse};
pub use self::any::AnyAction;
pub(crate) use self::kind::Decides;
pub use self::kind::{ActionOn, ResultOf, Return, cancelled, go_on};
pub use self::name::Name;
pub use self::result::{Cancel, HookResult, Scope};
