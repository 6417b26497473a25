//! Messages that come in and go out.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// A message has come in, and is not worked on yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageReceived {
    /// The channel that it came by, such as `cli` or `slack`.
    pub channel: String,
    /// Who sent it.
    pub sender: String,
    /// What it says.
    pub content: String,
}

/// Before a message goes out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSending {
    /// The channel that it goes by.
    pub channel: String,
    /// Who gets it.
    pub recipient: String,
    /// What it says.
    pub content: String,
}

/// A message has gone out.
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

/// The agent wants attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification<'a> {
    /// What for, such as `approval`.
    pub kind: &'a str,
    /// What it says.
    pub message: &'a str,
}
