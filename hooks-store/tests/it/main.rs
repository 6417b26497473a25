//! All tests of the crate in one program: each program more is one link more.

mod capabilities;
mod common;
mod compared;
mod conformance;
mod faults;
mod keys;
mod layout;
mod load;
mod migrations;
mod postgres;
