//! The conversation with the model.
//!
//! A [`ChatMessage`] is what hooks see of any provider's message: its text, its calls, its media. It parses OpenAI's
//! and Anthropic's JSON, and writes it back unchanged except for the hooks' changes. Everything in the JSON that no
//! field holds stays in `extra` and in [`Part`]: see `wire`.

mod media;
mod part;
mod role;
mod wire;

use alloc::string::String;
use alloc::vec::Vec;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

pub use self::media::{Media, MediaKind};
pub use self::part::{Part, Span};
pub use self::role::Role;
use super::{LlmResponse, ToolCall, ToolOutput};

/// A message of the conversation with the model.
///
/// A message of any provider goes through a hook and back without loss. It deserializes from the JSON of OpenAI's
/// Chat Completions and of Anthropic's Messages, and from any other JSON object: unknown keys go to `extra`.
///
/// | JSON | here |
/// | --- | --- |
/// | `content`: a string; the blocks `text` | `content`; the blocks, joined with newlines |
/// | `tool_calls` of OpenAI and Ollama; the blocks `tool_use` | `tool_calls` |
/// | `tool_call_id`, `name` | the same |
/// | `reasoning`, `reasoning_content`; the blocks `thinking` | `reasoning` |
/// | the blocks `image_url`, `input_audio`, `file`, `image`, `document`, and MCP's | [`Part::Media`] |
/// | the block `tool_result` | [`Part::ToolResult`], which holds a message |
/// | any other block | [`Part::Other`], unchanged |
/// | any other key | `extra`, unchanged |
///
/// It serializes to JSON equal to what it was read from. If a hook has changed a field, the change is written where
/// the field was read. (`arguments`, which is JSON in a string, may change in white space.) A message that you build
/// yourself is written with the keys `role` and `content`, and the keys of its other non-empty fields.
///
/// ```
/// use hooks_core::agent::{ChatMessage, Part, Role};
/// use serde_json::json;
///
/// let read = json!({
///     "role": "user",
///     "content": [
///         { "type": "text", "text": "What is this?", "cache_control": { "type": "ephemeral" } },
///         { "type": "image_url", "image_url": { "url": "https://example.org/a.png", "detail": "low" } },
///     ],
/// });
/// let mut message: ChatMessage = serde_json::from_value(read.clone()).unwrap();
/// assert_eq!((&message.role, message.content.as_str()), (&Role::User, "What is this?"));
/// assert!(matches!(&message.parts[1], Part::Media(media) if media.url.is_some()));
/// assert_eq!(serde_json::to_value(&message).unwrap(), read);
///
/// message.content = "What is that?".into();
/// let written = serde_json::to_value(&message).unwrap();
/// assert_eq!(written["content"][0]["text"], "What is that?");
/// assert_eq!(written["content"][0]["cache_control"], read["content"][0]["cache_control"]);
/// assert_eq!(written["content"][1], read["content"][1]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatMessage {
    /// Whose message it is.
    pub role: Role,
    /// All text of the message.
    pub content: String,
    /// The parts of the message besides text, and the positions of its texts among them. Empty for plain text.
    pub parts: Vec<Part>,
    /// The tool calls that the model makes in it.
    pub tool_calls: Vec<ToolCall>,
    /// The call that a message of [`Role::Tool`] answers.
    pub tool_call_id: Option<String>,
    /// The name of the speaker: a user or a tool.
    pub name: Option<String>,
    /// The model's reasoning before the message. A provider may reject changed reasoning: Anthropic signs it.
    pub reasoning: Option<String>,
    /// The rest of the message's JSON, by key. Two keys record how other fields were written: `content` (`null`,
    /// `[]`, or `"none"` if the key was missing) and `tool_calls` (each call without its name and arguments; entries
    /// that are not valid calls are wrapped in an array).
    pub extra: Map<String, Value>,
}

impl ChatMessage {
    /// A message that is only text.
    ///
    /// ```
    /// use hooks_core::agent::{ChatMessage, Role};
    /// let message = ChatMessage::new(Role::User, "Hello!");
    /// assert!(message.tool_calls.is_empty());
    /// ```
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        ChatMessage {
            role,
            content: content.into(),
            ..ChatMessage::default()
        }
    }

    /// The agent's instructions.
    #[must_use]
    pub fn system(content: impl Into<String>) -> Self {
        ChatMessage::new(Role::System, content)
    }

    /// A message of the user.
    #[must_use]
    pub fn user(content: impl Into<String>) -> Self {
        ChatMessage::new(Role::User, content)
    }

    /// A message of the model: its answer with the calls in it, or only a text.
    ///
    /// ```
    /// use hooks_core::agent::{ChatMessage, LlmResponse, Role};
    ///
    /// let response = LlmResponse::new("Four.");
    /// let message = ChatMessage::assistant(&response);
    /// assert_eq!((&message.role, message.content.as_str()), (&Role::Assistant, "Four."));
    /// assert_eq!(ChatMessage::assistant("Four."), message);
    /// ```
    #[must_use]
    pub fn assistant(response: impl Into<LlmResponse>) -> Self {
        let response = response.into();
        ChatMessage {
            tool_calls: response.tool_calls,
            reasoning: response.reasoning,
            ..ChatMessage::new(Role::Assistant, response.content)
        }
    }

    /// The output of the call with this id, as the model reads it: its text and its media.
    ///
    /// ```
    /// use hooks_core::agent::{ChatMessage, Role, ToolOutput};
    ///
    /// let message = ChatMessage::tool_result("call_1", &ToolOutput::new("3 files"));
    /// assert_eq!((message.role, message.tool_call_id.as_deref()), (Role::Tool, Some("call_1")));
    /// ```
    #[must_use]
    pub fn tool_result(id: impl Into<String>, output: &ToolOutput) -> Self {
        ChatMessage {
            tool_call_id: Some(id.into()),
            parts: output.media.iter().cloned().map(Part::Media).collect(),
            ..ChatMessage::new(Role::Tool, output.content.as_str())
        }
    }

    /// Adds tool calls to the message.
    #[must_use]
    pub fn with_tool_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.tool_calls.extend(calls);
        self
    }

    /// Appends an image or another file.
    ///
    /// ```
    /// use hooks_core::agent::{ChatMessage, Media, MediaKind};
    ///
    /// let message = ChatMessage::user("What is this?")
    ///     .with_media(Media::from_url(MediaKind::Image, "https://example.org/a.png"));
    /// assert_eq!(message.parts.len(), 1);
    /// ```
    #[must_use]
    pub fn with_media(mut self, media: Media) -> Self {
        self.parts.push(Part::Media(media));
        self
    }

    /// Appends text, between images for example. In `content` it starts a new line.
    ///
    /// ```
    /// use hooks_core::agent::{ChatMessage, Media, MediaKind};
    ///
    /// let message = ChatMessage::user("Before:")
    ///     .with_media(Media::from_url(MediaKind::Image, "https://example.org/a.png"))
    ///     .with_text("After:");
    /// assert_eq!(message.content, "Before:\nAfter:");
    /// assert_eq!(serde_json::to_value(&message).unwrap()["content"][2]["text"], "After:");
    /// ```
    #[must_use]
    pub fn with_text(mut self, text: impl AsRef<str>) -> Self {
        if !self.content.is_empty() && !self.parts.iter().any(Part::is_text) {
            // The text comes first, but after the reasoning.
            let thought = self.parts.iter().take_while(|part| part.is_reasoning());
            let place = thought.count();
            let span = Span::new(self.content.len(), Map::new());
            self.parts.insert(place, Part::Text(span));
        }
        self.push_text(text.as_ref(), Map::new());
        self
    }

    /// Edits every text of the message: `content`, and the texts of tool results in it. `reasoning` stays unchanged.
    ///
    /// Each stretch of text is edited separately and keeps its position between images. If a hook instead sets all of
    /// `content`, the text is written at the position of the first stretch. Empty texts are skipped.
    ///
    /// ```
    /// use hooks_core::agent::{ChatMessage, Media, MediaKind};
    ///
    /// let mut message = ChatMessage::user("Ask ada@example.org:")
    ///     .with_media(Media::from_url(MediaKind::Image, "https://example.org/a.png"))
    ///     .with_text("or bob@example.org");
    /// message.edit_texts(|text| *text = text.replace("@example.org", ""));
    /// assert_eq!(serde_json::to_value(&message).unwrap()["content"][0]["text"], "Ask ada:");
    /// assert_eq!(serde_json::to_value(&message).unwrap()["content"][2]["text"], "or bob");
    /// ```
    pub fn edit_texts(&mut self, mut edit: impl FnMut(&mut String)) {
        self.edit(&mut edit);
    }

    fn edit(&mut self, edit: &mut dyn FnMut(&mut String)) {
        part::edit(&mut self.content, &mut self.parts, edit);
        for part in &mut self.parts {
            if let Part::ToolResult(result) = part {
                result.edit(edit);
            }
        }
    }

    fn push_text(&mut self, text: &str, extra: Map<String, Value>) {
        if self.parts.iter().any(Part::is_text) {
            self.content.push('\n');
        }
        self.content.push_str(text);
        self.parts.push(Part::Text(Span::new(text.len(), extra)));
    }

    fn push_reasoning(&mut self, text: &str, extra: Map<String, Value>) {
        let reasoning = self.reasoning.get_or_insert_default();
        if self.parts.iter().any(Part::is_reasoning) {
            reasoning.push('\n');
        }
        reasoning.push_str(text);
        self.parts
            .push(Part::Reasoning(Span::new(text.len(), extra)));
    }
}

impl Serialize for ChatMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.parts.is_empty() || !self.extra.is_empty() || self.role.as_str().is_empty() {
            return wire::write(self).serialize(serializer);
        }
        // Most messages are plain, and are written without a template.
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("content", &self.content)?;
        if !self.tool_calls.is_empty() {
            map.serialize_entry("tool_calls", &self.tool_calls)?;
        }
        for (key, text) in [
            ("tool_call_id", &self.tool_call_id),
            ("name", &self.name),
            ("reasoning", &self.reasoning),
        ] {
            if let Some(text) = text {
                map.serialize_entry(key, text)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ChatMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(wire::read)
    }
}
