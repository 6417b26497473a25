//! What PicoClaw has, said here: the names are those of `docs/coming-from.md`.

use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;

use hooks_core::agent::*;
use hooks_core::{
    HookAction, HookResult, Scope, async_trait, hook, hooks, intercept_fn, observe_fn, priority,
};
use serde_json::{Value, json};

fn cx() -> AgentContext {
    AgentContext::new("session-1")
}

/// An agent with PicoClaw's five stages. It remembers which tools ran, and what stopped it.
struct Agent<H> {
    hooks: H,
    ran: Mutex<Vec<String>>,
}

impl<H: AgentHooks> Agent<H> {
    fn new(hooks: H) -> Self {
        Agent {
            hooks,
            ran: Mutex::default(),
        }
    }

    /// `before_llm`, the model, `after_llm`.
    async fn llm(&self, model: &str) -> Result<LlmResponse, Scope> {
        loop {
            let mut ask = BeforeLlmCall {
                model: model.into(),
                ..Default::default()
            };
            let response = match self.hooks.intercept(&cx(), &mut ask).await {
                HookResult::Continue => LlmResponse::new(format!("{} answers", ask.model)),
                HookResult::Respond(response) => response,
                HookResult::Cancel(cancel) => return Err(cancel.scope),
            };
            let mut answer = AfterLlmCall {
                model: ask.model,
                response,
                ..AfterLlmCall::default()
            };
            match self.hooks.intercept(&cx(), &mut answer).await {
                HookResult::Continue => return Ok(answer.response),
                HookResult::Respond(Retry { .. }) => {}
                HookResult::Cancel(cancel) => return Err(cancel.scope),
            }
        }
    }

    /// `before_tool`, `approve_tool`, the tool, `after_tool`.
    async fn tool(&self, tool: &str) -> Result<ToolOutput, Scope> {
        let mut call = BeforeToolCall {
            id: "1".into(),
            name: tool.into(),
            args: json!({ "text": "hello" }),
            ..BeforeToolCall::default()
        };
        match self.hooks.intercept(&cx(), &mut call).await {
            HookResult::Continue => {}
            HookResult::Respond(output) => return Ok(output),
            HookResult::Cancel(cancel) if cancel.scope == Scope::Event => {
                return Ok(ToolOutput::error(cancel.reason));
            }
            HookResult::Cancel(cancel) => return Err(cancel.scope),
        }
        let mut approval = ApproveToolCall {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            annotations: ToolAnnotations::default(),
            approval: &Approval::Usual,
        };
        match self.hooks.intercept(&cx(), &mut approval).await {
            HookResult::Continue | HookResult::Respond(Approved { .. }) => {}
            HookResult::Cancel(cancel) if cancel.scope == Scope::Event => {
                return Ok(ToolOutput::error(cancel.reason));
            }
            HookResult::Cancel(cancel) => return Err(cancel.scope),
        }
        self.ran.lock().unwrap().push(call.name.clone());
        let mut done = AfterToolCall {
            output: ToolOutput::new(call.args["text"].to_string()),
            id: call.id,
            name: call.name,
            args: call.args,
            annotations: ToolAnnotations::default(),
            duration: Duration::ZERO,
            context: Vec::new(),
        };
        match self.hooks.intercept(&cx(), &mut done).await {
            HookResult::Continue => Ok(done.output),
            HookResult::Cancel(cancel) => Err(cancel.scope),
        }
    }

    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn continue_passes_everything_through() {
    let agent = Agent::new(hooks![intercept_fn::<BeforeToolCall, _>(|_, _| {
        HookAction::Continue
    })]);
    assert_eq!(
        agent.llm("small").await,
        Ok(LlmResponse::new("small answers"))
    );
    assert_eq!(
        agent.tool("echo_text").await,
        Ok(ToolOutput::new("\"hello\""))
    );
    assert_eq!(agent.ran(), ["echo_text"]);
}

#[tokio::test]
async fn modify_changes_requests_and_responses_at_four_stages() {
    #[hook]
    fn before_llm(request: &BeforeLlmCall) -> HookAction<BeforeLlmCall> {
        HookAction::modify(BeforeLlmCall {
            model: "large".into(),
            ..request.clone()
        })
    }
    #[hook]
    fn after_llm(response: &mut AfterLlmCall) {
        response.response.content.push('!');
    }
    #[hook]
    fn before_tool(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::modify(json!({ "text": "bye" }))
    }
    #[hook]
    fn after_tool(result: &AfterToolCall) -> HookAction<AfterToolCall> {
        HookAction::modify(ToolOutput::new(format!("<{}>", result.output.content)))
    }
    let agent = Agent::new(hooks![before_llm, after_llm, before_tool, after_tool]);
    assert_eq!(
        agent.llm("small").await,
        Ok(LlmResponse::new("large answers!"))
    );
    assert_eq!(
        agent.tool("echo_text").await,
        Ok(ToolOutput::new("<\"bye\">"))
    );
}

/// The plugin tool of its guide.
#[hook(only("my_plugin_tool"))]
fn plugin_tool(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::respond(ToolOutput {
        silent: false,
        is_error: false,
        ..ToolOutput::new("Plugin tool executed successfully")
    })
}

#[tokio::test]
async fn respond_gives_the_result_and_skips_the_tool() {
    let agent = Agent::new(hooks![plugin_tool]);
    let output = agent.tool("my_plugin_tool").await;
    assert_eq!(
        output,
        Ok(ToolOutput::new("Plugin tool executed successfully"))
    );
    assert!(agent.ran().is_empty());
    assert!(agent.tool("echo_text").await.is_ok());
    assert_eq!(agent.ran(), ["echo_text"]);
}

#[tokio::test]
async fn deny_tool_is_block_and_the_turn_goes_on() {
    let deny = intercept_fn::<BeforeToolCall, _>(|_, _| HookAction::block("denied"));
    let agent = Agent::new(hooks![deny]);
    assert_eq!(
        agent.tool("echo_text").await,
        Ok(ToolOutput::error("denied"))
    );
    assert!(agent.ran().is_empty());
    assert!(agent.llm("small").await.is_ok());
}

#[tokio::test]
async fn approve_tool_denies_what_it_does_not_approve() {
    #[hook]
    fn approve<'e>(request: &ApproveToolCall<'e>) -> HookAction<ApproveToolCall<'e>> {
        if request.name == "shell" {
            HookAction::block("not approved")
        } else {
            HookAction::Continue
        }
    }
    let agent = Agent::new(hooks![approve]);
    assert_eq!(
        agent.tool("shell").await,
        Ok(ToolOutput::error("not approved"))
    );
    assert!(agent.tool("echo_text").await.is_ok());
    assert_eq!(agent.ran(), ["echo_text"]);
}

/// The scope that `abort` gives at each of the five stages.
macro_rules! aborts_at_every_stage {
    ($abort:ident) => {
        [
            Agent::new(hooks![intercept_fn::<BeforeLlmCall, _>(|_, _| {
                HookAction::$abort("no")
            })])
            .llm("small")
            .await
            .unwrap_err(),
            Agent::new(hooks![intercept_fn::<AfterLlmCall, _>(|_, _| {
                HookAction::$abort("no")
            })])
            .llm("small")
            .await
            .unwrap_err(),
            Agent::new(hooks![intercept_fn::<BeforeToolCall, _>(|_, _| {
                HookAction::$abort("no")
            })])
            .tool("shell")
            .await
            .unwrap_err(),
            Agent::new(hooks![intercept_fn::<ApproveToolCall, _>(|_, _| {
                HookAction::$abort("no")
            })])
            .tool("shell")
            .await
            .unwrap_err(),
            Agent::new(hooks![intercept_fn::<AfterToolCall, _>(|_, _| {
                HookAction::$abort("no")
            })])
            .tool("shell")
            .await
            .unwrap_err(),
        ]
    };
}

#[tokio::test]
async fn abort_turn_and_hard_abort_reach_the_turn_and_the_run_from_every_interceptor() {
    assert_eq!(aborts_at_every_stage!(abort_turn), [Scope::Turn; 5]);
    assert_eq!(aborts_at_every_stage!(abort_run), [Scope::Run; 5]);
}

#[tokio::test]
async fn after_llm_may_have_the_model_asked_again() {
    let asked = Mutex::new(0);
    let agent = Agent::new(hooks![intercept_fn::<AfterLlmCall, _>(|_, _| {
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        if *asked < 3 {
            HookAction::respond(Retry::with_feedback("Again."))
        } else {
            HookAction::Continue
        }
    })]);
    assert!(agent.llm("small").await.is_ok());
    assert_eq!(*asked.lock().unwrap(), 3);
}

/// A hook by its name: where it stands is what is tested.
struct Named(&'static str);

#[hook]
impl Named {
    fn before_tool(&self, call: &mut BeforeToolCall) {
        call.name.push_str(self.0);
    }
}

struct Process(&'static str, i32);

#[async_trait]
impl AgentHandler for Process {
    fn name(&self) -> &'static str {
        self.0
    }
    fn priority(&self) -> i32 {
        -self.1
    }
    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        if let AgentEventMut::BeforeToolCall(call) = event {
            call.name.push_str(self.0);
        }
        AgentSaid::Continue
    }
}

fn process(name: &'static str, priority: i32) -> Box<dyn AgentHandler> {
    Box::new(Process(name, priority))
}

#[tokio::test]
async fn lower_priorities_first_are_negated_and_process_hooks_come_after() {
    // There 10, 20, 20 and 100; hooks of one priority stand in the list in the order of their names.
    let processes = AgentRegistry::new()
        .with(process("-p100", 100))
        .with(process("-p1", 1));
    let hooks = hooks![
        Named("-100") @ -100,
        Named("-20a") @ -20,
        Named("-20b") @ -20,
        Named("-10") @ -10,
        processes @ priority::LAST,
    ];
    let mut call = BeforeToolCall::default();
    assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
    assert_eq!(call.name, "-10-20a-20b-100-p1-p100");
}

/// `RuntimeEventObserver`, with its `observe` list.
#[test]
fn a_runtime_event_observer_is_a_hook_with_every() {
    static SEEN: Mutex<Vec<(&str, String)>> = Mutex::new(Vec::new());
    #[hook(every)]
    fn on_runtime_event(cx: &AgentContext, event: AgentEvent<'_>) {
        if ["SessionStart", "AgentEnd"].contains(&event.name()) {
            SEEN.lock()
                .unwrap()
                .push((event.name(), cx.session_id.clone()));
        }
    }
    let hooks = hooks![on_runtime_event];
    let start = hooks.intercept_now(&cx(), &mut SessionStart::new("session-1", "cli"));
    assert!(start.is_continue());
    hooks.observe_now(&cx(), &AgentStart::default());
    hooks.observe_now(&cx(), &AgentEnd::default());
    let seen = SEEN.lock().unwrap();
    assert_eq!(
        *seen,
        [
            ("SessionStart", "session-1".into()),
            ("AgentEnd", "session-1".into())
        ],
    );
}

/// A hook that must see a call before another decides about it runs before that one. What was skipped is told of by
/// `ToolCallSkipped`, PicoClaw's `agent.tool.exec_skipped`.
#[test]
fn a_hook_after_the_one_that_decided_does_not_see_the_call() {
    let seen = Mutex::new(Vec::new());
    let see = |place: &'static str| {
        let seen = &seen;
        intercept_fn::<BeforeToolCall, _>(move |_, _| {
            seen.lock().unwrap().push(place);
            HookAction::Continue
        })
    };
    let hooks = hooks![plugin_tool, see("last") @ priority::LAST, see("first") @ priority::FIRST];
    let mut call = BeforeToolCall {
        name: "my_plugin_tool".into(),
        ..Default::default()
    };
    assert!(!hooks.intercept_now(&cx(), &mut call).is_continue());
    assert_eq!(*seen.lock().unwrap(), ["first"]);
}

/// `ExampleLoggerHook`: a line of JSON for each stage and event.
struct ExampleLogger<W> {
    log_file: Mutex<W>,
}

#[hook(every, name = "example-logger", priority = priority::FIRST)]
impl<W: Write + Send> ExampleLogger<W> {
    fn record(&self, cx: &AgentContext, event: AgentEvent<'_>) {
        let entry = json!({ "stage": event.name(), "meta": cx, "payload": event });
        let written = writeln!(self.log_file.lock().unwrap(), "{entry}");
        assert!(written.is_ok());
    }
}

#[tokio::test]
async fn example_logger_hook_writes_a_line_for_every_stage() {
    let logger = ExampleLogger {
        log_file: Mutex::new(Vec::new()),
    };
    let agent = Agent::new(hooks![&logger]);
    agent.llm("small").await.unwrap();
    agent.tool("echo_text").await.unwrap();
    agent
        .hooks
        .observe(
            &cx(),
            &AgentEnd {
                response: "bye",
                ..AgentEnd::default()
            },
        )
        .await;
    let log = String::from_utf8(logger.log_file.lock().unwrap().clone()).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let stages: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["stage"].as_str())
        .collect();
    assert_eq!(
        stages,
        [
            "BeforeLlmCall",
            "AfterLlmCall",
            "BeforeToolCall",
            "ApproveToolCall",
            "AfterToolCall",
            "AgentEnd",
        ],
    );
    assert_eq!(lines[2]["payload"]["name"], "echo_text");
    assert_eq!(lines[2]["payload"]["args"], json!({ "text": "hello" }));
    assert_eq!(lines[2]["meta"]["session_id"], "session-1");
}

#[tokio::test]
async fn an_error_of_an_interceptor_denies() {
    #[hook]
    fn before_tool(_: &BeforeToolCall) -> Result<HookAction<BeforeToolCall>, &'static str> {
        Err("the policy cannot be read")
    }
    let output = Agent::new(hooks![before_tool]).tool("echo_text").await;
    assert_eq!(output, Ok(ToolOutput::error("the policy cannot be read")));
}

#[test]
fn a_named_hook_has_a_name() {
    let hooks = hooks![
        observe_fn::<AgentEnd, _>(|_, _| {}).with_name("example-observer"),
        ExampleLogger {
            log_file: Mutex::new(Vec::new())
        },
    ];
    assert_eq!(format!("{hooks:?}"), "[example-logger, example-observer]");
}

/// `observer_timeout_ms`, `interceptor_timeout_ms` and `approval_timeout_ms`, said at each hook.
#[cfg(feature = "tokio")]
mod timeouts {
    use tokio::time::sleep;

    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[tokio::test(start_paused = true)]
    async fn an_approval_that_comes_too_late_is_none() {
        #[hook(timeout = "30s")]
        async fn approve(_: &ApproveToolCall<'_>) {
            sleep(MINUTE).await;
        }
        let agent = Agent::new(hooks![approve]);
        let output = agent.tool("shell").await.unwrap();
        assert_eq!(
            output.content,
            "the hook took longer than its timeout of 30s"
        );
        assert!(agent.ran().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn an_interceptor_and_an_observer_have_timeouts_of_their_own() {
        #[hook(timeout = "5s", on_timeout = skip)]
        async fn interceptor(call: &mut AfterToolCall) {
            call.output.content.clear();
            sleep(MINUTE).await;
        }
        #[hook(timeout = "500ms")]
        async fn observer(_: &AgentEnd<'_>) {
            sleep(MINUTE).await;
        }
        let start = tokio::time::Instant::now();
        let agent = Agent::new(hooks![interceptor, observer]);
        assert_eq!(agent.tool("shell").await, Ok(ToolOutput::new("\"hello\"")));
        agent.hooks.observe(&cx(), &AgentEnd::default()).await;
        assert!((Duration::from_millis(5500)..MINUTE).contains(&start.elapsed()));
    }
}
