//! Writes one event as a line of JSON.

use hooks_core::AnyAction;
use hooks_core::agent::{AgentContext, AgentEvent};
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::shared::changes::EventHistory;
use crate::shared::sink::write_object;
use crate::shared::{ChangedBy, Changes};

/// An event, its context, and the decision about it.
#[derive(Clone, Copy)]
pub(super) struct JsonlLine<'a> {
    pub(super) cx: &'a AgentContext,
    pub(super) event: AgentEvent<'a>,
    /// What the hooks ended with; nothing if the dispatch was dropped.
    pub(super) result: Option<AnyAction<'a>>,
    /// What the hooks have changed in it.
    pub(super) seen: &'a EventHistory,
}

/// The fields before the payload, in this order.
#[derive(Serialize)]
struct Fields<'a> {
    #[serde(serialize_with = "millis")]
    time: Timestamp,
    event: &'static str,
    session_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    agent_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    agent_type: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    run_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cwd: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    channel: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    chat_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_run_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'a str>,
    turn: u32,
    depth: u32,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_by: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes_by_hook: Vec<ByHook<'a>>,
}

/// A hook, and the paths of the values that it changed.
#[derive(Serialize)]
struct ByHook<'a> {
    hook: &'a str,
    paths: Vec<&'a str>,
}

impl<'a> From<&'a ChangedBy> for ByHook<'a> {
    fn from(by: &'a ChangedBy) -> Self {
        ByHook {
            hook: &by.hook,
            paths: by.paths().collect(),
        }
    }
}

impl<'a> JsonlLine<'a> {
    fn fields(self, changes: Option<&'a Changes>) -> Fields<'a> {
        let cx = self.cx;
        let cancel = match self.result {
            Some(AnyAction::Cancel(cancel)) => Some(cancel),
            _ => None,
        };
        let by = changes.map_or(&[][..], |changes| &changes.by);
        Fields {
            time: Timestamp::now(),
            event: self.event.name(),
            session_id: &cx.session_id,
            agent_id: &cx.agent_id,
            agent_type: &cx.agent_type,
            run_id: &cx.run_id,
            cwd: &cx.cwd,
            channel: &cx.channel,
            chat_id: &cx.chat_id,
            tenant_id: cx.tenant_id.as_deref(),
            parent_run_id: cx.parent_run_id.as_deref(),
            sender: cx.sender.as_deref(),
            trace_id: cx.trace_id.as_deref(),
            turn: cx.turn,
            depth: cx.depth,
            decision: self.result.map_or("dropped", AnyAction::word),
            hook: cancel.map(|cancel| &*cancel.hook),
            reason: cancel.map(|cancel| &*cancel.reason),
            changes: changes.map(|changes| &changes.patch),
            changed_by: by.iter().map(|by| &*by.hook).collect(),
            changes_by_hook: match by {
                [] | [_] => Vec::new(),
                several => several.iter().map(ByHook::from).collect(),
            },
        }
    }

    /// Adds the line, without its end. After an error, a part of it may have been added.
    pub(super) fn write(self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        let changes = self.seen.changes();
        write_object(out, &self.fields(changes.as_ref()), "payload", |out| {
            serde_json::to_writer(out, &self.event)
        })
    }
}

/// Writes all three digits of the milliseconds.
fn millis<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.3}"))
}
