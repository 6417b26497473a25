//! What the runtime knows about each event: its name, what handlers may decide, and what they may change.

use hooks_core::EventSet;
use hooks_core::agent::AgentEvent;

pub(crate) use hooks_compiled::event::{args, info, subject};
pub(crate) use hooks_rules::events::{CONTEXT, EVENTS, EventInfo};

/// Returns the set that contains only an event.
#[must_use]
pub(crate) fn set_of(event: &EventInfo) -> EventSet {
    EventSet::named::<AgentEvent<'static>>(event.name).unwrap_or(EventSet::NONE)
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
