//! The driver of one tool call.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use super::super::{
    AfterToolCall, AgentContext, AgentHooks, Approval, ApproveToolCall, BeforeToolCall,
    ChatMessage, InvalidToolCall, ToolCallEnd, ToolCallSkipped, ToolCallStart, ToolOutcome,
    ToolOutput,
};
use super::clock::Stopwatch;
use super::takes::{AreHooks, IsEvent, IsTool};
use crate::hook::around;
use crate::once::{Once, Verdict};
use crate::{Cancel, HookResult, Scope};

/// The outcome of a tool call: what [`run_tool_call`] returns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCallResult {
    /// Identifies the call.
    pub id: String,
    /// The tool's name, in the state in which the hooks left it.
    pub name: String,
    /// What the model reads next: the output of the tool or a hook, or the reason why the call did not run.
    pub output: ToolOutput,
    /// Whether the tool ran, a hook answered, or neither, and whether a person decides later.
    pub outcome: ToolOutcome,
    /// Text that hooks add for the model to read besides the output.
    pub context: Vec<String>,
}

/// The message with the tool's output. What hooks add to it is in [`ToolCallResult::context`].
impl From<&ToolCallResult> for ChatMessage {
    fn from(done: &ToolCallResult) -> Self {
        ChatMessage::tool_result(done.id.as_str(), &done.output)
    }
}

impl ChatMessage {
    /// The messages about the tool call for the model.
    ///
    /// ```
    /// use hooks_core::agent::{AgentContext, ChatMessage, Role, ToolCall, ToolOutput, run_tool_call};
    /// use hooks_core::hooks;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let call = ToolCall::new("call-1", "list", serde_json::json!({}));
    /// let done = run_tool_call(&hooks![], &AgentContext::new("s1"), call, async |_| ToolOutput::new("a.txt"))
    ///     .await
    ///     .unwrap();
    /// let message = ChatMessage::tool(&done);
    /// assert_eq!((message.role, message.content.as_str()), (Role::Tool, "a.txt"));
    /// assert_eq!(message.tool_call_id.as_deref(), Some("call-1"));
    /// # }
    /// ```
    #[must_use]
    pub fn tool(done: &ToolCallResult) -> Self {
        done.into()
    }
}

// Macros, because moving a call into another future would cost more than a hook. They return early, because what is moved
// in one of two branches has a flag that says whether it is still there.

/// The result of a call that does not run.
macro_rules! skip {
    ($hooks:ident, $cx:ident, $call:ident, $cancel:ident, $outcome:expr, $ends:ident) => {{
        $ends();
        $hooks
            .observe($cx, &ToolCallSkipped::of(&$call, &$cancel))
            .await;
        if $cancel.scope > Scope::Event {
            return Err($cancel);
        }
        let output = ToolOutput::error($cancel.to_string());
        Ok(did_not_run($call, output, $outcome))
    }};
}

/// The result of a call with an output.
macro_rules! finish {
    ($hooks:ident, $cx:ident, $after:ident, $outcome:expr, $ends:ident) => {{
        let aborted = match $hooks.intercept($cx, &mut $after).await {
            HookResult::Cancel(cancel) => hide(&mut $after.output, cancel),
            _ => None,
        };
        $ends();
        $hooks
            .observe($cx, &ToolCallEnd::of(&$after, $outcome))
            .await;
        if let Some(cancel) = aborted {
            return Err(cancel);
        }
        Ok(ToolCallResult {
            id: $after.id,
            name: $after.name,
            output: $after.output,
            outcome: $outcome,
            context: $after.context,
        })
    }};
}

/// Runs a tool call under the control of the hooks: raises all its events, and carries out what hooks decide.
///
/// `hooks` are any [`AgentHooks`], and `call` is what converts to a [`BeforeToolCall`]. `tool`, an
/// `AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone`, runs the tool. The driver calls it at most once, unless a hook with
/// `#[hook(around)]` runs it again. Whatever the outcome, the model reads `output` next:
///
/// | outcome | what happened | raised |
/// | --- | --- | --- |
/// | `Ran` | the tool ran | `BeforeToolCall`, `ApproveToolCall`, `ToolCallStart`, `AfterToolCall`, `ToolCallEnd` |
/// | `Answered` | a hook answered instead; the answer also passed through `AfterToolCall` | `BeforeToolCall`, `AfterToolCall`, `ToolCallEnd` |
/// | `Skipped` | a hook blocked or denied the call; `output` is an error with the reason | `BeforeToolCall`, perhaps `ApproveToolCall`, `ToolCallSkipped` |
/// | `Deferred` | a person decides later; `output` is an error with the reason | `BeforeToolCall`, `ApproveToolCall`, `ToolCallSkipped` |
///
/// If a hook set [`Approval::Ask`] or [`Approval::Defer`], the call runs only if a hook on `ApproveToolCall` responds
/// [`Approved`](super::super::Approved).
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCall, ToolOutcome, ToolOutput, run_tool_call};
/// use hooks_core::{HookAction, hook, hooks};
///
/// #[hook(only("shell"))]
/// fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     HookAction::block("no shell here")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let (hooks, cx) = (hooks![no_shell], AgentContext::new("s1"));
/// let call = ToolCall::new("1", "shell", serde_json::json!({ "command": "ls" }));
/// let done = run_tool_call(&hooks, &cx, call, async |call: &BeforeToolCall| {
///     ToolOutput::new(format!("ran {}", call.name))
/// })
/// .await
/// .unwrap();
/// assert_eq!(done.outcome, ToolOutcome::Skipped);
/// assert_eq!(done.output.content, "hook `no_shell` blocked the event: no shell here");
/// # }
/// ```
///
/// # Errors
///
/// If a hook aborted the turn or the run, on any event of the call. The event for the end of the call has been
/// raised.
pub fn run_tool_call<H, E, T, K1, K2, K3>(
    hooks: &H,
    cx: &AgentContext,
    call: E,
    tool: T,
) -> Once<(K1, K2, K3), impl Future<Output = Result<ToolCallResult, Cancel>>>
where
    H: AreHooks<K1>,
    E: IsEvent<BeforeToolCall, K2>,
    T: IsTool<K3>,
    (K1, K2, K3): Verdict,
{
    <(K1, K2, K3)>::of(tool_call(hooks, cx, call, tool, || ()))
}

/// Does the same, and calls `ends` before it raises the event for the end of the call.
pub(super) async fn tool_call(
    hooks: &impl AgentHooks,
    cx: &AgentContext,
    call: impl Into<BeforeToolCall>,
    tool: impl AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone,
    ends: impl Fn(),
) -> Result<ToolCallResult, Cancel> {
    let mut call = call.into();
    let (output, duration, outcome);
    'runs: {
        let (cancel, skipped) = match hooks.intercept(cx, &mut call).await {
            HookResult::Continue => {
                let asked = hooks.intercept(cx, &mut ApproveToolCall::from(&call)).await;
                if let Err(skipped) = approved(asked, &call.approval) {
                    skipped
                } else {
                    hooks.observe(cx, &ToolCallStart::from(&call)).await;
                    let is_timed =
                        hooks.handles::<AfterToolCall>() || hooks.handles::<ToolCallEnd<'_>>();
                    let clock = Stopwatch::start(is_timed);
                    output = around!(BeforeToolCall, hooks, cx, &call, tool.clone()(&call));
                    (duration, outcome) = (clock.elapsed(), ToolOutcome::Ran);
                    break 'runs;
                }
            }
            HookResult::Respond(answer) => {
                output = answer;
                (duration, outcome) = (Duration::ZERO, ToolOutcome::Answered);
                break 'runs;
            }
            HookResult::Cancel(cancel) => (cancel, ToolOutcome::Skipped),
        };
        return skip!(hooks, cx, call, cancel, skipped, ends);
    }
    let mut after = AfterToolCall::of(call, output, duration);
    finish!(hooks, cx, after, outcome, ends)
}

/// Runs an invalid tool call if hooks can repair it: a call of a tool that does not exist, or with invalid arguments.
///
/// Raises [`InvalidToolCall`]. A hook may answer the call, or change its name or arguments. In the second case
/// `check` decides whether the call is now valid, and it continues as in [`run_tool_call`]. If no hook repairs the
/// call, it is skipped, and the model reads what was wrong.
///
/// ```
/// use hooks_core::agent::{
///     AgentContext, BeforeToolCall, InvalidToolCall, ToolOutput, run_invalid_tool_call,
/// };
/// use hooks_core::{hook, hooks};
///
/// /// Models like to write the names of tools in upper case.
/// #[hook]
/// fn lower(call: &mut InvalidToolCall) { call.name.make_ascii_lowercase(); }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let check = |call: &BeforeToolCall| match call.name.as_str() {
///     "list" => Ok(()),
///     other => Err(format!("there is no tool `{other}`")),
/// };
/// let invalid = InvalidToolCall::new("1", "List", serde_json::json!({}), "there is no tool `List`");
/// let cx = AgentContext::new("s1");
/// let done = run_invalid_tool_call(&hooks![lower], &cx, invalid, check, async |call: &BeforeToolCall| {
///     ToolOutput::new(format!("ran {}", call.name))
/// })
/// .await
/// .unwrap();
/// assert_eq!(done.output.content, "ran list");
/// # }
/// ```
///
/// # Errors
///
/// If a hook aborted the turn or the run, on any event of the call. The event for the end of the call has been
/// raised.
pub fn run_invalid_tool_call<H, T, K1, K2>(
    hooks: &H,
    cx: &AgentContext,
    invalid: InvalidToolCall,
    check: impl FnOnce(&BeforeToolCall) -> Result<(), String>,
    tool: T,
) -> Once<(K1, K2), impl Future<Output = Result<ToolCallResult, Cancel>>>
where
    H: AreHooks<K1>,
    T: IsTool<K2>,
    (K1, K2): Verdict,
{
    let check = |call: &mut BeforeToolCall| check(call);
    <(K1, K2)>::of(repair(hooks, cx, invalid, check, tool, || ()))
}

/// Does the same, with a check that also says what is known about the tool. It calls `ends` as [`tool_call`] does.
pub(super) async fn repair(
    hooks: &impl AgentHooks,
    cx: &AgentContext,
    mut invalid: InvalidToolCall,
    check: impl FnOnce(&mut BeforeToolCall) -> Result<(), String>,
    tool: impl AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone,
    ends: impl Fn(),
) -> Result<ToolCallResult, Cancel> {
    let decision = hooks.intercept(cx, &mut invalid).await;
    let mut call = BeforeToolCall::from(invalid);
    match decision {
        HookResult::Continue => match check(&mut call) {
            Ok(()) => tool_call(hooks, cx, call, tool, ends).await,
            Err(reason) => {
                let skipped = ToolCallSkipped {
                    id: &call.id,
                    name: &call.name,
                    args: &call.args,
                    annotations: call.annotations,
                    by: "agent",
                    reason: &reason,
                };
                ends();
                hooks.observe(cx, &skipped).await;
                Ok(did_not_run(
                    call,
                    ToolOutput::error(reason),
                    ToolOutcome::Skipped,
                ))
            }
        },
        HookResult::Respond(answer) => {
            let mut after = AfterToolCall::of(call, answer, Duration::ZERO);
            finish!(hooks, cx, after, ToolOutcome::Answered, ends)
        }
        HookResult::Cancel(cancel) => skip!(hooks, cx, call, cancel, ToolOutcome::Skipped, ends),
    }
}

/// Whether the call may run, given what the hooks on `ApproveToolCall` decided; if not, its outcome.
#[inline]
fn approved(
    asked: HookResult<ApproveToolCall<'_>>,
    approval: &Approval,
) -> Result<(), (Cancel, ToolOutcome)> {
    match asked {
        HookResult::Cancel(cancel) => Err((cancel, ToolOutcome::Skipped)),
        HookResult::Respond(_) => Ok(()),
        HookResult::Continue => match approval {
            Approval::Usual | Approval::Granted { .. } => Ok(()),
            Approval::Ask { reason } => Err((nobody_approved(reason), ToolOutcome::Skipped)),
            Approval::Defer { reason } => Err((deferred(reason), ToolOutcome::Deferred)),
        },
    }
}

/// A hook required an approval, and no hook gave it.
#[cold]
fn nobody_approved(reason: &str) -> Cancel {
    Cancel {
        hook: "approval".into(),
        reason: format!("no person approved the tool call, and a hook requires it: {reason}")
            .into(),
        scope: Scope::Event,
    }
}

/// A hook deferred the call, and no hook approved it at once.
#[cold]
fn deferred(reason: &str) -> Cancel {
    Cancel {
        hook: "approval".into(),
        reason: format!("the tool call has to wait until a person decides about it: {reason}")
            .into(),
        scope: Scope::Event,
    }
}

/// Replaces the output: the hooks after the one that stopped have not seen it, so no one else may. Returns what stops more
/// than the call.
#[cold]
fn hide(output: &mut ToolOutput, by: Cancel) -> Option<Cancel> {
    *output = ToolOutput::error(by.to_string());
    (by.scope > Scope::Event).then_some(by)
}

fn did_not_run(call: BeforeToolCall, output: ToolOutput, outcome: ToolOutcome) -> ToolCallResult {
    ToolCallResult {
        id: call.id,
        name: call.name,
        output,
        outcome,
        context: call.context,
    }
}
