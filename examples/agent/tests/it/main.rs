//! All tests of the example in one program: each program more is one link more.

mod agent;
#[path = "../../../tests/it/common.rs"]
#[expect(dead_code, reason = "shared with the tests of other examples")]
mod common;
mod own_tests;
