//! All tests of the examples in one program: each program more is one link more.

mod common;
mod configured_agent;
mod guarded_agent;
mod own_tests;
mod small;
