//! All tests of the crate in one program, but for `memory.rs`, which counts the memory of its process.

mod adversarial;
mod bounds;
mod rewritten;
