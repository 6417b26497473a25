//! All tests of the crate in one program, but for `memory.rs`, which counts the memory of its process.

mod adversarial;
mod bounds;
mod layout;
mod rewritten;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod truth;
