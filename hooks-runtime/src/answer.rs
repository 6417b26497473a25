//! What a handler says of an event, whatever its kind and its dialect, and how that is applied to the event.
//!
//! Every handler's output becomes one [`Answer`]. One function applies it, so a command, an endpoint and a rule that say
//! the same do the same.

use hooks_core::HookAction;
use hooks_core::agent::{
    AfterLlmCall, AgentEventMut, AgentSaid, Approval, ApproveToolCall, Approved, BeforeLlmCall,
    BeforeToolCall, InvalidToolCall, LlmFailed, LlmResponse, Retry, ToolOutput,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::events::{self, EventInfo};
use crate::fault::Fault;

/// How much text for the model one handler may add, in characters. The rest is cut, with a mark.
pub(crate) const MOST_CONTEXT: usize = 10_000;

/// What a handler decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Verdict {
    /// Nothing.
    #[default]
    Continue,
    /// The call needs no approval.
    Approve { by: Option<String> },
    /// Somebody is to be asked.
    Ask { reason: String },
    /// An answer in the agent's place.
    Respond(Value),
    /// This event does not go on.
    Block { reason: String },
    /// Nor does the turn.
    AbortTurn { reason: String },
    /// Nor does the run.
    AbortRun { reason: String },
}

impl Verdict {
    /// Of several verdicts on one event, the one with the highest rank counts.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Verdict::Continue => 0,
            Verdict::Approve { .. } => 1,
            Verdict::Ask { .. } => 2,
            Verdict::Respond(_) => 3,
            Verdict::Block { .. } => 4,
            Verdict::AbortTurn { .. } => 5,
            Verdict::AbortRun { .. } => 6,
        }
    }

    /// The word for it in a record.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Verdict::Continue => "continue",
            Verdict::Approve { .. } => "approve",
            Verdict::Ask { .. } => "ask",
            Verdict::Respond(_) => "respond",
            Verdict::Block { .. } => "block",
            Verdict::AbortTurn { .. } => "abort_turn",
            Verdict::AbortRun { .. } => "abort_run",
        }
    }

    /// Why, if it says so.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Ask { reason }
            | Verdict::Block { reason }
            | Verdict::AbortTurn { reason }
            | Verdict::AbortRun { reason } => Some(reason),
            Verdict::Continue | Verdict::Approve { .. } | Verdict::Respond(_) => None,
        }
    }
}

/// A change of the event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// The keys that are set; others keep their values.
    Merge(Map<String, Value>),
    /// The whole: the arguments of a tool call, the output of one, the content of a message, the prompt.
    Replace(Value),
    /// Another tool, with these arguments or its old ones.
    Tool { name: String, args: Option<Value> },
}

/// What a handler says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    pub(crate) change: Option<Change>,
    /// Text for the model.
    pub(crate) context: Vec<String>,
    /// Text for the user: it is logged.
    pub(crate) messages: Vec<String>,
    /// What was odd about the answer: it is logged once, and stands in the record.
    pub(crate) warnings: Vec<String>,
    /// What the model reads in place of the tool's output, or after it, where the event cannot be blocked any more.
    pub(crate) feedback: Option<String>,
}

impl Answer {
    pub(crate) fn of(verdict: Verdict) -> Self {
        Answer {
            verdict,
            ..Answer::default()
        }
    }

    pub(crate) fn block(reason: impl Into<String>) -> Self {
        Answer::of(Verdict::Block {
            reason: reason.into(),
        })
    }

    /// Whether nothing comes of it.
    pub(crate) fn is_nothing(&self) -> bool {
        self.verdict == Verdict::Continue
            && self.change.is_none()
            && self.context.is_empty()
            && self.feedback.is_none()
    }
}

/// Applies an answer to an event, and returns what the hook says then.
///
/// # Errors
///
/// If the answer does not fit the event: an unknown key, a value of the wrong type, an answer where none can be given.
/// The event is then unchanged.
pub(crate) fn apply(event: AgentEventMut<'_>, answer: Answer) -> Result<AgentSaid, Fault> {
    let info = events::info(&event.view());
    let Answer {
        mut verdict,
        change,
        context,
        feedback,
        ..
    } = answer;
    if let Verdict::Block { reason } = &verdict
        && !info.is_blockable
        && feedback.is_none()
    {
        // After the fact, the model can still be told.
        let feedback = Some(reason.clone());
        verdict = Verdict::Continue;
        return applied(event, info, verdict, change, context, feedback);
    }
    applied(event, info, verdict, change, context, feedback)
}

fn applied(
    event: AgentEventMut<'_>,
    info: &'static EventInfo,
    verdict: Verdict,
    change: Option<Change>,
    context: Vec<String>,
    feedback: Option<String>,
) -> Result<AgentSaid, Fault> {
    let context: Vec<String> = context.into_iter().map(cut).collect();
    match event {
        AgentEventMut::BeforeToolCall(call) => {
            let mut changed = changed_call(&call.name, &call.args, change)?;
            let said = match verdict {
                Verdict::Respond(value) => {
                    HookAction::<BeforeToolCall>::respond(output_of(value)?).into()
                }
                Verdict::Ask { reason } => {
                    call.approval = Approval::ask(reason);
                    AgentSaid::Continue
                }
                // Who wants somebody to be asked is not overruled by who does not mind.
                Verdict::Approve { by } if !matches!(call.approval, Approval::Ask { .. }) => {
                    call.approval = Approval::granted(by.unwrap_or_else(|| "a hook".into()));
                    AgentSaid::Continue
                }
                other => said(info, other)?,
            };
            if let Some((name, args)) = changed.take() {
                (call.name, call.args) = (name, args);
            }
            call.context.extend(context);
            Ok(said)
        }
        AgentEventMut::InvalidToolCall(call) => {
            let changed = changed_call(&call.name, &call.args, change)?;
            let said = match verdict {
                Verdict::Respond(value) => {
                    HookAction::<InvalidToolCall>::respond(output_of(value)?).into()
                }
                other => said(info, other)?,
            };
            if let Some((name, args)) = changed {
                (call.name, call.args) = (name, args);
            }
            Ok(said)
        }
        AgentEventMut::ApproveToolCall(_) => match verdict {
            Verdict::Approve { by } => {
                let approved = Approved { by };
                Ok(HookAction::<ApproveToolCall<'_>>::respond(approved).into())
            }
            Verdict::Respond(value) => {
                let approved: Approved = typed(value)?;
                Ok(HookAction::<ApproveToolCall<'_>>::respond(approved).into())
            }
            other => said(info, other),
        },
        AgentEventMut::AfterToolCall(call) => {
            let mut output = match change {
                None => None,
                Some(Change::Replace(value)) => Some(output_of(value)?),
                Some(Change::Merge(keys)) => Some(merged(&call.output, keys, info)?),
                Some(Change::Tool { .. }) => return Err(no_change(info)),
            };
            let said = said(info, verdict)?;
            if let Some(output) = output.take() {
                call.output = output;
            }
            call.context.extend(context);
            call.context.extend(feedback.map(cut));
            Ok(said)
        }
        AgentEventMut::BeforeLlmCall(call) => {
            let changed = changed_payload(call, change, info)?;
            let said = match verdict {
                Verdict::Respond(value) => {
                    HookAction::<BeforeLlmCall>::respond(response_of(value)?).into()
                }
                other => said(info, other)?,
            };
            put(call, changed);
            Ok(said)
        }
        AgentEventMut::LlmFailed(failed) => {
            let changed = changed_payload(failed, change, info)?;
            let said = match verdict {
                Verdict::Respond(value) => {
                    HookAction::<LlmFailed>::respond(retry_of(value)?).into()
                }
                other => said(info, other)?,
            };
            put(failed, changed);
            Ok(said)
        }
        AgentEventMut::AfterLlmCall(call) => {
            let changed = changed_payload(call, change, info)?;
            let said = match verdict {
                Verdict::Respond(value) => {
                    HookAction::<AfterLlmCall>::respond(retry_of(value)?).into()
                }
                other => said(info, other)?,
            };
            put(call, changed);
            Ok(said)
        }
        AgentEventMut::MessageReceived(message) => {
            let changed = changed_text(message, "content", change, info)?;
            let said = said(info, verdict)?;
            put(message, changed);
            message.context.extend(context);
            Ok(said)
        }
        AgentEventMut::SessionStart(start) => {
            let changed = changed_payload(start, change, info)?;
            let said = said(info, verdict)?;
            put(start, changed);
            start.context.extend(context);
            start.context.extend(feedback.map(cut));
            Ok(said)
        }
        AgentEventMut::SubagentStart(start) => {
            let changed = changed_text(start, "prompt", change, info)?;
            let said = said(info, verdict)?;
            put(start, changed);
            start.context.extend(context);
            Ok(said)
        }
        AgentEventMut::BeforePromptBuild(build) => {
            let changed = changed_text(build, "prompt", change, info)?;
            let said = said(info, verdict)?;
            put(build, changed);
            for text in context {
                build.prompt.push_str("\n\n");
                build.prompt.push_str(&text);
            }
            Ok(said)
        }
        AgentEventMut::BeforeStop(stop) => {
            let changed = changed_text(stop, "response", change, info)?;
            // Text for the model is a reason to go on.
            let verdict = match verdict {
                Verdict::Continue if !context.is_empty() => Verdict::Block {
                    reason: context.join("\n"),
                },
                other => other,
            };
            let said = said(info, verdict)?;
            put(stop, changed);
            Ok(said)
        }
        AgentEventMut::MessageSending(message) => {
            let changed = changed_text(message, "content", change, info)?;
            let said = said(info, verdict)?;
            put(message, changed);
            Ok(said)
        }
        AgentEventMut::BeforeModelResolve(resolve) => {
            let changed = changed_text(resolve, "model", change, info)?;
            let said = said(info, verdict)?;
            put(resolve, changed);
            Ok(said)
        }
        AgentEventMut::BeforeCompact(compact) => {
            let changed = changed_text(compact, "instructions", change, info)?;
            let said = said(info, verdict)?;
            put(compact, changed);
            Ok(said)
        }
        // What is only observed goes on as it is.
        _ => Ok(AgentSaid::Continue),
    }
}

/// A verdict that means the same on every event.
fn said(info: &EventInfo, verdict: Verdict) -> Result<AgentSaid, Fault> {
    Ok(match verdict {
        Verdict::Continue | Verdict::Approve { .. } => AgentSaid::Continue,
        Verdict::Block { reason } => AgentSaid::block(reason),
        Verdict::AbortTurn { reason } => AgentSaid::abort_turn(reason),
        Verdict::AbortRun { reason } => AgentSaid::abort_run(reason),
        // Nobody can be asked about it here, so it does not go on.
        Verdict::Ask { reason } if info.is_blockable => AgentSaid::block(reason),
        Verdict::Ask { .. } => AgentSaid::Continue,
        Verdict::Respond(_) => {
            return Err(Fault::nonsense(format!(
                "`{}` cannot be answered by a hook",
                info.name
            )));
        }
    })
}

fn put<T>(event: &mut T, changed: Option<T>) {
    if let Some(changed) = changed {
        *event = changed;
    }
}

/// A tool call's new name and arguments.
fn changed_call(
    name: &str,
    args: &Value,
    change: Option<Change>,
) -> Result<Option<(String, Value)>, Fault> {
    Ok(match change {
        None => None,
        Some(Change::Replace(args)) => Some((name.to_owned(), object(args)?)),
        Some(Change::Merge(keys)) => {
            let mut args = match args {
                Value::Object(args) => args.clone(),
                _ => Map::new(),
            };
            args.extend(keys);
            Some((name.to_owned(), Value::Object(args)))
        }
        Some(Change::Tool { name, args: None }) => Some((name, args.clone())),
        Some(Change::Tool {
            name,
            args: Some(new),
        }) => Some((name, object(new)?)),
    })
}

fn object(args: Value) -> Result<Value, Fault> {
    if args.is_object() {
        return Ok(args);
    }
    Err(Fault::nonsense(format!(
        "the arguments of a tool call are an object, and the hook gave {}",
        kind_of(&args)
    )))
}

/// A payload with some of its keys set.
fn changed_payload<T: Serialize + DeserializeOwned>(
    payload: &T,
    change: Option<Change>,
    info: &EventInfo,
) -> Result<Option<T>, Fault> {
    match change {
        None => Ok(None),
        Some(Change::Merge(keys) | Change::Replace(Value::Object(keys))) => {
            merged(payload, keys, info).map(Some)
        }
        Some(Change::Replace(_) | Change::Tool { .. }) => Err(no_change(info)),
    }
}

/// As [`changed_payload`]; a text alone is the payload's main text.
fn changed_text<T: Serialize + DeserializeOwned>(
    payload: &T,
    main: &str,
    change: Option<Change>,
    info: &EventInfo,
) -> Result<Option<T>, Fault> {
    let change = match change {
        Some(Change::Replace(text @ Value::String(_))) => {
            Some(Change::Merge(Map::from_iter([(main.to_owned(), text)])))
        }
        other => other,
    };
    changed_payload(payload, change, info)
}

fn merged<T: Serialize + DeserializeOwned>(
    payload: &T,
    keys: Map<String, Value>,
    info: &EventInfo,
) -> Result<T, Fault> {
    if let Some(unknown) = keys.keys().find(|key| !info.keys.contains(&key.as_str())) {
        return Err(Fault::nonsense(format!(
            "`{unknown}` of `{}` cannot be changed: the keys that can are `{}`",
            info.name,
            info.keys.join("`, `")
        )));
    }
    let mut value = serde_json::to_value(payload).map_err(Fault::nonsense)?;
    if let Value::Object(fields) = &mut value {
        fields.extend(keys);
    }
    typed(value)
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, Fault> {
    serde_json::from_value(value).map_err(Fault::nonsense)
}

/// A tool's output: a text, an object with the keys of an output, or any other JSON, as its text.
pub(crate) fn output_of(value: Value) -> Result<ToolOutput, Fault> {
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

fn response_of(value: Value) -> Result<LlmResponse, Fault> {
    match value {
        Value::String(content) => Ok(LlmResponse::new(content)),
        other => typed(other),
    }
}

fn retry_of(value: Value) -> Result<Retry, Fault> {
    match value {
        Value::String(feedback) => Ok(Retry::with_feedback(feedback)),
        Value::Null | Value::Bool(true) => Ok(Retry::new()),
        other => typed(other),
    }
}

fn no_change(info: &EventInfo) -> Fault {
    Fault::nonsense(format!("`{}` cannot be changed in that way", info.name))
}

/// The type of a JSON value, in words.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Cuts a text for the model that is too long.
pub(crate) fn cut(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(MOST_CONTEXT) {
        text.truncate(at);
        text.push_str(" … (cut)");
    }
    text
}
