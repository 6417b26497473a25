//! Asks a person before a tool runs.
//!
//! The hook decides when to ask and what an answer means. An [`Approver`] decides whom to ask, and how.

mod channel;
mod terminal;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::agent::{AgentContext, Approval as Asked, ApproveToolCall, Approved};
use hooks_core::{HookAction, async_trait, hook, priority};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::channel::{ApprovalRequests, ChannelApprover, PendingApproval};
pub use self::terminal::TerminalApprover;
use crate::shared::{BuildError, Globs, PerSession};

/// Asks an [`Approver`] whether a tool may run, and blocks it if not.
///
/// The hook runs on [`ApproveToolCall`], which an agent raises after all hooks have seen the call. "Yes" is the response
/// [`Approved`], and "no" blocks the call. "Always" holds for the tool in this session of the tenant, until the session is
/// idle for a day. If there is no answer within five minutes, by default, or the approver is gone, the call is blocked.
/// If the call is dropped meanwhile, its question is withdrawn.
///
/// A hook on `BeforeToolCall` can say how its call is approved. That overrides the settings here:
///
/// | `call.approval` | here |
/// | --- | --- |
/// | [`Usual`](Asked::Usual) | asks the person about the tools that are listed, and only once if the answer is "always" |
/// | [`Ask`](Asked::Ask) | asks the person, whatever the tool is and whatever was answered before, and shows the reason |
/// | [`Granted`](Asked::Granted) | does not ask |
///
/// The priority is [`priority::LOW`], so that a person is asked last: after hooks that check the call once more, and
/// after hooks that approve it instead of the person. The hook must run inside a tokio runtime with time enabled.
///
/// It corresponds to ClawSeed's `ApprovalHook`, and to PicoClaw's `ToolApprover` and `approve_tool`.
///
/// ```
/// use hooks_builtin::{Approval, Globs, Verdict, ApprovalRequest, Approver};
/// use hooks_core::agent::{AgentContext, ApproveToolCall, BeforeToolCall};
/// use hooks_core::{async_trait, hooks};
/// use serde_json::json;
///
/// /// Lets tools write to one folder.
/// struct Scratch;
///
/// #[async_trait]
/// impl Approver for Scratch {
///     async fn ask(&self, request: &ApprovalRequest) -> Verdict {
///         match request.args["path"].as_str() {
///             Some(path) if path.starts_with("/scratch/") => Verdict::Yes,
///             _ => Verdict::No("write to /scratch".into()),
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let hooks = hooks![Approval::new(Scratch).with_tools(Globs::new(["write"]).unwrap())];
/// let cx = AgentContext::new("s1");
/// let call = BeforeToolCall::new("1", "write", json!({ "path": "/etc/passwd" }));
/// let mut call = ApproveToolCall::from(&call);
/// let result = hooks.intercept(&cx, &mut call).await;
/// assert_eq!(result.as_cancel().unwrap().reason, "`write` was denied: write to /scratch");
/// # }
/// ```
#[doc(alias("allow", "deny", "guardrail"))]
#[derive(Clone)]
pub struct Approval(Arc<ApprovalSettings>);

#[derive(Clone)]
struct ApprovalSettings {
    tools: Globs,
    except: Globs,
    timeout: Duration,
    approver: Arc<dyn Approver>,
    describe: Option<Describe>,
    written: Option<OriginalArguments>,
    always: Arc<PerSession<HashSet<String>>>,
}

/// Describes what a call would do.
type Describe = Arc<dyn Fn(&AgentContext, &str, &Value) -> Option<String> + Send + Sync>;

/// Returns the arguments of a call as the model wrote them, if a hook has changed them.
type OriginalArguments = Arc<dyn Fn(&AgentContext, &str, &Value) -> Option<Value> + Send + Sync>;

/// The person, or the program, that an [`Approval`] asks.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Asks about one call. If the call is dropped, or the answer takes too long, this future is dropped.
    async fn ask(&self, request: &ApprovalRequest) -> Verdict;
}

#[async_trait]
impl<T: Approver + ?Sized> Approver for Arc<T> {
    async fn ask(&self, request: &ApprovalRequest) -> Verdict {
        (**self).ask(request).await
    }
}

/// The call that is to be approved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// The session.
    pub session_id: String,
    /// The agent; empty if there is only one.
    pub agent_id: String,
    /// The id of the call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, as the tool would run with them. A command is shown as the model wrote it, and not in the form or the
    /// sandbox in which it runs.
    pub args: Value,
    /// Why a hook wants the person to be asked; nothing for the usual question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the call would do, in one line, such as `runs cargo; writes src/lib.rs`; nothing if this is unknown. See
    /// [`Approval::with_description`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<String>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The call may run.
    Yes,
    /// The call may run, and so may all others of the tool in the session.
    Always,
    /// The call may not run, for this reason. An empty reason counts as none.
    No(String),
}

/// Denies every call. Use it if there is no person to ask.
///
/// ```
/// use hooks_builtin::{Approval, DenyAll};
/// use hooks_core::agent::{AgentContext, ApproveToolCall, BeforeToolCall};
/// use hooks_core::hooks;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let hooks = hooks![Approval::new(DenyAll)];
/// let call = BeforeToolCall::new("1", "shell", serde_json::json!({}));
/// let mut call = ApproveToolCall::from(&call);
/// assert!(!hooks.intercept(&AgentContext::new("s1"), &mut call).await.is_continue());
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct DenyAll;

#[async_trait]
impl Approver for DenyAll {
    async fn ask(&self, _: &ApprovalRequest) -> Verdict {
        Verdict::No("no approver is configured".into())
    }
}

/// The settings of `[hooks.builtin.approval]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ApprovalConfig {
    /// The tools that need an approval, as globs. Case does not matter. The default is all tools.
    pub tools: Globs,
    /// Exceptions: tools that need no approval, as globs. The default is none.
    pub except: Globs,
    /// Who is asked: `terminal` (the default) or `deny`. A user interface of your own is given in Rust, to
    /// `Approval::with_approver`.
    pub approver: ApproverKind,
    /// How long to wait for an answer. After that, the call is blocked. The default is "5m".
    #[serde(with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub timeout: Duration,
}

/// The approvers that a configuration can name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApproverKind {
    /// Asks the person at the terminal: [`TerminalApprover`].
    #[default]
    Terminal,
    /// Denies every call: [`DenyAll`].
    Deny,
}

impl Default for ApprovalConfig {
    fn default() -> Self {
        ApprovalConfig {
            tools: Globs::all(),
            except: Globs::default(),
            approver: ApproverKind::default(),
            timeout: Duration::from_mins(5),
        }
    }
}

impl Approval {
    /// Creates a hook that asks about every tool, and waits five minutes for an answer.
    #[must_use]
    pub fn new(approver: impl Approver + 'static) -> Self {
        Approval::of(&ApprovalConfig::default(), Arc::new(approver))
    }

    /// Creates the hook from its configuration.
    ///
    /// # Errors
    ///
    /// If no tool needs an approval, or the timeout is 0.
    pub fn from_config(config: &ApprovalConfig) -> Result<Self, BuildError> {
        let wrong = |key, message: &str| Err(BuildError::new("approval", key, message));
        if config.tools.is_empty() {
            return wrong(
                "tools",
                "is empty: name the tools that need approval, as `[\"shell\"]`",
            );
        }
        if config.timeout.is_zero() {
            return wrong("timeout", "leaves no time for an answer: write `\"5m\"`");
        }
        let approver: Arc<dyn Approver> = match config.approver {
            ApproverKind::Terminal => Arc::new(TerminalApprover::new()),
            ApproverKind::Deny => Arc::new(DenyAll),
        };
        Ok(Approval::of(config, approver))
    }

    fn of(config: &ApprovalConfig, approver: Arc<dyn Approver>) -> Self {
        Approval(Arc::new(ApprovalSettings {
            tools: config.tools.ignoring_case(),
            except: config.except.clone(),
            timeout: config.timeout,
            approver,
            describe: None,
            written: None,
            always: Arc::default(),
        }))
    }

    /// Shows with each question what the call would do, if `describe` knows it. `builtins` lets
    /// [`SecurityPolicy`](crate::SecurityPolicy) describe shell commands. This forgets earlier answers.
    ///
    /// ```
    /// use hooks_builtin::{Approval, TerminalApprover};
    ///
    /// let approval = Approval::new(TerminalApprover::new())
    ///     .with_description(|_, tool, args| Some(format!("{tool} is given {} arguments", args.as_object()?.len())));
    /// # drop(approval);
    /// ```
    #[must_use]
    pub fn with_description(
        self,
        describe: impl Fn(&AgentContext, &str, &Value) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.with(|inner| inner.describe = Some(Arc::new(describe)))
    }

    /// Shows the arguments as the model wrote them, if `written` knows them.
    #[cfg(feature = "config")]
    pub(crate) fn with_written(
        self,
        written: impl Fn(&AgentContext, &str, &Value) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.with(|inner| inner.written = Some(Arc::new(written)))
    }

    /// Asks this approver, for example a user interface of your own: a configuration can only name the terminal. This
    /// forgets earlier answers.
    ///
    /// ```
    /// use hooks_builtin::{Approval, ApprovalConfig, ChannelApprover};
    ///
    /// # fn main() -> Result<(), hooks_builtin::BuildError> {
    /// let (approver, requests) = ChannelApprover::new(8);
    /// let approval = Approval::from_config(&ApprovalConfig::default())?.with_approver(approver);
    /// # drop(requests);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_approver(self, approver: impl Approver + 'static) -> Self {
        self.with(|inner| inner.approver = Arc::new(approver))
    }

    /// Asks about these tools only. This forgets earlier answers.
    #[must_use]
    pub fn with_tools(self, tools: Globs) -> Self {
        self.with(|inner| inner.tools = tools.ignoring_case())
    }

    /// Does not ask about these tools. This forgets earlier answers.
    #[must_use]
    pub fn with_except(self, except: Globs) -> Self {
        self.with(|inner| inner.except = except)
    }

    /// Sets how long to wait for an answer. This forgets earlier answers.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        self.with(|inner| inner.timeout = timeout)
    }

    fn with(mut self, change: impl FnOnce(&mut ApprovalSettings)) -> Self {
        let inner = Arc::make_mut(&mut self.0);
        change(inner);
        inner.always = Arc::default();
        self
    }
}

impl fmt::Debug for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approval")
            .field("tools", &self.0.tools)
            .field("except", &self.0.except)
            .field("timeout", &self.0.timeout)
            .finish_non_exhaustive()
    }
}

#[hook(priority = priority::LOW)]
impl Approval {
    async fn approve<'a>(
        &self,
        cx: &AgentContext,
        call: &ApproveToolCall<'a>,
    ) -> Result<HookAction<ApproveToolCall<'a>>, String> {
        let ApprovalSettings {
            timeout, approver, ..
        } = &*self.0;
        let reason = match call.approval {
            Asked::Ask { reason } => Some(reason.clone()),
            Asked::Usual if self.0.asks(cx, call.name) => None,
            // A person decides later, so there is no question now.
            Asked::Usual | Asked::Granted { .. } | Asked::Defer { .. } => {
                return Ok(HookAction::Continue);
            }
        };
        let request = ApprovalRequest {
            session_id: cx.session_id.clone(),
            agent_id: cx.agent_id.clone(),
            call_id: call.id.into(),
            tool: call.name.into(),
            args: (self.0.written.as_ref())
                .and_then(|written| written(cx, call.name, call.args))
                .unwrap_or_else(|| call.args.clone()),
            reason,
            effects: self
                .0
                .describe
                .as_ref()
                .and_then(|describe| describe(cx, call.name, call.args)),
        };
        match tokio::time::timeout(*timeout, approver.ask(&request)).await {
            Ok(Verdict::Yes) => Ok(HookAction::respond(Approved::new())),
            Ok(Verdict::Always) => {
                self.0.remember(cx, request.tool);
                Ok(HookAction::respond(Approved::new()))
            }
            Ok(Verdict::No(reason)) if reason.is_empty() => {
                Err(format!("`{}` was denied", call.name))
            }
            Ok(Verdict::No(reason)) => Err(format!("`{}` was denied: {reason}", call.name)),
            Err(_) => Err(format!(
                "`{}` was denied: no one answered within {}",
                call.name,
                humantime::format_duration(*timeout)
            )),
        }
    }
}

impl ApprovalSettings {
    /// Whether the person is usually asked about a tool.
    fn asks(&self, cx: &AgentContext, tool: &str) -> bool {
        self.tools.matches(tool) && !self.except.matches(tool) && !self.is_remembered(cx, tool)
    }

    fn is_remembered(&self, cx: &AgentContext, tool: &str) -> bool {
        self.always.with(cx, |tools| tools.contains(tool))
    }

    fn remember(&self, cx: &AgentContext, tool: String) {
        self.always.with(cx, |tools| tools.insert(tool));
    }
}
