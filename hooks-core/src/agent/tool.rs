//! Tool calls, the events that most hooks handle.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Approval, Media};
use crate::{Cancel, Patch, Refused};

/// The arguments of a call without any: an object, so that a hook may set a key.
fn no_args() -> Value {
    Value::Object(Map::new())
}

/// What is known about a tool: MCP's hints, as the agent knows them.
///
/// Each is `None` if the tool does not say it. They are what a tool says of itself, so a hook may be stricter because
/// of them, and should not be more lenient. The keys are also read as MCP writes them, such as `readOnlyHint`.
///
/// ```
/// use hooks_core::agent::ToolAnnotations;
///
/// let of_mcp = serde_json::json!({ "readOnlyHint": false, "destructiveHint": true });
/// let hints: ToolAnnotations = serde_json::from_value(of_mcp).unwrap();
/// assert_eq!((hints.read_only, hints.destructive, hints.open_world), (Some(false), Some(true), None));
/// assert!(ToolAnnotations::default().is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolAnnotations {
    /// Whether the tool changes nothing.
    #[serde(alias = "readOnlyHint")]
    pub read_only: Option<bool>,
    /// Whether what the tool changes may be lost.
    #[serde(alias = "destructiveHint")]
    pub destructive: Option<bool>,
    /// Whether a second call with the same arguments changes nothing more.
    #[serde(alias = "idempotentHint")]
    pub idempotent: Option<bool>,
    /// Whether the tool reaches what is not the agent's own, such as the web.
    #[serde(alias = "openWorldHint")]
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == ToolAnnotations::default()
    }
}

/// A tool, as the model sees it.
///
/// ```
/// use hooks_core::agent::ToolDefinition;
/// use serde_json::json;
///
/// let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
/// let tool = ToolDefinition::new("read", "Reads a file.", schema);
/// assert_eq!(ToolDefinition::default().parameters, json!({}));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its arguments; `{}` by default, which accepts any arguments.
    pub parameters: Value,
}

impl Default for ToolDefinition {
    fn default() -> Self {
        ToolDefinition::new("", "", no_args())
    }
}

impl ToolDefinition {
    /// A tool.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        ToolDefinition {
            name: name.into(),
            description: description.into(),
            parameters,
        }
    }
}

/// A tool call, as the model makes it.
///
/// ```
/// use hooks_core::agent::ToolCall;
/// use serde_json::json;
///
/// let call = ToolCall::new("1", "shell", json!({ "command": "ls" }));
/// assert_eq!(serde_json::from_value::<ToolCall>(json!({ "name": "ls" })).unwrap().args, json!({}));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCall {
    /// Identifies the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments, a JSON object; `{}` by default.
    pub args: Value,
}

impl Default for ToolCall {
    fn default() -> Self {
        ToolCall::new("", "", no_args())
    }
}

impl ToolCall {
    /// A call.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: Value) -> Self {
        ToolCall {
            id: id.into(),
            name: name.into(),
            args,
        }
    }
}

/// A tool's output.
///
/// PicoClaw's `ToolResult`, with `ForLLM` as `content`, `ForUser` as `for_user` and `Media` as `media`.
///
/// ```
/// use hooks_core::agent::ToolOutput;
///
/// assert!(!ToolOutput::new("3 files").is_error);
/// assert!(ToolOutput::error("no such file").is_error);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolOutput {
    /// The text for the model.
    pub content: String,
    /// The text for the user, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_user: Option<String>,
    /// The same output for programs, if the tool provides it: MCP's `structuredContent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Images and other files for the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Whether to hide the output from the user.
    pub silent: bool,
    /// Whether the user has the answer already, so that the model need not say it again. [`run_turn`](super::run_turn)
    /// ends a turn after calls that all say so. PicoClaw's `ResponseHandled`.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub response_handled: bool,
}

impl ToolOutput {
    /// The output of a tool that succeeded.
    #[must_use]
    pub fn new(content: impl Into<String>) -> Self {
        ToolOutput {
            content: content.into(),
            ..ToolOutput::default()
        }
    }

    /// The output of a tool that failed, or that was not allowed to run.
    #[must_use]
    pub fn error(content: impl Into<String>) -> Self {
        ToolOutput {
            is_error: true,
            ..ToolOutput::new(content)
        }
    }
}

/// An error with the text of the cancellation.
impl Refused for ToolOutput {
    fn refused(cancel: Cancel) -> Self {
        ToolOutput::error(cancel.to_string())
    }
}

/// Before a tool runs.
///
/// `before_tool_call` in ZeroClaw and ClawSeed, mini-claw-code's `PreToolCall`, GoClaw's `pre_tool_use`, PicoClaw's
/// `before_tool`.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{HookAction, hook, hooks};
/// use serde_json::json;
///
/// #[hook(only("shell"))]
/// fn no_sudo(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     if call.args["command"].as_str().is_some_and(|command| command.contains("sudo")) {
///         return HookAction::block("sudo is not allowed");
///     }
///     HookAction::Continue
/// }
///
/// let mut call = BeforeToolCall::new("1", "shell", json!({ "command": "sudo ls" }));
/// assert!(!hooks![no_sudo].intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
///
/// // Arguments are an object from the beginning, so a hook may set a key of them.
/// let mut call = BeforeToolCall::default();
/// call.args["path"] = "/".into();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BeforeToolCall {
    /// Identifies the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments, a JSON object; `{}` by default.
    pub args: Value,
    /// What is known about the tool. A hook that sets another `name` sets it, too; [`ToolCallPatch`] does.
    #[serde(skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
    /// How the call gets its approval; it goes with the call to [`ApproveToolCall`](super::ApproveToolCall).
    #[serde(skip_serializing_if = "Approval::is_usual")]
    pub approval: Approval,
    /// Text that hooks add for the model to read besides the output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
}

impl Default for BeforeToolCall {
    fn default() -> Self {
        BeforeToolCall::new("", "", no_args())
    }
}

impl BeforeToolCall {
    /// A call, with the usual approval and no context.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: Value) -> Self {
        BeforeToolCall {
            id: id.into(),
            name: name.into(),
            args,
            annotations: ToolAnnotations::default(),
            approval: Approval::Usual,
            context: Vec::new(),
        }
    }

    /// Sets what is known about the tool.
    #[must_use]
    pub fn with_annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = annotations;
        self
    }
}

/// The model's call, before it runs.
impl From<ToolCall> for BeforeToolCall {
    fn from(ToolCall { id, name, args }: ToolCall) -> Self {
        BeforeToolCall::new(id, name, args)
    }
}

/// The model has called a tool that does not exist, or passed invalid arguments.
///
/// A hook may repair the call, or answer it.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall, InvalidToolCall};
/// use hooks_core::{hook, hooks};
/// use serde_json::json;
///
/// #[hook(only("bash"))]
/// fn repair(call: &mut InvalidToolCall) {
///     call.name = "shell".into();
/// }
///
/// let mut call = InvalidToolCall::new("1", "bash", json!({}), "there is no tool `bash`");
/// assert!(hooks![repair].intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(BeforeToolCall::from(call).name, "shell");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InvalidToolCall {
    /// Identifies the call.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments, as the model wrote them: a string if they are not valid JSON, and `{}` by default.
    pub args: Value,
    /// What is known about the tool.
    #[serde(skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
    /// What is wrong.
    pub error: String,
}

impl Default for InvalidToolCall {
    fn default() -> Self {
        InvalidToolCall::new("", "", no_args(), "")
    }
}

impl InvalidToolCall {
    /// A call, and what is wrong with it.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        args: Value,
        error: impl Into<String>,
    ) -> Self {
        InvalidToolCall {
            id: id.into(),
            name: name.into(),
            args,
            annotations: ToolAnnotations::default(),
            error: error.into(),
        }
    }
}

/// A call that hooks have repaired, before it runs.
impl From<InvalidToolCall> for BeforeToolCall {
    fn from(call: InvalidToolCall) -> Self {
        BeforeToolCall::new(call.id, call.name, call.args).with_annotations(call.annotations)
    }
}

/// A change to a tool call: what [`HookAction::modify`](crate::HookAction::modify) takes for [`BeforeToolCall`] and
/// [`InvalidToolCall`]. A plain JSON value changes the arguments.
///
/// ClawSeed's `Modify`, mini-claw-code's `ModifyArgs`.
///
/// ```
/// use hooks_core::HookAction;
/// use hooks_core::agent::{BeforeToolCall, ToolCallPatch};
/// use serde_json::json;
///
/// let to_root: HookAction<BeforeToolCall> = HookAction::modify(json!({ "path": "/" }));
/// let rename = HookAction::<BeforeToolCall>::modify(ToolCallPatch {
///     name: Some("list".into()),
///     args: None,
/// });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCallPatch {
    /// The new tool name; `None` keeps the old one.
    pub name: Option<String>,
    /// The new arguments, which replace all old ones; `None` keeps the old ones.
    pub args: Option<Value>,
}

impl From<Value> for ToolCallPatch {
    fn from(args: Value) -> Self {
        ToolCallPatch {
            name: None,
            args: Some(args),
        }
    }
}

impl ToolCallPatch {
    fn apply_to(self, name: &mut String, args: &mut Value, known: &mut ToolAnnotations) {
        if let Some(new) = self.name {
            // Nothing is known about another tool.
            if *name != new {
                *known = ToolAnnotations::default();
            }
            *name = new;
        }
        if let Some(new) = self.args {
            *args = new;
        }
    }
}

#[diagnostic::do_not_recommend]
impl Patch<BeforeToolCall> for ToolCallPatch {
    fn apply(self, call: &mut BeforeToolCall) {
        self.apply_to(&mut call.name, &mut call.args, &mut call.annotations);
    }
}

#[diagnostic::do_not_recommend]
impl Patch<InvalidToolCall> for ToolCallPatch {
    fn apply(self, call: &mut InvalidToolCall) {
        self.apply_to(&mut call.name, &mut call.args, &mut call.annotations);
    }
}

/// A tool call is approved, and about to run. PicoClaw's `agent.tool.exec_start`.
///
/// ```
/// use hooks_core::agent::{BeforeToolCall, ToolCallStart};
///
/// let call = BeforeToolCall::new("1", "shell", serde_json::json!({ "command": "ls" }));
/// assert_eq!(ToolCallStart::from(&call).name, "shell");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ToolCallStart<'a> {
    /// Identifies the call.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// The arguments that it runs with.
    pub args: &'a Value,
    /// What is known about the tool.
    #[serde(skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
}

/// A call that is about to run, in the state in which earlier hooks left it.
impl<'a> From<&'a BeforeToolCall> for ToolCallStart<'a> {
    fn from(call: &'a BeforeToolCall) -> Self {
        ToolCallStart {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            annotations: call.annotations,
        }
    }
}

/// The tool has run or a hook has answered, and the agent has not used the output yet. PicoClaw's `after_tool`.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::agent::{AfterToolCall, AgentContext, BeforeToolCall, ToolOutput};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn cut(call: &mut AfterToolCall) {
///     call.output.content.truncate(10);
/// }
///
/// let call = BeforeToolCall::new("1", "read", serde_json::json!({ "path": "a.txt" }));
/// let mut after = AfterToolCall::of(call, ToolOutput::new("0123456789 and more"), Duration::ZERO);
/// assert!(hooks![cut].intercept_now(&AgentContext::new("s1"), &mut after).is_continue());
/// assert_eq!(after.output.content, "0123456789");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AfterToolCall {
    /// Identifies the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments that it ran with; `{}` by default.
    pub args: Value,
    /// What is known about the tool.
    #[serde(skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
    /// Its output.
    pub output: ToolOutput,
    /// How long it ran; zero if a hook answered.
    pub duration: Duration,
    /// Text that hooks add for the model to read besides the output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
}

impl Default for AfterToolCall {
    fn default() -> Self {
        AfterToolCall::of(
            BeforeToolCall::default(),
            ToolOutput::default(),
            Duration::ZERO,
        )
    }
}

impl AfterToolCall {
    /// A finished call. It takes over the `context` that hooks have added to the call.
    #[must_use]
    #[inline]
    pub fn of(call: BeforeToolCall, output: ToolOutput, duration: Duration) -> Self {
        AfterToolCall {
            id: call.id,
            name: call.name,
            args: call.args,
            annotations: call.annotations,
            output,
            duration,
            context: call.context,
        }
    }
}

/// A new output for a finished tool call.
#[diagnostic::do_not_recommend]
impl Patch<AfterToolCall> for ToolOutput {
    fn apply(self, call: &mut AfterToolCall) {
        call.output = self;
    }
}

/// Where the output of a finished tool call comes from.
///
/// A [`ToolCallEnd`] is `Ran` or `Answered`. A call that neither ran nor was answered raises [`ToolCallSkipped`], and
/// is `Skipped` or `Deferred` in the [`ToolCallResult`](super::ToolCallResult) of a driver.
///
/// ```
/// use hooks_core::agent::ToolOutcome;
/// assert_eq!(ToolOutcome::default(), ToolOutcome::Ran);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// The tool ran. The default.
    #[default]
    Ran,
    /// A hook answered instead of the tool.
    Answered,
    /// The call was blocked or denied.
    Skipped,
    /// The call did not run, and a person decides about it later: [`Approval::Defer`](super::Approval::Defer). It
    /// raises [`ToolCallSkipped`], too.
    Deferred,
}

/// A tool call is over: the tool ran, or a hook answered instead.
///
/// `on_after_tool_call` in ZeroClaw, `after_tool_call` in ClawSeed, mini-claw-code's `PostToolCall`, GoClaw's
/// `post_tool_use`, PicoClaw's `agent.tool.exec_end`. If a call was blocked, denied or interrupted, the agent raises
/// [`ToolCallSkipped`] instead.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::agent::{AfterToolCall, BeforeToolCall, ToolCallEnd, ToolOutcome, ToolOutput};
///
/// let call = BeforeToolCall::new("1", "read", serde_json::json!({ "path": "a.txt" }));
/// let after = AfterToolCall::of(call, ToolOutput::new("text"), Duration::from_millis(3));
/// let end = ToolCallEnd::of(&after, ToolOutcome::Ran);
/// assert_eq!((end.name, end.output.content.as_str()), ("read", "text"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ToolCallEnd<'a> {
    /// Identifies the call.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// The arguments that it ran with.
    pub args: &'a Value,
    /// What is known about the tool.
    #[serde(skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
    /// Its output, after all hooks.
    pub output: &'a ToolOutput,
    /// How long it ran; zero if a hook answered.
    pub duration: Duration,
    /// Whether the tool ran, or a hook answered.
    pub outcome: ToolOutcome,
}

impl<'a> ToolCallEnd<'a> {
    /// A finished call, in the state in which the hooks on `AfterToolCall` left it.
    #[must_use]
    pub fn of(call: &'a AfterToolCall, outcome: ToolOutcome) -> Self {
        ToolCallEnd {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            annotations: call.annotations,
            output: &call.output,
            duration: call.duration,
            outcome,
        }
    }
}

/// A tool call did not run: it was blocked, denied or interrupted. It replaces [`ToolCallEnd`]. PicoClaw's
/// `agent.tool.exec_skipped`.
///
/// ```
/// use hooks_core::agent::{BeforeToolCall, ToolCallSkipped};
/// use hooks_core::{Cancel, Scope};
///
/// let call = BeforeToolCall::new("1", "shell", serde_json::json!({ "command": "rm -rf /" }));
/// let cancel = Cancel { hook: "deny_rm".into(), reason: "not allowed".into(), scope: Scope::Event };
/// let skipped = ToolCallSkipped::of(&call, &cancel);
/// assert_eq!((skipped.by, skipped.reason), ("deny_rm", "not allowed"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ToolCallSkipped<'a> {
    /// Identifies the call.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// The arguments that it would have run with.
    pub args: &'a Value,
    /// What is known about the tool.
    #[serde(skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
    /// Who skipped it: the name of a hook, or a word of the agent, such as `user`.
    pub by: &'a str,
    /// Why.
    pub reason: &'a str,
}

impl<'a> ToolCallSkipped<'a> {
    /// A call that a hook has cancelled.
    #[must_use]
    pub fn of(call: &'a BeforeToolCall, cancel: &'a Cancel) -> Self {
        ToolCallSkipped {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            annotations: call.annotations,
            by: &cancel.hook,
            reason: &cancel.reason,
        }
    }
}
