//! The forms that hooks can have, in all their combinations: lists in lists, one after the other, wrapped, guarded.

#[path = "../common/mod.rs"]
mod common;
mod guards;
mod judged;
mod nested;
mod then;
mod wrapped_around;
mod wrappers;
