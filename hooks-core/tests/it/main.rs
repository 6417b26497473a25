//! The tests of the core. There are several binaries of them, because many pipelines take long to compile, and two are
//! compiled at the same time. What needs few kinds of events is in `composition`, whose vocabulary is small.
//!
//! `tests/tracing.rs` stands apart: it needs a feature that makes every future larger.

mod agent;
mod around;
mod chat_message;
#[path = "../common/mod.rs"]
mod common;
mod dispatch;
mod every;
mod failure;
mod isolation;
mod layout;
mod order;
mod plan;
mod probe;
mod rules;
mod testing;
mod wants;

use hooks_core::agent as vocabulary;
