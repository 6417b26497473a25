//! What the runtime knows about each event: its name, what handlers may decide, and what they may change.

use hooks_core::EventSet;
use hooks_core::agent::AgentEvent;
use serde_json::Value;

/// One event of the standard vocabulary.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a row of a table")]
pub(crate) struct EventInfo {
    /// The name, such as `BeforeToolCall`.
    pub(crate) name: &'static str,
    /// Whether hooks decide about it. Otherwise they only observe it.
    pub(crate) is_intercepted: bool,
    /// Whether a hook can block it.
    pub(crate) is_blockable: bool,
    /// Whether a hook can answer in the agent's place.
    pub(crate) is_answerable: bool,
    /// Whether hooks can add text for the model.
    pub(crate) takes_context: bool,
    /// Whether it is about a tool, which `tools` and `matcher` are compared with.
    pub(crate) has_subject: bool,
    /// The names of its fields, for expressions.
    pub(crate) fields: &'static [&'static str],
    /// The keys that `modify` may set.
    pub(crate) keys: &'static [&'static str],
    /// Whether `modify` sets keys of the tool's arguments, which may have any name.
    pub(crate) takes_args: bool,
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
    #[must_use]
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        EVENTS.iter().find(|event| event.name == name)
    }

    /// Returns the set that contains only this event.
    #[must_use]
    pub(crate) fn set(&self) -> EventSet {
        EventSet::named::<AgentEvent<'static>>(self.name).unwrap_or(EventSet::NONE)
    }
}

/// All events, in the order of the vocabulary.
pub(crate) static EVENTS: [EventInfo; 35] = [
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

/// Returns the row of an event.
#[must_use]
pub(crate) fn info(event: &AgentEvent<'_>) -> &'static EventInfo {
    &EVENTS[event.info().index as usize]
}

/// Returns the arguments of the tool, for events about one.
pub(crate) fn args<'a>(event: &AgentEvent<'a>) -> Option<&'a Value> {
    match *event {
        AgentEvent::InvalidToolCall(call) => Some(&call.args),
        AgentEvent::BeforeToolCall(call) => Some(&call.args),
        AgentEvent::ApproveToolCall(call) => Some(call.args),
        AgentEvent::ToolCallStart(call) => Some(call.args),
        AgentEvent::AfterToolCall(call) => Some(&call.args),
        AgentEvent::ToolCallEnd(call) => Some(call.args),
        AgentEvent::ToolCallSkipped(call) => Some(call.args),
        _ => None,
    }
}

/// Returns the subject of an event: the name of the tool, or the kind of a custom event.
#[must_use]
pub(crate) fn subject<'a>(event: &AgentEvent<'a>) -> Option<&'a str> {
    Some(match *event {
        AgentEvent::InvalidToolCall(call) => &call.name,
        AgentEvent::BeforeToolCall(call) => &call.name,
        AgentEvent::ApproveToolCall(call) => call.name,
        AgentEvent::ToolCallStart(call) => call.name,
        AgentEvent::AfterToolCall(call) => &call.name,
        AgentEvent::ToolCallEnd(call) => call.name,
        AgentEvent::ToolCallSkipped(call) => call.name,
        AgentEvent::Custom(event) => event.kind,
        _ => return None,
    })
}

/// Returns the id of the tool call that an event belongs to.
#[must_use]
pub(crate) fn call_id<'a>(event: &AgentEvent<'a>) -> Option<&'a str> {
    Some(match *event {
        AgentEvent::InvalidToolCall(call) => &call.id,
        AgentEvent::BeforeToolCall(call) => &call.id,
        AgentEvent::ApproveToolCall(call) => call.id,
        AgentEvent::ToolCallStart(call) => call.id,
        AgentEvent::AfterToolCall(call) => &call.id,
        AgentEvent::ToolCallEnd(call) => call.id,
        AgentEvent::ToolCallSkipped(call) => call.id,
        _ => return None,
    })
}

/// Returns the texts that hooks have added for the model, for events that take some and keep them as a list.
#[must_use]
pub(crate) fn context<'a>(event: &AgentEvent<'a>) -> Option<&'a [String]> {
    Some(match *event {
        AgentEvent::BeforeToolCall(call) => &call.context,
        AgentEvent::AfterToolCall(call) => &call.context,
        AgentEvent::MessageReceived(message) => &message.context,
        AgentEvent::SessionStart(start) => &start.context,
        AgentEvent::SubagentStart(start) => &start.context,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use hooks_core::Vocabulary;
    use hooks_core::agent::{
        AfterLlmCall, AfterToolCall, AgentEventMut, Approval, ApproveToolCall, BeforeCompact,
        BeforeLlmCall, BeforeModelResolve, BeforePromptBuild, BeforeStop, BeforeToolCall,
        InvalidToolCall, LlmFailed, MessageReceived, MessageSending, SessionStart, SubagentStart,
        ToolAnnotations,
    };

    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_vocabulary() {
        let names: Vec<_> = EVENTS.iter().map(|event| event.name).collect();
        let vocabulary = AgentEvent::<'static>::EVENTS.iter();
        assert_eq!(
            names,
            vocabulary.map(|event| event.name).collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_table_says_what_may_be_blocked_and_set() {
        let args = serde_json::json!({});
        let approval = Approval::Usual;
        let approve = ApproveToolCall {
            id: "",
            name: "",
            args: &args,
            annotations: ToolAnnotations::default(),
            approval: &approval,
        };
        let mut intercepted = 0;
        macro_rules! check {
            ($($event:ident = $value:expr),* $(,)?) => { $(
                let info = EventInfo::named(stringify!($event)).unwrap();
                let mut event = $value;
                let fields = serde_json::to_value(&event).unwrap();
                let view = AgentEventMut::$event(&mut event);
                assert_eq!(view.can_block(), info.is_blockable, "{}", info.name);
                assert!(info.is_intercepted && std::ptr::eq(super::info(&view.view()), info));
                for field in fields.as_object().unwrap().keys() {
                    assert!(info.fields.contains(&field.as_str()), "{}: {field}", info.name);
                }
                intercepted += 1;
            )* };
        }
        check!(
            SessionStart = SessionStart::default(),
            MessageReceived = MessageReceived::default(),
            BeforeModelResolve = BeforeModelResolve::default(),
            BeforePromptBuild = BeforePromptBuild::default(),
            BeforeLlmCall = BeforeLlmCall::default(),
            LlmFailed = LlmFailed::default(),
            AfterLlmCall = AfterLlmCall::default(),
            InvalidToolCall = InvalidToolCall::default(),
            BeforeToolCall = BeforeToolCall::default(),
            AfterToolCall = AfterToolCall::default(),
            SubagentStart = SubagentStart::default(),
            BeforeStop = BeforeStop::default(),
            MessageSending = MessageSending::default(),
            BeforeCompact = BeforeCompact::default(),
        );
        let view = AgentEventMut::ApproveToolCall(&approve);
        assert!(view.can_block() && super::info(&view.view()).is_blockable);
        assert_eq!(
            EVENTS.iter().filter(|event| event.is_intercepted).count(),
            intercepted + 1
        );
    }
}
