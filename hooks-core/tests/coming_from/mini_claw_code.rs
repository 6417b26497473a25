//! What mini-claw-code has, said here: the names are those of `docs/coming-from.md`. Its list of ten
//! tests is here under its own names.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::agent::*;
use hooks_core::{HookAction, HookResult, Scope, hook, hooks, intercept_fn};
use serde_json::{Value, json};

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

/// `HookEvent::PreToolCall`.
fn pre(tool_name: &str) -> BeforeToolCall {
    BeforeToolCall {
        name: tool_name.into(),
        args: json!({}),
        ..Default::default()
    }
}

/// `HookEvent::PostToolCall`.
fn post<'a>(tool_name: &'a str, args: &'a Value, result: &'a ToolOutput) -> ToolCallEnd<'a> {
    ToolCallEnd {
        id: "1",
        name: tool_name,
        args,
        annotations: ToolAnnotations::default(),
        output: result,
        duration: Duration::ZERO,
        outcome: ToolOutcome::Ran,
    }
}

/// `LoggingHook`.
#[derive(Default)]
struct Logging {
    log: Mutex<Vec<String>>,
}

#[hook(every)]
impl Logging {
    fn on_event(&self, event: AgentEvent<'_>) {
        let line = match event {
            AgentEvent::BeforeToolCall(call) => format!("pre:{}", call.name),
            AgentEvent::ToolCallEnd(done) => format!("post:{}", done.name),
            AgentEvent::AgentStart(_) => "agent:start".into(),
            AgentEvent::AgentEnd(_) => "agent:end".into(),
            _ => return,
        };
        self.log.lock().unwrap().push(line);
    }
}

impl Logging {
    fn messages(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

/// `BlockingHook`.
struct Blocking {
    blocked_tools: Vec<String>,
    reason: String,
}

#[hook]
impl Blocking {
    fn pre_tool_call(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if self.blocked_tools.contains(&call.name) {
            return HookAction::block(self.reason.clone());
        }
        HookAction::Continue
    }
}

fn no_bash() -> Blocking {
    Blocking {
        blocked_tools: vec!["bash".into()],
        reason: "bash is disabled".into(),
    }
}

#[test]
fn test_hooks_logging_hook() {
    let logging = Logging::default();
    let result = hooks![&logging].intercept_now(&cx(), &mut pre("bash"));
    assert_eq!(result, HookResult::Continue);
    assert_eq!(logging.messages(), ["pre:bash"]);
}

#[test]
fn test_hooks_logging_hook_multiple_events() {
    let logging = Logging::default();
    let hooks = hooks![&logging];
    let (args, result) = (json!({}), ToolOutput::new("text"));
    hooks.observe_now(&cx(), &AgentStart { prompt: "Hello" });
    assert!(hooks.intercept_now(&cx(), &mut pre("read")).is_continue());
    hooks.observe_now(&cx(), &post("read", &args, &result));
    hooks.observe_now(
        &cx(),
        &AgentEnd {
            response: "Bye",
            ..AgentEnd::default()
        },
    );
    assert_eq!(
        logging.messages(),
        ["agent:start", "pre:read", "post:read", "agent:end"],
    );
}

#[test]
fn test_hooks_blocking_hook() {
    assert_eq!(
        no_bash().pre_tool_call(&pre("bash")),
        HookAction::block("bash is disabled"),
    );
}

#[test]
fn test_hooks_blocking_hook_allows_other_tools() {
    assert_eq!(no_bash().pre_tool_call(&pre("read")), HookAction::Continue);
}

#[tokio::test]
async fn test_hooks_registry_dispatch_continue() {
    let registry = AgentRegistry::new().with(hooks![Logging::default()]);
    let result = registry.intercept(&cx(), &mut pre("bash")).await;
    assert_eq!(result, HookResult::Continue);
}

#[tokio::test]
async fn test_hooks_registry_dispatch_block() {
    let registry = AgentRegistry::new()
        .with(hooks![Logging::default()])
        .with(hooks![no_bash()]);
    let result = registry.intercept(&cx(), &mut pre("bash")).await;
    let cancel = result.as_cancel().expect("bash is blocked");
    assert_eq!(cancel.reason, "bash is disabled");
    assert_eq!(
        (cancel.hook.as_ref(), cancel.scope),
        ("Blocking", Scope::Event)
    );
}

#[tokio::test]
async fn test_hooks_registry_multiple_hooks_order() {
    let log: Arc<Mutex<Vec<u8>>> = Arc::default();
    let nth = |nth: u8| {
        let log = Arc::clone(&log);
        let hook = intercept_fn::<BeforeToolCall, _>(move |_, _| {
            log.lock().unwrap().push(nth);
            HookAction::Continue
        });
        hook.named(format!("hook {nth}"))
    };
    let registry = AgentRegistry::new()
        .with(hooks![nth(1)])
        .with(hooks![no_bash()])
        .with(hooks![nth(2)]);
    let result = registry.intercept(&cx(), &mut pre("read")).await;
    assert_eq!(result, HookResult::Continue);
    assert_eq!(*log.lock().unwrap(), [1, 2]);
}

#[tokio::test]
async fn test_hooks_registry_block_short_circuits() {
    let logging = Arc::new(Logging::default());
    let registry = AgentRegistry::new()
        .with(hooks![no_bash()])
        .with(hooks![Arc::clone(&logging)]);
    let result = registry.intercept(&cx(), &mut pre("bash")).await;
    assert!(result.as_cancel().is_some());
    assert!(logging.messages().is_empty());
}

#[test]
fn test_hooks_registry_is_empty() {
    let registry = AgentRegistry::new();
    assert!(registry.is_empty());
    registry.register(hooks![Logging::default()]).unwrap();
    assert!(!registry.is_empty());
}

#[test]
fn test_hooks_post_tool_event() {
    let logging = Logging::default();
    let (args, result) = (json!({}), ToolOutput::new("written"));
    hooks![&logging].observe_now(&cx(), &post("write", &args, &result));
    assert_eq!(logging.messages(), ["post:write"]);
}

/// The asymmetry of its table of events: here the compiler knows it.
#[test]
fn a_blocking_hook_has_no_answer_to_post_tool_call() {
    let hooks = hooks![no_bash()];
    assert!(hooks.handles::<BeforeToolCall>());
    assert!(!hooks.handles::<ToolCallEnd>());
}

#[test]
fn modify_args_replaces_all_arguments_and_the_last_one_wins() {
    let first = intercept_fn::<BeforeToolCall, _>(|_, _| HookAction::modify(json!({ "a": 1 })));
    let last = intercept_fn::<BeforeToolCall, _>(|_, _| HookAction::modify(json!({ "b": 2 })));
    let mut call = pre("read");
    let result = hooks![first, last].intercept_now(&cx(), &mut call);
    assert_eq!(result, HookResult::Continue);
    assert_eq!(call.args, json!({ "b": 2 }));
}

/// There each hook sees the arguments as the model gave them; here as the hook before it left them.
#[test]
fn modify_args_is_seen_by_the_next_hook() {
    let path = intercept_fn::<BeforeToolCall, _>(|_, _| HookAction::modify(json!({ "path": "." })));
    let absolute = intercept_fn::<BeforeToolCall, _>(|_, call| {
        HookAction::modify(json!({ "path": format!("/work/{}", call.args["path"]) }))
    });
    let mut call = pre("read");
    let result = hooks![path, absolute].intercept_now(&cx(), &mut call);
    assert_eq!(result, HookResult::Continue);
    assert_eq!(call.args, json!({ "path": "/work/\".\"" }));
}

#[tokio::test]
async fn an_empty_registry_continues() {
    let registry = AgentRegistry::new();
    let result = registry.intercept(&cx(), &mut pre("bash")).await;
    assert_eq!(result, HookResult::Continue);
}

/// `ShellHook`: `command` for all tools.
#[cfg(unix)]
mod shell {
    use tokio::process::Command;

    use super::*;

    struct Shell {
        command: &'static str,
    }

    #[hook]
    impl Shell {
        async fn pre_tool_call(&self, call: &BeforeToolCall) -> Result<(), String> {
            let mut command = Command::new("sh");
            command
                .args(["-c", self.command])
                .env("TOOL_NAME", &call.name);
            let output = command.output().await.map_err(|error| error.to_string())?;
            if output.status.success() {
                return Ok(());
            }
            Err(String::from_utf8_lossy(&output.stderr).trim().into())
        }
    }

    #[tokio::test]
    async fn a_shell_hook_blocks_with_what_a_failing_command_says() {
        let hooks = hooks![Shell {
            command: r#"test "$TOOL_NAME" = read || { echo "not $TOOL_NAME" >&2; exit 1; }"#,
        }];
        let result = hooks.intercept(&cx(), &mut pre("read")).await;
        assert_eq!(result, HookResult::Continue);
        let result = hooks.intercept(&cx(), &mut pre("write")).await;
        assert_eq!(result.as_cancel().expect("it fails").reason, "not write");
    }

    /// `ShellHook::new("exit 1").for_tool("write*")`.
    struct FormatCheck;

    #[hook(only("write*"))]
    impl FormatCheck {
        async fn pre_tool_call(&self, call: &BeforeToolCall) -> Result<(), String> {
            Shell { command: "exit 1" }.pre_tool_call(call).await
        }
    }

    #[tokio::test]
    async fn for_tool_is_only() {
        let hooks = hooks![FormatCheck];
        let result = hooks.intercept(&cx(), &mut pre("read")).await;
        assert_eq!(result, HookResult::Continue);
        let result = hooks.intercept(&cx(), &mut pre("write_file")).await;
        assert!(result.as_cancel().is_some());
    }
}
