//! Hooks as GoClaw's rows, and back. A row is kept whole in the hook's body, under `goclaw`, so it comes back letter for
//! letter.

use hooks_runtime::RecordOutcome;
use hooks_store::{Execution, Hook};
use serde_json::{Map, Value, json};

/// The tenant that GoClaw's global rows have.
const MASTER: &str = "0193a5b0-7000-7000-8000-000000000001";

/// What a client cannot set.
const OURS: &[&str] = &[
    "id",
    "version",
    "source",
    "created_by",
    "created_at",
    "updated_at",
    "tenant_id",
];

/// Takes what a client cannot set out of a row.
pub(super) fn clean(mut row: Map<String, Value>) -> Map<String, Value> {
    row.retain(|key, _| !OURS.contains(&key.as_str()));
    row
}

/// Returns a hook as a row.
pub(super) fn row(hook: &Hook, tenant: &str) -> Value {
    let body = &hook.body;
    let mut row = body["goclaw"].clone();
    if !row.is_object() {
        // A hook of ours has no handler that GoClaw knows; its page shows the rest.
        row = json!({
            "name": hook.name,
            "event": body["event"],
            "handler_type": "rule",
            "config": {},
            "priority": body["priority"].as_i64().unwrap_or(0),
            "enabled": body["mode"] != "off",
        });
    }
    let defaults = [
        ("enabled", json!(true)),
        ("scope", json!(hook.scope.as_str())),
        ("timeout_ms", json!(5000)),
        ("on_timeout", json!("block")),
        ("priority", json!(0)),
        ("config", json!({})),
    ];
    for (key, value) in defaults {
        if row.get(key).is_none() {
            row[key] = value;
        }
    }
    row["id"] = json!(hook.id);
    row["version"] = json!(hook.version);
    row["source"] = json!("api");
    row["tenant_id"] = json!(if tenant.is_empty() { MASTER } else { tenant });
    row["updated_at"] = json!(hook.at);
    row
}

/// Returns what a hook did in an execution as a row of the history: without a hook, what the one did that decided.
pub(super) fn execution(execution: &Execution, hook: Option<&Hook>) -> Value {
    let record = &execution.record;
    let name = hook.map_or(&*record.hook, |hook| &*hook.name);
    let step = record.steps.iter().rev().find(|step| step.hook == name);
    let outcome = step.map_or(record.outcome, |step| step.outcome);
    let reason = step.map_or(&record.reason, |step| &step.reason);
    let decision = match outcome {
        RecordOutcome::Block | RecordOutcome::AbortTurn | RecordOutcome::AbortRun => "block",
        RecordOutcome::Fault if step.is_some_and(|step| step.why.contains("too long")) => "timeout",
        RecordOutcome::Fault => "error",
        _ => "allow",
    };
    let is_error = outcome == RecordOutcome::Fault;
    json!({
        "id": execution.seq.to_string(),
        "hookId": hook.map_or("", |hook| &hook.id),
        "hookName": name,
        "sessionId": record.session_id,
        "event": record.event,
        "toolName": record.subject,
        "decision": decision,
        "reason": reason,
        "durationMs": u64::try_from(step.map_or(record.duration, |step| step.duration).as_millis()).unwrap_or(u64::MAX),
        "error": reason.as_ref().filter(|_| is_error),
        "createdAt": record.at,
    })
}
