//! Hooks that are known at run time, alone and in the middle of a pipeline.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "a hook takes its event by reference, however small that is"
)]

#[path = "../common/mod.rs"]
mod common;
mod registry;
mod spread;
