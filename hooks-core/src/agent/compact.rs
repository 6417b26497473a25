//! Compaction: a summary replaces a conversation that has become too long.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// Before the conversation is compacted. To block it is to keep the conversation as it is.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeCompact};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn keep_decisions(compact: &mut BeforeCompact) {
///     compact.instructions.push_str("Keep every decision.");
/// }
///
/// let mut compact = BeforeCompact::new("auto");
/// assert!(hooks![keep_decisions].intercept_now(&AgentContext::new("s1"), &mut compact).is_continue());
/// assert_eq!(compact.instructions, "Keep every decision.");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BeforeCompact {
    /// Why, such as `auto` or `manual`.
    pub trigger: String,
    /// What the summary should keep; empty by default.
    pub instructions: String,
}

impl BeforeCompact {
    /// A conversation that is about to be compacted, without instructions.
    #[must_use]
    pub fn new(trigger: impl Into<String>) -> Self {
        BeforeCompact {
            trigger: trigger.into(),
            instructions: String::new(),
        }
    }
}

/// The conversation has been compacted. PicoClaw's `agent.context.compress`.
///
/// ```
/// use hooks_core::agent::AfterCompact;
/// let compact = AfterCompact { trigger: "auto", summary: "The user wants a parser." };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AfterCompact<'a> {
    /// Why, such as `auto` or `manual`.
    pub trigger: &'a str,
    /// The summary that replaces the conversation.
    pub summary: &'a str,
}
