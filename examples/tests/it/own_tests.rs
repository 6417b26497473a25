//! The tests inside the examples. Cargo runs those of an example only on request (`cargo test --example testing`);
//! here they are part of `cargo test`.

#[path = "../../testing.rs"]
#[expect(dead_code, reason = "the example's `main` is not run here")]
mod testing;

#[path = "../../token_budget.rs"]
#[expect(dead_code, reason = "the example's `main` is not run here")]
mod token_budget;
