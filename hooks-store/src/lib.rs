//! Hooks of AI agents in a database: drafts and versions, revisions, executions that can be verified, secrets and budgets.
//!
//! A [`Store`] is SQLite or Postgres. Everything of a tenant goes through its handle, [`Tenant`].
//!
//! # To add a table
//!
//! 1. Write `migrations/NNNN_what.sql`, once for both engines, and its line in `engine/mod.rs`. Its first column is
//!    `tenant_id`, and no column is NULL.
//! 2. Write `what.rs`: structs whose fields are the columns, in `of_row!`, and `impl Tenant` with the statements. A write begins
//!    with `self.write(by)` and ends with `write.end(…)`. If people write its rows, add it to `kept.rs`, and use `write.put(…)`.
//! 3. Add its tests to the list in `tests/it/conformance`, which both engines run.

#![forbid(unsafe_code)]

// The examples of the project's page are tested here.
#[cfg(doctest)]
#[doc = include_str!("../../docs/store.md")]
mod page_store {}
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod admin;
mod audit;
mod backup;
mod budget;
mod bundle;
mod capability;
mod chain;
mod crypt;
mod engine;
mod error;
mod execution;
mod goclaw;
mod head;
mod health;
mod hook;
mod import;
mod kept;
mod last;
mod news;
mod node;
mod open;
mod page;
mod recorder;
mod reencrypt;
mod retention;
mod revision;
mod sample;
mod scope;
mod secret;
mod session;
mod store;
mod text;
mod token;
mod verify;

pub use self::admin::{AdminEntry, By};
pub use self::audit::Audited;
pub use self::budget::{BudgetUse, StoreBudget};
pub use self::capability::Capabilities;
pub use self::chain::{Broken, Verified};
pub use self::crypt::Keys;
pub use self::error::{Mistake, Result, StoreError};
pub use self::execution::{Activity, Execution, ExecutionFilter, PastRecords, verify_lines};
pub use self::head::{Anchored, Heads};
pub use self::hook::{DraftReport, Hook, HookVersion, LONGEST_HOOK, SETTINGS};
pub use self::import::{ImportFormat, ImportReport};
pub use self::news::{Followed, News};
pub use self::node::{Breaker, Node, NodeReport, Told};
pub use self::open::StoreBuilder;
pub use self::page::Page;
pub use self::recorder::StoreRecorder;
pub use self::retention::{MOST_HOOKS, Quota, Retention};
pub use self::revision::{Published, Revision, StoreSource};
pub use self::sample::Sample;
pub use self::scope::HookScope;
pub use self::secret::{SecretInfo, StoreSecrets};
pub use self::session::Session;
pub use self::store::{Store, Tenant};
pub use self::token::{Caller, PlainToken, Role, Token};
/// A test to save: what a file has as `[[hooks.test]]`.
pub use hooks_runtime::entry::TestEntry as NewSample;
