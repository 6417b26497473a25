//! One tool call.

use std::mem;
use std::time::{Duration, Instant};

use hooks_core::agent::{
    AfterToolCall, AgentHooks, ApproveToolCall, BeforeToolCall, ChatMessage, InvalidToolCall, Role,
    ToolCall, ToolCallEnd, ToolCallSkipped, ToolCallStart, ToolOutcome, ToolOutput,
};
use hooks_core::{Cancel, HookResult, Scope};

use super::super::journal;
use super::super::outcome::{CallReport, Verdict};
use super::super::tools::Tool;
use super::{Agent, Stop, go_on};

/// How a tool call came out that nothing stopped.
struct Done {
    verdict: Verdict,
    output: ToolOutput,
    duration: Duration,
    /// Where the output comes from; `None` if the call fits no tool, and nobody has answered it.
    outcome: Option<ToolOutcome>,
    /// What hooks have to say to the model beside it.
    context: Vec<String>,
}

impl<H: AgentHooks> Agent<H> {
    /// One tool call, from the model's wish to what the model is told of it.
    pub(super) async fn tool_call(
        &mut self,
        line: Option<usize>,
        wish: ToolCall,
    ) -> Result<(), Stop> {
        self.hooks.restart();
        let mut call = BeforeToolCall::from(wish.clone());
        let done = match self.carry_out(&mut call).await {
            Ok(done) => done,
            Err(cancel) => Done {
                output: ToolOutput::error(cancel.to_string()),
                verdict: Verdict::Cancelled(cancel),
                duration: Duration::ZERO,
                outcome: None,
                context: Vec::new(),
            },
        };
        let Done {
            verdict,
            output,
            duration,
            outcome,
            context,
        } = done;
        match (&verdict, outcome) {
            (Verdict::Cancelled(cancel), _) => {
                self.hooks.tell(&ToolCallSkipped::of(&call, cancel)).await;
            }
            (_, Some(outcome)) => {
                let end = ToolCallEnd {
                    id: &call.id,
                    name: &call.name,
                    args: &call.args,
                    output: &output,
                    duration,
                    outcome,
                };
                self.hooks.tell(&end).await;
            }
            (_, None) => {
                let skipped = ToolCallSkipped {
                    id: &call.id,
                    name: &call.name,
                    args: &call.args,
                    by: "agent",
                    reason: &output.content,
                };
                self.hooks.tell(&skipped).await;
            }
        }

        self.report.call(&CallReport {
            line,
            wish: (&wish.name, &wish.args),
            ran: (&call.name, &call.args),
            verdict: &verdict,
            output: &output,
            journal: &journal::take(),
            in_hooks: self.hooks.elapsed(),
        })?;
        match verdict {
            Verdict::Cancelled(cancel) if cancel.scope > Scope::Event => Err(cancel.into()),
            _ => {
                let answer = ChatMessage::tool_result(wish.id, &output);
                self.request.messages.push(answer);
                for context in context {
                    self.say(Role::System, context);
                }
                Ok(())
            }
        }
    }

    /// Has the call checked, approved, run, and its output looked through.
    async fn carry_out(&mut self, call: &mut BeforeToolCall) -> Result<Done, Cancel> {
        let mut done = Done {
            verdict: Verdict::Continue,
            output: ToolOutput::default(),
            duration: Duration::ZERO,
            outcome: None,
            context: Vec::new(),
        };
        if let Err(error) = Tool::parse(&call.name, &call.args) {
            let mut invalid = InvalidToolCall {
                id: mem::take(&mut call.id),
                name: mem::take(&mut call.name),
                args: call.args.take(),
                error,
            };
            let decision = self.hooks.ask(&mut invalid).await;
            (call.id, call.name, call.args) = (invalid.id, invalid.name, invalid.args);
            match decision {
                HookResult::Continue => {
                    // Repaired or not: that shows when it is read again.
                    if let Err(error) = Tool::parse(&call.name, &call.args) {
                        done.output = ToolOutput::error(error);
                        return Ok(done);
                    }
                }
                HookResult::Respond(output) => {
                    done.verdict = Verdict::Respond;
                    done.output = output;
                    done.outcome = Some(ToolOutcome::Answered);
                    return self.look_through(call, done).await;
                }
                HookResult::Cancel(cancel) => return Err(cancel),
            }
        }
        match self.hooks.ask(call).await {
            HookResult::Continue => {
                let mut approval = ApproveToolCall::from(&*call);
                // To respond is to approve.
                if let HookResult::Cancel(cancel) = self.hooks.ask(&mut approval).await {
                    return Err(cancel);
                }
                self.hooks.tell(&ToolCallStart::from(&*call)).await;
                let started = Instant::now();
                // A hook may have made it a call that does not fit.
                done.output = match Tool::parse(&call.name, &call.args) {
                    Ok(tool) => self.workspace.run(tool).await,
                    Err(error) => ToolOutput::error(error),
                };
                done.duration = started.elapsed();
                done.outcome = Some(ToolOutcome::Ran);
            }
            HookResult::Respond(output) => {
                done.verdict = Verdict::Respond;
                done.output = output;
                done.outcome = Some(ToolOutcome::Answered);
            }
            HookResult::Cancel(cancel) => return Err(cancel),
        }
        self.look_through(call, done).await
    }

    /// Shows hooks the output, a tool's or a hook's, before anyone else sees it.
    async fn look_through(
        &mut self,
        call: &mut BeforeToolCall,
        done: Done,
    ) -> Result<Done, Cancel> {
        let mut after = AfterToolCall::of(mem::take(call), done.output, done.duration);
        let decision = self.hooks.ask(&mut after).await;
        (call.id, call.name, call.args) = (after.id, after.name, after.args);
        go_on(decision)?;
        Ok(Done {
            output: after.output,
            context: after.context,
            ..done
        })
    }
}
