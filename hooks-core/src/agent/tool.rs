//! Tool calls: where most hooks are.

use alloc::string::String;
use core::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Patch;

/// A tool call, as the model makes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What tells this call from others.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, a JSON object.
    pub args: Value,
}

/// What a tool gives back.
///
/// PicoClaw's `ToolResult`: its `ForLLM` is `content`.
///
/// ```
/// use hooks_core::agent::ToolOutput;
///
/// assert!(!ToolOutput::new("3 files").is_error);
/// assert!(ToolOutput::error("no such file").is_error);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// What the model is told.
    pub content: String,
    /// What the user is shown in its place, if something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_user: Option<String>,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: bool,
    /// Whether the user is shown nothing of it.
    #[serde(default)]
    pub silent: bool,
}

impl ToolOutput {
    /// The output of a tool that did its work.
    #[must_use]
    pub fn new(content: impl Into<String>) -> Self {
        ToolOutput {
            content: content.into(),
            ..ToolOutput::default()
        }
    }

    /// The output of a tool that failed, or was not allowed to run.
    #[must_use]
    pub fn error(content: impl Into<String>) -> Self {
        ToolOutput {
            is_error: true,
            ..ToolOutput::new(content)
        }
    }
}

/// Before a tool runs.
///
/// ClawSeed's `ToolCall`, mini-claw-code's `PreToolCall`, GoClaw's `pre_tool_use`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BeforeToolCall {
    /// What tells this call from others.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, a JSON object.
    pub args: Value,
}

/// The model's call, before it runs.
impl From<ToolCall> for BeforeToolCall {
    fn from(ToolCall { id, name, args }: ToolCall) -> Self {
        BeforeToolCall { id, name, args }
    }
}

/// The model has called a tool that does not exist, or with arguments that do not fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InvalidToolCall {
    /// What tells this call from others.
    pub id: String,
    /// The tool, as the model named it.
    pub name: String,
    /// The arguments, as the model gave them.
    pub args: Value,
    /// What is wrong.
    pub error: String,
}

/// A call that hooks have repaired, before it runs.
impl From<InvalidToolCall> for BeforeToolCall {
    fn from(InvalidToolCall { id, name, args, .. }: InvalidToolCall) -> Self {
        BeforeToolCall { id, name, args }
    }
}

/// A change to a tool call: what [`HookAction::modify`](crate::HookAction::modify) takes for
/// [`BeforeToolCall`] and [`InvalidToolCall`]. A JSON value is a change of the arguments.
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
    /// Another tool; the same if `None`.
    pub name: Option<String>,
    /// Other arguments, all of them; the same if `None`.
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
    fn apply_to(self, name: &mut String, args: &mut Value) {
        if let Some(new) = self.name {
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
        self.apply_to(&mut call.name, &mut call.args);
    }
}

#[diagnostic::do_not_recommend]
impl Patch<InvalidToolCall> for ToolCallPatch {
    fn apply(self, call: &mut InvalidToolCall) {
        self.apply_to(&mut call.name, &mut call.args);
    }
}

/// Whether a tool may run, asked of those who approve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ApproveToolCall<'a> {
    /// What tells this call from others.
    pub id: &'a str,
    /// The tool.
    pub name: &'a str,
    /// Its arguments, a JSON object.
    pub args: &'a Value,
}

/// Whether a call may run, as the hooks before have left it.
impl<'a> From<&'a BeforeToolCall> for ApproveToolCall<'a> {
    fn from(BeforeToolCall { id, name, args }: &'a BeforeToolCall) -> Self {
        ApproveToolCall { id, name, args }
    }
}

/// After a tool has run, before its output is used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AfterToolCall {
    /// What tells this call from others.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments that it ran with.
    pub args: Value,
    /// What it gave back.
    pub output: ToolOutput,
    /// How long it ran.
    pub duration: Duration,
}

/// A new output for a tool call that has run.
#[diagnostic::do_not_recommend]
impl Patch<AfterToolCall> for ToolOutput {
    fn apply(self, call: &mut AfterToolCall) {
        call.output = self;
    }
}

/// A tool call is over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ToolCallEnd<'a> {
    /// What tells this call from others.
    pub id: &'a str,
    /// The tool.
    pub name: &'a str,
    /// The arguments that it ran with.
    pub args: &'a Value,
    /// What it gave back, after all hooks.
    pub output: &'a ToolOutput,
    /// How long it ran.
    pub duration: Duration,
}

/// A call that is over, as the hooks after it have left it.
impl<'a> From<&'a AfterToolCall> for ToolCallEnd<'a> {
    fn from(call: &'a AfterToolCall) -> Self {
        ToolCallEnd {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            output: &call.output,
            duration: call.duration,
        }
    }
}
