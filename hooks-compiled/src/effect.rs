//! What a hook says about an event, for all kinds of hooks, and how it is applied to the event.

use std::fmt;

use hooks_core::agent::{
    AfterLlmCall, AgentEventMut, AgentSaid, Approval, ApproveToolCall, Approved, BeforeLlmCall,
    BeforeToolCall, InvalidToolCall, LlmFailed, LlmResponse, Retry, ToolCallPatch, ToolOutput,
};
use hooks_core::{HookAction, Intercepted, Patch as _};
use hooks_rules::events::EventInfo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::event::info;

/// The decision of a handler.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Verdict {
    /// No decision.
    #[default]
    Continue,
    /// The call needs no approval.
    Approve { by: Option<String> },
    /// A person must be asked.
    Ask { reason: String },
    /// A person decides later.
    Defer { reason: String },
    /// The hook answers in the agent's place.
    Respond(Value),
    /// The event is blocked.
    Block { reason: String },
    /// The turn ends.
    AbortTurn { reason: String },
    /// The run ends.
    AbortRun { reason: String },
}

impl Verdict {
    /// Returns the rank. Of several verdicts on one event, the one with the highest rank counts.
    #[must_use]
    pub fn rank(&self) -> u8 {
        match self {
            Verdict::Continue => 0,
            Verdict::Approve { .. } => 1,
            Verdict::Ask { .. } => 2,
            Verdict::Defer { .. } => 3,
            Verdict::Respond(_) => 4,
            Verdict::Block { .. } => 5,
            Verdict::AbortTurn { .. } => 6,
            Verdict::AbortRun { .. } => 7,
        }
    }

    /// Returns the word for it in a record.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Continue => "continue",
            Verdict::Approve { .. } => "approve",
            Verdict::Ask { .. } => "ask",
            Verdict::Defer { .. } => "defer",
            Verdict::Respond(_) => "respond",
            Verdict::Block { .. } => "block",
            Verdict::AbortTurn { .. } => "abort_turn",
            Verdict::AbortRun { .. } => "abort_run",
        }
    }

    /// Returns the reason, if there is one.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Ask { reason }
            | Verdict::Defer { reason }
            | Verdict::Block { reason }
            | Verdict::AbortTurn { reason }
            | Verdict::AbortRun { reason } => Some(reason),
            Verdict::Continue | Verdict::Approve { .. } | Verdict::Respond(_) => None,
        }
    }
}

/// A change to the event.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Sets these keys. Other keys keep their values.
    Merge(Map<String, Value>),
    /// Replaces everything: the arguments of a tool call, its output, the content of a message, or the prompt.
    Replace(Value),
    /// Calls another tool, with these arguments or the old ones.
    Tool { name: String, args: Option<Value> },
}

/// What a hook says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effect {
    /// The decision.
    pub verdict: Verdict,
    /// The change.
    pub change: Option<Change>,
    /// Text for the model.
    pub context: Vec<String>,
    /// If the event can no longer be blocked, the model reads this instead of the tool's output, or after it.
    pub feedback: Option<String>,
}

/// Why what a hook says does not fit the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

impl Unfit {
    fn of(error: serde_json::Error) -> Self {
        Unfit(error.to_string())
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Applies what a hook has said to an event, and returns the decision for the pipeline.
///
/// # Errors
///
/// If it does not fit the event: an unknown key, a value of the wrong type, or an answer to an event that
/// cannot be answered. The event is then unchanged.
pub fn apply(event: AgentEventMut<'_>, effect: Effect) -> Result<AgentSaid, Unfit> {
    let info = info(&event.view());
    let Effect {
        mut verdict,
        change,
        context,
        mut feedback,
    } = effect;
    if let Verdict::Block { reason } = &verdict
        && !info.is_blockable
    {
        // The call has already run, but the model can still be told.
        feedback.get_or_insert_with(|| reason.clone());
        verdict = Verdict::Continue;
    }
    let said = EventVerdict { info, verdict };
    match event {
        AgentEventMut::BeforeToolCall(call) => {
            let change = changed_call(&call.args, change)?;
            let said = said.of_call(&mut call.approval)?;
            change.apply(call);
            call.context.extend(context);
            Ok(said)
        }
        AgentEventMut::InvalidToolCall(call) => {
            let change = changed_call(&call.args, change)?;
            let said = said.or_respond::<InvalidToolCall, _>(output_of)?;
            change.apply(call);
            Ok(said)
        }
        AgentEventMut::ApproveToolCall(_) => match said.verdict {
            Verdict::Approve { by } => {
                let approved = Approved { by };
                Ok(HookAction::<ApproveToolCall<'_>>::respond(approved).into())
            }
            _ => said.or_respond::<ApproveToolCall<'_>, _>(typed::<Approved>),
        },
        AgentEventMut::AfterToolCall(call) => {
            let output = match change {
                None => None,
                Some(Change::Replace(value)) => Some(output_of(value)?),
                Some(Change::Merge(keys)) => Some(merged(&call.output, keys, info)?),
                Some(Change::Tool { .. }) => return Err(no_change(info)),
            };
            let said = said.alone()?;
            if let Some(output) = output {
                call.output = output;
            }
            call.context.extend(context.into_iter().chain(feedback));
            Ok(said)
        }
        AgentEventMut::BeforeLlmCall(call) => changed(call, None, change, info, || {
            said.or_respond::<BeforeLlmCall, _>(response_of)
        }),
        AgentEventMut::LlmFailed(failed) => changed(failed, None, change, info, || {
            said.or_respond::<LlmFailed, _>(retry_of)
        }),
        AgentEventMut::AfterLlmCall(call) => changed(call, None, change, info, || {
            said.or_respond::<AfterLlmCall, _>(retry_of)
        }),
        AgentEventMut::MessageReceived(message) => {
            let said = changed(message, Some("content"), change, info, || said.alone())?;
            message.context.extend(context);
            Ok(said)
        }
        AgentEventMut::SessionStart(start) => {
            let said = changed(start, None, change, info, || said.alone())?;
            start.context.extend(context.into_iter().chain(feedback));
            Ok(said)
        }
        AgentEventMut::SubagentStart(start) => {
            let said = changed(start, Some("prompt"), change, info, || said.alone())?;
            start.context.extend(context);
            Ok(said)
        }
        AgentEventMut::BeforePromptBuild(build) => {
            let said = changed(build, Some("prompt"), change, info, || said.alone())?;
            for text in context {
                build.prompt.push_str("\n\n");
                build.prompt.push_str(&text);
            }
            Ok(said)
        }
        AgentEventMut::BeforeStop(stop) => {
            let said = said.or_go_on(context);
            changed(stop, Some("response"), change, info, || said.alone())
        }
        AgentEventMut::MessageSending(message) => {
            changed(message, Some("content"), change, info, || said.alone())
        }
        AgentEventMut::BeforeModelResolve(resolve) => {
            changed(resolve, Some("model"), change, info, || said.alone())
        }
        AgentEventMut::BeforeCompact(compact) => {
            changed(compact, Some("instructions"), change, info, || said.alone())
        }
        // Observed events cannot be changed.
        _ => Ok(AgentSaid::Continue),
    }
}

/// A verdict on an event.
struct EventVerdict {
    info: &'static EventInfo,
    verdict: Verdict,
}

impl EventVerdict {
    /// Returns the meaning that the verdict has on every event.
    fn alone(self) -> Result<AgentSaid, Unfit> {
        let EventVerdict { info, verdict } = self;
        Ok(match verdict {
            Verdict::Block { reason } => AgentSaid::block(reason),
            Verdict::AbortTurn { reason } => AgentSaid::abort_turn(reason),
            Verdict::AbortRun { reason } => AgentSaid::abort_run(reason),
            // No person can be asked about this event, so it is blocked.
            Verdict::Ask { reason } | Verdict::Defer { reason } if info.is_blockable => {
                AgentSaid::block(reason)
            }
            Verdict::Continue
            | Verdict::Approve { .. }
            | Verdict::Ask { .. }
            | Verdict::Defer { .. } => AgentSaid::Continue,
            Verdict::Respond(_) => {
                return Err(Unfit(format!(
                    "`{}` cannot be answered by a hook",
                    info.name
                )));
            }
        })
    }

    /// Does the same as [`alone`](Self::alone), for an event that a hook may answer.
    fn or_respond<E, R>(
        self,
        read: impl FnOnce(Value) -> Result<R, Unfit>,
    ) -> Result<AgentSaid, Unfit>
    where
        E: Intercepted,
        R: Into<E::Response>,
        AgentSaid: From<HookAction<E>>,
    {
        match self.verdict {
            Verdict::Respond(value) => Ok(HookAction::Respond(read(value)?.into()).into()),
            _ => self.alone(),
        }
    }

    /// Does the same for a tool call, whose approval it may change. After an error, the approval is unchanged.
    fn of_call(self, approval: &mut Approval) -> Result<AgentSaid, Unfit> {
        match self.verdict {
            // What a person decides later is not asked now.
            Verdict::Ask { reason } if !matches!(approval, Approval::Defer { .. }) => {
                *approval = Approval::ask(reason);
                Ok(AgentSaid::Continue)
            }
            Verdict::Defer { reason } => {
                *approval = Approval::defer(reason);
                Ok(AgentSaid::Continue)
            }
            // A hook that approves does not overrule a hook that wants a person to decide.
            Verdict::Ask { .. } | Verdict::Approve { .. } if approval.is_wanted() => {
                Ok(AgentSaid::Continue)
            }
            Verdict::Approve { by } => {
                *approval = Approval::granted(by.unwrap_or_else(|| "a hook".into()));
                Ok(AgentSaid::Continue)
            }
            _ => self.or_respond::<BeforeToolCall, _>(output_of),
        }
    }

    /// If an agent wants to stop, text for the model is a reason to continue.
    fn or_go_on(self, context: Vec<String>) -> Self {
        match self.verdict {
            Verdict::Continue if !context.is_empty() => EventVerdict {
                verdict: Verdict::Block {
                    reason: context.join("\n"),
                },
                ..self
            },
            _ => self,
        }
    }
}

/// Changes an event, if the verdict fits too. A plain string changes its `main` text.
fn changed<T: Serialize + DeserializeOwned>(
    event: &mut T,
    main: Option<&str>,
    change: Option<Change>,
    info: &EventInfo,
    said: impl FnOnce() -> Result<AgentSaid, Unfit>,
) -> Result<AgentSaid, Unfit> {
    let keys = match (change, main) {
        (None, _) => return said(),
        (Some(Change::Merge(keys) | Change::Replace(Value::Object(keys))), _) => keys,
        (Some(Change::Replace(text @ Value::String(_))), Some(main)) => {
            Map::from_iter([(main.to_owned(), text)])
        }
        (Some(Change::Replace(_) | Change::Tool { .. }), _) => return Err(no_change(info)),
    };
    let changed = merged(event, keys, info)?;
    let said = said()?;
    *event = changed;
    Ok(said)
}

/// Returns what changes in a tool call.
fn changed_call(args: &Value, change: Option<Change>) -> Result<ToolCallPatch, Unfit> {
    let (name, args) = match change {
        None => (None, None),
        Some(Change::Replace(args)) => (None, Some(object(args)?)),
        Some(Change::Merge(keys)) => {
            let mut args = args.as_object().cloned().unwrap_or_default();
            args.extend(keys);
            (None, Some(Value::Object(args)))
        }
        Some(Change::Tool { name, args }) => (Some(name), args.map(object).transpose()?),
    };
    Ok(ToolCallPatch { name, args })
}

fn object(args: Value) -> Result<Value, Unfit> {
    if args.is_object() {
        return Ok(args);
    }
    Err(Unfit(format!(
        "the arguments of a tool call must be an object, but the hook gave {}",
        kind_of(&args)
    )))
}

/// Returns a payload with some of its keys set.
fn merged<T: Serialize + DeserializeOwned>(
    payload: &T,
    keys: Map<String, Value>,
    info: &EventInfo,
) -> Result<T, Unfit> {
    if let Some(unknown) = keys.keys().find(|key| !info.keys.contains(&key.as_str())) {
        return Err(Unfit(format!(
            "`{unknown}` of `{}` cannot be changed: the keys that can are `{}`",
            info.name,
            info.keys.join("`, `")
        )));
    }
    let mut value = serde_json::to_value(payload).map_err(Unfit::of)?;
    if let Value::Object(fields) = &mut value {
        fields.extend(keys);
    }
    typed(value)
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, Unfit> {
    serde_json::from_value(value).map_err(Unfit::of)
}

/// Returns a tool's output: from a string, an object with the keys of an output, or any other JSON, as text.
pub fn output_of(value: Value) -> Result<ToolOutput, Unfit> {
    match value {
        Value::String(content) => Ok(ToolOutput::new(content)),
        Value::Object(ref fields) if fields.contains_key("content") => {
            let known = ["content", "for_user", "data", "media", "is_error", "silent"];
            if fields.keys().all(|key| known.contains(&key.as_str()))
                && fields["content"].is_string()
            {
                return typed(value);
            }
            let text = match &fields["content"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Ok(ToolOutput {
                data: Some(value),
                ..ToolOutput::new(text)
            })
        }
        other => Ok(ToolOutput {
            content: other.to_string(),
            data: Some(other),
            ..ToolOutput::default()
        }),
    }
}

fn response_of(value: Value) -> Result<LlmResponse, Unfit> {
    match value {
        Value::String(content) => Ok(LlmResponse::new(content)),
        other => typed(other),
    }
}

fn retry_of(value: Value) -> Result<Retry, Unfit> {
    match value {
        Value::String(feedback) => Ok(Retry::with_feedback(feedback)),
        Value::Null | Value::Bool(true) => Ok(Retry::new()),
        other => typed(other),
    }
}

fn no_change(info: &EventInfo) -> Unfit {
    Unfit(format!("`{}` cannot be changed in that way", info.name))
}

/// Returns the type of a JSON value, in words.
#[must_use]
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
