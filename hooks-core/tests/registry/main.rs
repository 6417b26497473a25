//! Hooks that are known at run time, alone and in the middle of a pipeline.

#[path = "../common/mod.rs"]
mod common;
mod registry;
mod spread;
