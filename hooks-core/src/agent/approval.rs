//! Whether a tool may run, and who decides it.

use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{BeforeToolCall, ToolAnnotations};

/// How a tool call gets its approval.
///
/// A hook on [`BeforeToolCall`] sets it, and [`ApproveToolCall`] carries it to the hooks that approve. It corresponds
/// to Claude Code's `permissionDecision`: `ask`, `allow` and `defer`.
///
/// ```
/// use hooks_core::agent::{AgentContext, Approval, BeforeToolCall};
/// use hooks_core::{hook, hooks};
///
/// #[hook(only("deploy"))]
/// fn ask_first(call: &mut BeforeToolCall) {
///     call.approval = Approval::ask("this changes production");
/// }
///
/// let mut call = BeforeToolCall::new("1", "deploy", serde_json::json!({}));
/// assert!(hooks![ask_first].intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(call.approval, Approval::Ask { reason: "this changes production".into() });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// No hook has decided: the usual approval applies. The default.
    #[default]
    Usual,
    /// Someone must approve the call, even if the agent does not usually ask.
    Ask {
        /// The reason, in words for the person who is asked.
        reason: String,
    },
    /// The call is approved, and no one is asked.
    Granted {
        /// Who granted it, such as the name of a hook.
        by: String,
    },
    /// A person decides later: the call does not run now, and its outcome is
    /// [`ToolOutcome::Deferred`](super::ToolOutcome::Deferred), unless a hook on [`ApproveToolCall`] responds
    /// [`Approved`] at once.
    Defer {
        /// The reason, in words for the model, and for the person who decides.
        reason: String,
    },
}

impl Approval {
    /// Requires an approval, for this reason.
    #[must_use]
    pub fn ask(reason: impl Into<String>) -> Self {
        Approval::Ask {
            reason: reason.into(),
        }
    }

    /// Approves the call, in the name of `by`.
    #[must_use]
    pub fn granted(by: impl Into<String>) -> Self {
        Approval::Granted { by: by.into() }
    }

    /// Leaves the decision to a person who decides later.
    #[must_use]
    pub fn defer(reason: impl Into<String>) -> Self {
        Approval::Defer {
            reason: reason.into(),
        }
    }

    /// Whether the call waits for a person's decision, now or later.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        matches!(self, Approval::Ask { .. } | Approval::Defer { .. })
    }

    /// Whether no hook has decided about the approval.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        matches!(self, Approval::Usual)
    }
}

/// Whether a tool call is approved. PicoClaw's `approve_tool`.
///
/// A hook that blocks it denies the call. A hook that responds [`Approved`] approves it, and no one else is asked.
///
/// ```
/// use hooks_core::agent::{AgentContext, ApproveToolCall, Approved, BeforeToolCall};
/// use hooks_core::{HookAction, HookResult, hook, hooks};
///
/// #[hook(only("read_*"))]
/// fn reading_is_harmless<'a>(_: &ApproveToolCall<'a>) -> HookAction<ApproveToolCall<'a>> {
///     HookAction::respond(Approved::by("reading_is_harmless"))
/// }
///
/// let call = BeforeToolCall::new("1", "read_file", serde_json::json!({}));
/// let result = hooks![reading_is_harmless]
///     .intercept_now(&AgentContext::new("s1"), &mut ApproveToolCall::from(&call));
/// assert_eq!(result, HookResult::Respond(Approved::by("reading_is_harmless")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ApproveToolCall<'a> {
    /// Identifies the call.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// Its arguments, a JSON object.
    pub args: &'a Value,
    /// What is known about the tool.
    #[serde(skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
    /// How the call gets its approval, as earlier hooks set it.
    #[serde(skip_serializing_if = "Approval::is_usual")]
    pub approval: &'a Approval,
}

/// The approval of a call, in the state in which earlier hooks left it.
impl<'a> From<&'a BeforeToolCall> for ApproveToolCall<'a> {
    fn from(call: &'a BeforeToolCall) -> Self {
        ApproveToolCall {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            annotations: call.annotations,
            approval: &call.approval,
        }
    }
}

/// A hook's response to [`ApproveToolCall`]: the call may run, and no one else is asked.
///
/// ```
/// use hooks_core::agent::Approved;
///
/// assert_eq!(Approved::new().by, None);
/// assert_eq!(Approved::by("policy").by.as_deref(), Some("policy"));
/// ```
#[doc(alias = "allow")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Approved {
    /// Who approved it, such as a person's name; `None` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Approved {
    /// Approves the call, in no one's name.
    #[must_use]
    pub fn new() -> Self {
        Approved::default()
    }

    /// Approves the call, in the name of `by`.
    #[must_use]
    pub fn by(who: impl Into<String>) -> Self {
        Approved {
            by: Some(who.into()),
        }
    }
}
