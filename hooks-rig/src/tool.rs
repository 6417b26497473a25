//! Raises the events of tool calls.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use hooks_core::agent::{
    AfterToolCall, AgentHooks, Approval, ApproveToolCall, BeforeToolCall, InvalidToolCall,
    ToolCallEnd, ToolCallSkipped, ToolCallStart, ToolOutcome, ToolOutput,
};
use hooks_core::{Cancel, HookResult, Scope};
use rig_agent::agent::hook::{
    DispatchAction, DispatchEvent, HookContext, InvalidToolCallAction, InvalidToolCallContext,
    InvalidToolCallReason, OutcomeAction, OutcomeEvent,
};
use rig_agent::core::effect::{EffectKind, Outcome};
use rig_agent::core::error::ErrorKind;
use rig_agent::core::tool::ToolResult;

use crate::RigHooks;
use crate::convert::{self, arguments};
use crate::run::{RigCall, RigRun};

/// Who skipped a call that none of our hooks did.
const RIG: &str = "rig";

impl<H: AgentHooks + 'static> RigHooks<H> {
    /// Raises BeforeToolCall, ApproveToolCall and ToolCallStart.
    pub(crate) async fn before_tool(
        &self,
        ctx: &HookContext,
        event: DispatchEvent<'_>,
        name: &str,
        args: &str,
    ) -> DispatchAction {
        let run = self.run(ctx);
        let id = event
            .call_id
            .map_or_else(|| event.id.to_string(), ToString::to_string);
        let repaired = run.notes().repaired.remove(&id);
        let is_repaired = repaired.is_some();
        let args_now = repaired.unwrap_or_else(|| arguments(args));
        let mut call = BeforeToolCall::new(id, name, args_now);
        if self.hooks.handles::<BeforeToolCall>() {
            match self.hooks.intercept(&run.cx, &mut call).await {
                HookResult::Continue => {}
                HookResult::Respond(output) => {
                    // rig can only run the tool or skip the call. So it is skipped, and gets its output in the
                    // callback for the outcome.
                    run.park(event.id, RigCall::Answered(call, output));
                    return DispatchAction::skip("a hook answered in the tool's place");
                }
                HookResult::Cancel(cancel) => {
                    run.park(event.id, RigCall::Over);
                    return self.refuse(&run, &call, &cancel).await;
                }
            }
        }
        if call.name != name {
            run.park(event.id, RigCall::Over);
            let cancel = Cancel {
                hook: RIG.into(),
                reason: format!(
                    "hooks made `{}` of `{name}`, and rig calls no other tool",
                    call.name
                )
                .into(),
                scope: Scope::Event,
            };
            return self.refuse(&run, &call, &cancel).await;
        }
        if let Some(cancel) = self.approve(&run, &call).await {
            run.park(event.id, RigCall::Over);
            return self.refuse(&run, &call, &cancel).await;
        }
        if self.hooks.handles::<ToolCallStart<'_>>() {
            let start = ToolCallStart::from(&call);
            self.hooks.observe(&run.cx, &start).await;
        }
        let action = if is_repaired || self.hooks.handles::<BeforeToolCall>() {
            rewritten(&call, args)
        } else {
            DispatchAction::Proceed
        };
        run.park(event.id, RigCall::Runs(call, Instant::now()));
        action
    }

    /// Raises ApproveToolCall. Returns why the call may not run.
    async fn approve(&self, run: &RigRun, call: &BeforeToolCall) -> Option<Cancel> {
        if self.hooks.handles::<ApproveToolCall<'_>>() {
            let mut approve = ApproveToolCall::from(call);
            return match self.hooks.intercept(&run.cx, &mut approve).await {
                // To respond is to approve.
                HookResult::Continue | HookResult::Respond(_) => None,
                HookResult::Cancel(cancel) => Some(cancel),
            };
        }
        // rig itself has no one to ask.
        let (Approval::Ask { reason } | Approval::Defer { reason }) = &call.approval else {
            return None;
        };
        Some(Cancel {
            hook: RIG.into(),
            reason: format!("the call needs approval, but no approver is configured: {reason}")
                .into(),
            scope: Scope::Event,
        })
    }

    /// Skips the call.
    async fn refuse(&self, run: &RigRun, call: &BeforeToolCall, cancel: &Cancel) -> DispatchAction {
        self.tell_skipped(run, call, &cancel.hook, &cancel.reason)
            .await;
        if cancel.scope == Scope::Event {
            return DispatchAction::skip(cancel.to_string());
        }
        run.stop();
        DispatchAction::stop(cancel.to_string())
    }

    async fn tell_skipped(&self, run: &RigRun, call: &BeforeToolCall, by: &str, reason: &str) {
        if self.hooks.handles::<ToolCallSkipped<'_>>() {
            let skipped = ToolCallSkipped {
                id: &call.id,
                name: &call.name,
                args: &call.args,
                annotations: call.annotations,
                by,
                reason,
            };
            self.hooks.observe(&run.cx, &skipped).await;
        }
    }

    /// Raises AfterToolCall and ToolCallEnd. Returns the call in the state in which hooks left it, and why the run
    /// ends, if it does.
    async fn end(
        &self,
        run: &RigRun,
        mut after: AfterToolCall,
        outcome: ToolOutcome,
    ) -> Result<AfterToolCall, Cancel> {
        let mut stop = None;
        if self.hooks.handles::<AfterToolCall>()
            && let HookResult::Cancel(cancel) = self.hooks.intercept(&run.cx, &mut after).await
        {
            stop = Some(cancel);
        }
        if self.hooks.handles::<ToolCallEnd<'_>>() {
            let end = ToolCallEnd::of(&after, outcome);
            self.hooks.observe(&run.cx, &end).await;
        }
        match stop {
            Some(cancel) => {
                run.stop();
                Err(cancel)
            }
            None => Ok(after),
        }
    }

    /// Raises AfterToolCall, and ToolCallEnd or ToolCallSkipped.
    pub(crate) async fn after_tool(
        &self,
        ctx: &HookContext,
        event: OutcomeEvent<'_>,
        name: &str,
        args: &str,
    ) -> OutcomeAction {
        let run = self.run(ctx);
        let (call, since, answer) = match run.take(event.id) {
            Some(RigCall::Over) => return OutcomeAction::Proceed,
            Some(RigCall::Runs(call, since)) => (call, Some(since), None),
            Some(RigCall::Answered(call, output)) => (call, None, Some(output)),
            // Another hook of rig has denied the call before this one.
            None => {
                let id = event.call_id.map(ToString::to_string);
                let call = BeforeToolCall::new(id.unwrap_or_default(), name, arguments(args));
                (call, None, None)
            }
        };
        let duration = since.map_or(Duration::ZERO, |since| since.elapsed());
        if let Some(output) = answer {
            let after = AfterToolCall::of(call, output, duration);
            return match self.end(&run, after, ToolOutcome::Answered).await {
                Ok(after) => replace(convert::result(after.output, after.context).map(Some)),
                Err(cancel) => OutcomeAction::stop(cancel.to_string()),
            };
        }
        let result = match event.outcome {
            Ok(Outcome::ToolResult { result }) if result.is_skipped() => {
                let reason = result.output().render();
                self.tell_skipped(&run, &call, RIG, &reason).await;
                return OutcomeAction::Proceed;
            }
            Ok(Outcome::ToolResult { result }) => Cow::Borrowed(result),
            Ok(_) => return OutcomeAction::Proceed,
            Err(report) if ended_before_it_ran(report.kind) => {
                self.tell_skipped(&run, &call, RIG, &report.message).await;
                return OutcomeAction::Proceed;
            }
            Err(report) => Cow::Owned(ToolResult::failed(report.clone().into())),
        };
        let after = AfterToolCall::of(call, convert::output(&result), duration);
        match self.end(&run, after, ToolOutcome::Ran).await {
            Ok(after) => replace(convert::changed(after.output, after.context, &result)),
            Err(cancel) => OutcomeAction::stop(cancel.to_string()),
        }
    }

    /// Raises InvalidToolCall, and the end of a call that a hook answers or blocks.
    pub(crate) async fn invalid_tool(
        &self,
        ctx: &HookContext,
        event: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        let run = self.run(ctx);
        let raw = event.args.as_deref().unwrap_or("{}");
        let id = event.tool_call_id.as_ref().map(ToString::to_string);
        let mut call = InvalidToolCall::new(
            id.unwrap_or_default(),
            event.tool_name.as_str(),
            arguments(raw),
            error_of(event),
        );
        match self.hooks.intercept(&run.cx, &mut call).await {
            HookResult::Continue => {}
            HookResult::Respond(output) => {
                return Some(self.answer_invalid(&run, call, output).await);
            }
            HookResult::Cancel(cancel) => {
                let call = BeforeToolCall::from(call);
                self.tell_skipped(&run, &call, &cancel.hook, &cancel.reason)
                    .await;
                if cancel.scope == Scope::Event {
                    return Some(InvalidToolCallAction::skip(cancel.to_string()));
                }
                run.stop();
                return Some(InvalidToolCallAction::stop(cancel.to_string()));
            }
        }
        let new_args = (call.args != arguments(raw)).then(|| call.args.clone());
        if let InvalidToolCallReason::MalformedArguments { .. } = event.reason {
            // rig cannot run such a call with other arguments: the model has to repeat it.
            return new_args.map(|args| {
                InvalidToolCallAction::retry(format!(
                    "{}. Call `{}` again with these arguments: {args}",
                    call.error, call.name
                ))
            });
        }
        if let Some(args) = new_args {
            run.notes().repaired.insert(call.id, args);
        }
        (call.name != event.tool_name).then(|| InvalidToolCallAction::repair(call.name))
    }

    /// Passes an answer through the hooks that see every output.
    async fn answer_invalid(
        &self,
        run: &RigRun,
        call: InvalidToolCall,
        output: ToolOutput,
    ) -> InvalidToolCallAction {
        let after = AfterToolCall::of(call.into(), output, Duration::ZERO);
        match self.end(run, after, ToolOutcome::Answered).await {
            Ok(mut after) => {
                after.context.insert(0, after.output.content);
                InvalidToolCallAction::skip(after.context.join("\n"))
            }
            Err(cancel) => InvalidToolCallAction::stop(cancel.to_string()),
        }
    }
}

/// The call with other arguments, if hooks have changed them. rig still has the old ones as text, so no copy is
/// needed to compare.
fn rewritten(call: &BeforeToolCall, args: &str) -> DispatchAction {
    let new = call.args.to_string();
    if new == args {
        return DispatchAction::Proceed;
    }
    DispatchAction::Patch(EffectKind::ToolCall {
        name: call.name.clone(),
        args: new,
    })
}

/// The result for the model, if it differs from rig's.
fn replace(result: Result<Option<ToolResult>, String>) -> OutcomeAction {
    match result {
        Ok(None) => OutcomeAction::Proceed,
        Ok(Some(result)) => OutcomeAction::Replace(Ok(Outcome::ToolResult { result })),
        Err(reason) => OutcomeAction::stop(reason),
    }
}

/// Whether a failure of rig's bus means that the tool did not run.
fn ended_before_it_ran(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Cancelled
            | ErrorKind::Denied
            | ErrorKind::BusClosed
            | ErrorKind::HandlerUnavailable
            | ErrorKind::Divergence
    )
}

fn error_of(event: &InvalidToolCallContext) -> String {
    match &event.reason {
        InvalidToolCallReason::UnknownTool => format!(
            "there is no tool `{}`; there are: {}",
            event.tool_name,
            event.available_tools.join(", ")
        ),
        InvalidToolCallReason::DisallowedByToolChoice => format!(
            "the tool `{}` is not allowed now; allowed are: {}",
            event.tool_name,
            event.allowed_tools.join(", ")
        ),
        InvalidToolCallReason::MalformedArguments { error } => {
            format!("the arguments are not a JSON object: {error}")
        }
        other => format!("{other:?}"),
    }
}
