//! The forms that hooks can have, in all their combinations: lists in lists, one after the other, wrapped, guarded.

#[allow(dead_code, reason = "each binary of tests uses some of it")]
#[path = "../common/mod.rs"]
mod common;
mod guards;
mod judged;
mod then;
mod wrappers;
