//! What GoClaw has, said here: the names are those of `docs/coming-from.md`.

use std::sync::{Arc, LazyLock, Mutex};

use hooks_core::agent::*;
use hooks_core::{HookAction, Patch, Scope, hook, hooks, intercept_fn, observe_fn};
use regex::Regex;
use serde_json::{Value, json};

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

fn pre_tool_use(tool_name: &str, tool_input: Value) -> BeforeToolCall {
    BeforeToolCall {
        id: "1".into(),
        name: tool_name.into(),
        args: tool_input,
        ..BeforeToolCall::default()
    }
}

/// One of the seven events goes to a hook of its name.
#[derive(Default)]
struct Seven {
    seen: Mutex<Vec<&'static str>>,
}

#[hook]
impl Seven {
    fn session_start(&self, _: &SessionStart) {
        self.seen.lock().unwrap().push("session_start");
    }
    fn user_prompt_submit(&self, _: &MessageReceived) -> HookAction<MessageReceived> {
        self.seen.lock().unwrap().push("user_prompt_submit");
        HookAction::block("blocking")
    }
    fn pre_tool_use(&self, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        self.seen.lock().unwrap().push("pre_tool_use");
        HookAction::block("blocking")
    }
    fn post_tool_use(&self, _: &ToolCallEnd<'_>) {
        self.seen.lock().unwrap().push("post_tool_use");
    }
    fn stop(&self, _: &AgentEnd<'_>) {
        self.seen.lock().unwrap().push("stop");
    }
    fn subagent_start(&self, _: &SubagentStart) -> HookAction<SubagentStart> {
        self.seen.lock().unwrap().push("subagent_start");
        HookAction::block("blocking")
    }
    fn subagent_stop(&self, _: &SubagentStop<'_>) {
        self.seen.lock().unwrap().push("subagent_stop");
    }
}

#[test]
fn the_seven_events_are_here_and_the_blocking_ones_block() {
    let seven = Seven::default();
    let hooks = hooks![&seven];
    let cx = &cx();
    let output = ToolOutput::default();
    let start = hooks.intercept_now(cx, &mut SessionStart::new("s1", "ws"));
    assert!(start.is_continue());
    let prompt = hooks.intercept_now(cx, &mut MessageReceived::default());
    assert!(prompt.as_cancel().is_some());
    let tool = hooks.intercept_now(cx, &mut BeforeToolCall::default());
    assert!(tool.as_cancel().is_some());
    let done = ToolCallEnd {
        id: "1",
        name: "exec",
        args: &Value::Null,
        annotations: ToolAnnotations::default(),
        output: &output,
        duration: std::time::Duration::ZERO,
        outcome: ToolOutcome::Ran,
    };
    hooks.observe_now(cx, &done);
    hooks.observe_now(
        cx,
        &AgentEnd {
            response: "done",
            ..AgentEnd::default()
        },
    );
    let subagent = hooks.intercept_now(cx, &mut SubagentStart::default());
    assert!(subagent.as_cancel().is_some());
    let stopped = SubagentStop {
        agent: "explorer",
        response: "done",
        ..SubagentStop::default()
    };
    hooks.observe_now(cx, &stopped);
    assert_eq!(
        *seven.seen.lock().unwrap(),
        [
            "session_start",
            "user_prompt_submit",
            "pre_tool_use",
            "post_tool_use",
            "stop",
            "subagent_start",
            "subagent_stop",
        ],
    );
}

/// `matcher`.
#[hook(when = is_dangerous)]
fn no_writes(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block("matched")
}

fn is_dangerous(call: &BeforeToolCall) -> bool {
    static MATCHER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("^(exec|shell|write_file)$").unwrap());
    MATCHER.is_match(&call.name)
}

#[test]
fn a_matcher_is_when_with_a_regex() {
    for (tool, is_blocked) in [
        ("exec", true),
        ("write_file", true),
        ("write_files", false),
        ("read_file", false),
    ] {
        let result = hooks![no_writes].intercept_now(&cx(), &mut pre_tool_use(tool, json!({})));
        assert_eq!(result.as_cancel().is_some(), is_blocked, "{tool}");
    }
}

/// `if_expr`: `tool_name == "exec" && size(tool_input.cmd) > 80`
#[hook(when = |call| call.name == "exec" && call.args["cmd"].as_str().is_some_and(|cmd| cmd.len() > 80))]
fn no_long_commands(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block("too long")
}

#[test]
fn an_if_expr_is_when_with_a_closure() {
    for (tool, length, is_blocked) in [("exec", 81, true), ("exec", 80, false), ("read", 81, false)]
    {
        let mut call = pre_tool_use(tool, json!({ "cmd": "x".repeat(length) }));
        let result = hooks![no_long_commands].intercept_now(&cx(), &mut call);
        assert_eq!(result.as_cancel().is_some(), is_blocked, "{tool} {length}");
    }
}

/// `scope`, `tenant_id`, `agent_ids`, and the `depth` of an `if_expr`: the context has them.
#[hook]
fn scoped(cx: &AgentContext, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    let is_in_scope = cx.tenant_id.as_deref() == Some("acme")
        && ["coder", "writer"].contains(&cx.agent_id.as_str())
        && cx.depth < 3;
    if is_in_scope {
        HookAction::block("not for this agent")
    } else {
        HookAction::Continue
    }
}

#[test]
fn scopes_are_read_off_the_context() {
    let inside = cx().with_tenant_id("acme").with_agent_id("coder");
    for (cx, is_blocked) in [
        (inside.clone(), true),
        (inside.clone().with_agent_id("reader"), false),
        (inside.clone().with_tenant_id("other"), false),
        (inside.with_depth(3), false),
        (cx(), false),
    ] {
        let result = hooks![scoped].intercept_now(&cx, &mut BeforeToolCall::default());
        assert_eq!(result.as_cancel().is_some(), is_blocked, "{cx:?}");
    }
}

#[test]
fn the_highest_priority_decides_first_and_one_block_ends_the_chain() {
    #[hook(priority = 5)]
    fn lower(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("the lower one")
    }
    #[hook(priority = 10)]
    fn higher(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("the higher one")
    }
    let result = hooks![lower, higher].intercept_now(&cx(), &mut BeforeToolCall::default());
    let cancel = result.as_cancel().expect("blocked");
    assert_eq!(
        (cancel.reason.as_ref(), cancel.scope),
        ("the higher one", Scope::Event)
    );
}

#[test]
fn a_hook_that_is_not_enabled_does_not_run() {
    for enabled in [true, false] {
        let hooks = hooks![enabled.then_some(no_writes)];
        let result = hooks.intercept_now(&cx(), &mut pre_tool_use("exec", json!({})));
        assert_eq!(result.as_cancel().is_some(), enabled);
    }
}

#[test]
fn an_error_fails_closed() {
    #[hook]
    fn number(call: &BeforeToolCall) -> Result<(), std::num::ParseIntError> {
        call.args["cmd"]
            .as_str()
            .unwrap_or_default()
            .parse::<i32>()?;
        Ok(())
    }
    let result = hooks![number].intercept_now(&cx(), &mut pre_tool_use("exec", json!({})));
    assert!(result.as_cancel().is_some());
}

#[cfg(feature = "std")]
#[test]
fn a_panic_fails_closed_with_on_panic_block() {
    #[hook(on_panic = block)]
    fn panics(_: &BeforeToolCall) {
        panic!("a bug in a hook");
    }
    let result = hooks![panics].intercept_now(&cx(), &mut BeforeToolCall::default());
    assert_eq!(
        result.as_cancel().expect("blocked").reason,
        "the hook panicked: a bug in a hook",
    );
}

#[test]
fn the_loop_of_subagents_is_bounded_by_the_depth() {
    #[hook]
    fn bounded(cx: &AgentContext, _: &SubagentStart) -> HookAction<SubagentStart> {
        if cx.depth >= 3 {
            return HookAction::block("subagents are nested too deep");
        }
        HookAction::Continue
    }
    for (depth, is_blocked) in [(2, false), (3, true)] {
        let result =
            hooks![bounded].intercept_now(&cx().with_depth(depth), &mut SubagentStart::default());
        assert_eq!(result.as_cancel().is_some(), is_blocked);
    }
}

/// `hooks.test`.
#[test]
fn a_dry_run_calls_the_hook_as_a_function() {
    let sample = pre_tool_use("exec", json!({ "cmd": "ls" }));
    assert_eq!(no_writes::call(&sample), HookAction::block("matched"));
}

#[tokio::test]
async fn what_does_not_block_may_run_in_a_task_of_its_own() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hooks = Arc::new(hooks![{
        let seen = Arc::clone(&seen);
        observe_fn::<AgentEnd, _>(move |_, end| seen.lock().unwrap().push(end.response.to_owned()))
    }]);
    let response = String::from("done");
    let task = tokio::spawn(async move {
        let end = AgentEnd {
            response: &response,
            ..AgentEnd::default()
        };
        hooks.observe(&cx(), &end).await;
    });
    task.await.unwrap();
    assert_eq!(*seen.lock().unwrap(), ["done"]);
}

/// The answer of a `command` or `http` handler: `{ decision, additionalContext, updatedInput, continue }`.
fn decided<E>(answer: &Value) -> Result<HookAction<E>, String>
where
    E: hooks_core::Blockable<Patch: From<Value> + Patch<E>>,
{
    let object = answer.as_object().ok_or("not a JSON object")?;
    if object.get("continue") == Some(&Value::Bool(false)) {
        return Ok(HookAction::block("continue is false"));
    }
    match object.get("decision").and_then(Value::as_str) {
        None | Some("allow") => Ok(match object.get("updatedInput") {
            Some(input) => HookAction::modify(input.clone()),
            None => HookAction::Continue,
        }),
        Some(decision) => Ok(HookAction::block(format!("decision: {decision}"))),
    }
}

trait Client: Send + Sync {
    fn post(&self, body: Value) -> impl Future<Output = Result<Value, String>> + Send;
}

/// An `http` handler; the client is the agent author's.
struct Http<C> {
    client: C,
}

#[hook]
impl<C: Client> Http<C> {
    async fn pre_tool_use(
        &self,
        call: &BeforeToolCall,
    ) -> Result<HookAction<BeforeToolCall>, String> {
        let body = serde_json::to_value(call).map_err(|error| error.to_string())?;
        decided(&self.client.post(body).await?)
    }
}

/// Answers by the tool's name.
struct ByName;

impl Client for ByName {
    async fn post(&self, body: Value) -> Result<Value, String> {
        match body["name"].as_str() {
            Some("allowed") => Ok(json!({ "decision": "allow" })),
            Some("updated") => {
                Ok(json!({ "decision": "allow", "updatedInput": { "cmd": "ls -a" } }))
            }
            Some("blocked") => Ok(json!({ "decision": "block" })),
            Some("stopped") => Ok(json!({ "continue": false })),
            _ => Err("500 Internal Server Error".into()),
        }
    }
}

#[tokio::test]
async fn an_http_handler_is_an_async_hook_that_reads_a_decision() {
    let hooks = hooks![Http { client: ByName }];
    for (tool, expected, input) in [
        ("allowed", None, "ls"),
        ("updated", None, "ls -a"),
        ("blocked", Some("decision: block"), "ls"),
        ("stopped", Some("continue is false"), "ls"),
        ("failing", Some("500 Internal Server Error"), "ls"),
    ] {
        let mut call = pre_tool_use(tool, json!({ "cmd": "ls" }));
        let result = hooks.intercept(&cx(), &mut call).await;
        let reason = result.as_cancel().map(|cancel| cancel.reason.as_ref());
        assert_eq!((reason, call.args["cmd"].as_str()), (expected, Some(input)));
    }
}

/// A `command` handler.
#[cfg(unix)]
mod command {
    use std::process::Stdio;

    use tokio::io::AsyncWriteExt;
    use tokio::process::Command as Process;

    use super::*;

    struct Command {
        script: &'static str,
        allowed_env_vars: &'static [&'static str],
        cwd: &'static str,
    }

    #[hook]
    impl Command {
        async fn pre_tool_use(
            &self,
            call: &BeforeToolCall,
        ) -> Result<HookAction<BeforeToolCall>, std::io::Error> {
            let allowed =
                std::env::vars().filter(|(name, _)| self.allowed_env_vars.contains(&name.as_str()));
            let mut child = Process::new("/bin/sh")
                .args(["-c", self.script])
                .env_clear()
                .envs(allowed)
                .current_dir(self.cwd)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .kill_on_drop(true)
                .spawn()?;
            if let Some(mut stdin) = child.stdin.take() {
                stdin.write_all(&serde_json::to_vec(call)?).await?;
            }
            let output = child.wait_with_output().await?;
            match output.status.code() {
                Some(0) if output.stdout.is_empty() => Ok(HookAction::Continue),
                Some(0) => {
                    let answer = serde_json::from_slice(&output.stdout)?;
                    decided(&answer).map_err(std::io::Error::other)
                }
                Some(2) => Ok(HookAction::block("exit 2")),
                _ => Err(std::io::Error::other(output.status.to_string())),
            }
        }
    }

    #[tokio::test]
    async fn a_command_handler_is_an_async_hook_that_reads_the_exit_code() {
        for (script, reason) in [
            ("cat >/dev/null", None),
            ("cat >/dev/null; exit 2", Some("exit 2")),
            (
                r#"cat >/dev/null; echo '{"continue": false}'"#,
                Some("continue is false"),
            ),
            ("cat >/dev/null; exit 3", Some("exit status: 3")),
            // The event is on stdin.
            (
                r#"read event; test "${event#*rm -rf}" = "$event" || exit 2"#,
                Some("exit 2"),
            ),
            // The environment holds what is allowed, and no more.
            (r#"cat >/dev/null; test -z "$HOME" || exit 2"#, None),
            (r#"cat >/dev/null; test -n "$PATH" || exit 2"#, None),
            (r#"cat >/dev/null; test "$PWD" = / || exit 2"#, None),
        ] {
            let hooks = hooks![Command {
                script,
                allowed_env_vars: &["PATH"],
                cwd: "/",
            }];
            let mut call = pre_tool_use("exec", json!({ "cmd": "rm -rf /" }));
            let result = hooks.intercept(&cx(), &mut call).await;
            let cancelled = result.as_cancel().map(|cancel| cancel.reason.as_ref());
            assert_eq!(cancelled, reason, "{script}");
        }
    }
}

/// `timeout_ms` and `on_timeout`. The clock stands still, but where all tasks wait.
#[cfg(feature = "tokio")]
mod timeouts {
    use std::time::Duration;

    use hooks_core::HookResult;
    use tokio::time::{Instant, sleep};

    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[tokio::test(start_paused = true)]
    async fn a_hook_that_takes_too_long_blocks_where_nothing_is_said() {
        #[hook(timeout = "5s")]
        async fn slow(_: &BeforeToolCall) {
            sleep(MINUTE).await;
        }
        let start = Instant::now();
        let mut call = BeforeToolCall::default();
        let result = hooks![slow].intercept(&cx(), &mut call).await;
        let cancel = result.as_cancel().expect("blocked");
        assert_eq!(cancel.reason, "the hook took longer than its timeout of 5s");
        assert_eq!((cancel.hook.as_ref(), cancel.scope), ("slow", Scope::Event));
        assert!((Duration::from_secs(5)..MINUTE).contains(&start.elapsed()));
    }

    #[tokio::test(start_paused = true)]
    async fn on_timeout_allow_is_skip_and_leaves_the_event_as_it_was() {
        #[hook(priority = 1, timeout = "500ms", on_timeout = skip)]
        async fn slow(call: &mut BeforeToolCall) {
            call.name.push_str(" half");
            sleep(MINUTE).await;
            call.name.push_str(" done");
        }
        #[hook]
        fn next(call: &mut BeforeToolCall) {
            call.name.push_str(" next");
        }
        let mut call = pre_tool_use("exec", json!({}));
        let result = hooks![slow, next].intercept(&cx(), &mut call).await;
        assert_eq!(result, HookResult::Continue);
        assert_eq!(call.name, "exec next");
    }

    #[tokio::test(start_paused = true)]
    async fn a_hook_in_time_is_not_touched() {
        #[hook(timeout = "5s")]
        async fn quick(call: &mut BeforeToolCall) {
            sleep(Duration::from_secs(4)).await;
            call.name.push_str(" done");
        }
        let mut call = pre_tool_use("exec", json!({}));
        let result = hooks![quick].intercept(&cx(), &mut call).await;
        assert_eq!(result, HookResult::Continue);
        assert_eq!(call.name, "exec done");
    }

    #[tokio::test(start_paused = true)]
    async fn a_hook_on_an_event_that_does_not_block_is_dropped_when_it_takes_too_long() {
        static FINISHED: Mutex<Vec<&str>> = Mutex::new(Vec::new());
        #[hook(timeout = "5s")]
        async fn slow(_: &AgentEnd<'_>) {
            sleep(MINUTE).await;
            FINISHED.lock().unwrap().push("slow");
        }
        #[hook(timeout = "5s")]
        async fn quick(_: &AgentEnd<'_>) {
            sleep(Duration::from_secs(1)).await;
            FINISHED.lock().unwrap().push("quick");
        }
        let start = Instant::now();
        hooks![slow, quick]
            .observe(&cx(), &AgentEnd::default())
            .await;
        assert!(start.elapsed() < MINUTE);
        assert_eq!(*FINISHED.lock().unwrap(), ["quick"]);
    }

    struct Takes(Duration);

    #[hook]
    impl Takes {
        async fn pre_tool_use(&self, _: &BeforeToolCall) {
            sleep(self.0).await;
        }
    }

    /// The budget of the whole chain: a hook that asks a pipeline, with a timeout.
    #[tokio::test(start_paused = true)]
    async fn a_chain_budget_is_a_timeout_around_a_pipeline() {
        const FOUR: Duration = Duration::from_secs(4);
        #[hook(timeout = "10s")]
        async fn chain(cx: &AgentContext, call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
            let takes = hooks![Takes(FOUR), Takes(FOUR), Takes(FOUR)];
            takes.intercept(cx, call).await.into()
        }
        let result = hooks![chain]
            .intercept(&cx(), &mut BeforeToolCall::default())
            .await;
        assert_eq!(
            result.as_cancel().expect("blocked").reason,
            "the hook took longer than its timeout of 10s",
        );
    }
}

#[test]
fn additional_context_is_a_change_of_the_prompt() {
    let hooks = hooks![intercept_fn::<MessageReceived, _>(|_, message| {
        message.content.push_str("\n\nThe user's time zone is UTC.");
        HookAction::Continue
    })];
    let mut message = MessageReceived {
        content: "What time is it?".into(),
        ..Default::default()
    };
    assert!(hooks.intercept_now(&cx(), &mut message).is_continue());
    assert_eq!(
        message.content,
        "What time is it?\n\nThe user's time zone is UTC."
    );
}
