//! All tests of the crate in one program: each program more is one link more.

mod bridge;
mod claude;
mod claude_scripts;
mod command;
mod common;
mod dialects;
mod files;
mod foreign_handlers;
mod goclaw;
mod http;
mod layout;
mod limits;
mod logs;
mod mistakes;
mod owned;
mod picoclaw;
mod process;
mod prompt;
mod records;
mod rules;
mod sandbox;
mod source;
mod systems;
mod trust;
mod watch;
mod wire;
