//! Hooks written in the file itself: `[[hooks.on]]`, and other systems' files: `[[hooks.import]]`.
//!
//! This crate reads them, so that one file has one schema and one list of mistakes. The crate `hooks-runtime` runs
//! them.

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
/// The hook runs on one or more events, if its filter matches. It has exactly one handler: `block`, `abort_turn`,
/// `abort_run`, `ask`, `approve`, `context`, `respond`, `modify`, `command`, `http`, `prompt` or `process`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnEntry {
    /// The name of the hook, which must be unique. The default is the event and a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The event, or a list of events. `*` is every event. Other systems' names work too, such as `PreToolUse`.
    pub event: OneOrMany<String>,
    /// The tools for which the hook runs, as globs. The default is all tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<OneOrMany<String>>,
    /// The tools for which the hook runs, as a regular expression, instead of `tools`. It matches anywhere in the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// A condition: a CEL expression over the event's fields and the agent's context `cx`, or a rule for the input of a
    /// tool, such as `Bash(git push *)`. By default, there is no condition.
    #[serde(rename = "if", default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The tenants and agents for which the hook runs. The default is all of them.
    #[serde(default, skip_serializing_if = "Scopes::is_empty")]
    pub scope: Scopes,
    /// The order among all hooks: higher numbers run first. The default is 0.
    #[serde(default)]
    pub priority: i32,

    /// Blocks the event, with this reason. `{…}` in the text is a CEL expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// Ends the turn, with this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort_turn: Option<String>,
    /// Ends the run, with this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort_run: Option<String>,
    /// Requires that a person approves the tool call, for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// Approves the tool call, so that nobody is asked. The text says who approves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approve: Option<String>,
    /// Adds this text for the model to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Answers instead of the agent: a text, a table, or a CEL expression as a text `{…}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respond: Option<Value>,
    /// Sets these keys of the tool's arguments, of its output, or of the event: a table, or a CEL expression that
    /// returns one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modify: Option<Value>,
    /// Runs a command for each event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandEntry>,
    /// Posts each event to a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpEntry>,
    /// Asks a model for a decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptEntry>,
    /// Asks a process that keeps running about each event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ServerEntry>,

    /// How long the hook may take. The default is "5s".
    #[serde(
        default,
        with = "some_duration",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<Duration>,
    /// What happens when the hook takes too long. The default is `block` if the event can be blocked, and `skip` if
    /// not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnFault>,
    /// What happens when the hook fails. The default is `block` if the event can be blocked, and `skip` if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<OnFault>,
    /// Whether the hook runs, and whether its answer takes effect. The default is `enforce`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// Whether the agent continues without waiting for the hook. Only hooks on observed events can run in the
    /// background, and by default they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<bool>,
    /// The format of the events that the handler receives, and of its answers. The default is `hooks`.
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

/// The tenants and agents for which a hook runs. An empty list matches all of them.
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
    /// Whether the hook runs for all tenants and agents.
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
    /// The event continues as if the hook did not exist.
    #[serde(alias = "allow", alias = "continue")]
    Skip,
}

/// Whether a hook runs, and whether its answer takes effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It runs, and its answer takes effect.
    #[default]
    Enforce,
    /// It runs, and its answer is recorded but has no effect.
    Shadow,
    /// It does not run.
    Off,
}

/// A command: a text that a shell runs, or a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct CommandEntry {
    /// The command line for the shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The program and its arguments, instead of `run`. They run without a shell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The environment variables of the command. A list names variables to inherit from the agent; a table sets
    /// variables.
    #[serde(default, skip_serializing_if = "is_default")]
    pub env: EnvEntry,
    /// The working directory. The default is the agent's directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The shell for `run`. The default is `sh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// How many bytes of each of the command's outputs are kept. The default is 1048576 (1 MiB). The rest is read and
    /// discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<NonZeroU64>,
    /// The limits of a sandbox. By default, the command runs without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxEntry>,
}

text_or_table!(
    CommandEntry,
    run,
    "a command, or a table with `run` or `argv`"
);

/// The environment variables of a command.
#[derive(Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EnvEntry {
    /// The names of the variables that the command inherits from the agent.
    pub inherit: Vec<String>,
    /// The variables that are set, with their values.
    pub set: BTreeMap<String, String>,
}

/// Hides the values, because they may be secrets.
impl fmt::Debug for EnvEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvEntry")
            .field("inherit", &self.inherit)
            .field("set", &Names(&self.set))
            .finish()
    }
}

/// The names of a table whose values stay hidden.
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

/// What a command, and every process that it starts, may do at most. The kernel enforces it, on Linux with Landlock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxEntry {
    /// The files and folders that it may change. Relative paths start at the folder of the configuration file. The
    /// default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<PathBuf>,
    /// The files and folders that it may read, in addition to those that it may change and those of the system (`/usr`,
    /// `/bin`, `/sbin`, `/lib`, `/lib64`, `/etc`, `/proc`, `/dev`). `"/"` is everything. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
    /// Whether it may connect to any address and listen, over TCP. The default is `false`.
    pub network: bool,
    /// The TCP ports that it may connect to, instead of `network`. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub connect: Vec<u16>,
    /// Whether it also runs if the kernel can enforce only a part of these limits, or none of them. The default is
    /// `false`: then it does not run.
    pub best_effort: bool,
}

/// An endpoint: a URL, or a table.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct HttpEntry {
    /// The URL that events are posted to.
    pub url: String,
    /// The headers of each request. A value may contain environment variables, as `$NAME` or `${NAME}`, or be
    /// `secret:NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The key that signs each request with the Standard Webhooks scheme: `whsec_…`, `secret:NAME` or `$NAME`. By
    /// default, requests are not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// How many times a request is retried after a status of 500 or more, or a failed connection. The default is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u8>,
    /// The loopback hosts that may be called, such as `127.0.0.1:8080`. The default is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_loopback: Vec<String>,
}

/// Hides the secret, the values of headers, and everything in the URL but the host.
impl fmt::Debug for HttpEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The path, the query and the user information before the host may contain a token.
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

/// A prompt: the instructions for the model, or a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PromptEntry {
    /// The instructions for the model.
    pub template: String,
    /// The model. The default is the evaluator's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How often all prompts together may ask models in one turn. After that, this prompt fails without asking. The
    /// default is 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_per_turn: Option<NonZeroU32>,
    /// How long a decision on the same input is cached. The default is "60s". "0s" turns the cache off.
    #[serde(
        default,
        with = "some_duration",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub cache: Option<Duration>,
    /// How many tokens all prompts of a tenant may use per month. After that, this prompt fails without asking. The
    /// default is 1000000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_per_month: Option<NonZeroU64>,
}

text_or_table!(
    PromptEntry,
    template,
    "a prompt, or a table with `template`"
);

/// A process that keeps running.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerEntry {
    /// The program, and its arguments.
    pub argv: Vec<String>,
    /// The working directory. The default is the current directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Environment variables of the process, in addition to the agent's. The default is none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Whether the process is restarted after it ends. The default is `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<bool>,
}

/// Hides the values of the environment variables.
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

/// A file to import: `[[hooks.import]]`. Exactly one of the keys `claude`, `codex`, `gemini`, `goose`, `picoclaw`,
/// `goclaw` and `hooks` names it. Another system's file stays as it is.
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
    /// Another file of this format. All its hooks are imported, but not its limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<PathBuf>,
    /// The priority of all hooks of the file: higher numbers run first. The default is 0. In a file of this format, it
    /// is added to each hook's own priority, except the built-in ones.
    #[serde(skip_serializing_if = "is_default")]
    pub priority: i32,
    /// Whether the hooks of the file run, and whether their answers take effect. The default is `enforce`. `shadow` is
    /// an error if a file of this format has built-in hooks.
    #[serde(skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// Each tool's name in the file, with its name in this agent: `{ Bash = "shell" }`. It is not allowed for a file of
    /// this format.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// Whether a failure of a hook blocks every event that can be blocked. The default is `false`: the rule of the
    /// file's system applies.
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

/// Limits for all hooks that `hooks-runtime` runs: `[hooks.limits]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// How long all hooks of one event may take together. The default is "10s".
    #[serde(with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub chain: Duration,
    /// How deep subagents may be nested for handlers to run. The default is 3. In a deeper subagent, rules still run,
    /// but a handler fails without being asked, and its `on_failure` applies.
    pub depth: u32,
    /// When a hook that fails repeatedly is skipped for a while.
    pub breaker: BreakerConfig,
    /// How many handlers (commands, processes, requests and model calls) may run at once on events that hooks decide
    /// about. As many again may run on observed events. The default is 64.
    pub concurrency: NonZeroU32,
    /// How many observed events may wait for their hooks. Further events are dropped and counted. The default is 1024.
    pub background: NonZeroU32,
    /// How many times per turn hooks may prevent an agent from stopping. After that, they are no longer asked. The
    /// default is 8.
    pub stops: u32,
    /// The longest time that a hook of another system's file may take, even if the file allows more. By default, the
    /// file decides.
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

/// A circuit breaker: after `faults` failures within the time `within`, the hook is not asked for the time
/// `retry_after`, and its `on_failure` applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BreakerConfig {
    /// The number of failures. The default is 5.
    pub faults: NonZeroU32,
    /// The time within which the failures are counted. The default is "1m".
    #[serde(with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub within: Duration,
    /// How long the hook is not asked. Then one event tries it again. The default is "30s".
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
