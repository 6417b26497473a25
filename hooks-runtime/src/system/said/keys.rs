//! The keys of a JSON answer: those that a system knows, and those in the wrong place.

use serde_json::{Map, Value};

use super::super::Dialect;
use super::Reading;
use crate::answer::kind_of;
use crate::fault::Fault;

/// What the value of a key must be in our own format. `null` is no value.
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

/// The keys of an answer in our own format.
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

impl Reading<'_> {
    /// Checks the keys and the types of an answer in our own format. Whatever is not understood may have been meant as a
    /// refusal.
    fn check_ours(&mut self, json: &Map<String, Value>) {
        let specific = json.get("hookSpecificOutput").and_then(Value::as_object);
        let permission = specific
            .and_then(|specific| specific.get("decision"))
            .and_then(Value::as_object);
        let parts = [
            (Some(json), OURS),
            (specific, SPECIFIC),
            (permission, PERMISSION),
        ];
        let given = |key: &str| {
            let mut objects = parts.iter().filter_map(|(object, _)| *object);
            objects.any(|object| object.get(key).is_some_and(|value| !value.is_null()))
        };
        for (object, known) in parts {
            for (key, value) in object.into_iter().flatten() {
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
                self.unknown(format_args!("`{key}` stands without a decision"), "");
            }
        }
    }

    /// Unknown keys are misspelt, or belong to another system.
    pub(super) fn check_keys(&mut self, json: &Map<String, Value>) -> Result<(), Fault> {
        const HERE: &[&str] = &[
            "continue",
            "stopReason",
            "suppressOutput",
            "systemMessage",
            "decision",
            "reason",
            "hookSpecificOutput",
        ];
        const ELSEWHERE: &[&str] = &[
            "permissionDecision",
            "permissionDecisionReason",
            "terminalSequence",
            "async",
            "asyncTimeout",
        ];
        const INNER: &[&str] = &[
            "additionalContext",
            "updatedInput",
            "updatedToolOutput",
            "updatedMCPToolOutput",
        ];
        if self.dialect == Dialect::Hooks {
            self.check_ours(json);
            return Ok(());
        }
        if self.rules.is_strict {
            self.check_codex(json)?;
        }
        let is_goclaw = self.dialect == Dialect::Goclaw;
        for key in json.keys().map(String::as_str) {
            if INNER.contains(&key) {
                // GoClaw has them there, and ignores them.
                let what = if is_goclaw {
                    "has no effect in GoClaw"
                } else {
                    "belongs in `hookSpecificOutput`"
                };
                self.warn(format!("`{key}` {what}, and was ignored"));
            } else if !HERE.contains(&key) && !ELSEWHERE.contains(&key) {
                self.warn(format!("unknown key `{key}`, ignored"));
            }
        }
        Ok(())
    }

    /// Finds what Codex treats as a failure. A denial without a reason is still a denial.
    fn check_codex(&self, json: &Map<String, Value>) -> Result<(), Fault> {
        let known: &[&str] = &[
            "continue",
            "stopReason",
            "suppressOutput",
            "systemMessage",
            "decision",
            "reason",
            "hookSpecificOutput",
        ];
        let inner: &[&str] = &[
            "hookEventName",
            "permissionDecision",
            "permissionDecisionReason",
            "updatedInput",
            "additionalContext",
            "decision",
            "updatedMCPToolOutput",
        ];
        let specific = json.get("hookSpecificOutput").and_then(Value::as_object);
        let unknown = json.keys().find(|key| !known.contains(&key.as_str()));
        let unknown =
            unknown.or_else(|| specific?.keys().find(|key| !inner.contains(&key.as_str())));
        if let Some(unknown) = unknown {
            return Err(Fault::nonsense(format!(
                "Codex does not know `{unknown}` in an answer"
            )));
        }
        if self.on.info.name != "BeforeToolCall" {
            return Ok(());
        }
        let inside = |key: &str| {
            specific
                .and_then(|specific| specific.get(key))
                .and_then(Value::as_str)
        };
        let wrong = if json.get("continue") == Some(&Value::Bool(false)) {
            Some("`continue: false`")
        } else if json.contains_key("suppressOutput") {
            Some("`suppressOutput`")
        } else {
            match inside("permissionDecision") {
                Some("ask") => Some("`ask`"),
                Some("allow")
                    if specific.is_some_and(|specific| !specific.contains_key("updatedInput")) =>
                {
                    Some("`allow` without `updatedInput`")
                }
                _ => None,
            }
        };
        match wrong {
            Some(wrong) => Err(Fault::nonsense(format!(
                "Codex does not accept {wrong} on `PreToolUse`"
            ))),
            None => Ok(()),
        }
    }
}
