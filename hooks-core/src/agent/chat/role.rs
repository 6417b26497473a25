//! The role of a message: whose it is.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Whose message a [`ChatMessage`](super::ChatMessage) is.
///
/// ```
/// use hooks_core::agent::Role;
///
/// assert_eq!(Role::from("developer"), Role::Developer);
/// assert_eq!(Role::from("critic"), Role::Other("critic".into()));
/// assert_eq!(serde_json::to_string(&Role::Tool).unwrap(), r#""tool""#);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// The agent's instructions.
    System,
    /// The agent's instructions, by the name that newer OpenAI models use.
    Developer,
    /// The user. The default.
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool's output.
    Tool,
    /// Another role, as the provider names it; empty if the JSON has none.
    Other(String),
}

impl Role {
    /// The role's name in JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Role::System => "system",
            Role::Developer => "developer",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::Other(word) => word,
        }
    }
}

/// Parses the role's name.
impl From<&str> for Role {
    fn from(word: &str) -> Self {
        match word {
            "system" => Role::System,
            "developer" => Role::Developer,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" => Role::Tool,
            other => Role::Other(other.to_owned()),
        }
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Cow::<str>::deserialize(deserializer)?.as_ref().into())
    }
}
