//! All tests of the crate in one program: each program more is one link more.

mod common;
mod doors;
mod layout;
mod life;
mod limits;
