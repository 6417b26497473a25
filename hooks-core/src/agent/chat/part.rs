//! The parts of a message, in order.
//!
//! All text of a message is in `content` or in `reasoning`, and nowhere else. A part holds only the length of its
//! stretch. So a hook that reads `content` has seen all text, and a change to it cannot contradict a part.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::{ChatMessage, Media};

/// One part of a [`ChatMessage`], in the order of its `parts`.
///
/// ```
/// use hooks_core::agent::{ChatMessage, Part};
/// use serde_json::json;
///
/// let message: ChatMessage = serde_json::from_value(json!({
///     "role": "user",
///     "content": [{ "type": "tool_result", "tool_use_id": "toolu_1", "content": "3 files" }],
/// })).unwrap();
/// let Part::ToolResult(result) = &message.parts[0] else { panic!() };
/// assert_eq!((result.tool_call_id.as_deref(), result.content.as_str()), (Some("toolu_1"), "3 files"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The position of a stretch of `content`. If no part is `Text`, `content` comes first.
    Text(Span),
    /// The position of a stretch of `reasoning`.
    Reasoning(Span),
    /// The position of the call with this id in `tool_calls`. Ignored if that call no longer exists.
    ToolCall {
        /// The call's id.
        id: String,
        /// The rest of the call's JSON.
        extra: Map<String, Value>,
    },
    /// A tool's output, as a message of [`Role::Tool`](super::Role::Tool). Anthropic puts tool outputs into a user
    /// message; `is_error` in its `extra` says whether the tool failed.
    ToolResult(Box<ChatMessage>),
    /// An image or another file.
    Media(Media),
    /// Anything else, unchanged.
    Other(Value),
}

/// A stretch of a message's text: see [`Part::Text`].
///
/// The stretches follow each other in the text, separated by one newline each. If their lengths do not fit the text,
/// a hook has changed it, and the whole text takes the position of the first stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its length in bytes.
    pub len: usize,
    /// The rest of the text block's JSON, such as `cache_control` or `signature`.
    pub extra: Map<String, Value>,
}

impl Span {
    /// A stretch of `len` bytes, with the rest of its JSON.
    #[must_use]
    pub fn new(len: usize, extra: Map<String, Value>) -> Self {
        Span { len, extra }
    }
}

impl Part {
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Part::Text(_))
    }

    pub(super) fn is_reasoning(&self) -> bool {
        matches!(self, Part::Reasoning(_))
    }

    pub(super) fn as_text(&self) -> Option<&Span> {
        match self {
            Part::Text(span) => Some(span),
            _ => None,
        }
    }

    pub(super) fn as_reasoning(&self) -> Option<&Span> {
        match self {
            Part::Reasoning(span) => Some(span),
            _ => None,
        }
    }

    pub(super) fn as_text_mut(&mut self) -> Option<&mut Span> {
        match self {
            Part::Text(span) => Some(span),
            _ => None,
        }
    }
}

/// Cuts a text into stretches of these lengths; `None` if they do not fit.
pub(super) fn cut(text: &str, lengths: impl Iterator<Item = usize>) -> Option<Vec<&str>> {
    let mut rest = Some(text);
    let mut pieces = Vec::new();
    for length in lengths {
        let (piece, after) = rest?.split_at_checked(length)?;
        pieces.push(piece);
        rest = match after {
            "" => None,
            after => Some(after.strip_prefix('\n')?),
        };
    }
    match rest {
        None => Some(pieces),
        Some(_) => None,
    }
}

/// Edits each non-empty stretch of a text separately, and updates the lengths of the stretches.
pub(super) fn edit(text: &mut String, parts: &mut [Part], edit: &mut dyn FnMut(&mut String)) {
    let mut spans: Vec<_> = parts.iter_mut().filter_map(Part::as_text_mut).collect();
    let pieces = cut(text, spans.iter().map(|span| span.len)).unwrap_or_default();
    if pieces.len() < 2 {
        if !text.is_empty() {
            edit(text);
        }
        if let [span] = &mut *spans {
            span.len = text.len();
        }
        return;
    }
    let mut edited = String::with_capacity(text.len());
    for (number, (piece, span)) in pieces.into_iter().zip(spans).enumerate() {
        let mut piece = piece.to_owned();
        if !piece.is_empty() {
            edit(&mut piece);
        }
        if number > 0 {
            edited.push('\n');
        }
        edited.push_str(&piece);
        span.len = piece.len();
    }
    *text = edited;
}
