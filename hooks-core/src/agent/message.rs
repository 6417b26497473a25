//! Incoming and outgoing messages, interrupts and notifications.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Media;

/// A message has arrived, and the agent has not started on it. To block it is to drop it.
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
    /// Identifies the message in its channel, if the channel has ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The channel that it arrived on, such as `cli` or `slack`.
    pub channel: String,
    /// The sender.
    pub sender: String,
    /// Its text.
    pub content: String,
    /// Pictures and other files that came with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Media>,
    /// Text that hooks add for the model to read besides the message: GoClaw's `additionalContext`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
}

impl MessageReceived {
    /// A message that is only text.
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

/// Before a message is sent. To block it is to hold it back.
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
    /// The channel to send it on.
    pub channel: String,
    /// The recipient.
    pub recipient: String,
    /// Its text.
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

/// A message has been sent. ZeroClaw's `on_message_sent`.
///
/// ```
/// use hooks_core::agent::{MessageSending, MessageSent};
///
/// let message = MessageSending::new("cli", "ada", "Done.");
/// assert_eq!(MessageSent::from(&message).content, "Done.");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSent<'a> {
    /// The channel that it was sent on.
    pub channel: &'a str,
    /// The recipient.
    pub recipient: &'a str,
    /// Its text.
    pub content: &'a str,
}

/// The sent message, in the state in which earlier hooks left it.
impl<'a> From<&'a MessageSending> for MessageSent<'a> {
    fn from(message: &'a MessageSending) -> Self {
        MessageSent {
            channel: &message.channel,
            recipient: &message.recipient,
            content: &message.content,
        }
    }
}

/// A message could not be sent. It replaces [`MessageSent`].
///
/// ```
/// use hooks_core::agent::{MessageFailed, MessageSending};
///
/// let message = MessageSending::new("mail", "ada", "Done.");
/// assert_eq!(MessageFailed::of(&message, "no such mailbox").error, "no such mailbox");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageFailed<'a> {
    /// The channel that it should have been sent on.
    pub channel: &'a str,
    /// The recipient.
    pub recipient: &'a str,
    /// Its text.
    pub content: &'a str,
    /// Why it could not be sent.
    pub error: &'a str,
}

impl<'a> MessageFailed<'a> {
    /// The failed message, in the state in which earlier hooks left it.
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

/// The agent was interrupted, for example by its user.
///
/// ```
/// use hooks_core::agent::Interrupt;
/// let interrupt = Interrupt { kind: "steering", message: "Leave the tests alone." };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupt<'a> {
    /// How, such as `stop` (the agent ends), or `steering` (it continues with something else).
    pub kind: &'a str,
    /// The message for the agent; empty if there is none.
    pub message: &'a str,
}

/// The agent needs attention, for an approval for example.
///
/// ```
/// use hooks_core::agent::Notification;
///
/// let notification = Notification { kind: "approval", title: "Waiting", message: "May `shell` run?" };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification<'a> {
    /// Why, such as `approval`.
    pub kind: &'a str,
    /// Its title; empty if it has none.
    #[serde(default)]
    pub title: &'a str,
    /// Its text.
    pub message: &'a str,
}
