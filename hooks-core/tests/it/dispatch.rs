//! What holds in a dispatch, whatever the hooks: who sees the event, as what, and who decided.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use hooks_core::agent::{
    AfterLlmCall, AfterToolCall, AgentContext, AgentEvent, AgentHooks, AgentHooksNow, Approval,
    ApproveToolCall, BeforeToolCall, HeartbeatTick, LlmDelta, LlmInput, MessageSending, Retry,
    ToolAnnotations, ToolCallEnd, ToolCallPatch, ToolOutcome, ToolOutput,
};
use hooks_core::{
    Dispatch, Hook, HookAction, HookRegistry, HookResult, Scope, hook, hooks, intercept_fn,
    observe_fn, priority,
};
use serde_json::json;

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

fn call(name: &str) -> BeforeToolCall {
    BeforeToolCall {
        id: "1".into(),
        name: name.into(),
        args: json!({}),
        ..BeforeToolCall::default()
    }
}

/// Leaves its letter in the event, so that a test sees who ran.
macro_rules! marks {
    ($($hook:ident $priority:literal $letter:literal)*) => { $(
        #[hook(priority = $priority)]
        fn $hook(call: &mut BeforeToolCall) {
            call.id.push($letter);
        }
    )* };
}
marks! {
    mark_a 30 'a'
    mark_b 20 'b'
    mark_c 10 'c'
}

#[hook(priority = 15)]
fn block_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.name == "shell" {
        return HookAction::block("no shell");
    }
    HookAction::Continue
}

#[test]
fn the_first_hook_that_blocks_ends_the_pipeline() {
    let hooks = hooks![mark_c, block_shell, mark_b, mark_a];
    let mut shell = call("shell");
    let result = hooks.intercept_now(&cx(), &mut shell);
    let cancel = result.as_cancel().unwrap();
    assert_eq!(cancel.hook, "block_shell");
    assert_eq!(cancel.reason, "no shell");
    assert_eq!(cancel.scope, Scope::Event);
    assert_eq!(shell.id, "1ab", "later hooks do not see the event");

    let mut list = call("list");
    assert_eq!(hooks.intercept_now(&cx(), &mut list), HookResult::Continue);
    assert_eq!(list.id, "1abc");
}

#[tokio::test]
async fn an_awaited_dispatch_does_the_same() {
    let hooks = hooks![mark_c, block_shell, mark_b, mark_a];
    let mut shell = call("shell");
    let result = hooks.intercept(&cx(), &mut shell).await;
    assert_eq!(result.as_cancel().unwrap().hook, "block_shell");
    assert_eq!(shell.id, "1ab");
}

#[test]
fn nothing_runs_before_the_future_is_awaited() {
    let mut tool = call("list");
    drop(hooks![mark_a].intercept(&cx(), &mut tool));
    assert_eq!(tool.id, "1");
}

#[test]
fn a_modified_event_is_what_later_hooks_see() {
    #[hook(priority = 2)]
    fn rename(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::modify(ToolCallPatch {
            name: Some("shell".into()),
            args: None,
        })
    }
    #[hook(priority = 1)]
    fn new_args(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        assert_eq!(call.name, "shell");
        HookAction::modify(json!({ "command": "ls" }))
    }
    #[hook]
    fn check(call: &BeforeToolCall) {
        assert_eq!(call.args["command"], "ls");
    }
    let mut tool = call("list");
    let hooks = hooks![check, new_args, rename];
    assert_eq!(hooks.intercept_now(&cx(), &mut tool), HookResult::Continue);
    assert_eq!(
        (tool.name.as_str(), &tool.args),
        ("shell", &json!({ "command": "ls" }))
    );
}

#[test]
fn an_event_without_a_patch_is_modified_as_a_whole() {
    #[hook]
    fn hush(_: &MessageSending) -> HookAction<MessageSending> {
        HookAction::modify(MessageSending {
            content: "…".into(),
            ..MessageSending::default()
        })
    }
    let mut message = MessageSending {
        channel: "cli".into(),
        ..MessageSending::default()
    };
    assert!(
        hooks![hush]
            .intercept_now(&cx(), &mut message)
            .is_continue()
    );
    assert_eq!(
        (message.channel.as_str(), message.content.as_str()),
        ("", "…")
    );
}

#[test]
fn a_response_ends_the_pipeline_and_is_handed_to_the_agent() {
    #[hook(priority = 15)]
    fn cached(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::respond(ToolOutput::new(format!("cached {}", call.name)))
    }
    let mut tool = call("list");
    let result = hooks![mark_a, cached, mark_c].intercept_now(&cx(), &mut tool);
    assert_eq!(result, HookResult::Respond(ToolOutput::new("cached list")));
    assert_eq!(tool.id, "1a");
}

#[test]
fn an_event_whose_work_is_done_is_rewritten_answered_or_aborted() {
    #[hook]
    fn redact(_: &AfterToolCall) -> HookAction<AfterToolCall> {
        HookAction::modify(ToolOutput::new("[redacted]"))
    }
    #[hook]
    fn again(after: &AfterLlmCall) -> HookAction<AfterLlmCall> {
        match after.response.content.as_str() {
            "" => HookAction::respond(Retry::with_feedback("say something")),
            "rude" => HookAction::abort_turn("rude"),
            _ => HookAction::Continue,
        }
    }
    let hooks = hooks![redact, again];
    let mut tool = AfterToolCall::default();
    assert!(hooks.intercept_now(&cx(), &mut tool).is_continue());
    assert_eq!(tool.output.content, "[redacted]");

    let mut answer = AfterLlmCall::default();
    assert_eq!(
        hooks.intercept_now(&cx(), &mut answer),
        HookResult::Respond(Retry::with_feedback("say something"))
    );
    answer.response.content = "rude".into();
    let result = hooks.intercept_now(&cx(), &mut answer);
    assert_eq!(result.as_cancel().unwrap().scope, Scope::Turn);
}

#[test]
fn a_cancellation_says_how_far_it_reaches() {
    #[hook]
    fn decide(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        match call.name.as_str() {
            "event" => HookAction::block("a"),
            "turn" => HookAction::abort_turn("b"),
            "run" => HookAction::abort_run(String::from("c")),
            _ => HookAction::Continue,
        }
    }
    let sentence = |name| {
        let result = hooks![decide].intercept_now(&cx(), &mut call(name));
        result.as_cancel().unwrap().to_string()
    };
    assert_eq!(sentence("event"), "hook `decide` blocked the event: a");
    assert_eq!(sentence("turn"), "hook `decide` aborted the turn: b");
    assert_eq!(sentence("run"), "hook `decide` aborted the run: c");
}

#[tokio::test]
async fn an_action_on_a_borrowing_event_is_written_with_its_lifetime_elided() {
    #[hook(priority = 2)]
    fn elided(call: &ApproveToolCall<'_>) -> HookAction<ApproveToolCall<'_>> {
        match call.name {
            "shell" => HookAction::block("elided"),
            _ => HookAction::Continue,
        }
    }
    #[hook(priority = 1)]
    async fn fallible(
        call: &mut ApproveToolCall<'_>,
    ) -> Result<HookAction<ApproveToolCall<'_>>, std::fmt::Error> {
        match call.name {
            "list" => Ok(HookAction::abort_turn("fallible")),
            _ => Ok(HookAction::Continue),
        }
    }
    struct Method;
    #[hook]
    impl Method {
        fn approve<'e>(&self, call: &ApproveToolCall<'e>) -> HookAction<ApproveToolCall<'e>> {
            HookAction::modify(*call)
        }
    }
    let args = json!({});
    let hooks = hooks![elided, fallible, Method];
    let decided = async |name: &str| {
        let mut call = ApproveToolCall {
            id: "1",
            name,
            args: &args,
            annotations: ToolAnnotations::default(),
            approval: &Approval::Usual,
        };
        let result = hooks.intercept(&cx(), &mut call).await;
        result.as_cancel().map(|cancel| cancel.reason.to_string())
    };
    assert_eq!(decided("shell").await.as_deref(), Some("elided"));
    assert_eq!(decided("list").await.as_deref(), Some("fallible"));
    assert_eq!(decided("read").await, None);
}

#[test]
fn an_error_blocks_with_its_message() {
    #[hook]
    fn plain(call: &BeforeToolCall) -> Result<(), std::num::ParseIntError> {
        call.name.parse::<u32>().map(drop)
    }
    #[hook]
    fn with_action(call: &mut BeforeToolCall) -> Result<HookAction<BeforeToolCall>, String> {
        if call.name.is_empty() {
            return Err(format!("call {} has no name", call.id));
        }
        Ok(HookAction::respond(ToolOutput::new("ok")))
    }
    // What it returns borrows from the event.
    #[hook]
    fn borrowing(call: &BeforeToolCall) -> Result<(), &str> {
        Err(&call.name)
    }
    #[hook]
    async fn borrowing_later(call: &BeforeToolCall) -> Result<(), &str> {
        Err(&call.name)
    }
    #[hook]
    async fn opaque(_: &BeforeToolCall) -> Result<(), impl std::fmt::Display + use<>> {
        Err(7)
    }

    let result = hooks![plain].intercept_now(&cx(), &mut call("x"));
    assert_eq!(
        result.as_cancel().unwrap().reason,
        "invalid digit found in string"
    );
    assert!(
        hooks![plain]
            .intercept_now(&cx(), &mut call("7"))
            .is_continue()
    );

    let result = hooks![with_action].intercept_now(&cx(), &mut call(""));
    assert_eq!(result.as_cancel().unwrap().reason, "call 1 has no name");
    let result = hooks![with_action].intercept_now(&cx(), &mut call("x"));
    assert_eq!(result, HookResult::Respond(ToolOutput::new("ok")));

    let result = hooks![borrowing].intercept_now(&cx(), &mut call("x"));
    assert_eq!(result.as_cancel().unwrap().reason, "x");
    let reason =
        |result: HookResult<BeforeToolCall>| result.as_cancel().unwrap().reason.to_string();
    let block_on = |future: std::pin::Pin<&mut dyn Future<Output = HookResult<BeforeToolCall>>>| {
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        match future.poll(&mut task) {
            std::task::Poll::Ready(result) => result,
            std::task::Poll::Pending => panic!("not ready"),
        }
    };
    let (cx, mut tool) = (cx(), call("x"));
    let later = hooks![borrowing_later];
    assert_eq!(
        reason(block_on(std::pin::pin!(later.intercept(&cx, &mut tool)))),
        "x"
    );
    let later = hooks![opaque];
    assert_eq!(
        reason(block_on(std::pin::pin!(later.intercept(&cx, &mut tool)))),
        "7"
    );
}

#[test]
fn only_runs_for_subjects_that_match() {
    macro_rules! only {
        ($($hook:ident $glob:literal)*) => { $(
            #[hook(only($glob))]
            fn $hook(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
                HookAction::block("matched")
            }
        )* };
    }
    only! {
        exact "shell"
        prefix "mcp__*"
        suffix "*_file"
        part "*edit*"
        any "*"
        one_char "read?"
        class "v[0-9]"
        either "{read,write}_*"
        middle "a*z"
    }
    #[hook(only("one", "two"))]
    fn several(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("matched")
    }
    fn matches(hook: impl AgentHooksNow, name: &str) -> bool {
        !hook.intercept_now(&cx(), &mut call(name)).is_continue()
    }
    for (name, expected) in [
        ("shell", true),
        ("shell2", false),
        ("Shell", false),
        ("", false),
    ] {
        assert_eq!(matches(exact, name), expected, "{name}");
    }
    assert!(matches(prefix, "mcp__git") && !matches(prefix, "mcp_git"));
    assert!(matches(suffix, "read_file") && !matches(suffix, "file"));
    assert!(matches(part, "file_edit_2") && !matches(part, "file"));
    assert!(matches(any, "") && matches(any, "x"));
    assert!(matches(one_char, "reads") && !matches(one_char, "read"));
    assert!(matches(class, "v7") && !matches(class, "va"));
    assert!(matches(either, "write_all") && !matches(either, "list_all"));
    assert!(matches(middle, "az") && matches(middle, "abcz") && !matches(middle, "a"));
    assert!(matches(several, "one") && matches(several, "two") && !matches(several, "three"));
}

#[test]
fn when_runs_only_where_its_predicate_says_so() {
    fn is_shell(call: &BeforeToolCall) -> bool {
        call.name == "shell"
    }
    #[hook(when = is_shell)]
    fn by_path(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("path")
    }
    #[hook(when = |call| call.args["force"] == true, only("rm"))]
    fn by_closure(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("closure")
    }
    #[hook(when = |done: &ToolCallEnd<'_>| done.output.is_error)]
    fn of_a_borrowing_event(_: &ToolCallEnd<'_>) {}

    let hooks = hooks![by_path, by_closure, of_a_borrowing_event];
    let result = hooks.intercept_now(&cx(), &mut call("shell"));
    assert_eq!(result.as_cancel().unwrap().reason, "path");
    assert!(hooks.intercept_now(&cx(), &mut call("rm")).is_continue());
    let mut forced = BeforeToolCall {
        args: json!({ "force": true }),
        ..call("rm")
    };
    let result = hooks.intercept_now(&cx(), &mut forced);
    assert_eq!(result.as_cancel().unwrap().reason, "closure");
    forced.name = "mv".into();
    assert!(hooks.intercept_now(&cx(), &mut forced).is_continue());
}

/// State, several events, and options on methods over those of the block.
#[derive(Default)]
struct Counter {
    calls: AtomicUsize,
    shells: AtomicUsize,
    ended: AtomicUsize,
}

#[hook(priority = 200, name = "counter")]
impl Counter {
    const MOST: usize = 2;

    fn seen(&self) -> (usize, usize) {
        (
            self.calls.load(Ordering::Relaxed),
            self.ended.load(Ordering::Relaxed),
        )
    }

    fn check(&self, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < Self::MOST {
            return HookAction::Continue;
        }
        HookAction::block("too many")
    }

    #[hook(only("shell"))]
    async fn note(&self, cx: &AgentContext, done: &ToolCallEnd<'_>) {
        tokio::task::yield_now().await;
        assert_eq!((cx.session_id.as_str(), done.name), ("s1", "shell"));
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    #[hook(when = |call| call.name == "shell")]
    fn approve(&self, _: &ApproveToolCall<'_>) -> Result<(), String> {
        self.shells.fetch_add(1, Ordering::Relaxed);
        Err("denied".into())
    }
}

#[tokio::test]
async fn a_type_handles_several_events_with_its_state() {
    let counter = Counter::default();
    let hooks = hooks![&counter];
    let output = ToolOutput::default();
    let args = json!({});
    let end = |name| ToolCallEnd {
        id: "1",
        name,
        args: &args,
        annotations: ToolAnnotations::default(),
        output: &output,
        duration: std::time::Duration::ZERO,
        outcome: ToolOutcome::Ran,
    };
    assert!(hooks.intercept_now(&cx(), &mut call("shell")).is_continue());
    assert!(
        hooks
            .intercept(&cx(), &mut call("list"))
            .await
            .is_continue()
    );
    let result = hooks.intercept(&cx(), &mut call("list")).await;
    assert_eq!(result.as_cancel().unwrap().hook, "counter");
    hooks.observe(&cx(), &end("shell")).await;
    hooks.observe(&cx(), &end("list")).await;
    let mut approve = ApproveToolCall {
        id: "1",
        name: "list",
        args: &args,
        annotations: ToolAnnotations::default(),
        approval: &Approval::Usual,
    };
    assert!(hooks.intercept_now(&cx(), &mut approve).is_continue());
    approve.name = "shell";
    let result = hooks.intercept_now(&cx(), &mut approve);
    assert_eq!(result.as_cancel().unwrap().reason, "denied");
    assert_eq!(counter.seen(), (3, 1));
}

#[tokio::test]
async fn a_hook_on_every_event_sees_them_all_and_changes_nothing() {
    struct Names(Mutex<Vec<&'static str>>);
    #[hook(every, priority = priority::LAST)]
    impl Names {
        fn see(&self, cx: &AgentContext, event: AgentEvent<'_>) {
            assert_eq!(cx.session_id, "s1");
            self.0.lock().unwrap().push(event.name());
        }
    }
    #[hook(every)]
    async fn later(event: AgentEvent<'_>) {
        tokio::task::yield_now().await;
        assert!(AgentEvent::NAMES.contains(&event.name()));
    }
    #[hook(every, vocabulary = AgentEvent)]
    fn by_alias(event: Alias<'_>) {
        let _ = event;
    }
    type Alias<'a> = AgentEvent<'a>;

    let names = Names(Mutex::default());
    let hooks = hooks![&names, later, by_alias, block_shell];
    assert!(hooks.handles::<HeartbeatTick>());
    hooks.observe(&cx(), &HeartbeatTick).await;
    assert!(
        hooks
            .intercept(&cx(), &mut call("list"))
            .await
            .is_continue()
    );
    assert!(
        !hooks
            .intercept(&cx(), &mut call("shell"))
            .await
            .is_continue()
    );
    hooks.observe(&cx(), &LlmDelta::default()).await;
    assert_eq!(
        *names.0.lock().unwrap(),
        ["HeartbeatTick", "BeforeToolCall", "LlmDelta"]
    );
}

#[tokio::test]
async fn observers_run_concurrently_and_all_of_them() {
    // Each waits for the others: one after another they would never be done.
    static BARRIER: LazyLock<tokio::sync::Barrier> = LazyLock::new(|| tokio::sync::Barrier::new(3));
    static RAN: AtomicUsize = AtomicUsize::new(0);
    macro_rules! waiting {
        ($($hook:ident)*) => { $(
            #[hook]
            async fn $hook(_: &HeartbeatTick) {
                BARRIER.wait().await;
                RAN.fetch_add(1, Ordering::Relaxed);
            }
        )* };
    }
    waiting! { first second third }
    #[hook(priority = -1)]
    fn at_once(_: &HeartbeatTick) {
        RAN.fetch_add(1, Ordering::Relaxed);
    }
    let hooks = hooks![first, at_once, hooks![second], third];
    hooks.observe(&cx(), &HeartbeatTick).await;
    assert_eq!(RAN.load(Ordering::Relaxed), 4);
}

#[test]
fn what_points_to_a_hook_is_a_hook() {
    fn blocks(hook: impl AgentHooksNow) -> bool {
        !hook.intercept_now(&cx(), &mut call("shell")).is_continue()
    }
    assert!(blocks(block_shell));
    let shared = &block_shell;
    assert!(blocks(shared));
    assert!(blocks(Arc::new(block_shell)));
    assert!(blocks(Box::new(block_shell)));
    assert!(blocks(Some(block_shell)));
    assert!(!blocks(None::<block_shell>));
    assert!(blocks(hooks![block_shell]));
    assert!(blocks(hooks![Some(Arc::new(&block_shell)), None::<mark_a>]));
}

#[tokio::test]
async fn what_points_to_an_asynchronous_hook_is_a_hook_and_keeps_its_name() {
    #[hook]
    async fn later(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        tokio::task::yield_now().await;
        HookAction::block("later")
    }
    async fn blocks(hook: impl Dispatch<BeforeToolCall>) -> bool {
        let result = hook.ask(&cx(), &mut call("x")).await;
        result
            .as_cancel()
            .is_some_and(|cancel| cancel.hook == "later")
    }
    assert!(blocks(later).await);
    assert!(blocks(&later).await);
    assert!(blocks(Arc::new(later)).await);
    assert!(blocks(Box::new(later)).await);
    assert!(blocks(Some(later)).await);
    assert!(!blocks(None::<later>).await);
    assert!(blocks(hooks![later]).await);
    assert!(blocks(hooks![Some(Arc::new(&later)) @ 3]).await);
    assert!(blocks(hooks![hooks![hooks![later @ 1]], mark_a]).await);
}

#[test]
fn pipelines_nest_in_their_place_and_attribution_stays_with_the_hook() {
    let inner = hooks![block_shell, mark_c @ 100];
    let hooks = hooks![mark_a, inner @ 25, mark_b];
    let mut shell = call("shell");
    let result = hooks.intercept_now(&cx(), &mut shell);
    assert_eq!(result.as_cancel().unwrap().hook, "block_shell");
    assert_eq!(
        shell.id, "1ac",
        "the inner pipeline runs as a whole, between a and b"
    );
}

#[test]
fn a_hook_may_return_what_a_pipeline_decided() {
    #[hook]
    fn delegate(cx: &AgentContext, call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        hooks![block_shell].intercept_now(cx, call).into()
    }
    let result = hooks![delegate].intercept_now(&cx(), &mut call("shell"));
    assert_eq!(result.as_cancel().unwrap().hook, "block_shell");
}

#[test]
fn closures_capture_state() {
    let forbidden = String::from("shell");
    let seen = AtomicUsize::new(0);
    let hooks = hooks![
        intercept_fn::<BeforeToolCall, _>(|cx, call| {
            call.id.push_str(&cx.session_id);
            if call.name == forbidden {
                return HookAction::block("forbidden");
            }
            HookAction::Continue
        }),
        intercept_fn::<ApproveToolCall, _>(|_, call| match call.name {
            "shell" => HookAction::block("not approved"),
            _ => HookAction::Continue,
        })
        .with_name("approver"),
        observe_fn::<ToolCallEnd, _>(|_, done| {
            seen.fetch_add(done.name.len(), Ordering::Relaxed);
        }) @ 10,
    ];
    let mut shell = call("shell");
    let result = hooks.intercept_now(&cx(), &mut shell);
    assert_eq!(result.as_cancel().unwrap().hook, "intercept_fn");
    assert_eq!(shell.id, "1s1");

    // Whatever they borrow, and for however long.
    let args = json!({});
    let name = String::from("shell");
    let mut approve = ApproveToolCall {
        id: "1",
        name: &name,
        args: &args,
        annotations: ToolAnnotations::default(),
        approval: &Approval::Usual,
    };
    let result = hooks.intercept_now(&cx(), &mut approve);
    assert_eq!(result.as_cancel().unwrap().hook, "approver");
    let output = ToolOutput::default();
    hooks.observe_now(
        &cx(),
        &ToolCallEnd {
            id: "1",
            name: &name,
            args: &args,
            annotations: ToolAnnotations::default(),
            output: &output,
            duration: std::time::Duration::ZERO,
            outcome: ToolOutcome::Ran,
        },
    );
    assert_eq!(seen.load(Ordering::Relaxed), 5);

    fn of_any_agent(hooks: &impl AgentHooks) -> bool {
        hooks.handles::<ToolCallEnd>()
    }
    assert!(of_any_agent(&hooks));
}

#[test]
fn handles_is_true_only_for_events_that_a_hook_handles() {
    let hooks = hooks![block_shell, Some(mark_a)];
    assert!(hooks.handles::<BeforeToolCall>());
    assert!(!hooks.handles::<LlmInput>());
    assert!(!hooks![].handles::<BeforeToolCall>());
    assert!(Hook::handles::<BeforeToolCall>(&block_shell));
}

#[tokio::test]
async fn an_event_that_no_hook_handles_goes_on() {
    assert!(
        hooks![]
            .intercept(&cx(), &mut call("x"))
            .await
            .is_continue()
    );
    hooks![block_shell].observe(&cx(), &HeartbeatTick).await;
    hooks![].observe_now(&cx(), &HeartbeatTick);
}

#[test]
fn a_hooks_function_is_called_as_any_other() {
    assert_eq!(
        block_shell::call(&call("shell")),
        HookAction::block("no shell")
    );
    let mut tool = call("x");
    mark_a::call(&mut tool);
    assert_eq!(tool.id, "1a");
}

#[tokio::test]
async fn a_dispatch_through_the_agents_bound_can_be_spawned() {
    struct Agent<H> {
        hooks: H,
    }
    impl<H: AgentHooks> Agent<H> {
        async fn run(&self) -> bool {
            let (cx, name) = (cx(), String::from("list"));
            self.hooks
                .observe(
                    &cx,
                    &LlmDelta {
                        text: &name,
                        ..LlmDelta::default()
                    },
                )
                .await;
            self.hooks
                .intercept(&cx, &mut call(&name))
                .await
                .is_continue()
        }
    }
    #[hook]
    async fn later(_: &BeforeToolCall) {
        tokio::task::yield_now().await;
    }
    #[hook]
    async fn delta(_: &LlmDelta<'_>) {
        tokio::task::yield_now().await;
    }
    let agent = Arc::new(Agent {
        hooks: hooks![
            later,
            delta,
            Arc::new(Counter::default()),
            HookRegistry::<AgentEvent>::new() @ 0,
            hooks![later],
        ],
    });
    let running = tokio::spawn(async move { agent.run().await });
    assert!(running.await.unwrap());
}

#[test]
fn a_pipeline_is_as_large_as_its_hooks_state() {
    assert_eq!(
        size_of_val(&hooks![mark_a, mark_b @ 7, block_shell, hooks![mark_c]]),
        0
    );
    let counter = Counter::default();
    let hooks = hooks![mark_a, &counter, mark_b];
    let copy = hooks;
    assert_eq!(size_of_val(&copy), size_of::<usize>());
    assert_eq!(format!("{hooks:?}"), "[counter, mark_a, mark_b]");
}

#[test]
fn both_ways_in_are_traits_for_generic_code() {
    fn now(hooks: impl AgentHooksNow) -> bool {
        hooks.intercept_now(&cx(), &mut call("shell")).is_continue()
    }
    fn is_observer(_: impl for<'a> Dispatch<ToolCallEnd<'a>>) {}
    assert!(!now(hooks![block_shell]));
    is_observer(hooks![block_shell]);
}
