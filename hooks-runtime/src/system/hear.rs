//! What a hook that is written for an agent has said, by the rows of the agent's table.
//!
//! A refusal counts at any place: its author meant it. An approval counts only where the agent reads it, and only
//! whole: one that loses a part is a question.

use std::fmt::Display;

use serde_json::{Map, Value, json};

use super::table::{
    DecisionForm, Means, Must, OutputMeaning, Pairs, Put, Refusal, System, SystemEvent, What, at,
};
use super::{Dialect, Exit, QuestionEvent, names, shapes};
use crate::answer::{Change, HandlerAnswer, Verdict, kind_of};
use crate::fault::HandlerFault;

/// Where a decision is in any system.
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

/// Where a reason is in any system.
const REASONS: &[&str] = &[
    "reason",
    "hookSpecificOutput.permissionDecisionReason",
    "permissionDecisionReason",
    "hookSpecificOutput.decision.message",
    "message",
    "user_message",
    "stopReason",
];

/// What is beside a decision and decides nothing.
const BESIDE: &[&str] = &[
    "continue",
    "suppressOutput",
    "stopReason",
    "systemMessage",
    "terminalSequence",
    "async",
    "asyncTimeout",
    "hookSpecificOutput.hookEventName",
];

/// Whether a word is a refusal in any system.
fn is_no(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "deny" | "denied" | "block" | "blocked" | "reject" | "rejected" | "defer"
    )
}

/// Interprets the exit code and the output of a command.
pub(super) fn of_command(
    dialect: Dialect,
    on: &QuestionEvent,
    exit: &Exit,
) -> Result<HandlerAnswer, HandlerFault> {
    let mut hearing = Hearing::new(dialect, on);
    let (said, errors) = (text_of(&exit.stdout), text_of(&exit.stderr));
    if exit.is_cut && said.starts_with('{') && exit.code == Some(0) {
        return Err(HandlerFault::nonsense(
            "the answer is longer than the limit",
        ));
    }
    hearing.command(exit.code, &said, &errors)?;
    Ok(hearing.answer)
}

/// Interprets the response of an endpoint.
pub(super) fn of_http(
    dialect: Dialect,
    on: &QuestionEvent,
    status: u16,
    body: &[u8],
) -> Result<HandlerAnswer, HandlerFault> {
    // GoClaw accepts a redirect as an answer.
    let is_goclaw = dialect == Dialect::Goclaw;
    let highest = if is_goclaw { 400 } else { 300 };
    if !(200..highest).contains(&status) {
        return Err(HandlerFault::failed(format!(
            "the endpoint answered with the status {status}"
        )));
    }
    let mut hearing = Hearing::new(dialect, on);
    let text = text_of(body);
    match hearing.json_of(&text) {
        _ if text.is_empty() => {}
        Ok(Some(json)) => hearing.json(&json)?,
        Err(error) if is_goclaw => hearing.unknown(error, ""),
        Ok(None) if is_goclaw => {}
        Err(error) if error.contains(crate::json::TWICE) => {
            return Err(HandlerFault::nonsense(error));
        }
        _ => {
            return Err(HandlerFault::nonsense(
                "the endpoint's answer is not a JSON object",
            ));
        }
    }
    Ok(hearing.answer)
}

/// Returns text without a byte order mark, and without blanks around it.
fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_start_matches('\u{feff}').trim().to_owned()
}

/// The first JSON object with a key in it, anywhere in a text.
fn object_in(text: &str) -> Option<Map<String, Value>> {
    text.match_indices('{').find_map(|(at, _)| {
        let object = serde_json::Deserializer::from_str(&text[at..])
            .into_iter()
            .next();
        object?.ok().filter(|object: &Map<_, _>| !object.is_empty())
    })
}

/// The keys of an object; none of another value.
fn keys_of(value: &Value) -> impl Iterator<Item = &String> {
    value.as_object().into_iter().flat_map(Map::keys)
}

/// All texts in a value.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.is_empty() => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Object(values) => values.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

/// Whether a word is where a row has it.
fn is_said(json: &Value, (path, put): &(String, Put)) -> bool {
    match (put, at(json, path)) {
        (Put::Is(word), Some(Value::String(said))) => word == said,
        (Put::Bool(word), Some(Value::Bool(said))) => word == said,
        _ => false,
    }
}

/// An answer that is being read.
pub(super) struct Hearing<'a> {
    dialect: Dialect,
    table: &'static System,
    on: &'a QuestionEvent,
    /// The event in the table, if it has one.
    event: Option<&'static SystemEvent>,
    pub(super) answer: HandlerAnswer,
    /// What was not understood first, in our own format.
    pub(super) unknown: Option<String>,
}

impl<'a> Hearing<'a> {
    fn new(dialect: Dialect, on: &'a QuestionEvent) -> Self {
        let table = dialect.system();
        let event = table.event(on.info, &on.named, None);
        Hearing {
            event: event.filter(|_| !table.is_own),
            answer: HandlerAnswer::default(),
            unknown: None,
            dialect,
            table,
            on,
        }
    }

    /// What is known of the event.
    fn row(&self) -> &'static SystemEvent {
        self.event.unwrap_or(&self.table.other)
    }

    /// Notes what was not understood, and what comes of it. It may have been meant as a refusal. In our own format, the
    /// answer therefore fails, unless it refuses anyway; other systems ignore it.
    pub(super) fn unknown(&mut self, what: impl Display, then: &str) {
        if self.table.is_own {
            self.unknown.get_or_insert_with(|| what.to_string());
        } else {
            self.answer.ignore(&what.to_string(), then);
        }
    }

    fn warn(&mut self, warning: impl Into<String>) {
        self.answer.warnings.push(warning.into());
    }

    /// The reason, or that the hook has done this.
    fn or(&self, reason: Option<String>, what: &str) -> String {
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        reason.unwrap_or_else(|| format!("the hook `{}` {what}", self.on.hook))
    }

    /// Refuses.
    pub(super) fn refuse(&mut self, reason: Option<String>) {
        let reason = self.or(reason, "blocked it");
        let refusal = match self.event {
            Some(event) => event.refusal,
            None if self.on.info.is_blockable => Refusal::Blocks,
            None if self.on.info.takes_context => Refusal::Tells,
            None => Refusal::Shows,
        };
        match refusal {
            Refusal::Blocks => self.decide(Verdict::Block { reason }),
            Refusal::Tells => self.answer.feedback = Some(reason),
            Refusal::Shows => self.answer.messages.push(reason),
            Refusal::Replaces => {
                let output = Map::from_iter([("content".to_owned(), json!(reason))]);
                self.answer.change = Some(Change::Merge(output));
            }
        }
    }

    /// Keeps the stricter of the decision so far and this one: an answer never overrules its own refusal.
    pub(super) fn decide(&mut self, verdict: Verdict) {
        if verdict.rank() > self.answer.verdict.rank() {
            self.answer.verdict = verdict;
        }
    }

    /// Whether the answer refuses in some way.
    fn has_refused(&self) -> bool {
        matches!(
            self.answer.verdict,
            Verdict::Block { .. } | Verdict::AbortTurn { .. } | Verdict::AbortRun { .. }
        ) || self.answer.feedback.is_some()
    }

    /// Parses JSON, if the text is meant as JSON. Other systems take the last of two equal keys.
    fn json_of(&self, text: &str) -> Result<Option<Map<String, Value>>, String> {
        let json = if self.table.is_own {
            crate::json::from_slice(text.as_bytes())
        } else if text.starts_with('{') {
            serde_json::from_str(text)
        } else {
            return Ok(None);
        };
        match json {
            Ok(Value::Object(json)) => Ok(Some(json)),
            Ok(other) => Err(format!(
                "the output is {}: write an object",
                kind_of(&other)
            )),
            Err(error) if text.starts_with(['{', '[']) => {
                Err(format!("the output is not JSON: {error}"))
            }
            Err(_) if object_in(text).is_some() => {
                Err("there is text before the JSON in its output: print only JSON".to_owned())
            }
            Err(_) => Ok(None),
        }
    }

    fn command(&mut self, code: Option<i32>, said: &str, errors: &str) -> Result<(), HandlerFault> {
        let rules = &self.table.hooks;
        let shown = if said.is_empty() && rules.stderr {
            errors
        } else {
            said
        };
        let twice = rules
            .twice
            .then(|| serde_json::from_str::<String>(shown).ok());
        let json = self.json_of(twice.flatten().as_deref().unwrap_or(shown));
        let json = match json {
            // Where a hook must fail closed, a refusal behind other text counts, and what is not an answer fails.
            Ok(None) if self.on.is_closed && rules.noise && !said.is_empty() => object_in(said)
                .map(Some)
                .ok_or_else(|| "the output is not an answer".to_owned()),
            json => json,
        };
        let means = |exits: &Pairs<Means>| {
            let code = code?.to_string();
            exits.get(&code).or_else(|| exits.get("other")).copied()
        };
        let means = means(&self.row().exit).or_else(|| means(&rules.exit));
        match (means.unwrap_or_default(), json) {
            (Means::Quiet, _) => Ok(()),
            (Means::Answer | Means::Json, Ok(Some(json))) => {
                self.json(&json)?;
                // In our own format, a command that agrees and then crashes has not agreed.
                if self.table.is_own && code != Some(0) && !self.has_refused() {
                    return Err(failed(code, errors));
                }
                Ok(())
            }
            (Means::Answer, Ok(None)) => self.text(said),
            (Means::Answer, Err(error)) if self.dialect == Dialect::Goclaw => {
                self.unknown(error, "");
                Ok(())
            }
            (Means::Answer, Err(error)) => Err(HandlerFault::nonsense(error)),
            (Means::Refuse, json) => {
                let errors = if errors.is_empty() && rules.stderr {
                    said
                } else {
                    errors
                };
                self.refusal(json, errors);
                Ok(())
            }
            // The system does not read it, but a refusal counts anyway.
            (Means::No, Ok(Some(json))) if self.json(&json).is_ok() && self.has_refused() => {
                self.answer.change = None;
                Ok(())
            }
            _ => Err(failed(code, errors)),
        }
    }

    /// The exit code refuses. The other parts of an answer apply.
    fn refusal(&mut self, json: Result<Option<Map<String, Value>>, String>, errors: &str) {
        let wrong = match json {
            Ok(Some(json)) => self.json(&json).err().map(|fault| fault.message),
            Ok(None) => None,
            Err(wrong) => Some(wrong),
        };
        if let Some(wrong) = wrong {
            self.answer = HandlerAnswer::default();
            self.warn(wrong);
        }
        if !self.has_refused() {
            let reason = self.answer.verdict.reason().map(str::to_owned);
            self.answer.change = None;
            self.answer.verdict = Verdict::Continue;
            self.refuse(reason.or_else(|| Some(errors.to_owned())));
        }
    }

    /// Plain text on standard output.
    fn text(&mut self, text: &str) -> Result<(), HandlerFault> {
        if text.is_empty() {
            return self.needs_answer(false, false);
        }
        let is_for_the_model = matches!(self.on.info.name, "SessionStart" | "MessageReceived");
        let means = match self.event {
            None if self.table.other.text == OutputMeaning::Ignored && is_for_the_model => {
                OutputMeaning::Context
            }
            _ => self.row().text,
        };
        if means == OutputMeaning::Fail {
            let on = &self.on.named;
            return Err(HandlerFault::nonsense(format!(
                "a hook on `{on}` prints JSON or nothing"
            )));
        }
        self.needs_answer(false, true)?;
        if text.ends_with('}') && text.lines().any(|line| line.trim_start().starts_with('{')) {
            self.unknown("there is text before the JSON, so all of the output counts as text: print only JSON", "");
        }
        match means {
            OutputMeaning::Context => self.answer.context.push(text.to_owned()),
            OutputMeaning::Message => self.answer.messages.push(text.to_owned()),
            OutputMeaning::Ignored | OutputMeaning::Fail => {}
        }
        Ok(())
    }

    /// Some systems deny a call if the answer decides nothing.
    fn needs_answer(&self, is_there: bool, is_printed: bool) -> Result<(), HandlerFault> {
        let must = self.row().must;
        if is_there || must == Must::Never || must == Must::IfPrinted && !is_printed {
            return Ok(());
        }
        let named = &self.on.named;
        Err(HandlerFault::nonsense(format!(
            "the answer decides nothing, and a hook on `{named}` has to: print `{{\"decision\": \"allow\"}}`"
        )))
    }

    /// Reads a JSON answer. A refusal counts, even if something else in the answer is wrong.
    ///
    /// # Errors
    ///
    /// If anything in it is wrong, and it refuses nothing.
    fn json(&mut self, json: &Map<String, Value>) -> Result<(), HandlerFault> {
        let all = Value::Object(json.clone());
        let Err(fault) = self.whole(&all, json) else {
            return Ok(());
        };
        self.answer = HandlerAnswer::default();
        self.any_refusal(&all, &[]);
        if !self.has_refused() {
            return Err(fault);
        }
        self.warn(fault.message);
        Ok(())
    }

    fn whole(&mut self, json: &Value, keys: &Map<String, Value>) -> Result<(), HandlerFault> {
        self.check(json)?;
        if let Some(message) = json["systemMessage"].as_str() {
            self.answer.messages.push(message.to_owned());
        }
        let is_ours = self.is_about_this(json);
        let mut understood = Vec::new();
        for (what, says) in &self.row().hears {
            let is_within = says.places.iter().any(|(path, _)| path.contains('.'));
            // An answer about another event means little for this one. Only its refusals count.
            if is_ours || !is_within || matches!(what, What::Deny | What::Stop) {
                self.decision(json, *what, says, &mut understood)?;
            }
        }
        if self.table.is_own {
            self.own(keys);
        }
        self.any_refusal(json, &understood);
        self.words(json, &understood)?;
        self.losses(json);
        let is_there = !understood.is_empty() || self.has_refused() || !self.answer.is_nothing();
        self.needs_answer(is_there, true)?;
        match self.unknown.take() {
            Some(unknown) if !self.has_refused() => Err(HandlerFault::nonsense(unknown)),
            Some(unknown) => {
                self.warn(unknown);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Finds keys that the system does not know. They are misspelt, or belong to another system.
    fn check(&mut self, json: &Value) -> Result<(), HandlerFault> {
        if self.table.is_own {
            self.check_ours(json);
            return Ok(());
        }
        let title = &self.table.title;
        if let Some(known) = &self.table.hooks.strict {
            let inner = keys_of(&json["hookSpecificOutput"]);
            let inner = inner.map(|key| format!("hookSpecificOutput.{key}"));
            let mut all = keys_of(json).cloned().chain(inner);
            let unknown = all.find(|path| {
                let is_beside = known.contains(path) || path.ends_with(".hookEventName");
                !is_beside && !self.table.has_place(path)
            });
            if let Some(unknown) = unknown {
                let key = unknown.trim_start_matches("hookSpecificOutput.");
                return Err(HandlerFault::nonsense(format!(
                    "{title} does not know `{key}` in an answer"
                )));
            }
            let mut rejects = self.row().rejects.iter();
            if let Some(wrong) =
                rejects.find(|key| !json[key.as_str()].is_null() && json[key.as_str()] != true)
            {
                let on = &self.on.named;
                return Err(HandlerFault::nonsense(format!(
                    "{title} does not accept `{wrong}` on `{on}`"
                )));
            }
        } else if self.table.has_place("hookSpecificOutput") && !self.table.hooks.exact {
            let known = [BESIDE, DECISIONS, REASONS].concat();
            for key in keys_of(json) {
                if known.contains(&key.as_str()) || self.table.has_place(key) {
                    continue;
                }
                let is_inner = self.table.has_place(&format!("hookSpecificOutput.{key}"));
                self.warn(if is_inner {
                    format!("`{key}` belongs in `hookSpecificOutput`, and was ignored")
                } else {
                    format!("unknown key `{key}`, ignored")
                });
            }
        }
        Ok(())
    }

    /// Whether an answer is about this event, if it says so.
    fn is_about_this(&mut self, json: &Value) -> bool {
        let Some(path) = &self.table.hooks.names_event else {
            return true;
        };
        let (outer, on) = (&json["hookSpecificOutput"], &self.on.named);
        if !outer.is_null() && !outer.is_object() {
            self.unknown("`hookSpecificOutput` is not an object", ", and was ignored");
            return true;
        }
        let named = at(json, path).and_then(Value::as_str);
        let is_ours = |name: &str| {
            let own = names::ours(self.dialect, name);
            name == on
                || self.table.is_name_of(self.on.info, name)
                || self.table.is_own && own.iter().any(|(event, _)| event.name == self.on.info.name)
        };
        match named {
            Some(name) if !is_ours(name) => {
                let what = format!("`hookEventName` is `{name}`, and the event is `{on}`");
                self.unknown(what, ": only a refusal counts");
                false
            }
            None if self.table.hooks.event_required
                && outer.as_object().is_some_and(|keys| !keys.is_empty()) =>
            {
                self.warn(
                    "`hookEventName` is missing in `hookSpecificOutput`: only a refusal counts",
                );
                false
            }
            _ => true,
        }
    }

    /// Reads one decision, if it is there.
    fn decision(
        &mut self,
        json: &Value,
        what: What,
        says: &DecisionForm,
        understood: &mut Vec<&'static str>,
    ) -> Result<(), HandlerFault> {
        let kind = says.data();
        let mut places = says.places.iter().filter(|(_, put)| Some(put) == kind);
        let data = places
            .find_map(|(path, _)| at(json, path))
            .filter(|data| *data != "");
        let mut reasons = says.places.iter().filter(|(_, put)| *put == Put::Reason);
        let reason = reasons.find_map(|(path, _)| at(json, path)?.as_str());
        let is_exact = self.table.hooks.strict.is_some();
        let is_here = match says.word() {
            Some(word) => is_said(json, word),
            None if kind.is_none() => reason.is_some_and(|reason| !reason.is_empty()),
            None => {
                let mut words = says
                    .places
                    .iter()
                    .filter(|(_, put)| matches!(put, Put::Is(_)));
                data.is_some() && (!is_exact || words.all(|word| is_said(json, word)))
            }
        };
        if !is_here {
            if what == What::Input && data.is_some() && is_exact {
                return Err(HandlerFault::nonsense(
                    "`updatedInput` counts only with `permissionDecision: \"allow\"`",
                ));
            }
            return Ok(());
        }
        let places = says.places.iter();
        understood
            .extend(places.filter_map(|(path, _)| DECISIONS.iter().find(|known| *known == path)));
        let reason = reason.map(str::to_owned).or_else(|| any_reason(json));
        let data = data.cloned().unwrap_or_default();
        match what {
            What::Stop if !self.row().stops => {
                self.warn("`continue: false` has no effect on this event");
            }
            What::Stop => {
                let reason = self.or(reason, "ends the turn");
                self.decide(Verdict::AbortTurn { reason });
            }
            What::Deny => self.refuse(reason),
            What::Ask => {
                let reason = self.or(reason, "asks for approval");
                self.decide(Verdict::Ask { reason });
            }
            What::Defer => {
                let reason = self.or(reason, "leaves the decision to a person");
                self.decide(Verdict::Defer { reason });
            }
            What::Allow => self.approve(reason.as_deref()),
            What::Input if self.table.call.as_ref().is_some_and(|call| call.merges) => {
                self.answer.change = data.as_object().cloned().map(Change::Merge);
            }
            What::Input => {
                if says.places.iter().any(|place| is_said(json, place)) {
                    self.approve(None);
                }
                self.answer.change = Some(Change::Replace(data));
            }
            What::Output => {
                let output = shapes::output_of(&data, self.on.output.as_deref());
                self.answer.change = Some(Change::Merge(output));
            }
            What::Text if kind == Some(&Put::GeminiAnswer) => {
                if let Some(text) = self.model_text(&data) {
                    let response = ("response".to_owned(), json!({ "content": text }));
                    self.answer.change = Some(Change::Merge(Map::from_iter([response])));
                }
            }
            What::Text => self.answer.change = Some(Change::Replace(data)),
            What::Request => {
                self.answer.change = Some(Change::Merge(shapes::request_of(&data)));
            }
            What::Response => {
                if let Some(text) = self.model_text(&data) {
                    self.decide(Verdict::Respond(text.into()));
                }
            }
            What::Context => texts(&data, &mut self.answer.context),
            What::Quiet => {}
        }
        Ok(())
    }

    /// The text of a model's answer.
    fn model_text(&mut self, answer: &Value) -> Option<String> {
        let text = shapes::gemini_text(answer);
        if text.is_none() {
            self.unknown("`llm_response` has no text", ", and was ignored");
        }
        text
    }

    /// Approves, with who does and why.
    fn approve(&mut self, reason: Option<&str>) {
        let hook = &self.on.hook;
        let by = match reason.filter(|reason| !reason.trim().is_empty()) {
            Some(reason) => format!("{reason} (hook: {hook})"),
            None => hook.clone(),
        };
        self.decide(Verdict::Approve { by: Some(by) });
    }

    /// Whether the event is about a call that has not run yet.
    fn is_call(&self) -> bool {
        matches!(self.on.info.name, "BeforeToolCall" | "ApproveToolCall")
    }

    /// Refuses if a refusal is where this system has none.
    fn any_refusal(&mut self, json: &Value, understood: &[&str]) {
        if self.has_refused() {
            return;
        }
        let mut words = DECISIONS.iter().filter(|path| !understood.contains(path));
        let word = words.find_map(|path| at(json, path)?.as_str().filter(|word| is_no(word)));
        let mut refusals = REFUSALS.iter();
        let is_said = self.is_call()
            && refusals.any(|(path, word)| at(json, path) == Some(&Value::Bool(*word)));
        if let Some(word) = word.filter(|word| !matches!(*word, "deny" | "block" | "defer")) {
            self.warn(format!("unknown decision `{word}`, treated as `deny`"));
        }
        if word.is_some() || is_said {
            self.refuse(any_reason(json));
        }
    }

    /// Looks at words where a decision is, and that nothing in the table says.
    fn words(&mut self, json: &Value, understood: &[&str]) -> Result<(), HandlerFault> {
        for path in DECISIONS {
            let word = at(json, path).filter(|word| !word.is_object());
            let Some(word) = word.filter(|_| !understood.contains(path)) else {
                continue;
            };
            let text = word.as_str();
            if text.is_some_and(is_no) {
                continue;
            }
            if self.table.hooks.exact && !self.has_refused() {
                return Err(HandlerFault::nonsense(format!(
                    "`{path}` is {word}, which means nothing on `{}`",
                    self.on.named
                )));
            }
            match text {
                Some("ask") if self.is_call() || self.on.info.is_blockable => {
                    let reason = self.or(any_reason(json), "asks for approval");
                    self.decide(Verdict::Ask { reason });
                }
                Some("allow" | "approve" | "ask") => {}
                Some(other) => self.unknown(
                    format_args!(
                        "unknown decision `{other}`: write `\"block\"`, `\"ask\"` or `\"approve\"`"
                    ),
                    ", ignored",
                ),
                None => self.unknown("a decision must be a string", ": this one was ignored"),
            }
        }
        if !json["continue"].is_null() && !json["continue"].is_boolean() {
            self.unknown("`continue` is not a boolean", ", and was ignored");
        }
        Ok(())
    }

    /// Tells what has no effect here. An approval that loses a part is none: beside the word is only what the table
    /// knows.
    fn losses(&mut self, json: &Value) {
        if self.table.is_own {
            return;
        }
        let mut lost = Vec::new();
        self.lost(json, "", &mut lost);
        if lost.is_empty() {
            return;
        }
        if matches!(self.answer.verdict, Verdict::Approve { .. }) {
            let (hook, lost) = (&self.on.hook, lost.join("`, `"));
            let reason =
                format!("the hook `{hook}` approves it with `{lost}`, which cannot be handed on");
            self.answer.verdict = Verdict::Ask { reason };
            return;
        }
        let known = lost.iter().filter(|path| self.table.has_place(path));
        let (named, title) = (&self.on.named, &self.table.title);
        let warnings = known.map(|path| format!("`{path}` has no effect on `{named}` of {title}"));
        self.answer.warnings.extend(warnings);
    }

    /// The paths of an answer of which nothing is known on this event.
    fn lost(&self, value: &Value, within: &str, lost: &mut Vec<String>) {
        let keys = value.as_object().into_iter().flatten();
        for (key, value) in keys.filter(|(_, value)| !value.is_null()) {
            let path = if within.is_empty() {
                key.clone()
            } else {
                format!("{within}.{key}")
            };
            let mut places = self.row().hears.iter().flat_map(|(_, says)| &says.places);
            let is_beside = BESIDE.contains(&path.as_str()) || REASONS.contains(&path.as_str());
            if is_beside || places.clone().any(|(place, _)| *place == path) {
                continue;
            }
            let is_outer = |place: &str| {
                place
                    .strip_prefix(&path)
                    .is_some_and(|rest| rest.starts_with('.'))
            };
            if places.any(|(place, _)| is_outer(place)) {
                self.lost(value, &path, lost);
            } else {
                lost.push(path);
            }
        }
    }
}

/// The first text that is a reason.
fn any_reason(json: &Value) -> Option<String> {
    let mut texts = REASONS.iter().filter_map(|path| at(json, path)?.as_str());
    texts.next().map(str::to_owned)
}

/// The failure of a command that ended with a code without a meaning.
fn failed(code: Option<i32>, errors: &str) -> HandlerFault {
    let code = code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
    match errors.lines().next().filter(|first| !first.is_empty()) {
        Some(first) => HandlerFault::failed(format!("the handler ended with {code}: {first}")),
        None => HandlerFault::failed(format!("the handler ended with {code}")),
    }
}
