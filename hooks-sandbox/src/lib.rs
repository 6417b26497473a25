//! Runs a program that can do no more than it is given: files, hosts, system calls.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod confinement;
mod error;
mod explain;
mod launcher;
#[cfg(target_os = "linux")]
mod linux;
mod presets;
mod protect;
mod rules;
mod sandbox;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;
mod supervisor;

pub use self::confinement::Confinement;
pub use self::error::SandboxError;
pub use self::explain::Explanation;
pub use self::launcher::enter_if_asked;
pub use self::sandbox::Sandbox;
