//! What stands in a message, in its order.
//!
//! A text stands once in a message: in `content`, or in `reasoning`. A part says only how long its stretch is. So a
//! hook that looks at `content` has seen all text, and a change of it cannot contradict a part.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::{ChatMessage, Media};

/// One thing that stands in a [`ChatMessage`], in the order of its `parts`.
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
    /// Here stands a stretch of `content`. Where no part is one, `content` stands first.
    Text(Span),
    /// Here stands a stretch of `reasoning`.
    Reasoning(Span),
    /// Here stands the call of that id, one of `tool_calls`. It stands nowhere if there is no such call any more.
    ToolCall {
        /// The call's id.
        id: String,
        /// What else stands in the call's JSON.
        extra: Map<String, Value>,
    },
    /// What a tool gave back, as a message of [`Role::Tool`](super::Role::Tool). Anthropic puts these into a message
    /// of the user; whether the tool failed is `is_error` in its `extra`.
    ToolResult(Box<ChatMessage>),
    /// A picture or another file.
    Media(Media),
    /// Anything else, as it was read.
    Other(Value),
}

/// A stretch of a message's text: see [`Part::Text`].
///
/// The stretches of a text stand in it one after the other, with one end of line between two. Where they do not fit
/// the text, a hook has changed it: then all of it stands in the place of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// How many bytes long it is.
    pub len: usize,
    /// What else stands beside the text in its JSON, such as `cache_control` or `signature`.
    pub extra: Map<String, Value>,
}

impl Span {
    /// So many bytes, with what stands beside them.
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

/// A text, cut into stretches of those lengths; `None` if they do not fit.
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

/// Changes each stretch of a text by itself, if it is not empty, and the lengths that say where it ends.
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
