//! Hooks written in the file itself: `[[hooks.on]]`, and other systems' files: `[[hooks.import]]`.
//!
//! This crate reads them, so that one file has one schema and one list of mistakes. The crate `hooks-runtime` runs them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// One value, or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T: Serialize> Serialize for OneOrMany<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            many => many.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let text = de::value::StrDeserializer::new(text);
                T::deserialize(text).map(|one| OneOrMany(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(OneOrMany)
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// Also reads a string, as a table with this one key. The derive writes `$type::deserialize` for the table.
macro_rules! text_or_table {
    ($type:ident, $key:ident, $expected:literal) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Either;
                impl<'de> Visitor<'de> for Either {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expected)
                    }

                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$type, E> {
                        Ok($type {
                            $key: text.to_owned().into(),
                            ..$type::default()
                        })
                    }

                    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$type, A::Error> {
                        $type::deserialize(MapAccessDeserializer::new(map))
                    }
                }
                deserializer.deserialize_any(Either)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $type::serialize(self, serializer)
            }
        }
    };
}

/// A hook in the file itself: `[[hooks.on]]`.
///
/// It runs on one or more events, if its filter lets it, and has exactly one handler: one of `block`, `abort_turn`,
/// `abort_run`, `ask`, `approve`, `context`, `respond`, `modify`, `command`, `http`, `prompt` and `process`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnEntry {
    /// Its name, which no other hook has. By default the event and a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The event, or a list of events; `*` is every event. Other systems' names are known too, such as `PreToolUse`.
    pub event: OneOrMany<String>,
    /// The tools that it is for, as globs: it runs for these alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<OneOrMany<String>>,
    /// The tools that it is for, as a regular expression, in place of `tools`. It matches anywhere in the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// A CEL expression that must be true: it sees the event's own fields, and `cx`.
    #[serde(rename = "if", default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The tenants and agents that it is for.
    #[serde(default, skip_serializing_if = "Scopes::is_empty")]
    pub scope: Scopes,
    /// Its place among all hooks: a higher one runs first. By default 0.
    #[serde(default)]
    pub priority: i32,

    /// Blocks the event, with this reason; in it, `{…}` is a CEL expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// Ends the turn, with this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort_turn: Option<String>,
    /// Ends the run, with this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort_run: Option<String>,
    /// Has somebody asked before the tool runs, for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// Approves of the tool call, so that nobody is asked; the text says who does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<String>,
    /// Adds this text to what the model reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Answers in the agent's place: a text, a table, or a CEL expression in a text `{…}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respond: Option<Value>,
    /// Sets these keys of the tool's arguments, of its output, or of the event: a table, or a CEL expression that gives
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modify: Option<Value>,
    /// Runs a command for each event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandEntry>,
    /// Posts each event to a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpEntry>,
    /// Has a model decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptEntry>,
    /// A process that stays, and is asked about each event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ServerEntry>,

    /// How long it may take; by default "5s".
    #[serde(
        default,
        with = "some_duration",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<Duration>,
    /// What happens when it takes longer: by default `block` where the event can be blocked, `skip` elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnFault>,
    /// What happens when it fails: by default `block` where the event can be blocked, `skip` elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<OnFault>,
    /// Whether it counts; by default `enforce`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// Whether the agent goes on without it. By default `true` on events that are only observed, and possible there only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// How it is spoken to; by default `hooks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
}

impl OnEntry {
    /// The keys of all handlers, in the order of the documentation.
    pub const HANDLERS: [&'static str; 12] = [
        "block",
        "abort_turn",
        "abort_run",
        "ask",
        "approve",
        "context",
        "respond",
        "modify",
        "command",
        "http",
        "prompt",
        "process",
    ];
}

/// Whom a hook is for. An empty list is everybody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scopes {
    /// The tenants, by their ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
    /// The agents, by their ids or their types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
}

impl Scopes {
    /// Whether the hook is for everybody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Scopes::default()
    }
}

/// What happens when a hook takes too long, or fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFault {
    /// The event is blocked.
    #[serde(alias = "deny")]
    Block,
    /// The event goes on, as if the hook were not there.
    #[serde(alias = "allow", alias = "continue")]
    Skip,
}

/// Whether a hook counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It does.
    #[default]
    Enforce,
    /// It runs and is recorded, and changes nothing.
    Shadow,
    /// It does not run.
    Off,
}

/// A command: a text, which a shell runs, or a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct CommandEntry {
    /// What the shell runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The program and its arguments, in place of `run`: no shell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// Variables of its environment. A list names variables that it gets from the agent's; a table sets them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub env: EnvEntry,
    /// The directory that it runs in; by default the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The shell of `run`; by default `sh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// How much of what it writes is kept, in bytes; by default 1 MiB. The rest is read and dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<NonZeroU64>,
    /// What it may do at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxEntry>,
}

text_or_table!(
    CommandEntry,
    run,
    "a command, or a table with `run` or `argv`"
);

/// Which variables a command gets: the names of those that it inherits, and those that are set.
#[derive(Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EnvEntry {
    /// Variables of the agent's environment that it gets as they are.
    pub inherit: Vec<String>,
    /// Variables that are set.
    pub set: BTreeMap<String, String>,
}

/// Shows no value that is set: it may be a secret.
impl fmt::Debug for EnvEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvEntry")
            .field("inherit", &self.inherit)
            .field("set", &Names(&self.set))
            .finish()
    }
}

/// The names of a table whose values nobody is shown.
pub(super) struct Names<'a>(pub(super) &'a BTreeMap<String, String>);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<'de> Deserialize<'de> for EnvEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = EnvEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of names, or a table of variables")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<EnvEntry, A::Error> {
                let inherit = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
                Ok(EnvEntry {
                    inherit,
                    ..EnvEntry::default()
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<EnvEntry, A::Error> {
                let set = BTreeMap::deserialize(MapAccessDeserializer::new(map))?;
                Ok(EnvEntry {
                    set,
                    ..EnvEntry::default()
                })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// What a command may do at most, and all that it starts. The kernel enforces it: Linux with Landlock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxEntry {
    /// Files and folders that it may change. They start at the file's folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<PathBuf>,
    /// Files and folders that it may read, beside those of the system (`/usr`, `/bin`, `/sbin`, `/lib`, `/lib64`, `/etc`,
    /// `/proc`, `/dev`) and those that it may change. `"/"` is everything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
    /// Whether it may connect to anything and listen, by TCP; by default it may not.
    pub network: bool,
    /// TCP ports that it may connect to, in place of `network`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub connect: Vec<u16>,
    /// Whether it runs with what the kernel can enforce, which may be nothing. By default it does not run where the
    /// kernel cannot enforce everything.
    pub best_effort: bool,
}

/// An endpoint: a URL, or a table.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct HttpEntry {
    /// Where events are posted.
    pub url: String,
    /// Headers. A value may have `$NAME` or `${NAME}` of the environment in it, or be `secret:NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Signs each request as Standard Webhooks has it: `whsec_…`, `secret:NAME` or `$NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// How often it is tried again after an answer of 500 or more, or no connection; by default once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u8>,
    /// Hosts on loopback that may be called, which are refused otherwise, as `127.0.0.1:8080`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_loopback: Vec<String>,
}

/// Shows no secret, no value of a header, and of the URL the host alone.
impl fmt::Debug for HttpEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A path and a query may hold a token, and so may what stands before the host.
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("", &self.url));
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        f.debug_struct("HttpEntry")
            .field("url", &format_args!("{scheme}://{host}/…"))
            .field("headers", &Names(&self.headers))
            .field("is_signed", &self.secret.is_some())
            .field("retries", &self.retries)
            .field("allow_loopback", &self.allow_loopback)
            .finish()
    }
}

text_or_table!(HttpEntry, url, "a URL, or a table with `url`");

/// A prompt: what the model is told, or a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PromptEntry {
    /// What the model is told to judge.
    pub template: String,
    /// The model; by default the evaluator's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How often it may be asked in a turn; by default 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_per_turn: Option<NonZeroU32>,
    /// How long a decision on the same input is kept; by default "60s". "0s" keeps none.
    #[serde(
        default,
        with = "some_duration",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub cache: Option<Duration>,
    /// How many tokens a tenant's hooks may use in a month; by default 1,000,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_per_month: Option<NonZeroU64>,
}

text_or_table!(
    PromptEntry,
    template,
    "a prompt, or a table with `template`"
);

/// A process that stays: a list with the program and its arguments, or a table.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerEntry {
    /// The program, and its arguments.
    pub argv: Vec<String>,
    /// The directory that it runs in; by default the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Variables that are added to its environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Whether it is started again after it has ended; by default it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<bool>,
}

/// Shows no value of its environment.
impl fmt::Debug for ServerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerEntry")
            .field("argv", &self.argv)
            .field("dir", &self.dir)
            .field("env", &Names(&self.env))
            .field("restart", &self.restart)
            .finish()
    }
}

/// Another system's file, as it is: `[[hooks.import]]`. It has one of the keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ImportEntry {
    /// A `settings.json` of Claude Code, or of an agent that reads its format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claude: Option<PathBuf>,
    /// A `hooks.json` of Codex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codex: Option<PathBuf>,
    /// A `settings.json` of Gemini CLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gemini: Option<PathBuf>,
    /// A `hooks.json` of goose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goose: Option<PathBuf>,
    /// A configuration of PicoClaw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picoclaw: Option<PathBuf>,
    /// A hook of GoClaw, or a list of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goclaw: Option<PathBuf>,
    /// Another file of this format: its `[[hooks.on]]` and `[[hooks.import]]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<PathBuf>,
    /// The place of all of its hooks; by default 0. In a file of this format, each hook has its own place, and this is
    /// added to it.
    #[serde(skip_serializing_if = "is_default")]
    pub priority: i32,
    /// Whether they count; by default `enforce`. Built-in hooks of a file of this format can be turned off by it, and not
    /// be tried out.
    #[serde(skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// Names of tools: what the file calls them, and what this agent does, as `{ Bash = "shell" }`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// Whether a failing hook blocks, whatever the file's system does then; by default the system's rule holds.
    #[serde(skip_serializing_if = "is_default")]
    pub strict: bool,
}

impl ImportEntry {
    /// Returns the files, each with the key that names its system.
    #[must_use]
    pub fn files(&self) -> Vec<(&'static str, &PathBuf)> {
        let files = [
            ("claude", &self.claude),
            ("codex", &self.codex),
            ("gemini", &self.gemini),
            ("goose", &self.goose),
            ("picoclaw", &self.picoclaw),
            ("goclaw", &self.goclaw),
            ("hooks", &self.hooks),
        ];
        let files = files.into_iter();
        files
            .filter_map(|(key, file)| Some((key, file.as_ref()?)))
            .collect()
    }
}

/// Limits for all hooks of `[[hooks.on]]` and `[[hooks.import]]`: `[hooks.limits]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// How long all hooks of one event may take together; by default "10s".
    #[serde(with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub chain: Duration,
    /// How deep subagents may be nested; by default 3. Hooks of a deeper one block what can be blocked.
    pub depth: u32,
    /// When a hook that fails again and again is left alone.
    pub breaker: BreakerConfig,
    /// How many commands, requests and model calls run at once of those that decide, and as many again of those that only
    /// watch; by default 64.
    pub concurrency: NonZeroU32,
    /// How many observed events wait for their hooks at most, before further ones are dropped and counted; by default
    /// 1,024.
    pub background: NonZeroU32,
    /// How often hooks may send the agent on when it wants to stop, in a turn, before they are not asked any more; by
    /// default 8.
    pub stops: u32,
    /// The longest time that a hook of another system's file may take, whatever the file says; by default as the file
    /// says.
    #[serde(with = "some_duration", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<Duration>,
}

impl LimitsConfig {
    pub(super) fn is_default(&self) -> bool {
        is_default(self)
    }
}

impl Default for LimitsConfig {
    fn default() -> Self {
        LimitsConfig {
            chain: Duration::from_secs(10),
            depth: 3,
            breaker: BreakerConfig::default(),
            concurrency: const { NonZeroU32::new(64).unwrap() },
            background: const { NonZeroU32::new(1024).unwrap() },
            stops: 8,
            timeout: None,
        }
    }
}

/// When a hook that fails is left alone for a while: its breaker opens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BreakerConfig {
    /// So many failures; by default 5.
    pub faults: NonZeroU32,
    /// Within this time; by default "1m".
    #[serde(with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub within: Duration,
    /// It is tried again after this time; by default "30s".
    #[serde(with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub retry_after: Duration,
}

impl Default for BreakerConfig {
    fn default() -> Self {
        BreakerConfig {
            faults: const { NonZeroU32::new(5).unwrap() },
            within: Duration::from_mins(1),
            retry_after: Duration::from_secs(30),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Serializes a duration that may be absent.
mod some_duration {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "serde hands over the field as it is")]
    pub(super) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => crate::shared::duration::serialize(duration, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        #[derive(Deserialize)]
        struct Written(#[serde(with = "crate::shared::duration")] Duration);
        Ok(Some(Written::deserialize(deserializer)?.0))
    }
}
