//! A test of hooks: `[[hooks.test]]` in a file, and a sample of the console.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::handler::text_or_table;
use hooks_rules::entry::is_default;

/// An event, and what hooks must decide about it: `[[hooks.test]]` in a file, or a sample of the console.
///
/// ```
/// use hooks_core::agent::AgentContext;
/// use hooks_runtime::entry::TestEntry;
///
/// let test = "name = 'a push'\nevent = 'BeforeToolCall'\ntool = 'shell'\nargs = { command = 'git push -f' }\nexpect = 'block'";
/// let test: TestEntry = toml::from_str(test).unwrap();
/// let (_, event) = test.raised(AgentContext::new("s1")).unwrap();
/// assert_eq!((event.name(), event.subject()), ("BeforeToolCall", Some("shell")));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestEntry {
    /// What people call it.
    pub name: String,
    /// The event. Other systems' names work too, such as `PreToolUse`.
    pub event: String,
    /// The tool; of a custom event, its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The arguments of the tool; of an event without a tool, its fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Map<String, Value>>,
    /// The other fields of the event. By default, they are empty.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Map<String, Value>")]
    pub body: Value,
    /// Where it happens, by the fields of `cx`. By default, each is empty.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Map<String, Value>")]
    pub cx: Value,
    /// What hooks must decide. A sample may leave it out: then it is only saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
}

/// What hooks must decide about an event: the word for a decision, or a table. What the table leaves out may be anything.
///
/// ```
/// use hooks_runtime::entry::Expect;
///
/// let expect: Expect = serde_json::from_value("block".into()).unwrap();
/// assert_eq!((expect.to_string(), expect), ("block".to_owned(), "block".into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Expect {
    /// `continue`, `modify`, `approve`, `ask`, `defer`, `respond`, `block`, `abort_turn` or `abort_run`; `undecided` if the event
    /// would go on, and hooks were not asked because they may have side effects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The name of the hook that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    /// A glob that the whole reason matches: `*` is any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// All that hooks change, as the fields of the event with their new values: `{ args = { dry_run = true } }`. In JSON,
    /// `null` is a field that is gone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub change: Option<Map<String, Value>>,
}

text_or_table!(
    Expect,
    decision,
    "a decision such as `block`, or a table with `decision`, `hook`, `reason` and `change`"
);

impl Expect {
    /// The words for decisions.
    pub const DECISIONS: [&'static str; 10] = [
        "continue",
        "modify",
        "approve",
        "ask",
        "defer",
        "respond",
        "block",
        "abort_turn",
        "abort_run",
        "undecided",
    ];
}

impl From<&str> for Expect {
    fn from(decision: &str) -> Self {
        Expect {
            decision: Some(decision.to_owned()),
            ..Expect::default()
        }
    }
}

/// As a person writes it: the decision alone, or all of it as JSON.
impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.decision {
            Some(decision) if *self == Expect::from(&**decision) => f.write_str(decision),
            _ => write!(f, "{}", serde_json::to_value(self).unwrap_or_default()),
        }
    }
}
