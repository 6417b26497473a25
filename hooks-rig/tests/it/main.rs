//! All tests of the crate in one program: each program more is one link more.

mod common;
mod events;
mod example;
mod invalid_tool_calls;
mod llm_calls;
mod tool_calls;
