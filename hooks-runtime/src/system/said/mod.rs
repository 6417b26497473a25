//! Interprets the answer of a hook: its exit code, its text and its JSON.

mod json;
mod keys;
mod placed;

use serde_json::{Map, Value, json};

use super::says::What;
use super::table::{Event, Exits, Refusal, System};
use super::{Dialect, Exit, On};
use crate::answer::{Answer, Change, Verdict, kind_of};
use crate::fault::Fault;

/// An answer that is being read.
struct Reading<'a> {
    dialect: Dialect,
    rules: &'static System,
    on: &'a On,
    event: Option<&'static Event>,
    answer: Answer,
    /// What was not understood first, in our own format.
    unknown: Option<String>,
}

/// Interprets the exit code and the output of a command.
pub(super) fn of_command(dialect: Dialect, on: &On, exit: &Exit) -> Result<Answer, Fault> {
    let reading = Reading::new(dialect, on);
    let said = text_of(&exit.stdout);
    if exit.is_cut && said.starts_with('{') && exit.code == Some(0) {
        return Err(Fault::nonsense("its answer is longer than the limit"));
    }
    let errors = text_of(&exit.stderr);
    match reading.rules.exits {
        Exits::Flat => reading.flat(exit, &said, &errors),
        Exits::Goclaw => reading.goclaw(exit, &said, &errors),
        Exits::Goose => reading.goose(exit, &said, &errors),
        Exits::Gemini => reading.gemini(exit, &said, &errors),
        Exits::Claude | Exits::Codex | Exits::Told | Exits::Placed => {
            reading.claude(exit, &said, &errors)
        }
    }
    .map(|answer| told(dialect, on, answer))
}

/// Returns the answer without what the system would not do. What it refuses stays.
fn told(dialect: Dialect, on: &On, mut answer: Answer) -> Answer {
    let rules = dialect.system();
    if !matches!(rules.exits, Exits::Told | Exits::Placed) {
        return answer;
    }
    let event = rules.event(on.info, &on.named, None);
    let says = event.map_or(&[][..], |event| rules.says(event));
    let may = |all: &[What]| says.iter().any(|row| all.contains(&row.what));
    let mut lost = Vec::new();
    if !may(&[What::Input, What::Output, What::Text]) && answer.change.take().is_some() {
        lost.push("a change");
    }
    let takes_text = event.is_some_and(|event| event.text);
    if !may(&[What::Context]) && !takes_text && !answer.context.is_empty() {
        answer.context.clear();
        lost.push("context");
    }
    if !may(&[What::Allow]) && matches!(answer.verdict, Verdict::Approve { .. }) {
        answer.verdict = Verdict::Continue;
        lost.push("an approval");
    }
    let warnings = lost.into_iter().map(|lost| {
        let (title, named) = (rules.title, &on.named);
        format!("{lost} has no effect on `{named}` of {title}")
    });
    answer.warnings.extend(warnings);
    answer
}

/// Interprets the response of an endpoint.
pub(super) fn of_http(
    dialect: Dialect,
    on: &On,
    status: u16,
    body: &[u8],
) -> Result<Answer, Fault> {
    // GoClaw accepts a redirect as an answer.
    let highest = if dialect == Dialect::Goclaw { 400 } else { 300 };
    if !(200..highest).contains(&status) {
        return Err(Fault::failed(format!(
            "the endpoint answered with the status {status}"
        )));
    }
    let mut reading = Reading::new(dialect, on);
    let text = text_of(body);
    if text.is_empty() {
        return Ok(reading.answer);
    }
    match json_of(dialect, &text) {
        Ok(Some(json)) => {
            reading.json(&json)?;
            Ok(told(dialect, on, reading.answer))
        }
        Err(error) if dialect == Dialect::Goclaw => {
            reading.unknown(error, "");
            Ok(reading.answer)
        }
        _ if dialect == Dialect::Goclaw => Ok(reading.answer),
        Err(error) if error.contains("stands twice") => Err(Fault::nonsense(error)),
        _ => Err(Fault::nonsense(
            "the endpoint's answer is not a JSON object",
        )),
    }
}

/// Returns text without a byte order mark, and without blanks around it.
fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_start_matches('\u{feff}').trim().to_owned()
}

/// Parses JSON, if the text is meant as JSON. Other systems take the last of two equal keys.
fn json_of(dialect: Dialect, text: &str) -> Result<Option<Map<String, Value>>, String> {
    let is_ours = dialect == Dialect::Hooks;
    let json = if is_ours {
        crate::json::from_slice(text.as_bytes())
    } else if text.starts_with('{') {
        serde_json::from_str(text)
    } else {
        return Ok(None);
    };
    match json {
        Ok(Value::Object(json)) => Ok(Some(json)),
        Ok(other) => Err(format!(
            "its output is {}: write an object",
            kind_of(&other)
        )),
        Err(error) if text.starts_with(['{', '[']) => {
            Err(format!("its output is not JSON: {error}"))
        }
        Err(_) if has_an_object(text) => {
            Err("there is text before the JSON in its output: print only JSON".to_owned())
        }
        Err(_) => Ok(None),
    }
}

/// Whether a JSON object with a key in it stands somewhere in a text.
fn has_an_object(text: &str) -> bool {
    let starts = text.match_indices('{').map(|(at, _)| &text[at..]);
    starts
        .map(|start| serde_json::Deserializer::from_str(start).into_iter::<Map<String, Value>>())
        .any(|mut objects| matches!(objects.next(), Some(Ok(object)) if !object.is_empty()))
}

/// Whether a word is a refusal in any system.
fn is_no(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "deny" | "denied" | "block" | "blocked" | "reject" | "rejected" | "defer"
    )
}

impl<'a> Reading<'a> {
    fn new(dialect: Dialect, on: &'a On) -> Self {
        let rules = dialect.system();
        Reading {
            dialect,
            rules,
            on,
            event: rules.event(on.info, &on.named, None),
            answer: Answer::default(),
            unknown: None,
        }
    }

    /// Notes what was not understood, and what comes of it. It may have been meant as a refusal. In our own format, the
    /// answer therefore fails, unless it refuses anyway; other systems ignore it.
    fn unknown(&mut self, what: impl std::fmt::Display, then: &str) {
        if self.dialect == Dialect::Hooks {
            self.unknown.get_or_insert_with(|| what.to_string());
        } else {
            self.answer.ignore(&what.to_string(), then);
        }
    }

    fn warn(&mut self, warning: impl Into<String>) {
        self.answer.warnings.push(warning.into());
    }

    /// Returns the effect of a refusal on this event.
    fn refusal(&self) -> Refusal {
        match self.event {
            Some(event) => event.refusal,
            None if self.on.info.is_blockable => Refusal::Blocks,
            None if self.on.info.takes_context => Refusal::Tells,
            None => Refusal::Shows,
        }
    }

    /// Refuses.
    fn refuse(&mut self, reason: Option<String>) {
        let reason = reason
            .filter(|reason| !reason.trim().is_empty())
            .unwrap_or_else(|| format!("the hook `{}` blocked it", self.on.hook));
        match self.refusal() {
            Refusal::Blocks => self.decide(Verdict::Block { reason }),
            Refusal::Tells => self.answer.feedback = Some(reason),
            Refusal::Shows => self.answer.messages.push(reason),
            Refusal::Replaces => {
                let output = Map::from_iter([("content".to_owned(), json!(reason))]);
                self.answer.change = Some(Change::Merge(output));
            }
        }
    }

    /// Whether the answer refuses in some way.
    fn has_refused(&self) -> bool {
        self.answer.verdict.rank()
            >= Verdict::Block {
                reason: String::new(),
            }
            .rank()
            || self.answer.feedback.is_some()
    }

    /// The failure of a command that ended with a code without a meaning.
    fn failed(exit: &Exit, errors: &str) -> Fault {
        let code = exit
            .code
            .map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
        let first = errors.lines().next().unwrap_or_default();
        let said = if first.is_empty() {
            String::new()
        } else {
            format!(": {first}")
        };
        Fault::failed(format!("it ended with {code}{said}"))
    }

    /// Claude Code, Codex, and those that have it from them.
    fn claude(mut self, exit: &Exit, said: &str, errors: &str) -> Result<Answer, Fault> {
        let is_claude = self.rules.exits == Exits::Claude;
        let json = json_of(self.dialect, said);
        if exit.code == Some(2) {
            match json {
                // The other parts of the answer apply, and the decision is a refusal.
                Ok(Some(json)) => {
                    if let Err(fault) = self.json(&json) {
                        self.answer = Answer::default();
                        self.warn(fault.to_string());
                    }
                    if !self.has_refused() {
                        let reason = self.answer.verdict.reason().map(str::to_owned);
                        self.answer.change = None;
                        self.answer.verdict = Verdict::Continue;
                        self.refuse(reason.or_else(|| Some(errors.to_owned())));
                    }
                }
                Ok(None) => self.refuse(Some(errors.to_owned())),
                Err(error) => {
                    self.warn(error);
                    self.refuse(Some(errors.to_owned()));
                }
            }
            return Ok(self.answer);
        }
        match json {
            Ok(Some(json)) if exit.code == Some(0) || (is_claude && exit.code.is_some()) => {
                self.json(&json)?;
                // In our own format, a command that agrees and then crashes has not agreed.
                if self.dialect == Dialect::Hooks && exit.code != Some(0) && !self.has_refused() {
                    return Err(Self::failed(exit, errors));
                }
                Ok(self.answer)
            }
            Ok(None) if exit.code == Some(0) => {
                if self.rules.is_strict
                    && self.event.is_some_and(|event| event.ours == "BeforeStop")
                    && !said.is_empty()
                {
                    return Err(Fault::nonsense("a hook on `Stop` prints JSON or nothing"));
                }
                self.needs_answer(false)?;
                self.text(said);
                Ok(self.answer)
            }
            Err(error) if exit.code == Some(0) => Err(Fault::nonsense(error)),
            // The system does not read it, but a refusal counts anyway.
            Ok(Some(json)) if self.json(&json).is_ok() && self.has_refused() => {
                self.answer.change = None;
                Ok(self.answer)
            }
            _ => Err(Self::failed(exit, errors)),
        }
    }

    /// Gemini CLI.
    fn gemini(mut self, exit: &Exit, said: &str, errors: &str) -> Result<Answer, Fault> {
        let text = if said.is_empty() { errors } else { said };
        // Some hooks encode their JSON twice.
        let twice: Option<String> = serde_json::from_str(text).ok();
        let json = json_of(self.dialect, twice.as_deref().unwrap_or(text));
        match (exit.code, json) {
            (Some(0 | 1), Ok(Some(json))) => self.json(&json)?,
            (Some(0), Ok(None)) => {
                if !said.is_empty() {
                    self.answer.messages.push(said.to_owned());
                }
            }
            (Some(0), Err(error)) => return Err(Fault::nonsense(error)),
            (Some(1) | None, _) => return Err(Self::failed(exit, errors)),
            (Some(_), json) => {
                if let Ok(Some(json)) = json
                    && let Err(fault) = self.json(&json)
                {
                    self.warn(fault.to_string());
                }
                if !self.has_refused() {
                    let reason = self.answer.verdict.reason().map(str::to_owned);
                    self.answer.verdict = Verdict::Continue;
                    let errors = if errors.is_empty() { said } else { errors };
                    self.refuse(reason.or_else(|| Some(errors.to_owned())));
                }
            }
        }
        Ok(self.answer)
    }

    /// goose.
    fn goose(mut self, exit: &Exit, said: &str, errors: &str) -> Result<Answer, Fault> {
        let json = json_of(self.dialect, said);
        if let Ok(Some(json)) = &json
            && let Some(word) = json.get("decision").and_then(Value::as_str)
            && (is_no(word) || (word == "allow" && exit.code == Some(0)))
        {
            self.json(json)?;
            return Ok(self.answer);
        }
        match exit.code {
            Some(2) => {
                self.refuse(Some(errors.to_owned()));
                Ok(self.answer)
            }
            Some(0) if said.is_empty() => Ok(self.answer),
            Some(0) => Err(Fault::nonsense(
                "it printed something other than `{\"decision\": \"allow\"}` or nothing",
            )),
            _ => Err(Self::failed(exit, errors)),
        }
    }

    /// GoClaw.
    fn goclaw(mut self, exit: &Exit, said: &str, errors: &str) -> Result<Answer, Fault> {
        match exit.code {
            Some(0) => {
                match json_of(self.dialect, said) {
                    Ok(Some(json)) => self.json(&json)?,
                    Ok(None) => {}
                    Err(error) => self.unknown(error, ""),
                }
                Ok(self.answer)
            }
            Some(2) => {
                self.refuse(Some(errors.to_owned()));
                Ok(self.answer)
            }
            // The gate of a delegation passes only with 0.
            Some(_) if self.on.named == "delegation.completed" => {
                let text = if errors.is_empty() { said } else { errors };
                self.refuse(Some(text.to_owned()));
                Ok(self.answer)
            }
            _ => Err(Self::failed(exit, errors)),
        }
    }

    /// mini-claw-code's form.
    fn flat(mut self, exit: &Exit, said: &str, errors: &str) -> Result<Answer, Fault> {
        match exit.code {
            Some(0) => {}
            None => return Err(Self::failed(exit, errors)),
            Some(_) => {
                let text = if errors.is_empty() { said } else { errors };
                self.refuse(Some(text.to_owned()));
            }
        }
        Ok(self.answer)
    }

    /// Adds plain text for the model, if the event accepts it.
    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if text.ends_with('}') && text.lines().any(|line| line.trim_start().starts_with('{')) {
            self.unknown("there is text before the JSON, so all of the output counts as text: print only JSON", "");
        }
        let is_for_the_model = match self.event {
            Some(event) => event.text,
            None => matches!(self.on.info.name, "SessionStart" | "MessageReceived"),
        };
        if is_for_the_model {
            self.answer.context.push(text.to_owned());
        }
    }
}
