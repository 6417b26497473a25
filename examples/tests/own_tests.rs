//! The tests that stand in the examples themselves. Cargo runs those of an example only when it is asked
//! to (`cargo test --example testing`); here they are part of `cargo test`.

#[path = "../agent/main.rs"]
#[expect(dead_code, reason = "the example's `main` is not run here")]
mod coding_agent;

#[path = "../testing.rs"]
#[expect(dead_code, reason = "the example's `main` is not run here")]
mod testing;

#[path = "../token_budget.rs"]
#[expect(dead_code, reason = "the example's `main` is not run here")]
mod token_budget;
