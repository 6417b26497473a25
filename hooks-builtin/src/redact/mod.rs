//! Rewrites secrets and personal data before anybody reads them.
//!
//! One automaton finds everything that looks like a secret, in one pass. Code for each kind then rejects what only
//! looks like a secret, such as a number with a wrong check digit.

mod judge;
mod kind;
mod pattern;
mod piece;
mod scan;
mod stream;

use std::borrow::Cow;
use std::sync::Arc;

use hooks_core::agent::{
    AfterToolCall, BeforeLlmCall, ChatMessage, Media, MessageSending, Part, ToolOutput,
};
use hooks_core::{hook, priority};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::kind::SecretKind;
pub use self::pattern::{Pattern, PatternError};
use self::scan::Scanner;
pub use self::stream::RedactStream;
use crate::shared::BuildError;

/// Rewrites secrets and personal data in the output of tools and in outgoing messages. On request, it also rewrites the
/// input of the model.
///
/// An e-mail address becomes `[REDACTED:email]`. [`SecretKind`] lists what the hook finds, and you can add your own
/// patterns. [`counts`](Self::counts) and a `tracing` event at the level `INFO` with the target `hooks_builtin::redact`
/// report how many secrets it replaced. Neither reports the secrets. Redacting twice changes nothing more.
///
/// In a tool's output, it rewrites `content`, `for_user`, `data`, the names and URLs of media, and the `context` that hooks
/// have added. In the input of the model, it rewrites each message, its tool calls and tool results, and unknown fields.
/// Incoming messages are rewritten there. It does not look into files, and it leaves what a provider has signed (the
/// model's reasoning).
///
/// The priority is [`Redact::PRIORITY`]: after other hooks that rewrite.
///
/// It corresponds to ZeroClaw's PII filter, which rewrites messages, and to ClawSeed's `RedactionHook`, which can only
/// warn about the output of a tool.
///
/// ```
/// use hooks_builtin::Redact;
/// use hooks_core::agent::{AgentContext, MessageSending};
/// use hooks_core::hooks;
///
/// let redact = Redact::new();
/// let hooks = hooks![redact.clone()];
/// let mut message = MessageSending {
///     content: "Ask ada@example.org, and pay with 4111 1111 1111 1111.".into(),
///     ..Default::default()
/// };
/// assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut message).is_continue());
/// assert_eq!(message.content, "Ask [REDACTED:email], and pay with [REDACTED:card].");
/// assert_eq!(redact.counts(), [("card", 1), ("email", 1)]);
/// ```
#[doc(alias = "guardrail")]
#[derive(Clone, Debug)]
pub struct Redact(Arc<RedactSettings>);

#[derive(Debug)]
struct RedactSettings {
    scanner: Scanner,
    tool_output: bool,
    messages: bool,
    model_input: bool,
}

/// The settings of `[hooks.builtin.redact]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RedactConfig {
    /// The kinds of secrets to find. The default is all of them.
    pub kinds: Vec<SecretKind>,
    /// Your own patterns. The default is none.
    pub patterns: Vec<NamedPattern>,
    /// Whether to rewrite the output of tools. The default is yes.
    pub tool_output: bool,
    /// Whether to rewrite outgoing messages. The default is yes.
    pub messages: bool,
    /// Whether to rewrite the input of the model. The default is no.
    pub model_input: bool,
}

impl Default for RedactConfig {
    fn default() -> Self {
        RedactConfig {
            kinds: SecretKind::ALL.to_vec(),
            patterns: Vec::new(),
            tool_output: true,
            messages: true,
            model_input: false,
        }
    }
}

/// A pattern of your own, with the name that takes its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedPattern {
    /// The name in the replacement: `ticket` for `[REDACTED:ticket]`. It consists of letters, digits, `_` and `-`.
    pub name: String,
    /// The regular expression, in the syntax of the crate `regex`.
    pub regex: Pattern,
}

impl Redact {
    /// The priority: after other hooks that rewrite.
    pub const PRIORITY: i32 = priority::AUDIT + 1;

    /// Finds every kind of secret in the output of tools and in outgoing messages.
    #[must_use]
    pub fn new() -> Self {
        Redact::from_config(&RedactConfig::default())
            .unwrap_or_else(|error| unreachable!("the default is right: {error}"))
    }

    /// Creates the hook from its configuration.
    ///
    /// # Errors
    ///
    /// If it looks for nothing, if the patterns are too large together, or if a pattern's name does not consist of
    /// letters, digits, `_` and `-` or is the name of another pattern or of an active kind.
    pub fn from_config(config: &RedactConfig) -> Result<Self, BuildError> {
        if config.kinds.is_empty() && config.patterns.is_empty() {
            return Err(BuildError::new(
                "redact",
                "kinds",
                "is empty, and there are no `patterns`: nothing would be redacted",
            ));
        }
        if !(config.tool_output || config.messages || config.model_input) {
            return Err(BuildError::new(
                "redact",
                "tool_output",
                "is off, and so are `messages` and `model_input`: nothing would be redacted",
            ));
        }
        Ok(Redact(Arc::new(RedactSettings {
            scanner: Scanner::new(&config.kinds, &config.patterns)?,
            tool_output: config.tool_output,
            messages: config.messages,
            model_input: config.model_input,
        })))
    }

    /// Rewrites a text. If there is nothing to rewrite, the result borrows the text.
    ///
    /// ```
    /// use hooks_builtin::Redact;
    ///
    /// assert_eq!(Redact::new().redact("It is 900101-1234567."), "It is [REDACTED:korean_rrn].");
    /// ```
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.scanner.redact(text)
    }

    /// Rewrites a text that comes in pieces, such as the deltas of a model. It counts as this hook does.
    ///
    /// `LlmDelta` cannot be changed, so an agent that shows deltas passes them through a stream first. Make a new one for
    /// each answer.
    pub fn stream(&self) -> RedactStream {
        RedactStream::new(self.clone())
    }

    /// Rewrites all texts in a value, and other values that are secrets. For records.
    #[doc(hidden)]
    pub fn __texts(&self, value: &mut Value) {
        self.0.rewrite_texts(value);
    }

    /// Returns how many of each kind the hook has replaced, without kinds that it did not find. The kinds come in the
    /// order of [`SecretKind::ALL`], followed by your own patterns.
    #[must_use]
    pub fn counts(&self) -> Vec<(&str, u64)> {
        self.0
            .scanner
            .counts()
            .filter(|(_, count)| *count > 0)
            .collect()
    }
}

impl Default for Redact {
    fn default() -> Self {
        Self::new()
    }
}

#[hook(priority = Redact::PRIORITY)]
impl Redact {
    fn tool_output(&self, call: &mut AfterToolCall) {
        if self.0.tool_output {
            let ToolOutput {
                content,
                for_user,
                data,
                media,
                ..
            } = &mut call.output;
            self.0.rewrite(content);
            if let Some(text) = for_user {
                self.0.rewrite(text);
            }
            if let Some(data) = data {
                self.0.rewrite_texts(data);
            }
            for media in media {
                self.0.rewrite_media(media);
            }
            for text in &mut call.context {
                self.0.rewrite(text);
            }
        }
    }

    fn message(&self, message: &mut MessageSending) {
        if self.0.messages {
            self.0.rewrite(&mut message.content);
        }
    }

    fn model_input(&self, call: &mut BeforeLlmCall) {
        if self.0.model_input {
            for message in &mut call.messages {
                self.0.rewrite_message(message);
            }
        }
    }
}

impl RedactSettings {
    /// Rewrites a message, except what its provider has signed or sealed: the provider would refuse a changed one.
    fn rewrite_message(&self, message: &mut ChatMessage) {
        message.edit_texts(|text| self.rewrite(text));
        for call in &mut message.tool_calls {
            self.rewrite_texts(&mut call.args);
        }
        let is_signed = |part: &Part| matches!(part, Part::Reasoning(_));
        if let Some(reasoning) = &mut message.reasoning
            && !message.parts.iter().any(is_signed)
        {
            self.rewrite(reasoning);
        }
        self.rewrite_rest(message);
    }

    /// Rewrites the parts of a message other than its texts.
    fn rewrite_rest(&self, message: &mut ChatMessage) {
        for part in &mut message.parts {
            match part {
                Part::ToolResult(result) => self.rewrite_rest(result),
                Part::Media(media) => self.rewrite_media(media),
                Part::Other(block) if block["type"] != "redacted_thinking" => {
                    self.rewrite_texts(block);
                }
                Part::Text(span) => {
                    for value in span.extra.values_mut() {
                        self.rewrite_texts(value);
                    }
                }
                _ => {}
            }
        }
        for value in message.extra.values_mut() {
            self.rewrite_texts(value);
        }
    }

    /// Rewrites the name and the location of a file, but not its contents.
    fn rewrite_media(&self, media: &mut Media) {
        if let Some(name) = &mut media.name {
            self.rewrite(name);
        }
        if let Some(url) = media.url.as_mut().filter(|url| !url.starts_with("data:")) {
            self.rewrite(url);
        }
    }

    /// Rewrites the strings in a value, and other values that are secrets.
    fn rewrite_texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.rewrite(text),
            Value::Array(values) => values
                .iter_mut()
                .for_each(|value| self.rewrite_texts(value)),
            Value::Object(values) => {
                if values.keys().any(|key| self.scanner.finds_in(key)) {
                    for (mut key, value) in std::mem::take(values) {
                        self.rewrite(&mut key);
                        // Two keys that are both secrets stay two keys.
                        while values.contains_key(&key) {
                            key.push('\'');
                        }
                        values.insert(key, value);
                    }
                }
                values
                    .values_mut()
                    .for_each(|value| self.rewrite_texts(value));
            }
            // A card number may be a JSON number.
            Value::Number(number) => {
                if let Cow::Owned(redacted) = self.scanner.redact(&number.to_string()) {
                    *value = Value::String(redacted);
                }
            }
            Value::Bool(_) | Value::Null => {}
        }
    }

    fn rewrite(&self, text: &mut String) {
        if let Cow::Owned(redacted) = self.scanner.redact(text) {
            *text = redacted;
        }
    }
}
