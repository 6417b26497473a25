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
#[cfg(all(feature = "server", unix))]
mod operations;
mod own;
#[cfg(all(feature = "server", unix))]
mod packaging;
mod pages;
mod replay;
mod testing;
mod trust;
