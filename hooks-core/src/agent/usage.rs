//! What a model call used, and why it stopped.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use core::iter::Sum;
use core::ops::{Add, AddAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What one or several model calls used.
///
/// All counts are tokens, and 0 if the provider does not report them. Providers count differently; these fields mean:
///
/// | field | OpenAI | Anthropic |
/// | --- | --- | --- |
/// | `input_tokens` | `prompt_tokens` | `input_tokens` + `cache_read_input_tokens` + `cache_creation_input_tokens` |
/// | `output_tokens` | `completion_tokens` | `output_tokens` |
/// | `cache_read_tokens` | `prompt_tokens_details.cached_tokens` | `cache_read_input_tokens` |
/// | `cache_write_tokens` | 0 | `cache_creation_input_tokens` |
/// | `reasoning_tokens` | `completion_tokens_details.reasoning_tokens` | 0 |
///
/// ```
/// use hooks_core::agent::Usage;
///
/// let calls = [Usage::new(1_200, 80), Usage { cost_usd: Some(0.004), ..Usage::new(1_500, 20) }];
/// let turn: Usage = calls.into_iter().sum();
/// assert_eq!((turn.input_tokens, turn.output_tokens, turn.total()), (2_700, 100, 2_800));
/// assert_eq!(turn.cost_usd, Some(0.004));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Input tokens, including those from and for a cache.
    pub input_tokens: u64,
    /// Output tokens, including reasoning.
    pub output_tokens: u64,
    /// The part of `input_tokens` that was read from the provider's cache.
    pub cache_read_tokens: u64,
    /// The part of `input_tokens` that was written to the provider's cache.
    pub cache_write_tokens: u64,
    /// The part of `output_tokens` that is reasoning.
    pub reasoning_tokens: u64,
    /// The cost in US dollars, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// A usage of this many input and output tokens.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Usage {
            input_tokens,
            output_tokens,
            ..Usage::default()
        }
    }

    /// Input and output tokens together. The other counts are parts of these two.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// The sum. Counts saturate. An unknown cost adds nothing to a known one.
impl Add for Usage {
    type Output = Usage;

    fn add(self, other: Usage) -> Usage {
        Usage {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_tokens: self
                .cache_read_tokens
                .saturating_add(other.cache_read_tokens),
            cache_write_tokens: self
                .cache_write_tokens
                .saturating_add(other.cache_write_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
            cost_usd: match (self.cost_usd, other.cost_usd) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            },
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        *self = *self + other;
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Usage>>(calls: I) -> Usage {
        calls.fold(Usage::default(), Add::add)
    }
}

impl<'a> Sum<&'a Usage> for Usage {
    fn sum<I: Iterator<Item = &'a Usage>>(calls: I) -> Usage {
        calls.copied().sum()
    }
}

/// Why the model stopped.
///
/// It reads OpenAI's and Anthropic's values, and writes those of the first column:
///
/// | written | also read |
/// | --- | --- |
/// | `end_turn` | `stop` (OpenAI) |
/// | `tool_use` | `tool_calls`, `function_call` (OpenAI) |
/// | `max_tokens` | `length` (OpenAI) |
/// | `stop_sequence` | |
/// | `content_filter` | |
/// | `refusal` | |
/// | any other, unchanged | |
///
/// ```
/// use hooks_core::agent::StopReason;
///
/// let reason: StopReason = serde_json::from_str(r#""length""#).unwrap();
/// assert_eq!(reason, StopReason::MaxTokens);
/// assert_eq!(serde_json::to_string(&reason).unwrap(), r#""max_tokens""#);
/// assert_eq!((reason.as_str(), reason.as_openai()), ("max_tokens", "length"));
/// assert_eq!(StopReason::from("pause_turn"), StopReason::Other("pause_turn".into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// The model has finished its answer. The default.
    #[default]
    EndTurn,
    /// It calls tools.
    ToolUse,
    /// The answer reached the token limit.
    MaxTokens,
    /// The model wrote a stop sequence.
    StopSequence,
    /// The provider withheld the answer.
    ContentFilter,
    /// The model refused to answer.
    Refusal,
    /// Another reason, as the provider names it.
    Other(String),
}

impl StopReason {
    /// The serialized value: Anthropic's, if Anthropic has one.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            StopReason::EndTurn => "end_turn",
            StopReason::ToolUse => "tool_use",
            StopReason::MaxTokens => "max_tokens",
            StopReason::StopSequence => "stop_sequence",
            StopReason::ContentFilter => "content_filter",
            StopReason::Refusal => "refusal",
            StopReason::Other(word) => word,
        }
    }

    /// OpenAI's value.
    #[must_use]
    pub fn as_openai(&self) -> &str {
        match self {
            StopReason::EndTurn | StopReason::StopSequence => "stop",
            StopReason::ToolUse => "tool_calls",
            StopReason::MaxTokens => "length",
            StopReason::ContentFilter | StopReason::Refusal => "content_filter",
            StopReason::Other(word) => word,
        }
    }
}

/// Parses a provider's value.
impl From<&str> for StopReason {
    fn from(word: &str) -> Self {
        match word {
            "end_turn" | "stop" => StopReason::EndTurn,
            "tool_use" | "tool_calls" | "function_call" => StopReason::ToolUse,
            "max_tokens" | "length" => StopReason::MaxTokens,
            "stop_sequence" => StopReason::StopSequence,
            "content_filter" => StopReason::ContentFilter,
            "refusal" => StopReason::Refusal,
            other => StopReason::Other(other.to_owned()),
        }
    }
}

impl Serialize for StopReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for StopReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Cow::<str>::deserialize(deserializer)?.as_ref().into())
    }
}
