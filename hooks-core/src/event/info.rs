//! What a vocabulary says of each of its events, as a constant row.

/// One event of a vocabulary, as a row of a table: [`AgentEvent::INFO`](crate::agent::AgentEvent::INFO) has all rows
/// of the standard vocabulary.
///
/// Tables, schemas and dialects are made from it, so the list of events is written once.
///
/// ```
/// use hooks_core::agent::AgentEvent;
///
/// let call = AgentEvent::INFO.iter().find(|event| event.name == "BeforeToolCall").unwrap();
/// assert!(call.is_intercepted && call.can_block && call.can_respond);
/// assert_eq!(call.subject, Some("name"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table")]
pub struct EventInfo {
    /// The event's name, which is the name of its variant.
    pub name: &'static str,
    /// Its position in the vocabulary, from 0.
    pub index: u32,
    /// Whether hooks intercept it. Otherwise they only observe it.
    pub is_intercepted: bool,
    /// Whether a hook may block it.
    pub can_block: bool,
    /// Whether a hook may respond instead of the agent.
    pub can_respond: bool,
    /// Whether it asks for an approval, which may have to wait for a person.
    pub is_approval: bool,
    /// Whether hooks may wrap the work that follows it.
    pub has_work: bool,
    /// The field that `only("glob")` matches, if there is one.
    pub subject: Option<&'static str>,
    /// What its variant's documentation says, in one line.
    pub doc: &'static str,
}

impl EventInfo {
    /// What the derive writes for one event.
    #[doc(hidden)]
    #[must_use]
    #[expect(
        clippy::fn_params_excessive_bools,
        clippy::too_many_arguments,
        reason = "only the derive calls it"
    )]
    pub const fn new(
        name: &'static str,
        index: u32,
        is_intercepted: bool,
        can_block: bool,
        can_respond: bool,
        is_approval: bool,
        has_work: bool,
        subject: Option<&'static str>,
        doc: &'static str,
    ) -> Self {
        EventInfo {
            name,
            index,
            is_intercepted,
            can_block,
            can_respond,
            is_approval,
            has_work,
            subject,
            doc,
        }
    }
}
