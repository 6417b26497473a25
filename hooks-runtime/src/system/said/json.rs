//! Reads a JSON answer.

use serde_json::{Map, Value, json};

use super::super::table::Exits;
use super::super::{Dialect, names};
use super::{Reading, is_no};
use crate::answer::{Answer, Change, Verdict};
use crate::fault::Fault;

impl Reading<'_> {
    /// Whether an answer may name the event in this way.
    fn is_event(&self, name: &str) -> bool {
        name == self.on.named
            || name == self.on.info.name
            || self.dialect == Dialect::Hooks
                && names::ours(self.dialect, name)
                    .iter()
                    .any(|(event, _)| event.name == self.on.info.name)
            || self
                .rules
                .events
                .iter()
                .any(|event| event.ours == self.on.info.name && event.named == name)
    }

    /// Reads a JSON answer. A refusal counts, even if something else in the answer is wrong.
    ///
    /// # Errors
    ///
    /// If anything in it is wrong, and it refuses nothing.
    pub(super) fn json(&mut self, json: &Map<String, Value>) -> Result<(), Fault> {
        if self.rules.exits == Exits::Placed {
            return self.placed(json);
        }
        let read = self.whole(json);
        let Err(fault) = read else { return Ok(()) };
        self.answer = Answer::default();
        let nothing = Map::new();
        let specific = json.get("hookSpecificOutput").and_then(Value::as_object);
        let specific = specific.unwrap_or(&nothing);
        self.decision(json, specific, false);
        self.permission(specific, false);
        if !self.has_refused() {
            return Err(fault);
        }
        self.warn(fault.message);
        Ok(())
    }

    fn whole(&mut self, json: &Map<String, Value>) -> Result<(), Fault> {
        let nothing = Map::new();
        self.check_keys(json)?;
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let specific = match json.get("hookSpecificOutput") {
            Some(Value::Object(specific)) => specific,
            None | Some(Value::Null) => &nothing,
            Some(_) => {
                self.unknown("`hookSpecificOutput` is not an object", ", and was ignored");
                &nothing
            }
        };
        if let Some(message) = text(json.get("systemMessage")) {
            self.answer.messages.push(message);
        }
        // An answer about another event means little for this one. Only its refusals count.
        let is_ours = match specific.get("hookEventName").and_then(Value::as_str) {
            Some(name) => {
                let is_ours = self.is_event(name);
                if !is_ours {
                    let named = &self.on.named;
                    let what = format!("`hookEventName` is `{name}`, and the event is `{named}`");
                    self.unknown(what, ": only a refusal counts");
                }
                is_ours
            }
            None if self.rules.names_event && !specific.is_empty() => {
                self.warn(
                    "`hookEventName` is missing in `hookSpecificOutput`: only a refusal counts",
                );
                false
            }
            None => true,
        };
        self.decision(json, specific, is_ours);
        self.permission(specific, is_ours);
        if is_ours {
            self.changes(specific)?;
        }
        if self.dialect == Dialect::Hooks {
            self.own(json);
        }
        match json.get("continue") {
            Some(Value::Bool(false)) => {
                let stops = self.event.is_none_or(|event| event.stops);
                let reason = text(json.get("stopReason"))
                    .or_else(|| text(json.get("reason")))
                    .unwrap_or_else(|| format!("the hook `{}` ends the turn", self.on.hook));
                if self.rules.exits == Exits::Goclaw {
                    self.refuse(Some(reason));
                } else if stops {
                    self.decide(Verdict::AbortTurn { reason });
                } else {
                    self.warn("`continue: false` has no effect on this event");
                }
            }
            None | Some(Value::Bool(true)) => {}
            Some(_) => self.unknown("`continue` is not a boolean", ", and was ignored"),
        }
        match self.unknown.take() {
            Some(unknown) if !self.has_refused() => Err(Fault::nonsense(unknown)),
            Some(unknown) => {
                self.warn(unknown);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Reads `decision` and `permissionDecision`.
    fn decision(
        &mut self,
        json: &Map<String, Value>,
        specific: &Map<String, Value>,
        is_ours: bool,
    ) {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let misplaced = json.get("permissionDecision");
        if misplaced.is_some() {
            self.warn(
                "`permissionDecision` belongs in `hookSpecificOutput`: only a refusal counts",
            );
        }
        let words = [
            (specific.get("permissionDecision"), is_ours),
            (misplaced, false),
            (json.get("decision"), true),
        ];
        let reason = text(specific.get("permissionDecisionReason"))
            .or_else(|| text(json.get("permissionDecisionReason")))
            .or_else(|| text(json.get("reason")));
        for (value, counts) in words {
            let word = match value {
                None | Some(Value::Null | Value::Object(_)) => continue,
                Some(Value::String(word)) => word,
                Some(_) => {
                    self.unknown("a decision must be a string", ": this one was ignored");
                    continue;
                }
            };
            let is_call = matches!(self.on.info.name, "BeforeToolCall" | "ApproveToolCall");
            match word.as_str() {
                "defer" if is_call && self.rules.exits == Exits::Claude => {
                    let reason = reason.clone().unwrap_or_else(|| {
                        format!("the hook `{}` leaves it to somebody", self.on.hook)
                    });
                    self.decide(Verdict::Defer { reason });
                }
                no if is_no(no) => {
                    if !matches!(no, "deny" | "block" | "defer") {
                        self.warn(format!("unknown decision `{no}`, treated as `deny`"));
                    }
                    self.refuse(reason.clone());
                }
                "ask" if is_call || self.on.info.is_blockable => {
                    let reason = reason.clone().unwrap_or_else(|| {
                        format!("the hook `{}` asks for approval", self.on.hook)
                    });
                    self.decide(Verdict::Ask { reason });
                }
                "allow" | "approve" if counts && self.rules.exits != Exits::Goclaw => {
                    if is_call && self.rules.exits != Exits::Goose {
                        let by = Some(self.approver(reason.as_deref()));
                        self.decide(Verdict::Approve { by });
                    }
                }
                "allow" | "approve" | "ask" => {}
                other => self.unknown(
                    format_args!(
                        "unknown decision `{other}`: write `\"block\"`, `\"ask\"` or `\"approve\"`"
                    ),
                    ", ignored",
                ),
            }
        }
    }

    /// Who approves, and why.
    fn approver(&self, reason: Option<&str>) -> String {
        let hook = &self.on.hook;
        match reason.filter(|reason| !reason.trim().is_empty()) {
            Some(reason) => format!("{reason} (hook: {hook})"),
            None => hook.clone(),
        }
    }

    /// Reads the decision about a permission: `hookSpecificOutput.decision`.
    fn permission(&mut self, specific: &Map<String, Value>, is_ours: bool) {
        let Some(Value::Object(decision)) = specific.get("decision") else {
            return;
        };
        let message = decision.get("message").and_then(Value::as_str);
        match decision.get("behavior").and_then(Value::as_str) {
            Some(no) if is_no(no) => {
                if decision.get("interrupt") == Some(&Value::Bool(true)) {
                    let reason = message.map_or_else(
                        || format!("the hook `{}` ends the turn", self.on.hook),
                        str::to_owned,
                    );
                    self.decide(Verdict::AbortTurn { reason });
                } else {
                    self.refuse(message.map(str::to_owned));
                }
            }
            Some("allow") if is_ours => {
                let by = Some(self.approver(message));
                self.decide(Verdict::Approve { by });
                for key in ["updatedInput", "updatedPermissions"] {
                    if decision.contains_key(key) {
                        self.warn(format!("`{key}` has no effect here: a hook that approves a call cannot change it"));
                    }
                }
            }
            Some("allow") => {}
            _ => self.unknown(
                "`decision.behavior` must be `allow` or `deny`",
                ": this one was ignored",
            ),
        }
    }

    /// Reads new inputs and outputs, and text for the model.
    fn changes(&mut self, specific: &Map<String, Value>) -> Result<(), Fault> {
        match specific.get("additionalContext") {
            Some(Value::String(context)) if !context.is_empty() => {
                self.answer.context.push(context.clone());
            }
            None | Some(Value::String(_) | Value::Null) => {}
            Some(_) => self.unknown("`additionalContext` is not a string", ", and was ignored"),
        }
        if let Some(input) = specific
            .get("updatedInput")
            .filter(|input| !input.is_null())
        {
            if self.rules.is_strict && !matches!(self.answer.verdict, Verdict::Approve { .. }) {
                return Err(Fault::nonsense(
                    "`updatedInput` counts only with `permissionDecision: \"allow\"`",
                ));
            }
            self.answer.change = Some(Change::Replace(input.clone()));
        }
        if self.rules.merges_input
            && let Some(Value::Object(input)) = specific.get("tool_input")
        {
            self.answer.change = Some(Change::Merge(input.clone()));
        }
        let output = ["updatedToolOutput", "updatedMCPToolOutput"];
        if let Some(output) = output.iter().find_map(|key| specific.get(*key)) {
            self.answer.change = Some(Change::Merge(output_of(output, self.on.output.as_deref())));
        }
        if let Some(Value::String(shown)) = specific.get("displayContent") {
            self.answer.change = Some(Change::Replace(json!(shown)));
        }
        if let Some(response) = specific.get("llm_response") {
            self.response(response);
        }
        if let Some(Value::Object(request)) = specific.get("llm_request") {
            self.answer.change = Some(Change::Merge(request_of(request)));
        }
        Ok(())
    }

    /// Reads a model's answer in Gemini CLI's format.
    fn response(&mut self, response: &Value) {
        let text = match response["text"].as_str() {
            Some(text) => Some(text.to_owned()),
            None => response["candidates"][0]["content"]["parts"]
                .as_array()
                .map(|parts| {
                    let texts = parts
                        .iter()
                        .filter_map(|part| part.as_str().or(part["text"].as_str()));
                    texts.collect()
                }),
        };
        match (text, self.on.info.name) {
            (Some(text), "BeforeLlmCall") => {
                self.decide(Verdict::Respond(Value::String(text)));
            }
            (Some(text), "AfterLlmCall") => {
                let response = json!({ "content": text });
                self.answer.change = Some(Change::Merge(Map::from_iter([(
                    "response".to_owned(),
                    response,
                )])));
            }
            _ => self.unknown("`llm_response` has no text", ", and was ignored"),
        }
    }

    /// Keeps the stricter of the decision so far and this one: an answer never overrules its own refusal.
    pub(super) fn decide(&mut self, verdict: Verdict) {
        if verdict.rank() > self.answer.verdict.rank() {
            self.answer.verdict = verdict;
        }
    }

    /// Reads our own keys: those of a rule. Their types are checked already.
    fn own(&mut self, json: &Map<String, Value>) {
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

/// A tool's new output: the keys of ours that are set.
///
/// Hooks read the text under several keys. Many return everything that they read, with one key changed. The changed key
/// applies.
pub(super) fn output_of(output: &Value, before: Option<&str>) -> Map<String, Value> {
    let mut set = Map::new();
    let text = match output {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            set.insert("data".to_owned(), output.clone());
            let mut texts = ["content", "stdout"]
                .iter()
                .filter_map(|key| fields.get(*key));
            let is_changed = |text: &&Value| text.as_str() != before;
            match texts.clone().find(is_changed).or_else(|| texts.next()) {
                Some(Value::String(text)) => text.clone(),
                // The parts of an MCP result.
                Some(Value::Array(parts)) => {
                    let texts: Vec<_> = parts
                        .iter()
                        .filter_map(|part| part["text"].as_str())
                        .collect();
                    texts.join("\n")
                }
                _ => output.to_string(),
            }
        }
        Value::Array(parts) => {
            let texts: Vec<_> = parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect();
            if texts.is_empty() {
                output.to_string()
            } else {
                texts.join("\n")
            }
        }
        other => other.to_string(),
    };
    set.insert("content".to_owned(), Value::String(text));
    set.insert("for_user".to_owned(), Value::Null);
    for key in ["is_error", "isError"] {
        if let Some(Value::Bool(is_error)) = output.get(key) {
            set.insert("is_error".to_owned(), json!(is_error));
        }
    }
    set
}

/// Converts a call of a model from Gemini CLI's format to ours.
fn request_of(request: &Map<String, Value>) -> Map<String, Value> {
    let mut set = Map::new();
    if let Some(model @ Value::String(_)) = request.get("model") {
        set.insert("model".to_owned(), model.clone());
    }
    if let Some(Value::Array(messages)) = request.get("messages") {
        let messages = messages.iter().map(|message| {
            let role = match message["role"].as_str() {
                Some("model") | None => "assistant",
                Some(role) => role,
            };
            json!({ "role": role, "content": message["content"] })
        });
        set.insert("messages".to_owned(), Value::Array(messages.collect()));
    }
    set
}
