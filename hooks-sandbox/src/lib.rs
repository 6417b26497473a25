//! Runs a program that can do no more than it is given: files, hosts, system calls.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod error;
mod rules;
mod sandbox;

pub use self::error::SandboxError;
pub use self::sandbox::Sandbox;
