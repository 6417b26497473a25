//! Hooks for AI agents from configuration files, without Rust: rules, commands, HTTP endpoints, prompts and processes.
//!
//! A file says which hooks an agent has. [`Runtime::load`] reads and checks the whole file, and runs its hooks beside
//! the static hooks of your pipeline:
//!
//! ```
//! use hooks_core::agent::{AgentContext, BeforeToolCall};
//! use hooks_core::hooks;
//! use hooks_runtime::Runtime;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Or `Runtime::load("hooks.toml").await?`.
//! let runtime = Runtime::builder().text(r#"
//!     [[hooks.on]]
//!     name  = "no-force-push"
//!     event = "BeforeToolCall"
//!     tools = ["shell"]
//!     if    = 'args.command.contains("--force")'
//!     block = "force pushes are not allowed"
//! "#).build().await?;
//! let hooks = hooks![..runtime.clone()];
//!
//! let args = serde_json::json!({ "command": "git push --force" });
//! let mut call = BeforeToolCall::new("1", "shell", args);
//! let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
//! let cancel = result.as_cancel().unwrap();
//! assert_eq!((&*cancel.hook, &*cancel.reason), ("no-force-push", "force pushes are not allowed"));
//! # Ok(())
//! # }
//! ```
//!
//! # Terms
//!
//! | word | meaning |
//! | --- | --- |
//! | definition | one hook in a file: events, filter, handler, policy |
//! | filter | when the hook runs: globs, a regular expression, a CEL expression, tenants, agents |
//! | handler | what runs: a rule (written in the file itself), a command, an endpoint, a prompt, a process |
//! | [dialect](Dialect) | the system whose file, wire format and rules apply |
//! | [revision](Revision) | a complete, valid and immutable set of definitions, with a number and a hash |
//! | [record](Record) | the outcome of one hook of a file on one event, and the reason |
//!
//! # Guarantees
//!
//! - A dispatch uses one revision, the one that is in force when it begins.
//! - A file with a mistake changes nothing: the last good revision stays in force, and [`Runtime::status`] shows the
//!   mistakes.
//! - A decision is not a failure. A failure follows `on_failure` or `on_timeout`, which block by default if the event
//!   can be blocked. A hook that fails again and again is not asked for a while.
//! - If an expression cannot be evaluated, the hook fails. It does not count as a hook that does not match.

#![forbid(unsafe_code)]

// The examples of the project's page are tested here.
#[cfg(doctest)]
#[doc = include_str!("../../docs/runtime.md")]
mod page {}
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod answer;
pub mod bridge;
mod budget;
mod bundle;
mod cut;
mod definition;
mod dry_run;
pub mod entry;
mod evaluator;
mod events;
mod fault;
mod filter;
mod handler;
mod json;
mod load;
mod owned;
mod record;
mod replay;
mod request;
mod runtime;
mod safeguard;
mod secrets;
mod services;
mod source;
mod system;
mod text;
mod trial;
mod trust;
mod unit;

pub use self::budget::{Budget, BudgetError, MemoryBudget, Reservation};
pub use self::bundle::{
    Bundle, BundleDiff, BundleError, Change, PublicKey, Signature, SigningKey, foreign_secrets,
    secret_texts,
};
pub use self::dry_run::DryRun;
pub use self::evaluator::{
    EnvironmentEvaluator, Evaluated, Evaluation, Evaluator, EvaluatorError, HttpEvaluator,
    HttpEvaluatorBuilder,
};
pub use self::fault::FaultKind;
#[doc(hidden)]
pub use self::handler::command::is_executable as __is_executable;
#[doc(hidden)]
pub use self::json::{MOST as __MOST, from_slice as __json, is_exact as __is_exact};
pub use self::load::{BundleStatus, Edition, NotAllowed, SourceStatus, Test, Warning};
pub use self::owned::{EventError, Meaning, OwnedEvent};
pub use self::record::{
    JsonlRecorder, Record, RecordOutcome, RecordPart, RecordStep, Recorder, Records,
};
pub use self::record::{RawAnswer, RecordFilter};
pub use self::replay::{
    DecisionCount, Example, Group, HookCount, LeftOut, Replay, Replayed, SuggestedLine, Suggestion,
    past_events,
};
pub use self::runtime::{CoveredPart, CoveredRule, Decided, Outcome};
pub use self::runtime::{
    Explanation, FailedOpen, HookStatus, Ordered, Refused, Revision, Runtime, RuntimeBuilder,
    Status, Tested, Told, Trials,
};
pub use self::safeguard::BreakerState;
pub use self::secrets::{EnvironmentSecrets, Secrets};
#[cfg(feature = "object-store")]
pub use self::source::ObjectBundle;
pub use self::source::{Directory, HttpBundle, Source, SourceError};
pub use self::system::tools::tool_rule;
pub use self::system::{Dialect, HooksCall, Init, OwnAgent, Registered, Registration, Settings};
#[doc(hidden)]
pub use self::text::read as __read_text;
pub use self::trial::{Decision, TestError};
#[doc(hidden)]
pub use self::trust::write_private as __write_private;
pub use self::trust::{Trust, entries};
pub use self::unit::EventRecords;
pub use hooks_builtin::__caller::{Caller, CallerReads};
/// The error of a file. It contains every mistake.
pub use hooks_config::ConfigError;
