//! Runs a program that can do no more than it is given: files, hosts, system calls.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod confinement;
mod error;
mod launcher;
#[cfg(target_os = "linux")]
mod linux;
mod presets;
mod protect;
mod rules;
mod sandbox;
mod supervisor;

pub use self::confinement::Confinement;
pub use self::error::SandboxError;
pub use self::launcher::enter_if_asked;
pub use self::sandbox::Sandbox;
