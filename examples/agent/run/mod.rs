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

mod call;
mod model;
mod timed;
mod turn;

use std::convert::Infallible;
use std::io;
use std::mem;

use hooks_core::agent::{AgentContext, AgentHooks, BeforeLlmCall, SessionEnd, SessionStart};
use hooks_core::{Cancel, Event, HookResult, Scope};

use self::timed::Timed;
use super::journal;
use super::report::Report;
use super::script::{Line, Numbered, Script};
use super::tools::{Tool, Workspace};

const CHANNEL: &str = "terminal";

/// An agent that is generic over its hooks, by one bound.
pub(crate) struct Agent<H> {
    hooks: Timed<H>,
    script: Script,
    /// A line that was read and belongs to what comes next.
    ahead: Option<(usize, Line)>,
    workspace: Workspace,
    report: Report,
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

impl<H: AgentHooks> Agent<H> {
    pub(crate) fn new(hooks: H, script: Script, workspace: Workspace, report: Report) -> Self {
        let cx = AgentContext::new("session-1")
            .with_agent_id("coder")
            .with_cwd(workspace.root().to_string_lossy());
        Agent {
            hooks: Timed::new(hooks, cx),
            script,
            ahead: None,
            workspace,
            report,
            request: BeforeLlmCall {
                tools: Tool::definitions(),
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
        let session_id = self.hooks.cx.session_id.clone();
        let mut started = SessionStart::new(session_id.as_str(), CHANNEL);
        if let Err(cancel) = go_on(self.hooks.ask(&mut started).await) {
            self.report.stopped("the session does not start", &cancel)?;
            return Ok(self.report);
        }
        // The model reads it with the first message.
        let mut context = started.context;
        while let Some(message) = self.next_message().await? {
            self.report.turn(self.hooks.cx.turn + 1, &message)?;
            let ended = self.turn(message, mem::take(&mut context)).await?;
            self.report.decisions(&journal::take())?;
            match ended {
                Ended::Done => {}
                Ended::Aborted => self.skip_turn().await?,
                Ended::Run => break,
            }
            self.hooks.cx.turn += 1;
        }
        let ended = SessionEnd {
            session_id: &session_id,
            channel: CHANNEL,
            reason: "the script is at its end",
        };
        self.hooks.tell(&ended).await;
        Ok(self.report)
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use hooks_core::agent::{AfterLlmCall, AgentEvent, BeforeToolCall, MessageReceived, Retry};
    use hooks_core::{HookAction, hook, hooks, priority};

    use super::*;

    /// Writes down the names of all events, before any hook can stop them.
    #[derive(Default)]
    struct Names(Mutex<Vec<&'static str>>);

    #[hook(every, priority = priority::FIRST)]
    impl Names {
        fn see(&self, event: AgentEvent<'_>) {
            self.0
                .lock()
                .expect("no test panics in a hook")
                .push(event.name());
        }
    }

    impl Names {
        fn taken(&self) -> Vec<&'static str> {
            std::mem::take(&mut *self.0.lock().expect("no test panics in a hook"))
        }
    }

    async fn run(hooks: impl AgentHooks, script: &'static str) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = Workspace::open(folder.path()).expect("it is there");
        let report = Report::to(Box::new(io::sink()), None);
        Agent::new(hooks, Script::new(script.as_bytes()), workspace, report)
            .run()
            .await
            .expect("memory reads, and the sink takes all");
    }

    #[tokio::test]
    async fn events_are_raised_in_the_order_of_a_turn() {
        let names = Names::default();
        let script = r#"{"user": "Look."}
            {"say": "I look.", "tool": "list"}
            {"tool": "fly"}
            {"say": "Done."}"#;
        run(hooks![&names], script).await;
        let ask = ["BeforeLlmCall", "LlmInput"];
        let answered = ["LlmOutput", "AfterLlmCall"];
        let expected = [
            &[
                "SessionStart",
                "MessageReceived",
                "AgentStart",
                "BeforeModelResolve",
            ][..],
            &["BeforePromptBuild"],
            &ask,
            &["LlmDelta"; 3],
            &answered,
            &[
                "BeforeToolCall",
                "ApproveToolCall",
                "ToolCallStart",
                "AfterToolCall",
                "ToolCallEnd",
            ],
            &ask,
            &["LlmDelta"],
            &answered,
            &["InvalidToolCall", "ToolCallSkipped"],
            &ask,
            &["LlmDelta"],
            &answered,
            &[
                "BeforeStop",
                "AgentEnd",
                "MessageSending",
                "MessageSent",
                "SessionEnd",
            ],
        ];
        assert_eq!(names.taken(), expected.concat());
    }

    #[hook]
    fn no_questions(message: &MessageReceived) -> HookAction<MessageReceived> {
        if message.content.ends_with('?') {
            return HookAction::block("no questions");
        }
        HookAction::Continue
    }

    #[tokio::test]
    async fn a_blocked_message_starts_no_turn() {
        let names = Names::default();
        let script = r#"{"user": "Who?"}
            {"tool": "list"}"#;
        run(hooks![&names, no_questions], script).await;
        assert_eq!(
            names.taken(),
            ["SessionStart", "MessageReceived", "SessionEnd"]
        );
    }

    #[hook]
    fn never_content(_: &AfterLlmCall) -> HookAction<AfterLlmCall> {
        HookAction::respond(Retry::with_feedback("better"))
    }

    #[tokio::test]
    async fn a_model_that_never_pleases_its_hooks_gets_its_way_in_the_end() {
        let names = Names::default();
        run(hooks![&names, never_content], r#"{"user": "Hello."}"#).await;
        let asked = names
            .taken()
            .iter()
            .filter(|name| **name == "BeforeLlmCall")
            .count();
        assert_eq!(asked, 4);
    }

    #[hook(only("list"))]
    fn kill_switch(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::abort_run("stop")
    }

    #[tokio::test]
    async fn an_aborted_run_raises_its_ends_and_sends_nothing() {
        let names = Names::default();
        let script = r#"{"tool": "list"}
            {"tool": "list"}
            {"user": "Go on."}"#;
        run(hooks![&names, kill_switch], script).await;
        let names = names.taken();
        assert_eq!(
            names[names.len() - 4..],
            [
                "BeforeToolCall",
                "ToolCallSkipped",
                "AgentEnd",
                "SessionEnd"
            ]
        );
    }
}
