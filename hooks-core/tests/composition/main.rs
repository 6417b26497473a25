//! How hooks are put together: in lists, one after the other, wrapped, guarded, and in registries.
//!
//! What the compiler makes of so many pipelines grows with the vocabulary, so that of these tests has three events.

#[path = "../common/mod.rs"]
mod common;
mod guards;
mod judged;
mod nested;
mod registry;
mod spread;
mod then;
mod vocabulary;
mod wrapped_around;
mod wrappers;
