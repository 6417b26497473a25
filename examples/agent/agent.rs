//! The agent: it raises every event of a turn, in the order of the standard vocabulary, and does what
//! its hooks say.
//!
//! What a hook's "no" means here:
//!
//! - *block* stops the event: a call does not run, and the model reads why; a message is dropped or held
//!   back. Before the agent stops, it makes it go on, with the reason as feedback.
//! - *abort turn* also ends the turn: the user reads why, and the rest of the script up to the user's
//!   next message is skipped.
//! - *abort run* also ends the run: the user reads nothing, and the script nothing more.

use std::convert::Infallible;
use std::io;
use std::mem;
use std::time::{Duration, Instant};

use hooks_core::agent::{
    AfterLlmCall, AfterToolCall, AgentContext, AgentEnd, AgentHooks, AgentStart, ApproveToolCall,
    BeforeLlmCall, BeforeModelResolve, BeforePromptBuild, BeforeStop, BeforeToolCall, ChatMessage,
    DeltaKind, InvalidToolCall, LlmDelta, LlmInput, LlmOutput, LlmResponse, MessageReceived,
    MessageSending, MessageSent, Retry, Role, SessionEnd, SessionStart, ToolCall, ToolCallEnd,
    ToolOutput,
};
use hooks_core::{Cancel, Event, HookResult, Scope};
use serde_json::json;

use super::journal;
use super::report::{CallReport, Report, Verdict};
use super::script::{Answer, Line, Numbered, Script};
use super::tools::{Tool, Workspace};

const CHANNEL: &str = "terminal";
const PROMPT: &str = "You are a coding agent. Work with your tools, in your workspace.";
/// How often hooks may have the model asked again in a turn, before it gets its way.
const PATIENCE: u32 = 3;

/// An agent that is generic over its hooks, by one bound.
pub(crate) struct Agent<H> {
    hooks: H,
    cx: AgentContext,
    script: Script,
    /// A line that was read and belongs to what comes next.
    ahead: Option<(usize, Line)>,
    workspace: Workspace,
    report: Report,
    clock: Clock,
    /// The conversation, kept as the event that is raised with it: nothing is cloned to ask the model.
    request: BeforeLlmCall,
    calls: usize,
}

/// Why the agent does not go on: its hooks, or its script and its report.
enum Stop {
    Cancelled(Cancel),
    Failed(io::Error),
}

impl From<Cancel> for Stop {
    fn from(cancel: Cancel) -> Self {
        Stop::Cancelled(cancel)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Failed(error)
    }
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Done,
    /// The rest of the script's turn is skipped.
    Aborted,
    /// The run is over.
    Run,
}

impl Ended {
    fn by(cancel: &Cancel) -> Self {
        match cancel.scope {
            Scope::Event | Scope::Turn => Ended::Aborted,
            Scope::Run => Ended::Run,
        }
    }
}

/// How a tool call came out that nothing stopped.
struct Done {
    verdict: Verdict,
    output: ToolOutput,
    duration: Duration,
}

impl<H: AgentHooks> Agent<H> {
    pub(crate) fn new(hooks: H, script: Script, workspace: Workspace, report: Report) -> Self {
        Agent {
            hooks,
            cx: AgentContext::new("session-1")
                .with_agent_id("coder")
                .with_cwd(workspace.root().to_string_lossy()),
            script,
            ahead: None,
            workspace,
            report,
            clock: Clock::default(),
            request: BeforeLlmCall {
                tools: Tool::definitions(),
                options: json!({}),
                ..BeforeLlmCall::default()
            },
            calls: 0,
        }
    }

    /// Works through the whole script, turn by turn.
    ///
    /// # Errors
    ///
    /// The script cannot be read, or the report not be written.
    pub(crate) async fn run(mut self) -> io::Result<Report> {
        let session_id = self.cx.session_id.clone();
        let started = SessionStart {
            session_id: &session_id,
            channel: CHANNEL,
        };
        self.clock
            .time(self.hooks.observe(&self.cx, &started))
            .await;
        while let Some(message) = self.next_message().await? {
            self.report.turn(self.cx.turn + 1, &message)?;
            let ended = self.turn(message).await?;
            self.report.decisions(&journal::take())?;
            match ended {
                Ended::Done => {}
                Ended::Aborted => self.skip_turn().await?,
                Ended::Run => break,
            }
            self.cx.turn += 1;
        }
        let ended = SessionEnd {
            session_id: &session_id,
            channel: CHANNEL,
        };
        self.clock.time(self.hooks.observe(&self.cx, &ended)).await;
        Ok(self.report)
    }

    /// One turn: from the user's message to the agent's.
    async fn turn(&mut self, content: String) -> io::Result<Ended> {
        let mut message = MessageReceived {
            channel: CHANNEL.into(),
            sender: "user".into(),
            content,
        };
        let decision = self
            .clock
            .time(self.hooks.intercept(&self.cx, &mut message))
            .await;
        if let Err(cancel) = go_on(decision) {
            self.report.stopped("the message is dropped", &cancel)?;
            return Ok(Ended::by(&cancel));
        }
        let start = AgentStart {
            prompt: &message.content,
        };
        self.clock.time(self.hooks.observe(&self.cx, &start)).await;

        let (response, ended) = match self.work(message.content).await {
            Ok(response) => (response, Ended::Done),
            Err(Stop::Cancelled(cancel)) => (cancel.to_string(), Ended::by(&cancel)),
            Err(Stop::Failed(error)) => return Err(error),
        };

        let end = AgentEnd {
            response: &response,
        };
        self.clock.time(self.hooks.observe(&self.cx, &end)).await;
        self.report.decisions(&journal::take())?;
        if ended == Ended::Run {
            self.report.run_aborted(&response)?;
            return Ok(ended);
        }
        let sent = self.send(response).await?;
        Ok(if sent == Ended::Run { sent } else { ended })
    }

    /// Sends the agent's message.
    async fn send(&mut self, content: String) -> io::Result<Ended> {
        let mut message = MessageSending {
            channel: CHANNEL.into(),
            recipient: "user".into(),
            content,
        };
        let decision = self
            .clock
            .time(self.hooks.intercept(&self.cx, &mut message))
            .await;
        self.report.decisions(&journal::take())?;
        if let Err(cancel) = go_on(decision) {
            self.report.stopped("the message is held back", &cancel)?;
            return Ok(Ended::by(&cancel));
        }
        self.report.message(&message.content)?;
        let sent = MessageSent {
            channel: &message.channel,
            recipient: &message.recipient,
            content: &message.content,
        };
        self.clock.time(self.hooks.observe(&self.cx, &sent)).await;
        Ok(Ended::Done)
    }

    /// Asks the model and calls its tools, until it has nothing more to call.
    async fn work(&mut self, content: String) -> Result<String, Stop> {
        let mut model = BeforeModelResolve {
            provider: "script".into(),
            model: "script".into(),
        };
        let decision = self
            .clock
            .time(self.hooks.intercept(&self.cx, &mut model))
            .await;
        go_on(decision)?;
        self.request.model = model.model;

        let mut building = BeforePromptBuild {
            prompt: PROMPT.into(),
        };
        let decision = self
            .clock
            .time(self.hooks.intercept(&self.cx, &mut building))
            .await;
        go_on(decision)?;
        let system = ChatMessage::new(Role::System, building.prompt);
        match self.request.messages.first_mut() {
            Some(first) => *first = system,
            None => self.request.messages.push(system),
        }
        self.say(Role::User, content);
        self.report.decisions(&journal::take())?;

        let mut asked_again = 0;
        loop {
            let (line, response, retry) = self.ask_model().await?;
            self.report.decisions(&journal::take())?;
            if let Some(retry) = retry.filter(|_| asked_again < PATIENCE) {
                asked_again += 1;
                self.request.messages.extend(
                    retry
                        .feedback
                        .map(|feedback| ChatMessage::new(Role::User, feedback)),
                );
                continue;
            }
            self.request.messages.push(ChatMessage {
                role: Role::Assistant,
                content: response.content.clone(),
                tool_calls: response.tool_calls.clone(),
            });
            if !response.tool_calls.is_empty() {
                self.report.says(line, &response.content)?;
                for call in response.tool_calls {
                    self.tool_call(line, call).await?;
                }
                continue;
            }
            let mut stop = BeforeStop {
                response: response.content,
            };
            let decision = self
                .clock
                .time(self.hooks.intercept(&self.cx, &mut stop))
                .await;
            match decision {
                HookResult::Cancel(cancel)
                    if cancel.scope == Scope::Event && asked_again < PATIENCE =>
                {
                    asked_again += 1;
                    self.report.says(line, &stop.response)?;
                    self.report.decisions(&journal::take())?;
                    self.say(Role::User, cancel.reason);
                }
                HookResult::Cancel(cancel) if cancel.scope > Scope::Event => {
                    return Err(cancel.into());
                }
                _ => return Ok(stop.response),
            }
        }
    }

    fn say(&mut self, role: Role, content: impl Into<String>) {
        self.request.messages.push(ChatMessage::new(role, content));
    }

    /// Asks the model once: the line that it answers with, the answer, and whether a hook wants another.
    async fn ask_model(&mut self) -> Result<(Option<usize>, LlmResponse, Option<Retry>), Stop> {
        let decision = self
            .clock
            .time(self.hooks.intercept(&self.cx, &mut self.request))
            .await;
        let (line, response) = match decision {
            HookResult::Continue => self.stream_answer().await?,
            HookResult::Respond(response) => (None, response),
            HookResult::Cancel(cancel) => return Err(cancel.into()),
        };
        let mut after = AfterLlmCall {
            model: self.request.model.clone(),
            response,
        };
        let decision = self
            .clock
            .time(self.hooks.intercept(&self.cx, &mut after))
            .await;
        match decision {
            HookResult::Continue => Ok((line, after.response, None)),
            HookResult::Respond(retry) => Ok((line, after.response, Some(retry))),
            HookResult::Cancel(cancel) => Err(cancel.into()),
        }
    }

    /// The model: its answer is the script's next line. It has done its work when the script has nothing
    /// more for it in this turn.
    async fn stream_answer(&mut self) -> Result<(Option<usize>, LlmResponse), Stop> {
        let input = LlmInput {
            model: &self.request.model,
            messages: &self.request.messages,
        };
        self.clock.time(self.hooks.observe(&self.cx, &input)).await;

        let (line, answer) = match self.next_line().await? {
            Some((number, Line::Answer(answer))) => (Some(number), answer),
            next => {
                self.ahead = next;
                let say = "The script has nothing more to do.".into();
                (None, Answer { say, call: None })
            }
        };
        // Once a token or so: where no hook wants it, not even the cutting into pieces is paid for.
        if self.hooks.handles::<LlmDelta<'_>>() {
            for text in answer.say.split_inclusive(' ') {
                self.delta(DeltaKind::Text, text).await;
            }
            if let Some((_, args)) = &answer.call {
                self.delta(DeltaKind::ToolCall, &args.to_string()).await;
            }
        }
        let tool_calls = answer.call.into_iter().map(|(name, args)| {
            self.calls += 1;
            ToolCall {
                id: format!("call-{}", self.calls),
                name,
                args,
            }
        });
        let response = LlmResponse {
            content: answer.say,
            tool_calls: tool_calls.collect(),
        };
        let output = LlmOutput {
            model: &self.request.model,
            response: &response,
        };
        self.clock.time(self.hooks.observe(&self.cx, &output)).await;
        Ok((line, response))
    }

    async fn delta(&mut self, kind: DeltaKind, text: &str) {
        let delta = LlmDelta { kind, text };
        self.clock.time(self.hooks.observe(&self.cx, &delta)).await;
    }

    /// One tool call, from the model's wish to what the model is told of it.
    async fn tool_call(&mut self, line: Option<usize>, wish: ToolCall) -> Result<(), Stop> {
        self.clock.restart();
        let mut call = BeforeToolCall {
            id: wish.id,
            name: wish.name.clone(),
            args: wish.args.clone(),
        };
        let (verdict, output, duration) = match self.carry_out(&mut call).await {
            Ok(done) => (done.verdict, done.output, done.duration),
            Err(cancel) => {
                let output = ToolOutput::error(cancel.to_string());
                (Verdict::Cancelled(cancel), output, Duration::ZERO)
            }
        };
        let end = ToolCallEnd {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            output: &output,
            duration,
        };
        self.clock.time(self.hooks.observe(&self.cx, &end)).await;

        self.report.call(&CallReport {
            line,
            wish: (&wish.name, &wish.args),
            ran: (&call.name, &call.args),
            verdict: &verdict,
            output: &output,
            journal: &journal::take(),
            in_hooks: self.clock.elapsed(),
        })?;
        match verdict {
            Verdict::Cancelled(cancel) if cancel.scope > Scope::Event => Err(cancel.into()),
            _ => {
                self.say(Role::Tool, output.content);
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
        };
        if let Err(error) = Tool::parse(&call.name, &call.args) {
            let mut invalid = InvalidToolCall {
                id: mem::take(&mut call.id),
                name: mem::take(&mut call.name),
                args: call.args.take(),
                error,
            };
            let decision = self
                .clock
                .time(self.hooks.intercept(&self.cx, &mut invalid))
                .await;
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
                    return self.look_through(call, done).await;
                }
                HookResult::Cancel(cancel) => return Err(cancel),
            }
        }
        let decision = self.clock.time(self.hooks.intercept(&self.cx, call)).await;
        match decision {
            HookResult::Continue => {
                let mut approval = ApproveToolCall {
                    id: &call.id,
                    name: &call.name,
                    args: &call.args,
                };
                let decision = self
                    .clock
                    .time(self.hooks.intercept(&self.cx, &mut approval))
                    .await;
                go_on(decision)?;
                let started = Instant::now();
                // A hook may have made it a call that does not fit.
                done.output = match Tool::parse(&call.name, &call.args) {
                    Ok(tool) => self.workspace.run(tool).await,
                    Err(error) => ToolOutput::error(error),
                };
                done.duration = started.elapsed();
            }
            HookResult::Respond(output) => {
                done.verdict = Verdict::Respond;
                done.output = output;
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
        let mut after = AfterToolCall {
            id: mem::take(&mut call.id),
            name: mem::take(&mut call.name),
            args: call.args.take(),
            output: done.output,
            duration: done.duration,
        };
        let decision = self
            .clock
            .time(self.hooks.intercept(&self.cx, &mut after))
            .await;
        (call.id, call.name, call.args) = (after.id, after.name, after.args);
        go_on(decision)?;
        Ok(Done {
            output: after.output,
            ..done
        })
    }

    /// What the user says next. A script that begins with the model's answers has been asked to.
    async fn next_message(&mut self) -> io::Result<Option<String>> {
        Ok(match self.next_line().await? {
            Some((_, Line::User(message))) => Some(message),
            Some(answer) => {
                self.ahead = Some(answer);
                Some("Work through the script.".into())
            }
            None => None,
        })
    }

    /// Skips what the script still has for a turn that was aborted.
    async fn skip_turn(&mut self) -> io::Result<()> {
        while let Some(line) = self.next_line().await? {
            if let (_, Line::User(_)) = line {
                self.ahead = Some(line);
                break;
            }
            self.report.skipped();
        }
        Ok(())
    }

    /// The next line that is well formed; the others are reported.
    async fn next_line(&mut self) -> io::Result<Option<(usize, Line)>> {
        if let Some(line) = self.ahead.take() {
            return Ok(Some(line));
        }
        while let Some(Numbered { number, line }) = self.script.next().await? {
            match line {
                Ok(line) => return Ok(Some((number, line))),
                Err(wrong) => self.report.malformed(number, &wrong)?,
            }
        }
        Ok(None)
    }
}

/// Goes on, if the hooks let it; for events that no hook can answer.
fn go_on<E: Event<Response = Infallible>>(decision: HookResult<E>) -> Result<(), Cancel> {
    match decision {
        HookResult::Continue => Ok(()),
        HookResult::Cancel(cancel) => Err(cancel),
    }
}

/// Adds up the time that is spent in hooks.
#[derive(Default)]
struct Clock {
    elapsed: Duration,
}

impl Clock {
    fn restart(&mut self) {
        self.elapsed = Duration::ZERO;
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }

    async fn time<T>(&mut self, dispatch: impl Future<Output = T>) -> T {
        let started = Instant::now();
        let outcome = dispatch.await;
        self.elapsed += started.elapsed();
        outcome
    }
}
