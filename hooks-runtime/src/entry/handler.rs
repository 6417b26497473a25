//! The handlers of a hook in a file: a command, an endpoint, a prompt, a process.

use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::time::Duration;

use hooks_builtin::SandboxConfig;
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use hooks_rules::entry::is_default;

/// The names of a table whose values stay hidden.
pub(super) struct HiddenTable<'a>(pub(super) &'a BTreeMap<String, String>);

impl fmt::Debug for HiddenTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
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
pub(super) use text_or_table;

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
    /// The environment variables of the command, in addition to those that every program needs. A list names variables to
    /// inherit from the agent; a table sets variables.
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
    pub sandbox: Option<SandboxConfig>,
}

text_or_table!(
    CommandEntry,
    run,
    "a command, or a table with `run` or `argv`"
);

/// The environment variables of a command or a process: a list of names, or a table of variables.
///
/// ```
/// use hooks_runtime::entry::EnvEntry;
/// use serde_json::json;
///
/// for form in [json!(["VIRTUAL_ENV"]), json!({ "LEVEL": "2" })] {
///     let env: EnvEntry = serde_json::from_value(form.clone()).unwrap();
///     assert_eq!(serde_json::to_value(env).unwrap(), form);
/// }
/// ```
#[derive(Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(into = "EnvForm")]
#[schemars(from = "EnvForm")]
pub struct EnvEntry {
    /// The names of the variables that are inherited from the agent.
    pub inherit: Vec<String>,
    /// The variables that are set, with their values.
    pub set: BTreeMap<String, String>,
}

/// How a file writes them.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum EnvForm {
    /// The names of variables that are inherited from the agent.
    Inherit(Vec<String>),
    /// Variables that are set, with their values.
    Set(BTreeMap<String, String>),
}

impl From<EnvEntry> for EnvForm {
    fn from(entry: EnvEntry) -> Self {
        if entry.inherit.is_empty() {
            EnvForm::Set(entry.set)
        } else {
            EnvForm::Inherit(entry.inherit)
        }
    }
}

/// Hides the values, because they may be secrets.
impl fmt::Debug for EnvEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvEntry")
            .field("inherit", &self.inherit)
            .field("set", &HiddenTable(&self.set))
            .finish()
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
            .field("headers", &HiddenTable(&self.headers))
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
        with = "hooks_rules::entry::some_duration",
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerEntry {
    /// The program, and its arguments.
    pub argv: Vec<String>,
    /// The working directory. The default is the current directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// The environment variables of the process, in addition to those that every program needs. A list names variables to
    /// inherit from the agent; a table sets variables.
    #[serde(default, skip_serializing_if = "is_default")]
    pub env: EnvEntry,
    /// Whether the process is restarted after it ends. The default is `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<bool>,
    /// What the process may do at most. By default, it may do everything that the agent may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxConfig>,
}
