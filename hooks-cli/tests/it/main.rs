//! All tests of the crate in one program: each program more is one link more.

mod agents;
mod bundle;
mod cli;
mod common;
#[cfg(unix)]
mod daemon;
mod doctor;
mod files;
mod init;
mod pages;
mod replay;
mod trust;
