//! The agent: for every message of the user it runs a turn, and does what its hooks say.
//!
//! The drivers of `hooks_core::agent` raise the events and do what hooks say to a call or an answer. This is
//! what is left for an agent to say:
//!
//! - When a hook *blocks* a message, it is dropped or held back.
//! - When a hook *aborts the turn*, the user reads why, and the rest of the script up to the user's next message is
//!   skipped.
//! - When a hook *aborts the run*, the user reads nothing, and the script nothing more.

mod model;

use std::convert::Infallible;
use std::io;

use hooks_core::agent::{
    AgentContext, AgentHooks, BeforeLlmCall, BeforeToolCall, Conversation, Deltas, MessageError,
    MessageOutcome, MessageReceived, MessageSending, RunError, SessionEnd, SessionStart,
    ToolOutput, run_message, run_turn,
};
use hooks_core::{HookResult, Scope};
use tokio::sync::Mutex;

use self::model::Model;
use super::report::Report;
use super::script::Script;
use super::tools::{Tool, Workspace};
use super::watched::Watched;

const CHANNEL: &str = "terminal";
const PROMPT: &str = "You are a coding agent. Work with your tools, in your workspace.";

/// An agent that is generic over its hooks, by one bound.
pub(crate) struct Agent<H> {
    hooks: Watched<H>,
    cx: AgentContext,
    /// Drivers may ask the model again, so they borrow it by `&`.
    model: Mutex<Model>,
    workspace: Workspace,
    conversation: Conversation,
}

impl<H: AgentHooks> Agent<H> {
    pub(crate) fn new(hooks: H, script: Script, workspace: Workspace, report: Report) -> Self {
        let cx = AgentContext::new("session-1")
            .with_agent_id("coder")
            .with_cwd(workspace.root().to_string_lossy());
        let conversation = Conversation::new("script", "script")
            .with_prompt(PROMPT)
            .with_tools(Tool::definitions());
        Agent {
            hooks: Watched::new(hooks, report),
            cx,
            model: Mutex::new(Model::new(script)),
            workspace,
            conversation: Conversation {
                // A script comes to its end by itself.
                max_llm_calls: u32::MAX,
                ..conversation
            },
        }
    }

    /// Works through the whole script, turn by turn.
    ///
    /// # Errors
    ///
    /// The script cannot be read, or the report not be written.
    pub(crate) async fn run(mut self) -> io::Result<Report> {
        let worked = self.work().await;
        // Where the report could not be written, that says why the work has ended.
        let report = self.hooks.into_report()?;
        worked.map(|()| report)
    }

    async fn work(&mut self) -> io::Result<()> {
        let session_id = self.cx.session_id.clone();
        let mut started = SessionStart::new(session_id.as_str(), CHANNEL);
        if let HookResult::Cancel(cancel) = self.hooks.all().intercept(&self.cx, &mut started).await
        {
            let report =
                |report: &mut Report| report.stopped("the session does not start", &cancel);
            self.hooks.report(report);
            return Ok(());
        }
        self.conversation.context = started.context;
        while let Some(message) = self.model.get_mut().message(&self.hooks).await? {
            self.hooks.report(|report| report.turn(&message));
            match self.turn(message).await? {
                None => {}
                Some(Scope::Event | Scope::Turn) => {
                    self.model.get_mut().skip_turn(&self.hooks).await?;
                }
                Some(Scope::Run) => break,
            }
            self.cx.turn += 1;
        }
        let ended = SessionEnd {
            session_id: &session_id,
            channel: CHANNEL,
            reason: "the script is at its end",
        };
        self.hooks.all().observe(&self.cx, &ended).await;
        Ok(())
    }

    /// One turn, from the user's message to the agent's: how much hooks have ended, if they have.
    async fn turn(&mut self, message: String) -> io::Result<Option<Scope>> {
        let (hooks, cx, model, workspace) = (&self.hooks, &self.cx, &self.model, &self.workspace);
        let all = hooks.all();
        let conversation = &mut self.conversation;
        let (mut is_dropped, mut ended) = (true, None);
        let outcome = run_message(
            all,
            cx,
            MessageReceived::new(CHANNEL, "user", message),
            async |message: MessageReceived| {
                is_dropped = false;
                conversation.context.extend(message.context);
                let done = run_turn(
                    all,
                    cx,
                    conversation,
                    message.content,
                    async |_: &BeforeLlmCall, deltas: Deltas<'_>| {
                        model.lock().await.answer(hooks, deltas).await
                    },
                    async |call: &BeforeToolCall| match Tool::parse(&call.name, &call.args) {
                        Ok(tool) => workspace.run(tool).await,
                        Err(error) => ToolOutput::error(error),
                    },
                );
                match done.await {
                    Ok(done) => Ok(done.response),
                    // The user reads why.
                    Err(RunError::Cancelled(cancel)) if cancel.scope < Scope::Run => {
                        ended = Some(cancel.scope);
                        Ok(cancel.to_string())
                    }
                    Err(error) => Err(error),
                }
            },
            async |message: &MessageSending| {
                hooks.report(|report| report.message(&message.content));
                Ok::<_, Infallible>(())
            },
        )
        .await;

        let (what, cancel) = match outcome {
            Ok(MessageOutcome::Sent(_)) => return Ok(ended),
            Ok(MessageOutcome::Failed { error, .. })
            | Err(MessageError::Unanswered(RunError::Failed(error))) => {
                return Err(io::Error::other(error));
            }
            Err(MessageError::Unanswered(RunError::Cancelled(cancel))) => {
                ("the agent stops", cancel)
            }
            Ok(MessageOutcome::Blocked(cancel)) | Err(MessageError::Cancelled(cancel)) => {
                let what = if is_dropped {
                    "the message is dropped"
                } else {
                    "the message is held back"
                };
                (what, cancel)
            }
        };
        hooks.report(|report| report.stopped(what, &cancel));
        // A turn is over, whether the user reads of it or not.
        if is_dropped || cancel.scope == Scope::Run {
            ended = Some(cancel.scope);
        }
        Ok(ended)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Mutex;

    use hooks_core::agent::{AfterLlmCall, AgentEvent, LlmInput, MAX_RETRIES, Retry};
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

    async fn reported_to(
        story: impl Write + Send + 'static,
        hooks: impl AgentHooks,
        script: &'static str,
    ) -> io::Result<Report> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = Workspace::open(folder.path()).expect("the folder is there");
        let report = Report::to(Box::new(story), None);
        let agent = Agent::new(hooks, Script::new(script.as_bytes()), workspace, report);
        agent.run().await
    }

    async fn run(hooks: impl AgentHooks, script: &'static str) {
        let ran = reported_to(io::sink(), hooks, script).await;
        ran.expect("memory reads, and the sink takes all");
    }

    #[tokio::test]
    async fn events_are_raised_in_the_order_of_a_turn() {
        let names = Names::default();
        let script = r#"{"user": "Look."}
            {"say": "I look.", "tool": "list"}
            {"tool": "fly"}
            {"say": "Done."}"#;
        run(hooks![&names], script).await;
        let expected =
            "SessionStart MessageReceived AgentStart BeforeModelResolve BeforePromptBuild
            BeforeLlmCall LlmInput LlmDelta LlmDelta LlmDelta LlmOutput AfterLlmCall
            BeforeToolCall ApproveToolCall ToolCallStart AfterToolCall ToolCallEnd
            BeforeLlmCall LlmInput LlmDelta LlmOutput AfterLlmCall
            InvalidToolCall ToolCallSkipped
            BeforeLlmCall LlmInput LlmDelta LlmOutput AfterLlmCall
            BeforeStop AgentEnd MessageSending MessageSent SessionEnd";
        assert_eq!(
            names.taken(),
            expected.split_whitespace().collect::<Vec<_>>()
        );
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
    fn silence(_: &MessageSending) -> HookAction<MessageSending> {
        HookAction::block("hush")
    }

    #[tokio::test]
    async fn after_a_message_that_is_held_back_the_script_goes_on() {
        let names = Names::default();
        let script = r#"{"say": "Hello."}
            {"tool": "list"}"#;
        run(hooks![&names, silence], script).await;
        let names = names.taken();
        assert!(names.contains(&"ToolCallEnd"), "{names:?}");
        assert!(!names.contains(&"MessageSent"), "{names:?}");
    }

    #[hook]
    fn never_content(_: &AfterLlmCall) -> HookAction<AfterLlmCall> {
        HookAction::respond(Retry::with_feedback("better"))
    }

    #[tokio::test]
    async fn a_model_that_never_pleases_its_hooks_gets_its_way_in_the_end() {
        let names = Names::default();
        run(hooks![&names, never_content], r#"{"user": "Hello."}"#).await;
        let asked = names.taken();
        let asked = asked.iter().filter(|name| **name == "LlmInput").count();
        assert_eq!(asked, MAX_RETRIES as usize + 1);
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

    #[hook]
    fn session_context(session: &mut SessionStart) {
        session.context.push("Tests come first.".into());
    }

    #[hook]
    fn message_context(message: &mut MessageReceived) {
        message.context.push("It is Monday.".into());
    }

    /// What the model was last asked with.
    #[derive(Default)]
    struct Asked(Mutex<Vec<String>>);

    #[hook]
    impl Asked {
        fn see(&self, input: &LlmInput<'_>) {
            let said = input.messages.iter().map(|message| message.content.clone());
            *self.0.lock().expect("no test panics in a hook") = said.collect();
        }
    }

    #[tokio::test]
    async fn the_model_reads_what_hooks_add_to_the_session_and_to_a_message() {
        let asked = Asked::default();
        let hooks = hooks![&asked, session_context, message_context];
        run(hooks, r#"{"user": "Hello."}"#).await;
        let said = asked.0.into_inner().expect("no test panics in a hook");
        assert_eq!(
            said,
            [PROMPT, "Hello.", "Tests come first.", "It is Monday."]
        );
    }

    /// The reader of the report has gone.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn no_tool_runs_that_nobody_reads_of() {
        let names = Names::default();
        let ran = reported_to(Closed, hooks![&names], r#"{"tool": "list"}"#).await;
        assert_eq!(
            ran.err().map(|error| error.kind()),
            Some(io::ErrorKind::BrokenPipe)
        );
        assert!(!names.taken().contains(&"ToolCallStart"));
    }
}
