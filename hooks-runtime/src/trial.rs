//! What a test says: its event, and whether what hooks have said is what it expects.

use hooks_config::ConfigError;
use hooks_core::agent::AgentContext;
use hooks_glob::Glob;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::entry::{Expect, FileConfig, TestEntry};
use crate::owned::{Meaning, OwnedEvent};
use crate::system::Dialect;
use crate::unit::brief;

/// What is wrong with a [test](TestEntry).
///
/// ```
/// use hooks_core::agent::AgentContext;
/// use hooks_runtime::entry::TestEntry;
///
/// let test = TestEntry { event: "BeforeToolCall".into(), ..TestEntry::default() };
/// let error = test.raised(AgentContext::default()).err().unwrap();
/// assert_eq!((error.key, error.to_string()), ("tool", "`BeforeToolCall` is about a tool".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct TestError {
    /// The key of the test.
    pub key: &'static str,
    /// The message.
    pub message: String,
    /// What to write instead, in a file.
    pub help: Option<String>,
}

fn wrong(key: &'static str, message: impl ToString) -> TestError {
    TestError {
        key,
        message: message.to_string(),
        help: None,
    }
}

fn with_help(key: &'static str, message: impl ToString, help: impl Into<String>) -> TestError {
    TestError {
        help: Some(help.into()),
        ..wrong(key, message)
    }
}

impl TestEntry {
    /// Returns an event as a test that expects nothing yet. What is empty is left out, and so is what only its session knows.
    ///
    /// ```
    /// use hooks_core::agent::AgentContext;
    /// use hooks_runtime::OwnedEvent;
    /// use hooks_runtime::entry::TestEntry;
    /// use serde_json::json;
    ///
    /// let event = OwnedEvent::from_json("BeforeToolCall", json!({ "id": "7", "name": "ls", "args": { "path": "." } }))?;
    /// let test = TestEntry::of(&AgentContext::new("s1"), &event);
    /// assert_eq!((&*test.name, test.tool.as_deref()), (r#"ls {"path":"."}"#, Some("ls")));
    /// assert_eq!(json!(test)["body"], json!(null));
    /// # Ok::<(), hooks_runtime::EventError>(())
    /// ```
    #[must_use]
    pub fn of(cx: &AgentContext, event: &OwnedEvent) -> Self {
        const OF_SESSION: [&str; 8] = [
            "session_id",
            "run_id",
            "parent_run_id",
            "turn",
            "trace_id",
            "chat_id",
            "sender",
            "extra",
        ];
        let empty = OwnedEvent::from_json(event.name(), Value::Null).map(|event| event.to_json());
        let empty = empty.unwrap_or_default();
        // A merge into nothing leaves out each `null`, which TOML does not have.
        let mut said = json!({});
        json_patch::merge(&mut said, &event.to_json());
        let (mut fields, mut place) = (Map::new(), Map::new());
        if let Value::Object(said) = said {
            fields = said;
        }
        let tool = fields
            .get("args")
            .and(fields.get("name"))
            .and_then(Value::as_str);
        let tool = tool.map(str::to_owned);
        let args = match (&tool, fields.remove("args")) {
            (Some(_), Some(Value::Object(args))) => Some(args),
            _ => None,
        };
        fields.retain(|key, value| key != "id" && empty[key] != *value);
        if tool.is_some() {
            fields.remove("name");
        }
        if let Value::Object(said) = brief(cx) {
            place = said;
        }
        place.retain(|key, _| !OF_SESSION.contains(&&**key));
        let table = |table: Map<_, _>| Some(table).filter(|table| !table.is_empty());
        let text = match &args {
            Some(args) => json!(args).to_string(),
            None => json!(fields).to_string(),
        };
        let text: String = text.chars().take(60).collect();
        TestEntry {
            name: format!("{} {text}", tool.as_deref().unwrap_or(event.name())),
            event: event.name().to_owned(),
            tool,
            args,
            body: table(fields).into(),
            cx: table(place).into(),
            expect: None,
        }
    }

    /// Returns its event, and where that happens: `cx`, with what the test says otherwise.
    ///
    /// # Errors
    ///
    /// If there is no such event, or it has other fields.
    pub fn raised(&self, cx: AgentContext) -> Result<(AgentContext, OwnedEvent), TestError> {
        self.raised_as(Dialect::Hooks, cx)
    }

    /// Returns the same, for an event with the name that it has in the files of a system.
    ///
    /// # Errors
    ///
    /// If there is no such event, or it has other fields.
    pub fn raised_as(
        &self,
        dialect: Dialect,
        mut cx: AgentContext,
    ) -> Result<(AgentContext, OwnedEvent), TestError> {
        let named = &self.event;
        let meaning = Meaning::of(dialect, named).map_err(|error| wrong("event", error))?;
        let mut fields = match &self.body {
            Value::Null => Map::new(),
            Value::Object(fields) => fields.clone(),
            _ => return Err(wrong("body", "the fields of an event are a table")),
        };
        let known = OwnedEvent::fields_of(meaning.event);
        let is_custom = meaning.event == "Custom";
        let has_tool = known.contains(&"args") || is_custom;
        let (subject, input) = if is_custom {
            ("kind", "payload")
        } else {
            ("name", "args")
        };
        match (&self.args, has_tool) {
            (Some(args), true) => drop(fields.insert(input.to_owned(), args.clone().into())),
            (Some(args), false) => fields.extend(args.clone()),
            (None, _) => {}
        }
        match &self.tool {
            Some(tool) if has_tool => drop(fields.insert(subject.to_owned(), (**tool).into())),
            Some(_) => {
                return Err(wrong("tool", format!("`{named}` is not about a tool")));
            }
            None if has_tool && !fields.contains_key(subject) => {
                let message = format!("`{named}` is about a tool");
                return Err(with_help(
                    "tool",
                    message,
                    "write `tool = \"shell\"`, for example",
                ));
            }
            None => {}
        }
        if meaning.failed {
            let output = fields.entry("output").or_insert_with(|| json!({}));
            if let Value::Object(output) = output {
                output.entry("is_error").or_insert(true.into());
            }
        }
        if meaning.nested {
            cx.depth = 1;
        }
        let key = if self.args.is_some() { "args" } else { "body" };
        let event = OwnedEvent::from_json(meaning.event, fields.into());
        let event = event.map_err(|error| wrong(key, error))?;
        Ok((self.context(cx)?, event))
    }

    /// Returns where it happens: `cx`, with what the test says otherwise.
    ///
    /// # Errors
    ///
    /// If there is no such field.
    pub fn context(&self, cx: AgentContext) -> Result<AgentContext, TestError> {
        let given = match &self.cx {
            Value::Null => return Ok(cx),
            Value::Object(given) => given,
            _ => return Err(wrong("cx", "where an event happens is a table")),
        };
        let mut all = serde_json::to_value(cx).map_err(|error| wrong("cx", error))?;
        for (key, value) in given {
            if all.get(key).is_none() {
                let keys = all.as_object().into_iter().flat_map(Map::keys);
                let keys: Vec<_> = keys.map(String::as_str).collect();
                let known = keys.join("`, `");
                let message = format!("there is no `{key}`; the keys are `{known}`");
                return Err(wrong("cx", message));
            }
            all[key] = value.clone();
        }
        serde_json::from_value(all).map_err(|error| wrong("cx", error))
    }

    /// Returns every mistake of a test in a file.
    fn mistakes(&self) -> impl Iterator<Item = TestError> {
        let raised = self.raised(AgentContext::default()).err();
        let expected = self.expect.clone().unwrap_or_default();
        let decisions = Expect::DECISIONS.join("`, `");
        let nothing = (expected == Expect::default()).then(|| {
            let help = format!("write `expect = \"block\"`, or another of `{decisions}`");
            with_help("expect", "the test expects nothing", help)
        });
        let unknown = expected.decision.as_deref();
        let unknown = unknown.filter(|word| !Expect::DECISIONS.contains(word));
        let unknown = unknown.map(|word| {
            let message = format!("`{word}` is not a decision");
            with_help("expect", message, format!("write one of `{decisions}`"))
        });
        let glob = expected.reason.as_deref().map(Glob::new);
        let glob = glob.and_then(Result::err);
        let glob = glob.map(|error| wrong("expect", error));
        [raised, nothing, unknown, glob].into_iter().flatten()
    }
}

/// Returns every mistake of the tests in a file.
pub(crate) fn mistakes(config: &FileConfig) -> Vec<ConfigError> {
    let tests = config.entries.test.iter().enumerate();
    let mistakes = tests.flat_map(|(nth, test)| test.mistakes().map(move |wrong| (nth, wrong)));
    let shown = mistakes.map(|(nth, wrong)| {
        let path = ["hooks".into(), "test".into(), nth.into(), wrong.key.into()];
        config.mistake(&path, wrong.message, wrong.help.as_deref())
    });
    shown.collect()
}

/// What hooks have decided about an event, as far as a test can expect it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// The word for the decision: one of [`Expect::DECISIONS`].
    pub decision: String,
    /// The hook that decided, if one did.
    pub hook: Option<String>,
    /// Its reason.
    pub reason: Option<String>,
    /// What hooks changed in the event, as a JSON Patch.
    pub change: Value,
}

impl Expect {
    /// Returns each difference between what was expected and what hooks have decided about an event, in a sentence.
    #[must_use]
    pub fn differences(&self, event: &Value, said: &Decision) -> Vec<String> {
        let mut differences = Vec::new();
        let mut differ = |what: &str, expected: &dyn std::fmt::Display, said: Option<&str>| {
            let said = said.unwrap_or("none");
            differences.push(format!(
                "expected {what}{expected}, and the hooks say {said}"
            ));
        };
        if let Some(decision) = self
            .decision
            .as_ref()
            .filter(|word| **word != said.decision)
        {
            differ("", decision, Some(&said.decision));
        }
        if let Some(hook) = self.hook.as_ref().filter(|_| self.hook != said.hook) {
            differ("the hook ", hook, said.hook.as_deref());
        }
        let reason = said.reason.as_deref();
        let matches = |glob: &str| {
            Glob::new(glob).is_ok_and(|glob| reason.is_some_and(|reason| glob.matches(reason)))
        };
        if let Some(glob) = self.reason.as_ref().filter(|glob| !matches(glob)) {
            differ("the reason ", glob, reason);
        }
        if let Some(change) = &self.change {
            let change = Value::Object(change.clone());
            let [mut expected, mut after] = [event.clone(), event.clone()];
            json_patch::merge(&mut expected, &change);
            let patch: json_patch::Patch =
                serde_json::from_value(said.change.clone()).unwrap_or_default();
            let is_made = json_patch::patch(&mut after, &patch).is_ok();
            if !is_made || expected != after {
                differ("the change ", &change, Some(&said.change.to_string()));
            }
        }
        differences
    }
}
