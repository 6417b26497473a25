//! The keys of a JSON answer: those that a system knows, and those in the wrong place.

use serde_json::{Map, Value};

use super::super::Dialect;
use super::Reading;
use crate::fault::Fault;

impl Reading<'_> {
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
        const OWN: &[&str] = &[
            "block",
            "abort_turn",
            "abort_run",
            "ask",
            "defer",
            "approve",
            "context",
            "respond",
            "modify",
        ];
        const INNER: &[&str] = &[
            "additionalContext",
            "updatedInput",
            "updatedToolOutput",
            "updatedMCPToolOutput",
        ];
        if self.rules.is_strict {
            self.check_codex(json)?;
        }
        let is_ours = self.dialect == Dialect::Hooks;
        let is_own = |key: &str| is_ours && OWN.contains(&key);
        let is_goclaw = self.dialect == Dialect::Goclaw;
        for key in json.keys().map(String::as_str) {
            if INNER.contains(&key) {
                // GoClaw has them there, and ignores them.
                let what = if is_goclaw {
                    "has no effect in GoClaw"
                } else {
                    "belongs in `hookSpecificOutput`"
                };
                self.unknown(format_args!("`{key}` {what}"), ", and was ignored");
            } else if !HERE.contains(&key) && !ELSEWHERE.contains(&key) && !is_own(key) {
                self.unknown(format_args!("unknown key `{key}`"), ", ignored");
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
