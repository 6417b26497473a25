//! All tests of the crate in one program: each program more is one link more.

mod bounds;
mod by_hand;
mod capabilities;
mod common;
mod conformance;
mod faults;
mod keys;
mod layout;
mod migrations;
mod operations;
mod postgres;
