//! All tests of the crate in one program: each program more is one link more.

mod bridge;
mod bundle;
mod caller;
mod claude;
mod claude_scripts;
mod command;
mod common;
mod dialects;
mod dry_run;
mod files;
mod foreign_handlers;
mod goclaw;
mod http;
mod layout;
mod limits;
mod logs;
mod mistakes;
#[cfg(feature = "object-store")]
mod object;
mod order;
mod owned;
mod picoclaw;
mod process;
mod prompt;
mod records;
mod refuse;
mod rules;
mod shared;
mod source;
mod sources;
mod systems;
mod trust;
mod watch;
mod wire;
