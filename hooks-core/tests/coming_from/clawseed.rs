//! What ClawSeed has, said here: the names are those of `docs/coming-from.md`.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use hooks_core::agent::*;
use hooks_core::{HookAction, HookResult, Scope, hook, hooks, intercept_fn, priority};
use regex::Regex;
use serde_json::{Value, json};

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

fn call(name: &str, args: Value) -> BeforeToolCall {
    BeforeToolCall {
        id: "1".into(),
        name: name.into(),
        args,
        ..BeforeToolCall::default()
    }
}

/// The path of one tool call through the hooks.
async fn execute(hooks: &impl AgentHooks, mut call: BeforeToolCall, text: &str) -> ToolOutput {
    let output = match hooks.intercept(&cx(), &mut call).await {
        HookResult::Continue => ToolOutput::new(text),
        HookResult::Respond(output) => return output,
        HookResult::Cancel(cancel) => return ToolOutput::error(cancel.reason),
    };
    let done = ToolCallEnd {
        id: &call.id,
        name: &call.name,
        args: &call.args,
        annotations: ToolAnnotations::default(),
        output: &output,
        duration: Duration::ZERO,
        outcome: ToolOutcome::Ran,
    };
    hooks.observe(&cx(), &done).await;
    output
}

/// Notes both methods, under a name.
struct Noted<'a>(&'a str, &'a Mutex<Vec<String>>);

#[hook]
impl Noted<'_> {
    fn before_tool_call(&self, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        self.1.lock().unwrap().push(format!("{} before", self.0));
        HookAction::Continue
    }

    fn after_tool_call(&self, _: &ToolCallEnd<'_>) {
        self.1.lock().unwrap().push(format!("{} after", self.0));
    }
}

#[tokio::test]
async fn hooks_of_one_priority_run_in_the_order_of_the_list() {
    let log = Mutex::default();
    let hooks = hooks![Noted("first", &log), Noted("second", &log)];
    execute(&hooks, call("list", json!({})), "").await;
    assert_eq!(
        *log.lock().unwrap(),
        [
            "first before",
            "second before",
            "first after",
            "second after"
        ],
    );
}

#[tokio::test]
async fn the_first_cancel_stops_the_pipeline_and_gives_its_reason() {
    let log = Mutex::default();
    let hooks = hooks![
        Noted("first", &log),
        intercept_fn::<BeforeToolCall, _>(|_, _| HookAction::block("not today")),
        Noted("third", &log),
    ];
    let output = execute(&hooks, call("list", json!({})), "").await;
    assert_eq!(output, ToolOutput::error("not today"));
    assert_eq!(*log.lock().unwrap(), ["first before"]);
}

#[tokio::test]
async fn modify_is_what_the_next_hook_sees() {
    let rename = intercept_fn::<BeforeToolCall, _>(|_, _| {
        HookAction::modify(ToolCallPatch {
            name: Some("file_read".into()),
            args: Some(json!({ "path": "a" })),
        })
    });
    let seen = Mutex::new(None);
    let look = intercept_fn::<BeforeToolCall, _>(|_, call| {
        *seen.lock().unwrap() = Some(call.clone());
        HookAction::Continue
    });
    let mut asked = call("cat", json!({}));
    let result = hooks![rename, look].intercept(&cx(), &mut asked).await;
    assert_eq!(result, HookResult::Continue);
    assert_eq!(asked, call("file_read", json!({ "path": "a" })));
    assert_eq!(seen.lock().unwrap().as_ref(), Some(&asked));
}

#[tokio::test]
async fn a_call_taken_by_mut_is_changed_in_place() {
    #[hook]
    fn rename(call: &mut BeforeToolCall) {
        call.name = "file_read".into();
    }
    let mut asked = call("cat", json!({}));
    assert!(
        hooks![rename]
            .intercept(&cx(), &mut asked)
            .await
            .is_continue()
    );
    assert_eq!(asked.name, "file_read");
}

/// `AuditHook`.
#[derive(Default)]
struct Audit {
    log: Mutex<Vec<String>>,
}

#[hook]
impl Audit {
    fn before_tool_call(&self, call: &BeforeToolCall) {
        let line = format!("started: name={}, args={}", call.name, call.args);
        self.log.lock().unwrap().push(line);
    }

    fn after_tool_call(&self, done: &ToolCallEnd<'_>) {
        self.log.lock().unwrap().push(format!(
            "completed: name={}, success={}, output_len={}",
            done.name,
            !done.output.is_error,
            done.output.content.len(),
        ));
    }
}

#[tokio::test]
async fn audit_hook_logs_the_call_and_what_came_of_it() {
    let audit = Audit::default();
    execute(
        &hooks![&audit],
        call("list", json!({ "path": "/" })),
        "3 files",
    )
    .await;
    assert_eq!(
        *audit.log.lock().unwrap(),
        [
            r#"started: name=list, args={"path":"/"}"#,
            "completed: name=list, success=true, output_len=7",
        ],
    );
}

/// `ApprovalHook`.
struct Approval {
    dangerous_tools: HashSet<String>,
}

#[hook(priority = priority::SECURITY)]
impl Approval {
    fn before_tool_call(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if self.dangerous_tools.contains(&call.name) {
            return HookAction::block(format!(
                "Tool '{}' requires approval. Please confirm to proceed.",
                call.name
            ));
        }
        HookAction::Continue
    }
}

#[tokio::test]
async fn approval_hook_cancels_dangerous_tools_only() {
    let hooks = hooks![Approval {
        dangerous_tools: ["shell", "file_write", "file_edit"]
            .map(String::from)
            .into(),
    }];
    let output = execute(&hooks, call("shell", json!({})), "").await;
    assert_eq!(
        output,
        ToolOutput::error("Tool 'shell' requires approval. Please confirm to proceed."),
    );
    let output = execute(&hooks, call("file_read", json!({})), "text").await;
    assert_eq!(output, ToolOutput::new("text"));
}

/// `PathPrefixHook`.
struct PathPrefix {
    prefix: String,
}

#[hook]
impl PathPrefix {
    #[hook(only("file_read", "file_write"))]
    fn before_tool_call(&self, call: &mut BeforeToolCall) {
        if let Some(path) = call.args["path"].as_str()
            && !path.starts_with('/')
        {
            let prefix = self.prefix.trim_end_matches('/');
            call.args["path"] = format!("{prefix}/{path}").into();
        }
    }
}

#[tokio::test]
async fn path_prefix_hook_changes_relative_paths_and_keeps_the_other_arguments() {
    let hooks = hooks![PathPrefix {
        prefix: "/work/".into(),
    }];
    for (name, path, expected) in [
        ("file_read", "a.txt", "/work/a.txt"),
        ("file_write", "/a.txt", "/a.txt"),
        ("file_delete", "a.txt", "a.txt"),
    ] {
        let mut asked = call(name, json!({ "path": path, "mode": 1 }));
        assert!(hooks.intercept(&cx(), &mut asked).await.is_continue());
        assert_eq!(asked.args, json!({ "path": expected, "mode": 1 }));
    }
}

/// `RateLimitHook`.
struct RateLimit {
    max_per_minute: usize,
    timestamps: Mutex<Vec<Instant>>,
}

#[hook]
impl RateLimit {
    fn before_tool_call(&self, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        let now = Instant::now();
        let mut timestamps = self.timestamps.lock().unwrap();
        timestamps.retain(|then| now.duration_since(*then) < Duration::from_mins(1));
        if timestamps.len() >= self.max_per_minute {
            return HookAction::block(format!(
                "Rate limit exceeded: max {} calls per minute",
                self.max_per_minute
            ));
        }
        timestamps.push(now);
        HookAction::Continue
    }
}

#[tokio::test]
async fn rate_limit_hook_cancels_the_call_that_is_too_much() {
    let hooks = hooks![RateLimit {
        max_per_minute: 2,
        timestamps: Mutex::default(),
    }];
    for is_error in [false, false, true] {
        let output = execute(&hooks, call("list", json!({})), "").await;
        assert_eq!(output.is_error, is_error);
    }
}

/// `RedactionHook`: ClawSeed's can only warn, for its `after_tool_call` cannot change the output.
/// `AfterToolCall` can.
#[hook]
fn redaction(call: &mut AfterToolCall) {
    static SECRETS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
        [r"\b\d{16}\b", r"\b\d{3}-\d{2}-\d{4}\b"].map(|pattern| Regex::new(pattern).unwrap())
    });
    for secret in SECRETS.iter() {
        let content = secret.replace_all(&call.output.content, "[REDACTED]");
        call.output.content = content.into_owned();
    }
}

#[tokio::test]
async fn redaction_hook_redacts_the_output() {
    let mut done = AfterToolCall {
        output: ToolOutput::new("card 1234567812345678, SSN 123-45-6789, room 1234"),
        ..Default::default()
    };
    assert!(
        hooks![redaction]
            .intercept(&cx(), &mut done)
            .await
            .is_continue()
    );
    assert_eq!(
        done.output.content,
        "card [REDACTED], SSN [REDACTED], room 1234"
    );
}

/// `SecurityPolicy`.
#[derive(Default)]
struct SecurityPolicy {
    read_only: AtomicBool,
    actions: AtomicUsize,
    max_actions: usize,
}

#[hook(priority = priority::FIRST)]
impl SecurityPolicy {
    fn before_tool_call(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if self.read_only.load(Ordering::Relaxed) {
            return HookAction::block("Autonomy level is read-only");
        }
        if self.actions.load(Ordering::Relaxed) >= self.max_actions {
            return HookAction::block("Action rate limit exceeded");
        }
        let command = call.args["command"].as_str().unwrap_or_default();
        match call.name.as_str() {
            "shell" | "exec" if command.contains("/etc/passwd") => {
                HookAction::block("Forbidden path: /etc/passwd")
            }
            "shell" | "exec" if !command.starts_with("ls") => {
                HookAction::block(format!("Command not allowed: {command}"))
            }
            _ => HookAction::Continue,
        }
    }

    fn after_tool_call(&self, _: &ToolCallEnd<'_>) {
        self.actions.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn security_policy_runs_first_wherever_it_stands() {
    let log = Mutex::default();
    let policy = SecurityPolicy {
        max_actions: 1,
        ..Default::default()
    };
    let hooks = hooks![Noted("user's", &log) @ priority::SECURITY, &policy];
    let reason = async |command: &str| {
        let asked = call("shell", json!({ "command": command }));
        execute(&hooks, asked, "done").await.content
    };
    assert_eq!(
        reason("ls /etc/passwd").await,
        "Forbidden path: /etc/passwd"
    );
    assert_eq!(reason("rm x").await, "Command not allowed: rm x");
    assert!(log.lock().unwrap().is_empty());
    assert_eq!(reason("ls").await, "done");
    assert_eq!(reason("ls").await, "Action rate limit exceeded");
    policy.read_only.store(true, Ordering::Relaxed);
    assert_eq!(reason("ls").await, "Autonomy level is read-only");
    assert_eq!(*log.lock().unwrap(), ["user's before", "user's after"]);
}

#[tokio::test]
async fn hook_runner_register_keeps_the_order_of_equal_priorities() {
    let log: &'static Mutex<Vec<String>> = Box::leak(Box::default());
    let runner = AgentRegistry::new();
    runner.register(Noted("first", log).named("first")).unwrap();
    runner
        .register(Noted("second", log).named("second"))
        .unwrap();
    runner
        .register(hooks![SecurityPolicy {
            max_actions: 1,
            ..Default::default()
        }])
        .unwrap();
    assert_eq!(format!("{runner:?}"), "[SecurityPolicy, first, second]");
    // `hook_runner(Some(Arc::new(hook_runner)))`
    let runner = Arc::new(runner);
    execute(&Some(Arc::clone(&runner)), call("list", json!({})), "").await;
    assert_eq!(
        *log.lock().unwrap(),
        [
            "first before",
            "second before",
            "first after",
            "second after"
        ],
    );
}

/// `HookFactory` and `HookFactoryRegistry`: a map of functions that box.
type Factories = HashMap<&'static str, fn(&Value) -> Option<AgentBox>>;

fn from_config(chain: &Value, factories: &Factories) -> AgentRegistry {
    let hooks = chain.as_array().into_iter().flatten().filter_map(|entry| {
        let create = factories.get(entry["type"].as_str()?)?;
        create(&entry["config"])
    });
    hooks.fold(AgentRegistry::new(), AgentRegistry::with)
}

#[tokio::test]
async fn a_chain_of_a_configuration_becomes_a_registry() {
    let factories = Factories::from([
        (
            "security_policy",
            (|_| {
                Some(AgentBox::new(hooks![SecurityPolicy {
                    max_actions: 9,
                    ..Default::default()
                }]))
            }) as fn(&Value) -> Option<AgentBox>,
        ),
        ("path_prefix", |config| {
            let prefix = config["prefix"].as_str()?.into();
            Some(AgentBox::new(hooks![PathPrefix { prefix }]))
        }),
    ]);
    let chain = json!([
        { "type": "path_prefix", "config": { "prefix": "/work" } },
        { "type": "path_prefix" },
        { "type": "unknown" },
        { "type": "security_policy" },
    ]);
    let hooks = from_config(&chain, &factories);
    assert_eq!(format!("{hooks:?}"), "[SecurityPolicy, PathPrefix]");
    let mut asked = call("file_read", json!({ "path": "a" }));
    assert!(hooks.intercept(&cx(), &mut asked).await.is_continue());
    assert_eq!(asked.args["path"], "/work/a");
}

#[test]
fn a_cancel_reaches_the_tool_call_only() {
    let result = hooks![Approval {
        dangerous_tools: HashSet::from(["shell".into()]),
    }]
    .intercept_now(&cx(), &mut call("shell", json!({})));
    assert_eq!(
        result.as_cancel().map(|cancel| cancel.scope),
        Some(Scope::Event)
    );
}
