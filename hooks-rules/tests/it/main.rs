//! Tests of the rules.

mod common;
mod conformance;
mod input;
mod layout;
mod limits;
mod parts;
mod tools;
