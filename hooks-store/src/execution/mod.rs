//! Executions: what hooks did, as rows that can be read, searched and verified.
//!
//! A row's body is the record with long texts cut and without the event's input; its detail is the whole record, encrypted.
//! Both are redacted first. The chain of hashes covers the body and, through a hash of it, the detail; so a detail can be
//! encrypted anew with another key, and the chain holds.

mod activity;
mod insert;
mod lines;
mod read;
mod removal;

pub use self::activity::Activity;
pub use self::lines::verify_lines;
pub use self::read::{Execution, ExecutionFilter, PastRecords};
