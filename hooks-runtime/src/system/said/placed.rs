//! Reads a JSON answer whose decisions have the places in which the system is told them when it calls.

use serde_json::{Map, Value, json};

use super::json::output_of;
use super::{Reading, is_no};
use crate::answer::{Change, Verdict};
use crate::fault::Fault;
use crate::system::says::{Place, Put, Says, What};

/// Where a refusal stands in any system. It counts in all of them: whoever wrote it meant it.
const DECISIONS: &[&str] = &[
    "decision",
    "permission",
    "permissionDecision",
    "behavior",
    "hookSpecificOutput.permissionDecision",
    "hookSpecificOutput.decision.behavior",
];

/// What refuses a call in any system.
const REFUSALS: &[(&str, bool)] = &[
    ("continue", false),
    ("allow_tool", false),
    ("approved", false),
    ("cancel", true),
];

/// What stands at a place.
fn at<'j>(json: &'j Map<String, Value>, path: &str) -> Option<&'j Value> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let mut keys = rest.split('.').filter(|key| !key.is_empty());
    let found = keys.try_fold(json.get(first)?, |value, key| value.get(key))?;
    Some(found).filter(|value| !value.is_null())
}

/// Whether a word stands where the row has it.
fn is_said(json: &Map<String, Value>, (path, put): &Place) -> bool {
    match (put, at(json, path)) {
        (Put::Is(word), Some(Value::String(said))) => word == said,
        (Put::Bool(word), Some(Value::Bool(said))) => word == said,
        _ => false,
    }
}

/// All texts in a value.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Object(values) => values.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

impl Reading<'_> {
    pub(super) fn placed(&mut self, json: &Map<String, Value>) -> Result<(), Fault> {
        let says = self.event.map_or(&[][..], |event| self.rules.says(event));
        let mut is_understood = says.is_empty();
        for row in says {
            is_understood |= self.row(json, row);
        }
        for path in DECISIONS {
            let Some(word) = at(json, path) else { continue };
            let is_known = says.iter().flat_map(|row| row.places).any(|place| {
                let is_here = place.0 == *path;
                is_here && is_said(json, place)
            });
            match word.as_str() {
                _ if is_known => {}
                Some(no) if is_no(no) => self.refuse(self.reason(json, says)),
                _ if !self.has_refused() => {
                    return Err(Fault::nonsense(format!(
                        "`{path}` is {word}, which means nothing on `{}`",
                        self.on.named
                    )));
                }
                _ => {}
            }
        }
        let is_call = matches!(self.on.info.name, "BeforeToolCall" | "ApproveToolCall");
        let mut refusals = REFUSALS.iter();
        if is_call && refusals.any(|(path, word)| at(json, path) == Some(&Value::Bool(*word))) {
            self.refuse(self.reason(json, says));
        }
        self.needs_answer(is_understood || self.has_refused())
    }

    /// Some systems deny a call if the answer decides nothing.
    pub(super) fn needs_answer(&self, is_there: bool) -> Result<(), Fault> {
        let mut says = self
            .event
            .map_or(&[][..], |event| self.rules.says(event))
            .iter();
        if is_there || says.all(|row| row.what != What::Quiet) {
            return Ok(());
        }
        let named = &self.on.named;
        Err(Fault::nonsense(format!(
            "it decides nothing, and a hook on `{named}` has to: print `{{\"decision\": \"allow\"}}`"
        )))
    }

    /// The first text that is a reason.
    fn reason(&self, json: &Map<String, Value>, says: &[Says]) -> Option<String> {
        let places = says.iter().flat_map(|row| row.places);
        let mut texts = places.filter(|(_, put)| matches!(put, Put::Text));
        let text = texts.find_map(|(path, _)| at(json, path)?.as_str());
        text.map(str::to_owned)
    }

    /// Reads one decision, if it is there.
    fn row(&mut self, json: &Map<String, Value>, row: &Says) -> bool {
        let is_word = |put: &Put| matches!(put, Put::Is(_) | Put::Bool(_));
        let has_words = row.places.iter().any(|(_, put)| is_word(put));
        let says_word = row.places.iter().any(|place| is_said(json, place));
        let data = row.places.iter().find_map(|(path, put)| {
            let is_data = !is_word(put) && !matches!(put, Put::Event);
            at(json, path).filter(|_| is_data)
        });
        let is_decision = matches!(
            row.what,
            What::Stop | What::Deny | What::Ask | What::Defer | What::Allow | What::Quiet
        );
        let is_here = if is_decision && has_words {
            says_word
        } else {
            data.is_some_and(|data| *data != "")
        };
        if !is_here {
            return false;
        }
        let reason = self.reason(json, std::slice::from_ref(row));
        let or_default = |reason: Option<String>, what: &str| {
            reason.unwrap_or_else(|| format!("the hook `{}` {what}", self.on.hook))
        };
        let data = data.cloned().unwrap_or_default();
        match row.what {
            What::Stop => {
                let reason = or_default(reason, "ends the turn");
                self.decide(Verdict::AbortTurn { reason });
            }
            What::Deny => self.refuse(reason),
            What::Ask => {
                let reason = or_default(reason, "asks for approval");
                self.decide(Verdict::Ask { reason });
            }
            What::Defer => {
                let reason = or_default(reason, "leaves it to somebody");
                self.decide(Verdict::Defer { reason });
            }
            What::Allow => {
                let by = Some(self.on.hook.clone());
                self.decide(Verdict::Approve { by });
            }
            What::Input => self.answer.change = Some(Change::Replace(data)),
            What::Output => {
                let output = output_of(&data, self.on.output.as_deref());
                self.answer.change = Some(Change::Merge(output));
            }
            What::Text => self.answer.change = Some(Change::Replace(json!(data))),
            What::Context => texts(&data, &mut self.answer.context),
            What::Request | What::Response | What::Quiet => {}
        }
        true
    }
}
