//! Messages that come in and go out, and what the agent says beside them.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Media;

/// A message has come in, and is not worked on yet. To block it is to drop it.
///
/// ZeroClaw's `on_message_received`, GoClaw's `user_prompt_submit`.
///
/// ```
/// use hooks_core::agent::{AgentContext, MessageReceived};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn tell_the_time(message: &mut MessageReceived) {
///     message.context.push("It is Monday.".into());
/// }
///
/// let mut message = MessageReceived::new("cli", "ada", "What day is it?");
/// assert!(hooks![tell_the_time].intercept_now(&AgentContext::new("s1"), &mut message).is_continue());
/// assert_eq!(message.context, ["It is Monday."]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageReceived {
    /// What tells this message from others of its channel, if the channel says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The channel that it came by, such as `cli` or `slack`.
    pub channel: String,
    /// Who sent it.
    pub sender: String,
    /// What it says.
    pub content: String,
    /// Pictures and other files that came with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Media>,
    /// What hooks add for the model to read beside the message: GoClaw's `additionalContext`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
}

impl MessageReceived {
    /// A message of nothing but text.
    #[must_use]
    pub fn new(
        channel: impl Into<String>,
        sender: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        MessageReceived {
            channel: channel.into(),
            sender: sender.into(),
            content: content.into(),
            ..MessageReceived::default()
        }
    }
}

/// Before a message goes out. To block it is to hold it back.
///
/// ZeroClaw's `on_message_sending`.
///
/// ```
/// use hooks_core::agent::{AgentContext, MessageSending};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn sign(message: &mut MessageSending) {
///     message.content.push_str("\n-- the agent");
/// }
///
/// let mut message = MessageSending::new("mail", "ada", "Done.");
/// assert!(hooks![sign].intercept_now(&AgentContext::new("s1"), &mut message).is_continue());
/// assert_eq!(message.content, "Done.\n-- the agent");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageSending {
    /// The channel that it goes by.
    pub channel: String,
    /// Who gets it.
    pub recipient: String,
    /// What it says.
    pub content: String,
}

impl MessageSending {
    /// A message.
    #[must_use]
    pub fn new(
        channel: impl Into<String>,
        recipient: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        MessageSending {
            channel: channel.into(),
            recipient: recipient.into(),
            content: content.into(),
        }
    }
}

/// A message has gone out. ZeroClaw's `on_message_sent`.
///
/// ```
/// use hooks_core::agent::{MessageSending, MessageSent};
///
/// let message = MessageSending::new("cli", "ada", "Done.");
/// assert_eq!(MessageSent::from(&message).content, "Done.");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSent<'a> {
    /// The channel that it went by.
    pub channel: &'a str,
    /// Who got it.
    pub recipient: &'a str,
    /// What it says.
    pub content: &'a str,
}

/// A message that has gone out, as the hooks before have left it.
impl<'a> From<&'a MessageSending> for MessageSent<'a> {
    fn from(message: &'a MessageSending) -> Self {
        MessageSent {
            channel: &message.channel,
            recipient: &message.recipient,
            content: &message.content,
        }
    }
}

/// A message could not be sent. Then there is no [`MessageSent`].
///
/// ```
/// use hooks_core::agent::{MessageFailed, MessageSending};
///
/// let message = MessageSending::new("mail", "ada", "Done.");
/// assert_eq!(MessageFailed::of(&message, "no such mailbox").error, "no such mailbox");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageFailed<'a> {
    /// The channel that it was to go by.
    pub channel: &'a str,
    /// Who was to get it.
    pub recipient: &'a str,
    /// What it says.
    pub content: &'a str,
    /// Why it could not be sent.
    pub error: &'a str,
}

impl<'a> MessageFailed<'a> {
    /// A message that could not be sent, as the hooks before have left it.
    #[must_use]
    pub fn of(message: &'a MessageSending, error: &'a str) -> Self {
        MessageFailed {
            channel: &message.channel,
            recipient: &message.recipient,
            content: &message.content,
            error,
        }
    }
}

/// The agent was interrupted, such as by its user.
///
/// ```
/// use hooks_core::agent::Interrupt;
/// let interrupt = Interrupt { kind: "steering", message: "Leave the tests alone." };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupt<'a> {
    /// How, such as `stop` (it ends), or `steering` (it goes on with something else).
    pub kind: &'a str,
    /// What it was told, if anything; else empty.
    pub message: &'a str,
}

/// The agent wants attention, as for an approval.
///
/// ```
/// use hooks_core::agent::Notification;
///
/// let notification = Notification { kind: "approval", title: "Waiting", message: "May `shell` run?" };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification<'a> {
    /// What for, such as `approval`.
    pub kind: &'a str,
    /// Its heading; empty if it has none.
    #[serde(default)]
    pub title: &'a str,
    /// What it says.
    pub message: &'a str,
}
