//! What takes figures. Neither `cargo test` nor the gate runs it.

mod compared;
mod load;
