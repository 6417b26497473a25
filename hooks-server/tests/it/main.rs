//! All tests of the crate in one program: each program more is one link more.

mod api;
mod by_hand;
mod common;
mod console;
mod doors;
mod edges;
mod goclaw;
mod hook;
mod hook_page;
mod hostile;
mod layout;
mod life;
mod limits;
mod order;
mod revoked;
mod sessions;
