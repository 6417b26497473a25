//! An event that owns all of its data. It is created from JSON, for agents in other languages and for programs that try
//! hooks.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use hooks_core::agent::{
    AfterCompact, AfterLlmCall, AfterToolCall, AgentContext, AgentEnd, AgentError, AgentEvent,
    AgentEventMut, AgentStart, Approval, ApproveToolCall, BeforeCompact, BeforeLlmCall,
    BeforeModelResolve, BeforePromptBuild, BeforeStop, BeforeToolCall, ChatMessage, Custom,
    GatewayStart, GatewayStop, HeartbeatTick, Interrupt, InvalidToolCall, LlmDelta, LlmFailed,
    LlmInput, LlmOutput, LlmResponse, MessageFailed, MessageReceived, MessageSending, MessageSent,
    Notification, SessionEnd, SessionStart, SubagentStart, SubagentStop, ToolCallEnd,
    ToolCallSkipped, ToolCallStart, ToolOutcome, ToolOutput,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use yoke::{Yoke, Yokeable};

use crate::answer::kind_of;
use crate::events::EventInfo;
use crate::record::Record;
use crate::system::Dialect;
use crate::system::names;
use crate::system::table::EventCondition;

/// An event of the standard vocabulary, which owns all of its data.
///
/// The events of an agent borrow from it. This one is created [from JSON](Self::from_json), so a program can raise any
/// event: for example, to try hooks, or to run them for an agent in another language.
///
/// ```
/// use hooks_core::agent::AgentContext;
/// use hooks_runtime::{OwnedEvent, Runtime};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder()
///     .text("[[hooks.on]]\nevent = 'BeforeToolCall'\nmodify = { dry_run = true }")
///     .build()
///     .await?;
/// let mut event = OwnedEvent::from_json("PreToolUse", json!({ "name": "deploy", "args": { "to": "production" } }))?;
/// assert_eq!(event.name(), "BeforeToolCall");
/// assert!(runtime.dispatch(&AgentContext::new("s1"), event.as_mut()).await.is_continue());
/// assert_eq!(event.to_json()["args"], json!({ "to": "production", "dry_run": true }));
/// # Ok(())
/// # }
/// ```
pub struct OwnedEvent(Held);

/// Why JSON is not an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventError(String);

impl EventError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        EventError(message.into())
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EventError {}

/// The JSON of an event that borrows, and the parts that it borrows as types other than JSON.
struct Data {
    fields: Value,
    approval: Approval,
    output: ToolOutput,
    messages: Vec<ChatMessage>,
    response: LlmResponse,
    nothing: Value,
}

impl Data {
    fn part<T: DeserializeOwned + Default>(fields: &Value, key: &str) -> Result<T, EventError> {
        match fields.get(key) {
            None => Ok(T::default()),
            Some(value) => {
                T::deserialize(value).map_err(|error| EventError::new(format!("`{key}`: {error}")))
            }
        }
    }

    fn new(fields: Value) -> Result<Self, EventError> {
        Ok(Data {
            approval: Data::part(&fields, "approval")?,
            output: Data::part(&fields, "output")?,
            messages: Data::part(&fields, "messages")?,
            // The response of a model. `SubagentStop` and others have a string with this name.
            response: match fields.get("response") {
                Some(Value::Object(_)) => Data::part(&fields, "response")?,
                _ => LlmResponse::default(),
            },
            nothing: Value::Object(Map::new()),
            fields,
        })
    }

    fn text(&self, key: &str) -> Result<&str, EventError> {
        match self.fields.get(key) {
            None => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(EventError::new(format!(
                "`{key}` must be a string, not {}",
                kind_of(other)
            ))),
        }
    }

    fn value(&self, key: &str) -> &Value {
        self.fields.get(key).unwrap_or(&self.nothing)
    }

    fn copied<T: DeserializeOwned + Default>(&self, key: &str) -> Result<T, EventError> {
        Data::part(&self.fields, key)
    }
}

/// Creates an event that borrows from its data.
trait Borrowed<'a>: Sized {
    fn borrowed(data: &'a Data) -> Result<Self, EventError>;
}

/// Events with only strings and numbers, which serde can borrow itself.
macro_rules! plain {
    ($($payload:ident $(<$lifetime:lifetime>)?),* $(,)?) => { $(
        impl<'a> Borrowed<'a> for $payload $(<$lifetime>)? {
            fn borrowed(data: &'a Data) -> Result<Self, EventError> {
                $payload::deserialize(&data.fields).map_err(|error| EventError::new(error.to_string()))
            }
        }
    )* };
}
plain![
    GatewayStart<'a>,
    SessionEnd<'a>,
    AgentStart<'a>,
    LlmDelta<'a>,
    SubagentStop<'a>,
    AgentEnd<'a>,
    AgentError<'a>,
    MessageSent<'a>,
    MessageFailed<'a>,
    AfterCompact<'a>,
    Interrupt<'a>,
    Notification<'a>,
];

impl<'a> Borrowed<'a> for LlmInput<'a> {
    fn borrowed(data: &'a Data) -> Result<Self, EventError> {
        Ok(LlmInput {
            provider: data.text("provider")?,
            model: data.text("model")?,
            messages: &data.messages,
        })
    }
}

impl<'a> Borrowed<'a> for LlmOutput<'a> {
    fn borrowed(data: &'a Data) -> Result<Self, EventError> {
        Ok(LlmOutput {
            provider: data.text("provider")?,
            model: data.text("model")?,
            response: &data.response,
            duration: data.copied("duration")?,
        })
    }
}

impl<'a> Borrowed<'a> for ApproveToolCall<'a> {
    fn borrowed(data: &'a Data) -> Result<Self, EventError> {
        Ok(ApproveToolCall {
            id: data.text("id")?,
            name: data.text("name")?,
            args: data.value("args"),
            annotations: data.copied("annotations")?,
            approval: &data.approval,
        })
    }
}

impl<'a> Borrowed<'a> for ToolCallStart<'a> {
    fn borrowed(data: &'a Data) -> Result<Self, EventError> {
        Ok(ToolCallStart {
            id: data.text("id")?,
            name: data.text("name")?,
            args: data.value("args"),
            annotations: data.copied("annotations")?,
        })
    }
}

impl<'a> Borrowed<'a> for ToolCallEnd<'a> {
    fn borrowed(data: &'a Data) -> Result<Self, EventError> {
        Ok(ToolCallEnd {
            id: data.text("id")?,
            name: data.text("name")?,
            args: data.value("args"),
            annotations: data.copied("annotations")?,
            output: &data.output,
            duration: data.copied::<Duration>("duration")?,
            outcome: data.copied::<ToolOutcome>("outcome")?,
        })
    }
}

impl<'a> Borrowed<'a> for ToolCallSkipped<'a> {
    fn borrowed(data: &'a Data) -> Result<Self, EventError> {
        Ok(ToolCallSkipped {
            id: data.text("id")?,
            name: data.text("name")?,
            args: data.value("args"),
            annotations: data.copied("annotations")?,
            by: data.text("by")?,
            reason: data.text("reason")?,
        })
    }
}

impl<'a> Borrowed<'a> for Custom<'a> {
    fn borrowed(data: &'a Data) -> Result<Self, EventError> {
        Ok(Custom {
            kind: data.text("kind")?,
            payload: data.value("payload"),
        })
    }
}

/// Fills missing fields of an event with those of an empty event.
fn with_defaults<T: Serialize + Default>(fields: Map<String, Value>) -> Map<String, Value> {
    match serde_json::to_value(T::default()) {
        Ok(Value::Object(mut all)) => {
            all.extend(fields);
            all
        }
        _ => fields,
    }
}

/// Generates everything that depends on the kind of event, for all events.
///
/// `owned`: the payload owns its data, and hooks may change it. `empty`: it has no data. `lent`: it borrows. `default`:
/// a missing field has the value of an empty payload.
macro_rules! events {
    (
        owned { $($owned:ident),* $(,)? }
        empty { $($empty:ident),* $(,)? }
        lent { $($lent:ident),* $(,)? }
        default { $($default:ident),* $(,)? }
    ) => {
        /// The payload of one event.
        enum Held {
            $($owned($owned),)*
            $($empty($empty),)*
            Lent(Yoke<Lent<'static>, Box<Data>>),
        }

        /// A payload that borrows.
        #[derive(Yokeable)]
        enum Lent<'a> {
            $($lent($lent<'a>),)*
            $($default($default<'a>),)*
        }

        impl Held {
            fn made(name: &str, fields: Map<String, Value>) -> Result<Self, EventError> {
                match name {
                    $(stringify!($owned) => serde_json::from_value(Value::Object(fields))
                        .map(Held::$owned)
                        .map_err(|error| EventError::new(error.to_string())),)*
                    $(stringify!($empty) => Ok(Held::$empty($empty)),)*
                    $(stringify!($lent) => {
                        let data = Box::new(Data::new(Value::Object(fields))?);
                        Yoke::try_attach_to_cart(data, |data| {
                            $lent::borrowed(data).map(Lent::$lent)
                        })
                        .map(Held::Lent)
                    })*
                    $(stringify!($default) => {
                        let fields = with_defaults::<$default<'_>>(fields);
                        let data = Box::new(Data::new(Value::Object(fields))?);
                        Yoke::try_attach_to_cart(data, |data| {
                            $default::borrowed(data).map(Lent::$default)
                        })
                        .map(Held::Lent)
                    })*
                    _ => Err(EventError::new(format!("`{name}` cannot be built from JSON"))),
                }
            }

            fn as_mut(&mut self) -> AgentEventMut<'_> {
                match self {
                    $(Held::$owned(event) => AgentEventMut::$owned(event),)*
                    $(Held::$empty(event) => AgentEventMut::$empty(event),)*
                    Held::Lent(lent) => match lent.get() {
                        $(Lent::$lent(event) => AgentEventMut::$lent(event),)*
                        $(Lent::$default(event) => AgentEventMut::$default(event),)*
                    },
                }
            }

            fn view(&self) -> AgentEvent<'_> {
                match self {
                    $(Held::$owned(event) => AgentEvent::$owned(event),)*
                    $(Held::$empty(event) => AgentEvent::$empty(event),)*
                    Held::Lent(lent) => match lent.get() {
                        $(Lent::$lent(event) => AgentEvent::$lent(event),)*
                        $(Lent::$default(event) => AgentEvent::$default(event),)*
                    },
                }
            }
        }

        $(
            impl From<$owned> for OwnedEvent {
                fn from(event: $owned) -> Self {
                    OwnedEvent(Held::$owned(event))
                }
            }
        )*
    };
}

events! {
    owned {
        SessionStart, MessageReceived, BeforeModelResolve, BeforePromptBuild, BeforeLlmCall,
        LlmFailed, AfterLlmCall, InvalidToolCall, BeforeToolCall, AfterToolCall, SubagentStart,
        BeforeStop, MessageSending, BeforeCompact,
    }
    empty { GatewayStop, HeartbeatTick }
    lent {
        LlmInput, LlmOutput, ApproveToolCall, ToolCallStart, ToolCallEnd, ToolCallSkipped, Custom,
    }
    default {
        GatewayStart, SessionEnd, AgentStart, LlmDelta, SubagentStop, AgentEnd, AgentError,
        MessageSent, MessageFailed, AfterCompact, Interrupt, Notification,
    }
}

/// What the name of an event says: which of our events it is, and which part of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meaning {
    /// Our name.
    pub event: &'static str,
    /// The tool has failed.
    pub failed: bool,
    /// The agent is a subagent.
    pub nested: bool,
}

impl Meaning {
    /// Returns what a name says in a file of a system: one of ours, or one of another system's.
    ///
    /// ```
    /// use hooks_runtime::{Dialect, Meaning};
    ///
    /// let stop = Meaning::of(Dialect::Claude, "SubagentStop")?;
    /// assert_eq!((stop.event, stop.nested), ("BeforeStop", true));
    /// assert_eq!(Meaning::of(Dialect::Hooks, "SubagentStop")?.event, "SubagentStop");
    /// # Ok::<(), hooks_runtime::EventError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no event with this name.
    pub fn of(dialect: Dialect, name: &str) -> Result<Self, EventError> {
        let ours = names::ours(dialect, name);
        let Some((info, _)) = ours.first() else {
            return Err(unknown(name));
        };
        let whens = names::whens(dialect, &[name.to_owned()]);
        let is = |when| whens.iter().any(|(_, other)| *other == when);
        Ok(Meaning {
            event: info.name,
            failed: is(EventCondition::Failed),
            nested: is(EventCondition::Nested),
        })
    }
}

fn unknown(name: &str) -> EventError {
    let suggestion = names::suggestion(name);
    EventError::new(format!("there is no event `{name}`: {suggestion}"))
}

impl OwnedEvent {
    /// Creates an event from its name and its payload.
    ///
    /// The payload is a JSON object with the fields of the event, as the event itself serializes. Missing fields are
    /// empty. The name is one of ours, or another system's name for the same event, such as `PreToolUse`.
    ///
    /// # Errors
    ///
    /// If there is no event with this name, the event has no such field, or a value has the wrong type.
    ///
    /// ```
    /// use hooks_runtime::OwnedEvent;
    /// use serde_json::json;
    ///
    /// let event = OwnedEvent::from_json("ToolCallEnd", json!({ "name": "ls", "output": { "content": "a.txt" } }))?;
    /// assert_eq!(event.to_json()["output"]["content"], "a.txt");
    ///
    /// let error = OwnedEvent::from_json("BeforeToolCall", json!({ "tool": "ls" })).err().unwrap();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "`tool` is not a field of `BeforeToolCall`: the fields are `id`, `name`, `args`, `annotations`, `approval`, `context`",
    /// );
    /// # Ok::<(), hooks_runtime::EventError>(())
    /// ```
    pub fn from_json(name: &str, payload: Value) -> Result<Self, EventError> {
        let Some(info) = OwnedEvent::known(name) else {
            return Err(unknown(name));
        };
        let mut fields = match payload {
            Value::Object(fields) => fields,
            Value::Null => Map::new(),
            other => {
                return Err(EventError::new(format!(
                    "the payload of `{}` must be an object, not {}",
                    info.name,
                    kind_of(&other)
                )));
            }
        };
        // The name, which `AgentEvent` also serializes.
        if !info.fields.contains(&"event")
            && fields.get("event").and_then(Value::as_str) == Some(info.name)
        {
            fields.remove("event");
        }
        if let Some(unknown) = fields
            .keys()
            .find(|key| !info.fields.contains(&key.as_str()))
        {
            let known = match info.fields {
                [] => Cow::Borrowed("the event has no fields"),
                fields => format!("the fields are `{}`", fields.join("`, `")).into(),
            };
            return Err(EventError::new(format!(
                "`{unknown}` is not a field of `{}`: {known}",
                info.name
            )));
        }
        Held::made(info.name, fields)
            .map(OwnedEvent)
            .map_err(|EventError(error)| EventError::new(format!("`{}`: {error}", info.name)))
    }

    /// Returns the event of a [record of a whole dispatch](crate::Record::is_event), and its context; `None` if the record
    /// holds no event.
    ///
    /// # Errors
    ///
    /// If it is an event that this version does not know.
    #[must_use]
    pub fn of_record(record: &Record) -> Option<Result<(AgentContext, Self), EventError>> {
        let input = record.input.as_ref()?;
        let cx = serde_json::from_value(input["cx"].clone());
        let event = OwnedEvent::from_json(&record.event, input["event"].clone());
        let wrong = |error: serde_json::Error| {
            EventError::new(format!("the context of the record: {error}"))
        };
        Some(cx.map_err(wrong).and_then(|cx| Ok((cx, event?))))
    }

    fn known(name: &str) -> Option<&'static EventInfo> {
        names::ours(Dialect::Hooks, name)
            .first()
            .map(|(info, _)| *info)
    }

    /// Returns our name for an event, from our name or another system's.
    ///
    /// ```
    /// use hooks_runtime::OwnedEvent;
    /// assert_eq!(OwnedEvent::name_of("pre_tool_use"), Some("BeforeToolCall"));
    /// assert_eq!(OwnedEvent::name_of("lunch"), None);
    /// ```
    #[must_use]
    pub fn name_of(name: &str) -> Option<&'static str> {
        OwnedEvent::known(name).map(|info| info.name)
    }

    /// Returns the fields of an event, by its name; none if there is no such event.
    ///
    /// ```
    /// use hooks_runtime::OwnedEvent;
    /// assert_eq!(OwnedEvent::fields_of("BeforeStop"), ["response", "attempt"]);
    /// ```
    #[must_use]
    pub fn fields_of(name: &str) -> &'static [&'static str] {
        OwnedEvent::known(name).map_or(&[], |info| info.fields)
    }

    /// Returns the event's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.view().name()
    }

    /// Returns the subject of the event: the name of the tool, or the kind of a custom event.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        crate::events::subject(&self.view())
    }

    /// Returns how a tool call gets its approval, and the event that an agent raises for that before the tool runs;
    /// `None` if the event is not a `BeforeToolCall`.
    ///
    /// # Errors
    ///
    /// If the call cannot be written as that event.
    ///
    /// ```
    /// use hooks_core::agent::Approval;
    /// use hooks_runtime::OwnedEvent;
    ///
    /// let call = OwnedEvent::from_json("BeforeToolCall", serde_json::json!({ "name": "deploy" }))?;
    /// let (approval, event) = call.approval().unwrap()?;
    /// assert_eq!((approval, event.name(), event.subject()), (Approval::Usual, "ApproveToolCall", Some("deploy")));
    /// # Ok::<(), hooks_runtime::EventError>(())
    /// ```
    #[must_use]
    pub fn approval(&self) -> Option<Result<(Approval, OwnedEvent), EventError>> {
        let AgentEvent::BeforeToolCall(call) = self.view() else {
            return None;
        };
        let fields = serde_json::to_value(ApproveToolCall::from(call));
        let event = fields
            .map_err(|error| EventError::new(error.to_string()))
            .and_then(|fields| OwnedEvent::from_json("ApproveToolCall", fields));
        Some(event.map(|event| (call.approval.clone(), event)))
    }

    /// Borrows the event for hooks, which may change it.
    pub fn as_mut(&mut self) -> AgentEventMut<'_> {
        self.0.as_mut()
    }

    /// Borrows the event for reading.
    #[must_use]
    pub fn view(&self) -> AgentEvent<'_> {
        self.0.view()
    }

    /// Returns the event as JSON: its name under `event`, and its fields.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self.view()).unwrap_or_default()
    }
}

impl fmt::Debug for OwnedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
