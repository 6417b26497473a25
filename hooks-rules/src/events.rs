//! What is known about each event of the standard vocabulary: what hooks may decide, what they may change, and what
//! expressions may read.

use crate::cel::Type;

/// One event of the standard vocabulary.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table")]
pub struct EventInfo {
    /// The name, such as `BeforeToolCall`.
    pub name: &'static str,
    /// Whether hooks decide about it. Otherwise they only observe it.
    pub is_intercepted: bool,
    /// Whether a hook can block it.
    pub is_blockable: bool,
    /// Whether a hook can answer in the agent's place.
    pub is_answerable: bool,
    /// Whether hooks can add text for the model.
    pub takes_context: bool,
    /// Whether it is about a tool, which `tools` and `matcher` are compared with.
    pub has_subject: bool,
    /// The names of its fields, for expressions.
    pub fields: &'static [&'static str],
    /// The keys that `modify` may set.
    pub keys: &'static [&'static str],
    /// Whether `modify` sets keys of the tool's arguments, which may have any name.
    pub takes_args: bool,
}

/// Creates the row of an event that hooks only observe.
const fn observed(name: &'static str, fields: &'static [&'static str]) -> EventInfo {
    EventInfo {
        name,
        fields,
        is_intercepted: false,
        is_blockable: false,
        is_answerable: false,
        takes_context: false,
        has_subject: false,
        keys: &[],
        takes_args: false,
    }
}

/// Creates the row of an event that hooks decide about, with the keys that they may set.
const fn intercepted(
    name: &'static str,
    fields: &'static [&'static str],
    keys: &'static [&'static str],
) -> EventInfo {
    EventInfo {
        is_intercepted: true,
        is_blockable: true,
        keys,
        ..observed(name, fields)
    }
}

impl EventInfo {
    const fn of_tool(self) -> Self {
        EventInfo {
            has_subject: true,
            ..self
        }
    }

    const fn answerable(self) -> Self {
        EventInfo {
            is_answerable: true,
            ..self
        }
    }

    const fn not_blockable(self) -> Self {
        EventInfo {
            is_blockable: false,
            ..self
        }
    }

    const fn with_context(self) -> Self {
        EventInfo {
            takes_context: true,
            ..self
        }
    }

    const fn with_args(self) -> Self {
        EventInfo {
            takes_args: true,
            ..self
        }
    }

    /// Returns the event with this name.
    ///
    /// ```
    /// use hooks_rules::events::EventInfo;
    ///
    /// let event = EventInfo::named("BeforeToolCall").unwrap();
    /// assert!(event.is_blockable && event.fields.contains(&"args"));
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        EVENTS.iter().find(|event| event.name == name)
    }
}

/// The fields of `cx`, with their types. What may be absent has any.
pub const CONTEXT: [(&str, Type); 15] = [
    ("session_id", Type::Text),
    ("agent_id", Type::Text),
    ("agent_type", Type::Text),
    ("tenant_id", Type::Any),
    ("run_id", Type::Text),
    ("parent_run_id", Type::Any),
    ("cwd", Type::Text),
    ("project_dir", Type::Text),
    ("turn", Type::Int),
    ("depth", Type::Int),
    ("channel", Type::Text),
    ("chat_id", Type::Text),
    ("sender", Type::Any),
    ("trace_id", Type::Any),
    ("extra", Type::Map),
];

/// All events, in the order of the vocabulary.
pub static EVENTS: [EventInfo; 35] = [
    observed("GatewayStart", &["host", "port"]),
    observed("GatewayStop", &[]),
    observed("HeartbeatTick", &[]),
    intercepted(
        "SessionStart",
        &["session_id", "channel", "source", "model", "context"],
        &["session_id", "channel", "source", "model"],
    )
    .not_blockable()
    .with_context(),
    observed("SessionEnd", &["session_id", "channel", "reason"]),
    intercepted(
        "MessageReceived",
        &[
            "id",
            "channel",
            "sender",
            "content",
            "attachments",
            "context",
        ],
        &["channel", "sender", "content"],
    )
    .with_context(),
    observed("AgentStart", &["prompt"]),
    intercepted(
        "BeforeModelResolve",
        &["provider", "model"],
        &["provider", "model"],
    ),
    intercepted("BeforePromptBuild", &["prompt"], &["prompt"]),
    intercepted(
        "BeforeLlmCall",
        &["provider", "model", "messages", "tools", "options"],
        &["provider", "model", "messages", "tools", "options"],
    )
    .answerable(),
    observed("LlmInput", &["provider", "model", "messages"]),
    observed("LlmDelta", &["kind", "text"]),
    intercepted(
        "LlmFailed",
        &["provider", "model", "error", "attempt"],
        &["provider", "model", "error"],
    )
    .not_blockable()
    .answerable(),
    observed("LlmOutput", &["provider", "model", "response", "duration"]),
    intercepted(
        "AfterLlmCall",
        &["model", "response", "attempt"],
        &["model", "response"],
    )
    .not_blockable()
    .answerable(),
    intercepted(
        "InvalidToolCall",
        &["id", "name", "args", "annotations", "error"],
        &[],
    )
    .of_tool()
    .answerable()
    .with_args(),
    intercepted(
        "BeforeToolCall",
        &["id", "name", "args", "annotations", "approval", "context"],
        &[],
    )
    .of_tool()
    .answerable()
    .with_context()
    .with_args(),
    intercepted(
        "ApproveToolCall",
        &["id", "name", "args", "annotations", "approval"],
        &[],
    )
    .of_tool()
    .answerable(),
    observed("ToolCallStart", &["id", "name", "args", "annotations"]).of_tool(),
    intercepted(
        "AfterToolCall",
        &[
            "id",
            "name",
            "args",
            "annotations",
            "output",
            "duration",
            "context",
        ],
        &["content", "for_user", "data", "media", "is_error", "silent"],
    )
    .of_tool()
    .not_blockable()
    .with_context(),
    observed(
        "ToolCallEnd",
        &[
            "id",
            "name",
            "args",
            "annotations",
            "output",
            "duration",
            "outcome",
        ],
    )
    .of_tool(),
    observed(
        "ToolCallSkipped",
        &["id", "name", "args", "annotations", "by", "reason"],
    )
    .of_tool(),
    intercepted(
        "SubagentStart",
        &["id", "agent", "prompt", "context"],
        &["agent", "prompt"],
    )
    .with_context(),
    observed("SubagentStop", &["id", "agent", "response", "status"]),
    intercepted("BeforeStop", &["response", "attempt"], &["response"]),
    observed("AgentEnd", &["response", "status", "usage", "duration"]),
    observed("AgentError", &["stage", "message"]),
    intercepted(
        "MessageSending",
        &["channel", "recipient", "content"],
        &["channel", "recipient", "content"],
    ),
    observed("MessageSent", &["channel", "recipient", "content"]),
    observed(
        "MessageFailed",
        &["channel", "recipient", "content", "error"],
    ),
    intercepted(
        "BeforeCompact",
        &["trigger", "instructions"],
        &["trigger", "instructions"],
    ),
    observed("AfterCompact", &["trigger", "summary"]),
    observed("Interrupt", &["kind", "message"]),
    observed("Notification", &["kind", "title", "message"]),
    observed("Custom", &["kind", "payload"]).of_tool(),
];
