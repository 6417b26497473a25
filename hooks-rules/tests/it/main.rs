//! Tests of the rules.

mod common;
mod conformance;
mod layout;
mod limits;
