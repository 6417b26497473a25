//! What each hook decided, in the order in which they ran.
//!
//! A pipeline tells the one hook that ended it; the report wants all of them. So the hooks of this
//! example write down what they do. Most of them are functions, which have no field to keep a journal
//! in: it belongs to the task that the agent runs in.

use std::cell::RefCell;
use std::fmt;

use hooks_core::{Event, HookAction, Scope};

tokio::task_local! {
    static JOURNAL: RefCell<Vec<Entry>>;
}

/// What a hook did about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Did {
    Continue,
    Modify,
    Respond,
    Block,
    AbortTurn,
    AbortRun,
    /// It only observed.
    Note,
}

impl fmt::Display for Did {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Did::Continue => "continue",
            Did::Modify => "modify",
            Did::Respond => "respond",
            Did::Block => "block",
            Did::AbortTurn => "abort turn",
            Did::AbortRun => "abort run",
            Did::Note => "note",
        })
    }
}

/// One hook's decision about one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) event: &'static str,
    pub(crate) hook: &'static str,
    pub(crate) did: Did,
    pub(crate) detail: String,
}

/// Runs an agent with a journal of its own.
pub(crate) async fn kept<T>(agent: impl Future<Output = T>) -> T {
    JOURNAL.scope(RefCell::default(), agent).await
}

/// Takes what has been written since the last time.
pub(crate) fn take() -> Vec<Entry> {
    JOURNAL.try_with(RefCell::take).unwrap_or_default()
}

/// Writes down an action, and hands it back for the hook to return; `detail` says what a reason does
/// not.
pub(crate) fn decided<E: Event>(
    hook: &'static str,
    action: HookAction<E>,
    detail: impl Into<String>,
) -> HookAction<E> {
    let (did, detail) = match &action {
        HookAction::Continue => (Did::Continue, detail.into()),
        HookAction::Modify(_) => (Did::Modify, detail.into()),
        HookAction::Respond(_) => (Did::Respond, detail.into()),
        HookAction::Cancel { scope, reason, .. } => {
            let did = match scope {
                Scope::Event => Did::Block,
                Scope::Turn => Did::AbortTurn,
                Scope::Run => Did::AbortRun,
            };
            (did, reason.to_string())
        }
    };
    write(Entry {
        event: E::NAME,
        hook,
        did,
        detail,
    });
    action
}

/// Writes down what a hook did that returns nothing.
pub(crate) fn noted<E: Event>(hook: &'static str, did: Did, detail: impl Into<String>) {
    write(Entry {
        event: E::NAME,
        hook,
        did,
        detail: detail.into(),
    });
}

/// Outside of an agent, as in a hook's own test, the journal has no reader and is not kept.
fn write(entry: Entry) {
    let _ = JOURNAL.try_with(|journal| journal.borrow_mut().push(entry));
}
