//! Answers in our own format. It is strict: whatever is not understood may have been meant as a refusal.

use serde_json::{Map, Value};

use super::hear::Hearing;
use crate::answer::{Change, Verdict, kind_of};

/// What the value of a key must be. `null` does not count as a value.
#[derive(Clone, Copy)]
enum Is {
    Any,
    Bool,
    Object,
    Text,
}

impl Is {
    /// What the value is instead, and what to write.
    fn mistake(self, key: &str, value: &Value) -> Option<String> {
        let write = match (self, value) {
            (_, Value::Null)
            | (Is::Any, _)
            | (Is::Bool, Value::Bool(_))
            | (Is::Object, Value::Object(_))
            | (Is::Text, Value::String(_)) => return None,
            (Is::Bool, _) => "`true` or `false`",
            (Is::Object, _) => "an object",
            (_, _) if key == "decision" => "`\"block\"`, `\"ask\"` or `\"approve\"`",
            (_, _) => "a string",
        };
        Some(format!("`{key}` is {}: write {write}", kind_of(value)))
    }
}

/// The keys of an answer.
const OURS: &[(&str, Is)] = &[
    ("continue", Is::Bool),
    ("stopReason", Is::Text),
    ("suppressOutput", Is::Bool),
    ("systemMessage", Is::Text),
    ("decision", Is::Text),
    ("reason", Is::Text),
    ("hookSpecificOutput", Is::Object),
    ("block", Is::Text),
    ("abort_turn", Is::Text),
    ("abort_run", Is::Text),
    ("ask", Is::Text),
    ("defer", Is::Text),
    ("approve", Is::Text),
    ("context", Is::Text),
    ("respond", Is::Any),
    ("modify", Is::Object),
];

/// Those in `hookSpecificOutput`.
const SPECIFIC: &[(&str, Is)] = &[
    ("hookEventName", Is::Text),
    ("permissionDecision", Is::Text),
    ("permissionDecisionReason", Is::Text),
    ("updatedInput", Is::Any),
    ("additionalContext", Is::Text),
    ("updatedToolOutput", Is::Any),
    ("updatedMCPToolOutput", Is::Any),
    ("displayContent", Is::Text),
    ("decision", Is::Object),
];

/// Those in its `decision`.
const PERMISSION: &[(&str, Is)] = &[
    ("behavior", Is::Text),
    ("message", Is::Text),
    ("interrupt", Is::Bool),
    ("updatedInput", Is::Any),
    ("updatedPermissions", Is::Any),
];

/// The keys that decide or change something. A reason without one of them has been meant for one.
const DECIDE: &[&str] = &[
    "continue",
    "decision",
    "permissionDecision",
    "block",
    "abort_turn",
    "abort_run",
    "ask",
    "defer",
    "approve",
    "respond",
    "modify",
    "updatedInput",
    "updatedToolOutput",
    "updatedMCPToolOutput",
];

impl Hearing<'_> {
    /// Checks the keys of an answer and the types of their values.
    pub(super) fn check_ours(&mut self, json: &Value) {
        let specific = &json["hookSpecificOutput"];
        let parts = [
            (json, OURS),
            (specific, SPECIFIC),
            (&specific["decision"], PERMISSION),
        ];
        let given = |key: &str| parts.iter().any(|(object, _)| !object[key].is_null());
        for (object, known) in parts {
            for (key, value) in object.as_object().into_iter().flatten() {
                let mistake = match known.iter().find(|(known, _)| known == key) {
                    Some((_, is)) => is.mistake(key, value),
                    None if SPECIFIC.iter().any(|(inner, _)| inner == key) => {
                        Some(format!("`{key}` belongs in `hookSpecificOutput`"))
                    }
                    None => Some(format!("unknown key `{key}`")),
                };
                self.unknown = self.unknown.take().or(mistake);
            }
        }
        for key in ["reason", "stopReason", "permissionDecisionReason"] {
            if given(key) && !DECIDE.iter().any(|key| given(key)) {
                self.unknown(format_args!("`{key}` is without a decision"), "");
            }
        }
    }

    /// Reads the keys of a rule. Their types are checked already.
    pub(super) fn own(&mut self, json: &Map<String, Value>) {
        let text = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
        self.answer.context.extend(text("context"));
        if let Some(Value::Object(keys)) = json.get("modify") {
            self.answer.change = Some(Change::Merge(keys.clone()));
        }
        if let Some(by) = text("approve") {
            self.decide(Verdict::Approve { by: Some(by) });
        }
        if let Some(reason) = text("ask") {
            self.decide(Verdict::Ask { reason });
        }
        if let Some(reason) = text("defer") {
            self.decide(Verdict::Defer { reason });
        }
        if let Some(value) = json.get("respond").filter(|value| !value.is_null()) {
            self.decide(Verdict::Respond(value.clone()));
        }
        if let Some(reason) = text("block") {
            self.refuse(Some(reason));
        }
        if let Some(reason) = text("abort_turn") {
            self.decide(Verdict::AbortTurn { reason });
        }
        if let Some(reason) = text("abort_run") {
            self.decide(Verdict::AbortRun { reason });
        }
    }
}
