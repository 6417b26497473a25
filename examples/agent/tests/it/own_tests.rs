//! The tests inside the example. Cargo runs them only on request (`cargo test --example agent`); here they are part of
//! `cargo test`.

#[path = "../../main.rs"]
#[expect(dead_code, reason = "the example's `main` is not run here")]
mod coding_agent;
