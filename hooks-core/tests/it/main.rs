//! The tests of the core, in one binary, because linking takes most of the time of a build.
//!
//! `tests/tracing.rs` stands apart: it needs a feature that makes every future larger.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "a hook takes its event by reference, however small that is"
)]

mod agent;
mod around;
mod chat_message;
mod coming_from;
mod common;
mod dispatch;
mod drivers;
mod every;
mod failure;
mod guards;
mod isolation;
mod judged;
mod layout;
mod order;
mod plan;
mod probe;
mod registry;
mod spread;
mod then;
mod wants;
mod wrappers;
