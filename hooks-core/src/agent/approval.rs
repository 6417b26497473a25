//! Whether a tool may run, and who says so.

use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::BeforeToolCall;

/// How a tool call is to be approved.
///
/// A hook on [`BeforeToolCall`] sets it, and [`ApproveToolCall`] carries it to those who approve. It is Claude
/// Code's `permissionDecision`: `ask` and `allow`.
///
/// ```
/// use hooks_core::agent::{AgentContext, Approval, BeforeToolCall};
/// use hooks_core::{hook, hooks};
///
/// #[hook(only("deploy"))]
/// fn ask_first(call: &mut BeforeToolCall) {
///     call.approval = Approval::ask("it changes production");
/// }
///
/// let mut call = BeforeToolCall::new("1", "deploy", serde_json::json!({}));
/// assert!(hooks![ask_first].intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(call.approval, Approval::Ask { reason: "it changes production".into() });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// As those who approve usually decide. The default.
    #[default]
    Usual,
    /// Somebody is to be asked, also where nobody usually is.
    Ask {
        /// Why, in words for the person who is asked.
        reason: String,
    },
    /// Nobody is to be asked: it is approved.
    Granted {
        /// Who granted it, such as the name of a hook.
        by: String,
    },
}

impl Approval {
    /// Somebody is to be asked, for the reason.
    #[must_use]
    pub fn ask(reason: impl Into<String>) -> Self {
        Approval::Ask {
            reason: reason.into(),
        }
    }

    /// It is approved, by whom it says.
    #[must_use]
    pub fn granted(by: impl Into<String>) -> Self {
        Approval::Granted { by: by.into() }
    }

    /// Whether no hook has said anything of it.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        matches!(self, Approval::Usual)
    }
}

/// Whether a tool may run, asked of those who approve. PicoClaw's `approve_tool`.
///
/// A hook that blocks it denies the call. One that responds [`Approved`] approves it, and nobody else is asked.
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
    /// What tells this call from others.
    pub id: &'a str,
    /// The tool.
    pub name: &'a str,
    /// Its arguments, a JSON object.
    pub args: &'a Value,
    /// How it is to be approved, as the hooks before have said.
    #[serde(skip_serializing_if = "Approval::is_usual")]
    pub approval: &'a Approval,
}

/// Whether a call may run, as the hooks before have left it.
impl<'a> From<&'a BeforeToolCall> for ApproveToolCall<'a> {
    fn from(call: &'a BeforeToolCall) -> Self {
        ApproveToolCall {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            approval: &call.approval,
        }
    }
}

/// A hook's response to [`ApproveToolCall`]: the call may run, and nobody else is asked.
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
    /// Approved, by nobody in particular.
    #[must_use]
    pub fn new() -> Self {
        Approved::default()
    }

    /// Approved, by whom it says.
    #[must_use]
    pub fn by(who: impl Into<String>) -> Self {
        Approved {
            by: Some(who.into()),
        }
    }
}
