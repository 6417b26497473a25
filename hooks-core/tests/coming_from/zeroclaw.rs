//! What ZeroClaw has, said here: the names are those of `docs/coming-from.md`.
#![expect(
    clippy::unused_async,
    reason = "a hook is asynchronous where the one that it stands for is"
)]

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use hooks_core::agent::*;
use hooks_core::{
    HookAction, HookResult, OnPanic, Scope, async_trait, hook, hooks, intercept_fn, observe_fn,
    priority,
};
use regex::Regex;
use serde_json::json;
use tokio::sync::Barrier;

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

/// Writes down which of the fifteen methods was called.
#[derive(Default)]
struct Recorder {
    seen: Mutex<Vec<&'static str>>,
}

#[hook]
impl Recorder {
    async fn on_gateway_start(&self, _: &GatewayStart<'_>) {
        self.note("on_gateway_start");
    }
    async fn on_gateway_stop(&self, _: &GatewayStop) {
        self.note("on_gateway_stop");
    }
    async fn on_session_start(&self, _: &SessionStart) {
        self.note("on_session_start");
    }
    async fn on_session_end(&self, _: &SessionEnd<'_>) {
        self.note("on_session_end");
    }
    async fn on_llm_input(&self, _: &LlmInput<'_>) {
        self.note("on_llm_input");
    }
    async fn on_llm_output(&self, _: &LlmOutput<'_>) {
        self.note("on_llm_output");
    }
    async fn on_after_tool_call(&self, _: &ToolCallEnd<'_>) {
        self.note("on_after_tool_call");
    }
    async fn on_message_sent(&self, _: &MessageSent<'_>) {
        self.note("on_message_sent");
    }
    async fn on_heartbeat_tick(&self, _: &HeartbeatTick) {
        self.note("on_heartbeat_tick");
    }
    async fn before_model_resolve(&self, _: &mut BeforeModelResolve) {
        self.note("before_model_resolve");
    }
    async fn before_prompt_build(&self, _: &mut BeforePromptBuild) {
        self.note("before_prompt_build");
    }
    async fn before_llm_call(&self, _: &mut BeforeLlmCall) {
        self.note("before_llm_call");
    }
    async fn before_tool_call(&self, _: &mut BeforeToolCall) {
        self.note("before_tool_call");
    }
    async fn on_message_received(&self, _: &mut MessageReceived) {
        self.note("on_message_received");
    }
    async fn on_message_sending(&self, _: &mut MessageSending) {
        self.note("on_message_sending");
    }
}

impl Recorder {
    fn note(&self, method: &'static str) {
        self.seen.lock().unwrap().push(method);
    }
}

/// An agent with ZeroClaw's pipeline: each point is raised where ZeroClaw raises it, and a cancel has
/// the effect that it has there.
struct Agent<H> {
    hooks: H,
    sent: Vec<String>,
}

impl<H: AgentHooks> Agent<H> {
    fn new(hooks: H) -> Self {
        Agent {
            hooks,
            sent: Vec::new(),
        }
    }

    async fn life(&mut self) {
        let cx = &cx();
        let gateway = GatewayStart {
            host: "localhost",
            port: 80,
        };
        self.hooks.observe(cx, &gateway).await;
        let mut start = SessionStart::new("s1", "ws");
        assert!(self.hooks.intercept(cx, &mut start).await.is_continue());
        self.hooks.observe(cx, &HeartbeatTick).await;
        self.receive("list the files").await;
        let end = SessionEnd {
            session_id: "s1",
            channel: "ws",
            reason: "",
        };
        self.hooks.observe(cx, &end).await;
        self.hooks.observe(cx, &GatewayStop).await;
    }

    /// A turn: one tool call, whose output is the answer.
    async fn receive(&mut self, content: &str) {
        let cx = &cx();
        let mut message = MessageReceived {
            content: content.into(),
            ..Default::default()
        };
        if !self.hooks.intercept(cx, &mut message).await.is_continue() {
            return;
        }
        let mut resolve = BeforeModelResolve {
            model: "small".into(),
            ..Default::default()
        };
        if !self.hooks.intercept(cx, &mut resolve).await.is_continue() {
            return;
        }
        let mut prompt = BeforePromptBuild::default();
        if !self.hooks.intercept(cx, &mut prompt).await.is_continue() {
            return;
        }
        let mut ask = BeforeLlmCall {
            model: resolve.model,
            messages: vec![
                ChatMessage::new(Role::System, prompt.prompt),
                ChatMessage::new(Role::User, message.content),
            ],
            ..Default::default()
        };
        if !self.hooks.intercept(cx, &mut ask).await.is_continue() {
            return;
        }
        let input = LlmInput {
            model: &ask.model,
            messages: &ask.messages,
            ..LlmInput::default()
        };
        self.hooks.observe(cx, &input).await;
        let response = LlmResponse::new(format!("{} says: ls", ask.model));
        let output = LlmOutput::of(&ask, &response, Duration::ZERO);
        self.hooks.observe(cx, &output).await;
        let output = self.tool_call(cx).await;
        let mut sending = MessageSending {
            content: output.content,
            ..Default::default()
        };
        if !self.hooks.intercept(cx, &mut sending).await.is_continue() {
            return;
        }
        let sent = MessageSent {
            channel: &sending.channel,
            recipient: &sending.recipient,
            content: &sending.content,
        };
        self.hooks.observe(cx, &sent).await;
        self.sent.push(sending.content);
    }

    async fn tool_call(&self, cx: &AgentContext) -> ToolOutput {
        let mut call = BeforeToolCall {
            name: "shell".into(),
            args: json!({ "command": "ls" }),
            ..Default::default()
        };
        let output = match self.hooks.intercept(cx, &mut call).await {
            HookResult::Continue => ToolOutput::new(format!("ran {}", call.args["command"])),
            HookResult::Respond(output) => return output,
            HookResult::Cancel(cancel) => return ToolOutput::error(cancel.to_string()),
        };
        let done = ToolCallEnd {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            annotations: ToolAnnotations::default(),
            output: &output,
            duration: Duration::from_millis(42),
            outcome: ToolOutcome::Ran,
        };
        self.hooks.observe(cx, &done).await;
        output
    }
}

const IN_ORDER: [&str; 15] = [
    "on_gateway_start",
    "on_session_start",
    "on_heartbeat_tick",
    "on_message_received",
    "before_model_resolve",
    "before_prompt_build",
    "before_llm_call",
    "on_llm_input",
    "on_llm_output",
    "before_tool_call",
    "on_after_tool_call",
    "on_message_sending",
    "on_message_sent",
    "on_session_end",
    "on_gateway_stop",
];

#[tokio::test]
async fn the_fifteen_methods_are_fifteen_events() {
    let recorder = Recorder::default();
    Agent::new(hooks![&recorder]).life().await;
    assert_eq!(*recorder.seen.lock().unwrap(), IN_ORDER);
}

/// `HookHandler`, with the names of its methods, where they are the same.
struct OnMessage {
    seen: Mutex<Vec<String>>,
}

#[async_trait]
impl AgentHandler for OnMessage {
    fn name(&self) -> &'static str {
        "on-message"
    }

    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        match event {
            AgentEventMut::BeforeToolCall(call) => {
                self.seen.lock().unwrap().push(call.name.clone());
                call.args = json!({ "command": "pwd" });
            }
            AgentEventMut::MessageSending(message) => {
                self.seen.lock().unwrap().push(message.content.clone());
            }
            _ => {}
        }
        AgentSaid::Continue
    }
}

#[tokio::test]
async fn hook_handler_is_agent_handler_with_defaults_that_do_nothing() {
    let handler = Arc::new(OnMessage {
        seen: Mutex::default(),
    });
    assert_eq!(handler.priority(), 0);
    let plugin: Arc<dyn AgentHandler> = handler.clone();
    let runner = AgentRegistry::new().with(plugin);
    let mut agent = Agent::new(runner);
    agent.life().await;
    assert_eq!(*handler.seen.lock().unwrap(), ["shell", r#"ran "pwd""#]);
    assert_eq!(agent.sent, [r#"ran "pwd""#]);
}

fn append(text: &'static str, priority: i32) -> Box<dyn AgentHandler> {
    Box::new(Append(text, priority))
}

/// A handler that appends its name.
struct Append(&'static str, i32);

#[async_trait]
impl AgentHandler for Append {
    fn name(&self) -> &'static str {
        self.0
    }
    fn priority(&self) -> i32 {
        self.1
    }
    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        if let AgentEventMut::BeforePromptBuild(build) = event {
            build.prompt.push_str(self.0);
        }
        AgentSaid::Continue
    }
}

#[tokio::test]
async fn hook_runner_register_sorts_by_falling_priority() {
    let runner = AgentRegistry::new();
    runner.register(append("low ", -50)).unwrap();
    runner.register(append("high ", 50)).unwrap();
    runner.register(append("first normal ", 0)).unwrap();
    runner.register(append("second normal ", 0)).unwrap();
    let mut build = BeforePromptBuild::default();
    assert!(runner.intercept(&cx(), &mut build).await.is_continue());
    assert_eq!(build.prompt, "high first normal second normal low ");
}

#[tokio::test]
async fn modifying_hooks_run_by_falling_priority_and_each_sees_what_the_one_before_left() {
    #[hook(priority = -50)]
    async fn last(build: &mut BeforePromptBuild) {
        build.prompt.push_str(" last");
    }
    #[hook(priority = 50)]
    async fn first(build: &mut BeforePromptBuild) {
        build.prompt.push_str(" first");
    }
    #[hook]
    async fn middle(build: &BeforePromptBuild) -> HookAction<BeforePromptBuild> {
        assert_eq!(build.prompt, "You are helpful. first");
        HookAction::modify(BeforePromptBuild {
            prompt: format!("{} middle", build.prompt),
        })
    }
    let mut build = BeforePromptBuild {
        prompt: "You are helpful.".into(),
    };
    let result = hooks![last, middle, first]
        .intercept(&cx(), &mut build)
        .await;
    assert_eq!(result, HookResult::Continue);
    assert_eq!(build.prompt, "You are helpful. first middle last");
}

#[tokio::test]
async fn cancel_stops_at_once_and_carries_its_reason() {
    #[hook(priority = 10)]
    async fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("no shell here")
    }
    let later = Mutex::new(0);
    let hooks = hooks![
        no_shell,
        intercept_fn::<BeforeToolCall, _>(|_, _| {
            *later.lock().unwrap() += 1;
            HookAction::Continue
        }),
    ];
    let mut call = BeforeToolCall::default();
    let result = hooks.intercept(&cx(), &mut call).await;
    let cancel = result.as_cancel().expect("a hook cancelled");
    assert_eq!(
        (cancel.hook.as_ref(), cancel.reason.as_ref(), cancel.scope),
        ("no_shell", "no shell here", Scope::Event),
    );
    assert_eq!(*later.lock().unwrap(), 0);
}

/// Which methods still run if the event `E` is cancelled.
macro_rules! cancelled_at {
    ($($E:ty)*) => {{
        let mut all = Vec::new();
        $({
            let recorder = Recorder::default();
            let cancel = intercept_fn::<$E, _>(|_, _| HookAction::block("no"));
            let mut agent = Agent::new(hooks![&recorder, cancel]);
            agent.receive("list the files").await;
            let seen = recorder.seen.lock().unwrap().clone();
            all.push((seen, agent.sent.clone()));
        })*
        all
    }};
}

#[tokio::test]
async fn what_is_cancelled_does_not_happen() {
    let none: [String; 0] = [];
    let cancelled = cancelled_at![MessageReceived BeforeLlmCall BeforeToolCall MessageSending];
    let [message, llm, tool, sending] = cancelled.try_into().expect("four events");
    assert_eq!(
        (message.0, message.1),
        (vec!["on_message_received"], none.to_vec())
    );
    assert_eq!(llm.0.last(), Some(&"before_llm_call"));
    assert!(!tool.0.contains(&"on_after_tool_call"));
    assert_eq!(tool.1, ["hook `intercept_fn` blocked the event: no"]);
    assert_eq!(sending.0.last(), Some(&"on_message_sending"));
    assert_eq!(sending.1, none);
}

#[tokio::test(start_paused = true)]
async fn void_hooks_all_run_at_the_same_time() {
    /// Ends only when another hook has come as far.
    struct Meets(Arc<Barrier>);
    #[hook]
    impl Meets {
        async fn tick(&self, _: &HeartbeatTick) {
            self.0.wait().await;
        }
    }
    struct MeetsToo(Arc<Barrier>);
    #[async_trait]
    impl AgentHandler for MeetsToo {
        async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            if let AgentEventMut::HeartbeatTick(_) = event {
                self.0.wait().await;
            }
            AgentSaid::Continue
        }
    }
    let too = |barrier: &Arc<Barrier>| -> Box<dyn AgentHandler> {
        Box::new(MeetsToo(Arc::clone(barrier)))
    };

    let barrier = Arc::new(Barrier::new(2));
    let hooks = hooks![Meets(Arc::clone(&barrier)), Meets(Arc::clone(&barrier))];
    let cx = cx();
    let fired = hooks.observe(&cx, &HeartbeatTick);
    tokio::time::timeout(Duration::from_secs(1), fired)
        .await
        .expect("hooks of a pipeline meet");

    let runner = AgentRegistry::new()
        .with(too(&barrier))
        .with(too(&barrier).named("another"));
    let fired = runner.observe(&cx, &HeartbeatTick);
    tokio::time::timeout(Duration::from_secs(1), fired)
        .await
        .expect("handlers of a registry meet");
}

#[tokio::test]
async fn a_void_hook_that_panics_is_left_out_with_on_panic_skip() {
    #[hook(priority = 1, on_panic = skip)]
    async fn panics(_: &HeartbeatTick) {
        panic!("a bug in a hook");
    }
    let ticks = Mutex::new(0);
    let hooks = hooks![
        panics,
        observe_fn::<HeartbeatTick, _>(|_, _| *ticks.lock().unwrap() += 1),
    ];
    hooks.observe(&cx(), &HeartbeatTick).await;
    assert_eq!(*ticks.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_modifying_hook_that_panics_leaves_the_previous_value_with_on_panic_skip() {
    #[hook(priority = 2)]
    async fn before(build: &mut BeforePromptBuild) {
        build.prompt.push_str("before");
    }
    #[hook(priority = 1, on_panic = skip)]
    async fn panics(build: &mut BeforePromptBuild) {
        build.prompt.clear();
        panic!("a bug in a hook");
    }
    #[hook]
    async fn after(build: &mut BeforePromptBuild) {
        build.prompt.push_str(", after");
    }
    let mut build = BeforePromptBuild::default();
    let result = hooks![before, panics, after]
        .intercept(&cx(), &mut build)
        .await;
    assert_eq!(result, HookResult::Continue);
    assert_eq!(build.prompt, "before, after");
}

/// ZeroClaw catches the panics of all handlers, keeps the previous value, and asks the next one.
#[tokio::test]
async fn a_handlers_panic_is_its_own() {
    struct Panics;
    #[async_trait]
    impl AgentHandler for Panics {
        fn priority(&self) -> i32 {
            1
        }
        async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            if let AgentEventMut::BeforePromptBuild(build) = event {
                build.prompt.clear();
                panic!("a bug in a plugin");
            }
            AgentSaid::Continue
        }
    }
    fn panics() -> Box<dyn AgentHandler> {
        Box::new(Panics)
    }
    #[hook]
    async fn after(build: &mut BeforePromptBuild) {
        build.prompt.push_str(", and the next one ran");
    }
    let plugins = AgentRegistry::new().with(panics()).with(after);
    let mut build = BeforePromptBuild {
        prompt: "kept".into(),
    };
    let result = plugins.intercept(&cx(), &mut build).await;
    assert_eq!(result, HookResult::Continue);
    assert_eq!(build.prompt, "kept, and the next one ran");

    let unwound = tokio::spawn(async {
        let plugins = AgentRegistry::new()
            .on_panic(OnPanic::Propagate)
            .with(panics());
        let mut build = BeforePromptBuild::default();
        plugins.intercept(&cx(), &mut build).await.is_continue()
    });
    assert!(unwound.await.unwrap_err().is_panic());
}

/// `CommandLoggerHook`.
#[derive(Default)]
struct CommandLogger {
    log: Mutex<Vec<String>>,
}

#[hook(priority = -50)]
impl CommandLogger {
    async fn on_after_tool_call(&self, done: &ToolCallEnd<'_>) {
        self.log.lock().unwrap().push(format!(
            "{} ({}ms) success={}",
            done.name,
            done.duration.as_millis(),
            !done.output.is_error,
        ));
    }
}

#[tokio::test]
async fn command_logger_hook_writes_a_line_a_tool_call() {
    let logger = CommandLogger::default();
    Agent::new(hooks![&logger]).receive("list the files").await;
    assert_eq!(*logger.log.lock().unwrap(), ["shell (42ms) success=true"]);
}

#[tokio::test]
async fn a_hook_that_the_configuration_switches_off_does_not_run() {
    for (enabled, command_logger, lines) in [(true, true, 1), (true, false, 0), (false, true, 0)] {
        let logger = CommandLogger::default();
        let hooks = enabled.then_some(hooks![command_logger.then_some(&logger)]);
        Agent::new(hooks).receive("list the files").await;
        assert_eq!(logger.log.lock().unwrap().len(), lines);
    }
}

/// `WebhookAuditHook`, whose HTTP client is whatever is behind the channel.
struct WebhookAudit {
    include_args: bool,
    max_args_bytes: usize,
    client: tokio::sync::mpsc::UnboundedSender<serde_json::Value>,
}

#[hook(priority = -100)]
impl WebhookAudit {
    #[hook(only("shell", "file_write", "file_delete", "mcp__*"))]
    async fn on_after_tool_call(&self, done: &ToolCallEnd<'_>) {
        let args = done.args.to_string();
        let fits = self.max_args_bytes == 0 || args.len() <= self.max_args_bytes;
        let sent = self.client.send(json!({
            "event": "tool_call",
            "tool": done.name,
            "success": !done.output.is_error,
            "args": (self.include_args && fits).then_some(args),
        }));
        assert!(sent.is_ok());
    }
}

#[tokio::test]
async fn webhook_audit_hook_reports_the_tools_of_its_patterns() {
    let (client, mut requests) = tokio::sync::mpsc::unbounded_channel();
    let hooks = hooks![WebhookAudit {
        include_args: true,
        max_args_bytes: 10,
        client,
    }];
    let output = ToolOutput::new("");
    for (name, args) in [
        ("shell", json!({ "command": "a long command" })),
        ("mcp__search", json!({})),
        ("file_read", json!({})),
    ] {
        let done = ToolCallEnd {
            id: "1",
            name,
            args: &args,
            annotations: ToolAnnotations::default(),
            output: &output,
            duration: Duration::ZERO,
            outcome: ToolOutcome::Ran,
        };
        hooks.observe(&cx(), &done).await;
    }
    drop(hooks);
    let mut reported = Vec::new();
    while let Some(request) = requests.recv().await {
        reported.push((request["tool"].clone(), request["args"].clone()));
    }
    assert_eq!(
        reported,
        [
            (json!("shell"), json!(null)),
            (json!("mcp__search"), json!("{}")),
        ],
    );
}

/// `PiiFilterHook`.
#[hook(name = "pii-filter", priority = 50)]
async fn pii_filter(message: &mut MessageSending) {
    static RESIDENT_NUMBER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\d{6}-[1-4]\d{6}").unwrap());
    message.content = RESIDENT_NUMBER
        .replace_all(&message.content, "[REDACTED]")
        .into_owned();
}

#[tokio::test]
async fn pii_filter_hook_redacts_what_goes_out() {
    let hooks = hooks![pii_filter];
    let row = hooks.plan().next().expect("one hook");
    assert_eq!((&*row.hook, row.priority), ("pii-filter", 50));
    let mut message = MessageSending {
        content: "It is 900101-1234567.".into(),
        ..Default::default()
    };
    assert!(hooks.intercept(&cx(), &mut message).await.is_continue());
    assert_eq!(message.content, "It is [REDACTED].");
}

#[test]
fn a_priority_is_zero_where_none_is_said() {
    let hooks = hooks![Recorder::default()];
    assert!(hooks.plan().all(|row| row.priority == priority::NORMAL));
}
