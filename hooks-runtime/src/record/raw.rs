//! Keeps what a handler outside of the agent said, before its dialect reads it: for a caller that tries a hook.

use std::cell::RefCell;
use std::future::Future;

tokio::task_local! {
    static RAW: RefCell<RawAnswer>;
}

/// What a `command` printed, or with which status the endpoint of an `http` answered. Records do not hold it.
///
/// ```
/// use hooks_core::agent::AgentContext;
/// use hooks_runtime::{OwnedEvent, RawAnswer, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder()
///     .text("[[hooks.on]]\nevent = 'BeforeToolCall'\ncommand = 'echo {}; echo careful >&2'")
///     .build()
///     .await?;
/// let mut call = OwnedEvent::from_json("BeforeToolCall", serde_json::json!({ "name": "ls" }))?;
/// let (_outcome, raw) = RawAnswer::of(runtime.fire(&AgentContext::new("s1"), &mut call)).await;
/// assert_eq!((&*raw.stdout, &*raw.stderr), ("{}\n", "careful\n"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawAnswer {
    /// What the command printed.
    pub stdout: String,
    /// What it printed on standard error.
    pub stderr: String,
    /// The status of the endpoint; 0 if none answered.
    pub status: u16,
}

impl RawAnswer {
    /// Runs a dispatch, and also returns what the last handler said that the agent waited for.
    pub async fn of<F: Future>(dispatch: F) -> (F::Output, Self) {
        let listening = async {
            let output = dispatch.await;
            (output, RAW.with(RefCell::take))
        };
        RAW.scope(RefCell::default(), listening).await
    }

    /// Notes what a caller may wait for.
    pub(crate) fn note(said: impl FnOnce() -> Self) {
        let _ = RAW.try_with(|raw| raw.replace(said()));
    }
}
