//! Converts conversations.
//!
//! A message of rig may hold the outputs of several tools, while each of ours holds one. So a conversation is split
//! into pieces, each of which is one [`ChatMessage`], and joined again.

use hooks_core::agent::{ChatMessage, Part, Role, Span, ToolCall};
use rig_agent::core::message::{
    AssistantContent, AssistantMessage, CallId, Message, Reasoning, ToolCall as RigToolCall,
    ToolFunction, ToolName, ToolResult, ToolResultContent, UserContent,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::media;

/// Keys for data that our types have no field for.
const IS_ERROR: &str = "is_error";
const REDACTED: &str = "redacted";
const JSON: &str = "json";

/// What one of our messages corresponds to in rig.
enum Piece<'a> {
    System(&'a str),
    User(Vec<&'a UserContent>),
    Tool(&'a ToolResult),
    Assistant(&'a AssistantMessage),
}

/// A piece, and the index of its message.
type Numbered<'a> = (usize, Piece<'a>);

fn pieces(history: &[Message]) -> Vec<Numbered<'_>> {
    let mut pieces = Vec::with_capacity(history.len());
    for (number, message) in history.iter().enumerate() {
        match message {
            Message::System { content } => pieces.push((number, Piece::System(content))),
            Message::Assistant(message) => pieces.push((number, Piece::Assistant(message))),
            Message::User { content } => {
                let mut rest = Vec::new();
                for block in content {
                    match block {
                        UserContent::ToolResult(result) => {
                            pieces.push((number, Piece::Tool(result)));
                        }
                        other => rest.push(other),
                    }
                }
                if !rest.is_empty() {
                    pieces.push((number, Piece::User(rest)));
                }
            }
        }
    }
    pieces
}

impl Piece<'_> {
    fn chat(&self) -> ChatMessage {
        match self {
            Piece::System(text) => ChatMessage::system(*text),
            Piece::User(blocks) => user(blocks),
            Piece::Tool(result) => tool(result),
            Piece::Assistant(message) => assistant(message),
        }
    }

    fn to_message(&self) -> Message {
        match self {
            Piece::System(text) => Message::system(*text),
            Piece::User(blocks) => Message::User {
                content: blocks.iter().copied().cloned().collect(),
            },
            Piece::Tool(result) => Message::tool_results(vec![(*result).clone()]),
            Piece::Assistant(message) => Message::Assistant((*message).clone()),
        }
    }
}

fn user(blocks: &[&UserContent]) -> ChatMessage {
    let mut chat = ChatMessage::new(Role::User, "");
    for block in blocks {
        match block {
            UserContent::Text(text) => push_text(&mut chat, text.text(), blocks.len(), Map::new()),
            block => match media::file(block) {
                Some(media) => chat.parts.push(Part::Media(media)),
                None => push_other(&mut chat, block),
            },
        }
    }
    chat
}

fn tool(result: &ToolResult) -> ChatMessage {
    let mut chat = ChatMessage {
        tool_call_id: Some(result.call.to_string()),
        name: Some(result.name.to_string()),
        ..ChatMessage::new(Role::Tool, "")
    };
    if result.is_error {
        chat.extra.insert(IS_ERROR.into(), true.into());
    }
    for block in &result.content {
        match block {
            ToolResultContent::Text(text) => {
                push_text(&mut chat, text.text(), result.content.len(), Map::new());
            }
            ToolResultContent::Json { value } => {
                let extra = Map::from_iter([(JSON.to_owned(), true.into())]);
                push_text(&mut chat, &value.to_string(), usize::MAX, extra);
            }
            ToolResultContent::Image(image) => match media::image(image) {
                Some(media) => chat.parts.push(Part::Media(media)),
                None => push_other(&mut chat, block),
            },
        }
    }
    chat
}

fn assistant(message: &AssistantMessage) -> ChatMessage {
    let mut chat = ChatMessage::new(Role::Assistant, "");
    // Most messages are a text followed by calls, and need no parts.
    let first_call = message
        .content
        .iter()
        .take_while(|block| matches!(block, AssistantContent::Text(_)))
        .count();
    let is_plain = first_call <= 1
        && message.content[first_call..]
            .iter()
            .all(|block| matches!(block, AssistantContent::ToolCall(_)));
    let count = if is_plain { 1 } else { usize::MAX };
    for block in &message.content {
        match block {
            AssistantContent::Text(text) => {
                push_text(&mut chat, text.text(), count, Map::new());
            }
            AssistantContent::ToolCall(call) => {
                let call = tool_call(call);
                if !is_plain {
                    let (id, extra) = (call.id.clone(), Map::new());
                    chat.parts.push(Part::ToolCall { id, extra });
                }
                chat.tool_calls.push(call);
            }
            AssistantContent::Reasoning(thought) => push_thought(&mut chat, thought),
            AssistantContent::Image(image) => match media::image(image) {
                Some(media) => chat.parts.push(Part::Media(media)),
                None => push_other(&mut chat, block),
            },
            other => push_other(&mut chat, other),
        }
    }
    chat
}

/// Adds a text. If it is the only block of a message, it needs no part.
fn push_text(chat: &mut ChatMessage, text: &str, blocks: usize, extra: Map<String, Value>) {
    if blocks == 1 {
        text.clone_into(&mut chat.content);
        return;
    }
    if chat.parts.iter().any(|part| matches!(part, Part::Text(_))) {
        chat.content.push('\n');
    }
    chat.content.push_str(text);
    chat.parts.push(Part::Text(Span::new(text.len(), extra)));
}

fn push_thought(chat: &mut ChatMessage, thought: &Reasoning) {
    let mut extra = Map::new();
    if thought.redacted {
        extra.insert(REDACTED.into(), true.into());
    }
    let reasoning = chat.reasoning.get_or_insert_default();
    if chat
        .parts
        .iter()
        .any(|part| matches!(part, Part::Reasoning(_)))
    {
        reasoning.push('\n');
    }
    reasoning.push_str(&thought.text);
    let span = Span::new(thought.text.len(), extra);
    chat.parts.push(Part::Reasoning(span));
}

/// Adds a block that only rig knows, as rig writes it.
fn push_other(chat: &mut ChatMessage, block: &impl Serialize) {
    if let Ok(value) = serde_json::to_value(block) {
        chat.parts.push(Part::Other(value));
    }
}

/// The conversation, as hooks see it.
pub(crate) fn messages(history: &[Message]) -> Vec<ChatMessage> {
    pieces(history)
        .iter()
        .map(|(_, piece)| piece.chat())
        .collect()
}

/// The conversation, if hooks have changed it. A message that they have not changed stays rig's own, with everything
/// that only rig knows about it.
pub(super) fn history(
    new: &[ChatMessage],
    old: &[Message],
) -> Result<Option<Vec<Message>>, String> {
    let pieces = pieces(old);
    let chats: Vec<ChatMessage> = pieces.iter().map(|(_, piece)| piece.chat()).collect();
    if new == chats {
        return Ok(None);
    }
    let mut history: Vec<(Option<usize>, Message)> = Vec::with_capacity(new.len());
    let mut next = 0;
    for message in new {
        let known = (next..chats.len()).find(|&at| chats[at] == *message);
        let (number, message) = match known {
            Some(at) => {
                next = at + 1;
                (Some(pieces[at].0), pieces[at].1.to_message())
            }
            None => (None, build(message, &pieces)?),
        };
        join(&mut history, number, message);
    }
    Ok(Some(
        history.into_iter().map(|(_, message)| message).collect(),
    ))
}

/// Appends the message. Adjacent tool outputs are one message in rig, and so are pieces of one message.
fn join(history: &mut Vec<(Option<usize>, Message)>, number: Option<usize>, message: Message) {
    if let Some((last, Message::User { content })) = history.last_mut()
        && let Message::User { content: more } = &message
        && (*last == number && number.is_some() || are_outputs(content) && are_outputs(more))
    {
        content.extend(more.iter().cloned());
    } else {
        history.push((number, message));
    }
}

fn are_outputs(content: &[UserContent]) -> bool {
    content
        .iter()
        .all(|block| matches!(block, UserContent::ToolResult(_)))
}

/// A message that a hook has written or changed.
fn build(chat: &ChatMessage, old: &[Numbered<'_>]) -> Result<Message, String> {
    match &chat.role {
        Role::System | Role::Developer => Ok(Message::system(chat.content.as_str())),
        Role::User => Ok(Message::User {
            content: blocks(chat, |block| match block {
                Block::Text(text, _) => Ok(UserContent::text(text)),
                Block::Part(Part::Media(media)) => media::to_file(media),
                Block::Part(Part::Other(value)) => read(value),
                Block::Part(_) => Err(not_here(chat)),
            })?,
        }),
        Role::Tool => Ok(Message::tool_results(vec![build_result(chat, old)?])),
        Role::Assistant => build_assistant(chat, old),
        Role::Other(role) => Err(format!(
            "a hook added a message with the role `{role}`, which rig does not have"
        )),
    }
}

fn build_result(chat: &ChatMessage, old: &[Numbered<'_>]) -> Result<ToolResult, String> {
    let id = chat.tool_call_id.as_deref();
    let id = id.ok_or("a hook added a tool message without the id of its call")?;
    let known = calls(old).find(|(call, _)| call.wire() == id);
    let name = match (&chat.name, known) {
        (Some(name), _) => name_of(name)?,
        (None, Some((_, name))) => name.clone(),
        (None, None) => return Err(format!("there is no tool call `{id}`")),
    };
    let content = blocks(chat, |block| match block {
        Block::Text(text, true) => Ok(match serde_json::from_str(text) {
            Ok(value) => ToolResultContent::json(value),
            Err(_) => ToolResultContent::text(text),
        }),
        Block::Text(text, _) => Ok(ToolResultContent::text(text)),
        Block::Part(Part::Media(media)) => Ok(ToolResultContent::Image(media::to_image(media)?)),
        Block::Part(Part::Other(value)) => read(value),
        Block::Part(_) => Err(not_here(chat)),
    })?;
    Ok(ToolResult {
        call: call_id(id, old),
        name,
        content,
        is_error: chat.extra.get(IS_ERROR) == Some(&Value::Bool(true)),
    })
}

fn build_assistant(chat: &ChatMessage, old: &[Numbered<'_>]) -> Result<Message, String> {
    let mut left: Vec<&ToolCall> = chat.tool_calls.iter().collect();
    let mut thoughts = Stretches::of(
        chat.reasoning.as_deref().unwrap_or_default(),
        chat.parts.iter().filter_map(|part| match part {
            Part::Reasoning(span) => Some(span.len),
            _ => None,
        }),
    );
    let mut content: Vec<AssistantContent> = Vec::new();
    for part in blocks(chat, Ok)? {
        match part {
            Block::Text(text, _) => content.push(AssistantContent::text(text)),
            Block::Part(Part::Reasoning(span)) => {
                if let Some(text) = thoughts.next() {
                    let mut thought = Reasoning::new(text);
                    thought.redacted = span.extra.contains_key(REDACTED);
                    content.push(AssistantContent::Reasoning(thought));
                }
            }
            Block::Part(Part::ToolCall { id, .. }) => {
                if let Some(at) = left.iter().position(|call| call.id == *id) {
                    content.push(build_call(left.remove(at), old)?);
                }
            }
            Block::Part(Part::Media(media)) => {
                content.push(AssistantContent::Image(media::to_image(media)?));
            }
            Block::Part(Part::Other(value)) => content.push(read(value)?),
            Block::Part(_) => return Err(not_here(chat)),
        }
    }
    for call in left {
        content.push(build_call(call, old)?);
    }
    // An unchanged block stays rig's own, with the data by which its provider recognizes it.
    for block in &mut content {
        let known = old.iter().find_map(|(_, piece)| match piece {
            Piece::Assistant(message) => {
                let mut blocks = message.content.iter();
                blocks.find(|known| known.canonical() == *block)
            }
            _ => None,
        });
        if let Some(known) = known {
            *block = known.clone();
        }
    }
    Ok(Message::Assistant(AssistantMessage::new(content)))
}

fn build_call(call: &ToolCall, old: &[Numbered<'_>]) -> Result<AssistantContent, String> {
    Ok(AssistantContent::ToolCall(RigToolCall::new(
        call_id(&call.id, old),
        ToolFunction::new(name_of(&call.name)?, call.args.clone()),
    )))
}

/// A text of a message, and whether it is JSON; or another part.
enum Block<'a> {
    Text(&'a str, bool),
    Part(&'a Part),
}

/// The blocks of a message, in order.
fn blocks<'a, T>(
    chat: &'a ChatMessage,
    mut build: impl FnMut(Block<'a>) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let spans = chat.parts.iter().filter_map(|part| match part {
        Part::Text(span) => Some(span.len),
        _ => None,
    });
    let mut texts = Stretches::of(&chat.content, spans);
    let mut blocks = Vec::new();
    if !chat.parts.iter().any(|part| matches!(part, Part::Text(_)))
        && let Some(text) = texts.next()
    {
        blocks.push(build(Block::Text(text, false))?);
    }
    for part in &chat.parts {
        match part {
            Part::Text(span) => {
                if let Some(text) = texts.next() {
                    blocks.push(build(Block::Text(text, span.extra.contains_key(JSON)))?);
                }
            }
            part => blocks.push(build(Block::Part(part))?),
        }
    }
    Ok(blocks)
}

/// A text in its original stretches, or as a whole if a hook has changed their lengths.
struct Stretches<'a> {
    texts: std::vec::IntoIter<&'a str>,
}

impl<'a> Stretches<'a> {
    fn of(text: &'a str, lengths: impl Iterator<Item = usize>) -> Self {
        let texts = cut(text, lengths).unwrap_or_else(|| {
            // Providers reject empty texts.
            Some(text)
                .filter(|text| !text.is_empty())
                .into_iter()
                .collect()
        });
        Stretches {
            texts: texts.into_iter(),
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        self.texts.next()
    }
}

/// Cuts a text into stretches, one or more lines each; `None` if the lengths do not fit the text.
fn cut(text: &str, lengths: impl Iterator<Item = usize>) -> Option<Vec<&str>> {
    let mut rest = Some(text);
    let mut texts = Vec::new();
    for length in lengths {
        let (text, after) = rest?.split_at_checked(length)?;
        texts.push(text);
        rest = match after {
            "" => None,
            after => Some(after.strip_prefix('\n')?),
        };
    }
    rest.is_none().then_some(texts)
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone())
        .map_err(|error| format!("a hook added a part that rig does not know: {error}"))
}

fn not_here(chat: &ChatMessage) -> String {
    format!(
        "a hook added a part that rig does not allow in a message with the role `{}`",
        chat.role.as_str()
    )
}

fn name_of(name: &str) -> Result<ToolName, String> {
    ToolName::new(name).map_err(|error| error.to_string())
}

/// The ids and tool names of all calls and outputs in the conversation.
fn calls<'a>(old: &'a [Numbered<'a>]) -> impl Iterator<Item = (&'a CallId, &'a ToolName)> {
    old.iter().flat_map(|(_, piece)| {
        let (calls, result) = match piece {
            Piece::Assistant(message) => (Some(message.tool_calls()), None),
            Piece::Tool(result) => (None, Some((&result.call, &result.name))),
            _ => (None, None),
        };
        let calls = calls.into_iter().flatten();
        calls
            .map(|call| (&call.id, &call.function.name))
            .chain(result)
    })
}

/// The id in rig's form: an id that rig generated differs from a provider's id with the same text.
fn call_id(id: &str, old: &[Numbered<'_>]) -> CallId {
    calls(old)
        .map(|(known, _)| known)
        .find(|known| known.wire() == id)
        .cloned()
        .unwrap_or_else(|| CallId::from_wire(id))
}

pub(super) fn tool_call(call: &RigToolCall) -> ToolCall {
    ToolCall {
        id: call.id.to_string(),
        name: call.function.name.to_string(),
        args: match &call.function.invalid_arguments {
            Some(text) => text.as_str().into(),
            None => call.function.arguments_value(),
        },
    }
}

pub(super) fn assistant_text(content: &[AssistantContent]) -> String {
    lines(content.iter().filter_map(|block| match block {
        AssistantContent::Text(text) => Some(text.text()),
        _ => None,
    }))
}

/// The texts as one, each on its own lines.
pub(super) fn lines<'a>(mut texts: impl Iterator<Item = &'a str>) -> String {
    let mut all = texts.next().unwrap_or_default().to_owned();
    for text in texts {
        all.push('\n');
        all.push_str(text);
    }
    all
}

/// The text of a message.
pub(crate) fn text_of(message: &Message) -> String {
    match message {
        Message::System { content } => content.clone(),
        Message::User { content } => lines(content.iter().filter_map(|block| match block {
            UserContent::Text(text) => Some(text.text()),
            _ => None,
        })),
        Message::Assistant(message) => assistant_text(&message.content),
    }
}

/// The prompt, as hooks see it; `None` if it is more than one of our messages.
pub(crate) fn prompt(message: &Message) -> Option<ChatMessage> {
    match pieces(std::slice::from_ref(message)).as_slice() {
        [(_, piece)] => Some(piece.chat()),
        _ => None,
    }
}

/// The prompt as hooks left it, with the context that they add.
pub(crate) fn to_prompt(chat: &ChatMessage, context: Vec<String>) -> Result<Message, String> {
    let mut message = build(chat, &[])?;
    if let Message::User { content } = &mut message {
        content.extend(context.into_iter().map(UserContent::text));
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What occurs in rig: texts, files, calls with ids of both kinds, outputs of several tools in one message,
    /// reasoning with the data that its provider keeps in it.
    fn conversation() -> Vec<Message> {
        let name = || ToolName::new("read").unwrap();
        let call = |id: CallId| {
            let args = serde_json::json!({ "path": "a" });
            RigToolCall::new(id, ToolFunction::new(name(), args))
        };
        let local = call(CallId::from_wire(""));
        let wired = call(CallId::from_wire("call_1"));
        let signed = AssistantContent::Reasoning(Reasoning::new("Hm."))
            .with_native(serde_json::json!({ "signature": "s" }));
        let picture = || ToolResultContent::image_base64("aGk=", None, None);
        vec![
            Message::system("Be kind."),
            Message::User {
                content: vec![
                    UserContent::text("What is this?"),
                    UserContent::image_url("https://example.org/a.png", None, None),
                    UserContent::image_raw(vec![1, 2, 3], None, None),
                    UserContent::text("And this?"),
                ],
            },
            Message::Assistant(AssistantMessage::new(vec![
                signed,
                AssistantContent::text("Let me see."),
                AssistantContent::ToolCall(local.clone()),
                AssistantContent::ToolCall(wired.clone()),
            ])),
            Message::tool_results(vec![
                local.result(vec![ToolResultContent::text("one"), picture()]),
                wired.error_result(vec![ToolResultContent::json(serde_json::json!([1]))]),
            ]),
            Message::assistant("A cat."),
        ]
    }

    #[test]
    fn a_conversation_that_nobody_changes_is_rigs_own() {
        let old = conversation();
        assert_eq!(history(&messages(&old), &old), Ok(None));
    }

    #[test]
    fn one_message_that_is_changed_leaves_the_others_as_they_are() {
        let old = conversation();
        let mut new = messages(&old);
        new.last_mut().unwrap().content = "A dog.".into();
        let back = history(&new, &old).unwrap().unwrap();
        assert_eq!(back[..4], old[..4]);
        assert_eq!(back[4], Message::assistant("A dog."));
    }

    #[test]
    fn a_message_is_built_anew_from_what_hooks_see_of_it() {
        let old = conversation();
        let pieces = pieces(&old);
        for (_, piece) in &pieces {
            assert_eq!(build(&piece.chat(), &pieces), Ok(piece.to_message()));
        }
    }

    #[test]
    fn a_changed_text_leaves_the_rest_of_its_message() {
        let old = conversation();
        let mut new = messages(&old);
        new[2].edit_texts(|text| *text = text.replace("see", "look"));
        let back = history(&new, &old).unwrap().unwrap();
        let (Message::Assistant(old), Message::Assistant(back)) = (&old[2], &back[2]) else {
            panic!("the message is the model's");
        };
        assert_eq!(back.content[1], AssistantContent::text("Let me look."));
        assert_eq!(back.content[0], old.content[0], "with its signature");
        assert_eq!(back.content[2..], old.content[2..]);
    }

    #[test]
    fn an_output_that_is_taken_out_leaves_the_other_in_its_message() {
        let old = conversation();
        let mut new = messages(&old);
        new.remove(3);
        let back = history(&new, &old).unwrap().unwrap();
        let Message::User { content } = &back[3] else {
            panic!("outputs are the user's in rig");
        };
        assert_eq!(content.len(), 1);
    }

    #[test]
    fn what_cannot_be_built_is_an_error() {
        let lost = ChatMessage {
            tool_call_id: Some("call_9".into()),
            ..ChatMessage::new(Role::Tool, "what?")
        };
        assert_eq!(
            history(&[lost], &conversation()),
            Err("there is no tool call `call_9`".to_owned())
        );
    }
}
