//! What a configuration may say, and what is said of one that is wrong.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hooks_builtin::config::{
    BuiltinHooks, ConfigError, FactoryError, FileHooks, HookFactory, HookFactoryRegistry,
    HooksConfig, Switch, read,
};
use hooks_builtin::{
    Approval, Autonomy, BlockToolsConfig, CommandLoggerConfig, DenyAll, EventLog, EventLogConfig,
    Globs, JsonlLog, JsonlLogConfig, LogLevel, with_builtins,
};
use hooks_core::agent::{
    AgentContext, AgentEvent, AgentEventMut, AgentHandler, AgentHooks, AgentSaid, ApproveToolCall,
    BeforeToolCall, ToolAnnotations, ToolCallStart,
};
use hooks_core::{BoxHook, HookAction, HookRegistry, async_trait, hook, hooks};
use serde::Deserialize;
use serde_json::{Value, json};

/// Creates all hooks of a configuration, without factories of one's own.
fn made(config: &HooksConfig) -> Result<FileHooks, ConfigError> {
    config.hooks(&HookFactoryRegistry::with_builtins())
}

/// The names of the hooks that factories create, in order.
fn chain(config: &HooksConfig, factories: &HookFactoryRegistry) -> String {
    let chain = config.hooks(factories).unwrap().chain;
    format!("{:?}", chain.unwrap_or_default())
}

#[test]
fn zeroclaws_examples_load() {
    let config =
        HooksConfig::from_toml("[hooks]\nenabled = true\n[hooks.builtin]\ncommand_logger = true\n")
            .unwrap();
    assert_eq!(
        config.builtin.command_logger,
        Switch::On(CommandLoggerConfig::default())
    );

    let config = HooksConfig::from_toml(
        r#"
[hooks]
enabled = true          # false이면 모든 hook 비활성화

[hooks.builtin]
command_logger = true   # 도구 실행 로컬 로깅

[hooks.builtin.webhook_audit]
enabled = true
url = "https://your-siem.example.com/events"
tool_patterns = ["shell", "file_write", "file_delete", "mcp__*"]
include_args = true
max_args_bytes = 2048   # 큰 args 트런케이트
"#,
    )
    .unwrap();
    let audit = config.builtin.webhook_audit.as_on().unwrap();
    assert_eq!(
        audit.tool_patterns,
        Globs::new(["shell", "file_write", "file_delete", "mcp__*"]).unwrap()
    );
    assert_eq!((audit.include_args, audit.max_args_bytes), (true, 2048));
    let other = "[hooks.builtin.webhook_audit]\nenabled = true\nurl = \"https://audit.example.com/hook\"\n\
                 tool_patterns = [\"shell\", \"file_write\", \"mcp__*\"]\ninclude_args = true\nmax_args_bytes = 4096";
    assert!(HooksConfig::from_toml(other).is_ok());
}

/// What ZeroClaw writes itself.
const ZEROCLAWS_DEFAULTS: &str = r#"
[hooks]
enabled = true

[hooks.builtin]
command_logger = false

[hooks.builtin.webhook_audit]
enabled = false
url = ""
tool_patterns = []
include_args = false
max_args_bytes = 4096
"#;

#[test]
fn what_zeroclaw_writes_itself_loads_also_within_an_agents_own_file() {
    let config = HooksConfig::from_toml(ZEROCLAWS_DEFAULTS).unwrap();
    assert_eq!(config, HooksConfig::default());
    assert!(names(&made(&config).unwrap().into_pipeline()).is_empty());

    #[derive(Deserialize)]
    struct Agent {
        hooks: HooksConfig,
    }
    let agent: Agent = toml::from_str(ZEROCLAWS_DEFAULTS).unwrap();
    assert_eq!(agent.hooks, config);

    // Turned on, it says what is missing.
    let on = ZEROCLAWS_DEFAULTS.replace("enabled = false", "enabled = true");
    let error = made(&HooksConfig::from_toml(&on).unwrap()).unwrap_err();
    assert_eq!(
        (error.path(), error.line()),
        ("hooks.builtin.webhook_audit.tool_patterns", Some(11))
    );
    let on = on.replace("tool_patterns = []\n", "");
    let error = made(&HooksConfig::from_toml(&on).unwrap()).unwrap_err();
    assert_eq!(
        (error.path(), error.line()),
        ("hooks.builtin.webhook_audit.url", Some(10))
    );
}

#[tokio::test]
async fn all_that_a_file_says_is_built_or_it_is_an_error_where_it_stands() {
    for text in [
        "[[hooks.chain]]\ntype = 'block_tools'\nconfig = { tools = ['shell'] }\n",
        "[hooks.builtins.block_tools]\nconfig = { tools = ['shell'] }\n",
        "[hooks.builtin.block_tools]\ntools = ['shell']\n",
    ] {
        let config = HooksConfig::from_toml(text).unwrap();
        let hooks = made(&config).unwrap().into_pipeline();
        let mut call = BeforeToolCall {
            name: "shell".into(),
            ..BeforeToolCall::default()
        };
        let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
        assert_eq!(result.as_cancel().unwrap().hook, "BlockTools", "{text}");
    }
    // What only the runtime runs is not left out in silence.
    for (text, path) in [
        ("[[hooks.on]]\nevent = 'BeforeToolCall'", "hooks.on[0]"),
        (
            "[[hooks.import]]\nclaude = 'settings.json'",
            "hooks.import[0]",
        ),
        (
            "[hooks.processes.gate]\ncommand = ['gate']",
            "hooks.processes.gate",
        ),
    ] {
        let config = HooksConfig::from_toml(text).unwrap();
        let error = made(&config).unwrap_err();
        assert_eq!((error.path(), error.line()), (path, Some(1)), "{error}");
        assert!(
            error
                .help()
                .unwrap()
                .contains("`hooks_runtime::Runtime::load`")
        );
        let mut off = config;
        off.enabled = false;
        assert!(made(&off).is_ok());
    }
    let off = HooksConfig::from_toml("[hooks.processes.gate]\ncommand = ['gate']\nenabled = false");
    assert!(made(&off.unwrap()).is_ok());
}

#[tokio::test]
async fn an_approval_anywhere_in_a_file_asks_for_a_policy_anywhere_in_it() {
    let policy = json!({ "read_only_tools": ["read"] });
    let approval = json!({ "approver": "deny" });
    let (policies, approvals) = (
        json!({ "type": "security_policy", "config": policy }),
        json!({ "type": "approval", "config": approval }),
    );
    for hooks in [
        json!({ "builtin": { "security_policy": policy, "approval": approval } }),
        json!({ "builtin": { "security_policy": policy }, "chain": [approvals] }),
        json!({ "builtin": { "approval": approval }, "chain": [policies] }),
        json!({ "chain": [policies, approvals] }),
    ] {
        let config = HooksConfig::from_json(&json!({ "hooks": hooks }).to_string()).unwrap();
        let all = made(&config).unwrap().into_pipeline();
        for (tool, by) in [("write", Some("Approval")), ("read", None)] {
            let mut call = ApproveToolCall {
                id: "1",
                name: tool,
                args: &Value::Null,
                annotations: ToolAnnotations::default(),
                approval: &hooks_core::agent::Approval::Usual,
            };
            let result = all.intercept(&AgentContext::new("s1"), &mut call).await;
            let cancel = result.as_cancel().map(|cancel| cancel.hook.to_string());
            assert_eq!(cancel.as_deref(), by, "{tool}: {hooks}");
        }
    }
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once_in_its_order() {
    let text = r#"
[hooks]
enabeld = true

[hooks.builtin]
command_loger = true
redact = { kinds = ["credit_card", "email", 5], model_input = "yes" }

[hooks.builtin.block_tools]
tool = ["shell"]

[hooks.builtin.approval]
timeout = 5

[[hooks.chain]]
typ = "redact"

[[hooks.chain]]
type = "redact"
enabled = 1
"#;
    let error = HooksConfig::from_toml(text).unwrap_err();
    let found: Vec<_> = error
        .mistakes()
        .map(|mistake| (mistake.line().unwrap(), mistake.path()))
        .collect();
    assert_eq!(
        found,
        [
            (3, "hooks.enabeld"),
            (6, "hooks.builtin.command_loger"),
            (7, "hooks.builtin.redact.kinds[0]"),
            (7, "hooks.builtin.redact.kinds[2]"),
            (7, "hooks.builtin.redact.model_input"),
            (10, "hooks.builtin.block_tools.tool"),
            (13, "hooks.builtin.approval.timeout"),
            (16, "hooks.chain[0].typ"),
            (20, "hooks.chain[1].enabled"),
        ]
    );
    let shown = error.to_string();
    assert!(
        error
            .mistakes()
            .all(|mistake| shown.contains(mistake.help().unwrap_or(mistake.message())))
    );

    let text = "[hooks.builtin]\npath_prefix = { root = '/no/such/folder' }\nrate_limit = true\n\
                [[hooks.chain]]\ntype = 'redct'\n[[hooks.chain]]\ntype = 'block_tools'\nconfig = { tools = [] }";
    let error = made(&HooksConfig::from_toml(text).unwrap()).unwrap_err();
    let lines: Vec<_> = error
        .mistakes()
        .map(|mistake| mistake.line().unwrap())
        .collect();
    assert_eq!(lines, [2, 3, 5, 8]);

    let error = HooksConfig::from_toml("[hooks\n[hooks.builtin]\nredact = = true").unwrap_err();
    assert!(error.mistakes().count() > 1, "{error}");
}

#[test]
fn a_file_may_say_where_its_schema_is() {
    let json =
        r#"{ "$schema": "docs/hooks.schema.json", "hooks": { "builtin": { "redact": true } } }"#;
    let toml = "#:schema docs/hooks.schema.json\n[hooks.builtin]\nredact = true";
    assert_eq!(
        HooksConfig::from_json(json).unwrap(),
        HooksConfig::from_toml(toml).unwrap()
    );
}

#[test]
fn a_root_in_the_home_directory_may_be_written_with_a_tilde() {
    let config = HooksConfig::from_toml("[hooks.builtin]\npath_prefix = { root = '~' }").unwrap();
    let made = made(&config).unwrap().builtin.path_prefix.unwrap();
    let home = std::env::home_dir().unwrap().canonicalize().unwrap();
    assert_eq!(made.root(), home);
}

#[test]
fn clawseeds_chain_loads_and_its_policy_comes_first() {
    let config = HooksConfig::from_toml(
        r#"
[hooks]
enabled = true
[[hooks.chain]]
type = "security_policy"
[[hooks.chain]]
type = "audit_log"
config = { level = "info" }
"#,
    )
    .unwrap();
    assert_eq!(config.chain[1].config, json!({ "level": "info" }));
    let build = |config: &HooksConfig| chain(config, &HookFactoryRegistry::with_builtins());
    assert_eq!(build(&config), "[SecurityPolicy]");
    let mut turned = config.clone();
    turned.chain.reverse();
    assert_eq!(build(&turned), "[SecurityPolicy]");
    turned.chain[1].enabled = false;
    assert_eq!(build(&turned), "[]");
    turned.enabled = false;
    assert_eq!(build(&turned), "[]");
}

/// PicoClaw's `ExampleLoggerHook`, whose factory is the author's there as well.
struct ExampleLogger;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleLoggerOptions {
    log_file: std::path::PathBuf,
    log_events: bool,
}

impl HookFactory for ExampleLogger {
    fn hook_type(&self) -> &str {
        "example_logger"
    }

    fn create(&self, config: &Value) -> Result<BoxHook<AgentEvent<'static>>, FactoryError> {
        let options: ExampleLoggerOptions = read(config)?;
        if !options.log_events {
            return Err(FactoryError::new("there would be nothing to log").at("log_events"));
        }
        let config = JsonlLogConfig::new(options.log_file);
        let log = JsonlLog::from_config(&config)?;
        Ok(BoxHook::new(hooks![].with_probe(Arc::new(log))))
    }
}

#[test]
fn picoclaws_builtins_load_and_the_lower_priority_runs_first() {
    let folder = tempfile::tempdir().unwrap();
    let log_file = folder.path().join("log.jsonl");
    let config = json!({ "hooks": { "enabled": true, "builtins": {
        "example_logger": {
            "enabled": true, "priority": 10, "config": { "log_file": log_file, "log_events": true },
        },
        "redact": { "priority": 5 },
        "event_log": { "priority": -5 },
        "block_tools": { "enabled": false },
        "command_logger": {},
    }, "chain": [{ "type": "rate_limit", "config": { "max_per_minute": 60 } }] } });
    let config = HooksConfig::from_json(&config.to_string()).unwrap();
    let factories = HookFactoryRegistry::with_builtins().with(ExampleLogger);
    assert_eq!(chain(&config, &factories), "[RateLimit, Redact, hooks]");
    assert!(log_file.exists());
}

/// A handler that takes a second on every event.
struct Slow;

#[async_trait]
impl AgentHandler for Slow {
    async fn handle(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
        tokio::time::sleep(Duration::from_secs(1)).await;
        AgentSaid::Continue
    }
}

struct SlowFactory;

impl HookFactory for SlowFactory {
    fn hook_type(&self) -> &'static str {
        "slow"
    }

    fn create(&self, _: &Value) -> Result<BoxHook<AgentEvent<'static>>, FactoryError> {
        let slow: Box<dyn AgentHandler> = Box::new(Slow);
        Ok(BoxHook::new(slow))
    }
}

#[tokio::test(start_paused = true)]
async fn picoclaws_defaults_limit_each_kind_of_event() {
    for (key, dropped) in [
        ("observer_timeout_ms", "end"),
        ("interceptor_timeout_ms", "before"),
        ("approval_timeout_ms", "approve"),
    ] {
        let text = json!({ "hooks": {
            "defaults": { (key): 500 },
            "builtins": { "slow": { "enabled": true } },
        } });
        let config = HooksConfig::from_json(&text.to_string()).unwrap();
        let factories = HookFactoryRegistry::new().with(SlowFactory);
        let hooks = config.hooks(&factories).unwrap().chain.unwrap();
        let cx = AgentContext::new("s1");
        let mut call = BeforeToolCall::default();
        let is_blocked = !hooks.intercept(&cx, &mut call).await.is_continue();
        assert_eq!(is_blocked, dropped == "before", "{key}");
        let approved = hooks
            .intercept(&cx, &mut ApproveToolCall::from(&call))
            .await;
        assert_eq!(!approved.is_continue(), dropped == "approve", "{key}");
        let started = tokio::time::Instant::now();
        hooks.observe(&cx, &ToolCallStart::from(&call)).await;
        let is_early = started.elapsed() < Duration::from_secs(1);
        assert_eq!(is_early, dropped == "end", "{key}");
    }
}

#[test]
fn a_chain_runs_in_its_order_whatever_its_hooks_priorities_are() {
    let config = HooksConfig::from_json(
        r#"{"hooks": {"chain": [
            {"type": "event_log"}, {"type": "redact"},
            {"type": "block_tools", "config": {"tools": ["x"]}}, {"type": "command_logger"}
        ]}}"#,
    )
    .unwrap();
    assert_eq!(
        chain(&config, &HookFactoryRegistry::with_builtins()),
        "[Redact, BlockTools]"
    );
}

#[test]
fn a_hook_is_a_boolean_or_a_table_that_may_be_off() {
    let builtin = |text: &str| {
        HooksConfig::from_toml(&format!("[hooks.builtin]\n{text}"))
            .unwrap()
            .builtin
    };
    assert_eq!(builtin("").event_log, Switch::Off);
    assert_eq!(builtin("event_log = false").event_log, Switch::Off);
    assert_eq!(
        builtin("event_log = true").event_log,
        Switch::On(EventLogConfig::default())
    );
    assert_eq!(
        builtin("event_log = {}").event_log,
        Switch::On(EventLogConfig::default())
    );
    for text in [
        "event_log = { enabled = true, capacity = 5 }",
        "event_log = { capacity = 5 }",
    ] {
        assert_eq!(
            builtin(text).event_log,
            Switch::On(EventLogConfig { capacity: 5 })
        );
    }
    assert_eq!(
        builtin("event_log = { capacity = 5, enabled = false }").event_log,
        Switch::Off
    );
}

#[test]
fn every_setting_of_every_hook_is_read_and_written_alike() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config_full.toml"))
            .unwrap();
    let config = HooksConfig::from_toml(&text).unwrap();
    let builtin = &config.builtin;
    assert_eq!(
        builtin.security_policy.as_on().unwrap().autonomy,
        Autonomy::Full
    );
    assert_eq!(
        builtin.command_logger.as_on().unwrap().level,
        LogLevel::Debug
    );
    assert_eq!(
        builtin.shell_hook.as_on().unwrap().timeout,
        Duration::from_secs(90)
    );
    assert_eq!(
        builtin.block_tools.as_on().unwrap(),
        &BlockToolsConfig {
            tools: Globs::new(["deploy", "mcp__*"]).unwrap(),
            reason: Some("not here".into())
        }
    );

    // Every key that the schema knows stands in the file, so that none is left unread.
    let schema = serde_json::to_value(HooksConfig::json_schema_with(
        schemars::SchemaGenerator::default(),
    ))
    .unwrap();
    let written: Value = toml::from_str(&text).unwrap();
    let hooks = &schema["$defs"]["BuiltinConfig"]["properties"];
    for (name, reference) in hooks.as_object().unwrap() {
        let definition = reference["$ref"]
            .as_str()
            .unwrap_or_default()
            .rsplit('/')
            .next()
            .unwrap();
        let table = &schema["$defs"][definition]["anyOf"][1]["properties"];
        let known = table
            .as_object()
            .unwrap_or_else(|| panic!("{name}: {definition}"));
        // A file has one name of a setting.
        let is_alias = |key: &str| matches!(key, "prefix" | "log_file" | "level");
        for key in known.keys().filter(|key| !is_alias(key)) {
            assert!(
                !written["hooks"]["builtin"][name][key].is_null(),
                "`{name}.{key}` is missing"
            );
        }
    }

    let mut again = serde_json::to_value(&config).unwrap();
    // A secret is not written.
    let secret = &written["hooks"]["builtin"]["webhook_audit"]["secret"];
    assert_ne!(&again["builtin"]["webhook_audit"]["secret"], secret);
    again["builtin"]["webhook_audit"]["secret"] = secret.clone();
    let again = HooksConfig::from_json(&json!({ "hooks": again }).to_string()).unwrap();
    assert_eq!(again, config);
}

#[test]
fn it_is_embedded_in_an_agents_own_configuration() {
    #[derive(Debug, Deserialize)]
    struct Agent {
        name: String,
        hooks: HooksConfig,
    }
    let text = "name = 'coder'\n[hooks.builtin]\nevent_log = true\n[other]\nx = 1";
    let agent: Agent = toml::from_str(text).unwrap();
    assert_eq!(agent.name, "coder");
    assert_eq!(
        agent.hooks,
        HooksConfig::from_toml("[hooks.builtin]\nevent_log = true").unwrap()
    );
    let wrong =
        toml::from_str::<Agent>("name = 'x'\n[hooks.builtin]\nevent_log = { capactiy = 1 }");
    let error = wrong.unwrap_err().to_string();
    assert!(
        error.contains("capactiy") && error.contains("line 3"),
        "{error}"
    );
}

/// Reads, and makes, what a file says; the files of the folder beside this test are each a mistake.
fn mistake(path: &Path) -> ConfigError {
    let config = match HooksConfig::load(path) {
        Err(error) => return error,
        Ok(config) => config,
    };
    let factories = HookFactoryRegistry::with_builtins().with(ExampleLogger);
    match config.hooks(&factories) {
        Err(error) => error,
        Ok(hooks) => panic!("{} is fine: {hooks:?}", path.display()),
    }
}

#[test]
fn every_mistake_has_a_message_that_shows_and_teaches() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config_errors");
    let mut count = 0;
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        if path
            .extension()
            .is_some_and(|extension| extension == "stderr")
        {
            continue;
        }
        count += 1;
        let error = mistake(&path);
        assert_eq!(error.file(), Some(path.as_path()));
        let shown = error
            .to_string()
            .replace(&format!("{}/", folder.display()), "");
        expect_test::expect_file![path.with_extension("stderr")].assert_eq(&format!("{shown}\n"));
    }
    assert!(count >= 40, "{count}");
}

#[test]
fn a_mistake_tells_its_parts() {
    let error =
        HooksConfig::from_toml("[hooks.builtin.redact]\n  kinds = ['card', 'emial']").unwrap_err();
    assert_eq!(
        (error.file(), error.line(), error.column()),
        (None, Some(2), Some(20))
    );
    assert_eq!(error.path(), "hooks.builtin.redact.kinds[1]");
    assert!(error.message().starts_with("`emial` is not known"));
    assert!(error.help().unwrap().starts_with("did you mean `email`?"));
    // What `main` prints of it.
    assert_eq!(format!("{error:?}"), error.to_string());
    let missing = HooksConfig::load("/no/such/hooks.toml").unwrap_err();
    assert!(
        missing
            .to_string()
            .starts_with("/no/such/hooks.toml: the file cannot be read: ")
    );
    let other =
        HooksConfig::load(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/config.rs")).unwrap_err();
    assert!(other.message().contains("`.toml` or `.json`"));
}

#[test]
fn no_mistake_shows_a_secret() {
    for text in [
        "[hooks.builtin.webhook_audit]\nsecret = \"whsec_MDAw\nurl = 'https://a.example'",
        "[hooks.builtin.webhook_audit]\nsecret = \"whsec_MDAw\"\nurl = 'https://a.example'",
        "[hooks.builtin.webhook_audit]\nurl = 'ftp://user:MDAw@a.example'",
    ] {
        let error = HooksConfig::from_toml(text).unwrap_err();
        assert!(error.line().is_some());
        assert!(!error.to_string().contains("MDAw"), "{error}");
    }
}

/// One bound for both, as an agent has it.
fn names(hooks: &impl AgentHooks) -> Vec<String> {
    hooks.plan().map(|row| row.hook.into_owned()).collect()
}

#[tokio::test]
async fn the_pipeline_has_what_is_on_and_hooks_of_ones_own_find_their_place() {
    #[hook(priority = 500)]
    fn own(_: &BeforeToolCall) {}

    let config = HooksConfig::from_toml(
        "[hooks.builtin]\nevent_log = true\nredact = true\ncommand_logger = true\nblock_tools = { tools = ['x'] }",
    )
    .unwrap();
    let builtin = made(&config).unwrap().builtin;
    let log: EventLog = builtin.event_log.clone().unwrap();
    let hooks = with_builtins![builtin; own];
    let mut seen = names(&hooks);
    seen.dedup();
    assert_eq!(seen, ["BlockTools", "own", "Redact"]);

    // As a whole, and in another list, they block all the same.
    let nested = hooks![own, &hooks @ 0];
    let mut call = BeforeToolCall {
        name: "x".into(),
        ..BeforeToolCall::default()
    };
    let result = nested.intercept(&AgentContext::new("s1"), &mut call).await;
    assert_eq!(result.as_cancel().unwrap().hook, "BlockTools");
    assert_eq!(log.messages().len(), 1);

    let mut off = config;
    off.enabled = false;
    assert!(names(&made(&off).unwrap().into_pipeline()).is_empty());
}

#[tokio::test]
async fn who_is_supervised_is_asked_about_all_that_is_not_read_only() {
    async fn asks(autonomy: &str, tool: &str) -> bool {
        let text = format!(
            "[hooks.builtin.security_policy]\nautonomy = '{autonomy}'\nread_only_tools = ['read']\n\
             [hooks.builtin.approval]\napprover = 'deny'\ntools = ['deploy']\nexcept = ['list']"
        );
        let hooks = made(&HooksConfig::from_toml(&text).unwrap())
            .unwrap()
            .into_pipeline();
        let args = json!({});
        let mut call = ApproveToolCall {
            id: "1",
            name: tool,
            args: &args,
            annotations: ToolAnnotations::default(),
            approval: &hooks_core::agent::Approval::Usual,
        };
        let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
        !result.is_continue()
    }
    for tool in ["deploy", "write"] {
        assert!(asks("supervised", tool).await, "{tool}");
    }
    for tool in ["read", "list"] {
        assert!(!asks("supervised", tool).await, "{tool}");
    }
    assert!(asks("full", "deploy").await && !asks("full", "write").await);
}

#[tokio::test]
async fn a_supervised_agent_that_asks_nobody_is_blocked() {
    let asks = |text: &'static str| async move {
        let config = HooksConfig::from_toml(text).unwrap();
        let hooks = made(&config).unwrap().into_pipeline();
        let mut call = ApproveToolCall {
            id: "1",
            name: "write",
            args: &Value::Null,
            annotations: ToolAnnotations::default(),
            approval: &hooks_core::agent::Approval::Usual,
        };
        let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
        result.as_cancel().map(|cancel| cancel.reason.to_string())
    };
    let reason = asks("[hooks.builtin]\nsecurity_policy = true")
        .await
        .unwrap();
    assert!(
        reason.contains("turn on `approval` beside the policy"),
        "{reason}"
    );
    assert_eq!(
        asks("[hooks.builtin]\nsecurity_policy = { autonomy = 'full' }").await,
        None
    );
    assert_eq!(
        asks("[hooks.builtin]\nsecurity_policy = { read_only_tools = ['write'] }").await,
        None
    );
    // One that is put in its place later asks.
    let config = HooksConfig::from_toml("[hooks.builtin]\nsecurity_policy = true").unwrap();
    let mut hooks = made(&config).unwrap();
    hooks.builtin.approval = Some(Approval::new(DenyAll));
    let mut call = ApproveToolCall {
        id: "1",
        name: "write",
        args: &Value::Null,
        annotations: ToolAnnotations::default(),
        approval: &hooks_core::agent::Approval::Usual,
    };
    let result = hooks
        .into_pipeline()
        .intercept(&AgentContext::new("s1"), &mut call)
        .await;
    assert_eq!(result.as_cancel().unwrap().hook, "Approval");
}

/// Who blocks the approval of a call in a chain, if anybody does.
async fn blocks_in_chain(
    factories: &HookFactoryRegistry,
    hooks: Value,
    tool: &str,
) -> Option<String> {
    let config = HooksConfig::from_json(&json!({ "hooks": hooks }).to_string()).unwrap();
    let hooks = config.hooks(factories).unwrap().chain.unwrap();
    let mut call = ApproveToolCall {
        id: "1",
        name: tool,
        args: &Value::Null,
        annotations: ToolAnnotations::default(),
        approval: &hooks_core::agent::Approval::Usual,
    };
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    result.as_cancel().map(|cancel| cancel.hook.to_string())
}

#[tokio::test]
async fn a_supervised_agent_whose_chain_asks_nobody_is_blocked() {
    let factories = HookFactoryRegistry::with_builtins();
    let policy = |config: Value| json!({ "type": "security_policy", "config": config });
    let deny = json!({ "type": "approval", "enabled": false, "config": { "approver": "deny" } });
    for hooks in [
        json!({ "chain": [{ "type": "security_policy" }] }),
        json!({ "chain": [policy(json!({ "autonomy": "supervised" })), deny] }),
        json!({ "builtins": { "security_policy": {}, "approval": { "enabled": false } } }),
    ] {
        let by = blocks_in_chain(&factories, hooks.clone(), "write").await;
        assert_eq!(by.as_deref(), Some("SecurityPolicy"), "{hooks}");
    }
    for config in [
        json!({ "autonomy": "full" }),
        json!({ "read_only_tools": ["write"] }),
    ] {
        let hooks = json!({ "chain": [policy(config)] });
        assert_eq!(blocks_in_chain(&factories, hooks, "write").await, None);
    }
}

#[tokio::test]
async fn the_approval_of_a_chain_asks_about_all_that_is_not_read_only() {
    let factories = HookFactoryRegistry::with_builtins();
    let approval = json!({ "approver": "deny", "tools": ["deploy"], "except": ["list"] });
    let policy = json!({ "read_only_tools": ["read", "look"] });
    let other = json!({ "read_only_tools": ["look", "read*"] });
    let in_chain = |hook_type: &str, config: &Value| json!({ "type": hook_type, "config": config });
    let one = json!({ "chain": [
        in_chain("approval", &approval), in_chain("security_policy", &policy),
    ] });
    let apart = json!({
        "chain": [in_chain("security_policy", &policy)],
        "builtins": { "approval": { "config": approval } },
    });
    let full = json!({ "chain": [
        in_chain("approval", &approval), in_chain("security_policy", &json!({ "autonomy": "full" })),
    ] });
    let two = json!({ "chain": [
        in_chain("security_policy", &policy), in_chain("security_policy", &other),
        in_chain("approval", &approval),
    ] });
    for (hooks, tool, asks) in [
        (&one, "write", true),
        (&one, "deploy", true),
        (&one, "read", false),
        (&one, "list", false),
        (&apart, "write", true),
        (&apart, "look", false),
        (&full, "write", false),
        (&full, "deploy", true),
        // What one of the policies does not call read-only is asked about.
        (&two, "look", false),
        (&two, "read", true),
    ] {
        let by = blocks_in_chain(&factories, hooks.clone(), tool).await;
        assert_eq!(by.as_deref(), asks.then_some("Approval"), "{tool}: {hooks}");
    }
}

/// Asks in a way of its own, and so nobody changes how.
struct OwnApproval(&'static str);

impl HookFactory for OwnApproval {
    fn hook_type(&self) -> &str {
        self.0
    }
    fn create(&self, _: &Value) -> Result<BoxHook<AgentEvent<'static>>, FactoryError> {
        let deploy = Globs::new(["deploy"]).unwrap();
        Ok(BoxHook::new(Approval::new(DenyAll).with_tools(deploy)))
    }
}

#[tokio::test]
async fn an_approval_of_ones_own_counts_by_its_type() {
    let own = HookFactoryRegistry::with_builtins().with(OwnApproval("approval"));
    let hooks = json!({ "chain": [{ "type": "security_policy" }, { "type": "approval" }] });
    assert_eq!(blocks_in_chain(&own, hooks.clone(), "write").await, None);
    let by = blocks_in_chain(&own, hooks, "deploy").await;
    assert_eq!(by.as_deref(), Some("Approval"));

    let other = HookFactoryRegistry::with_builtins().with(OwnApproval("ask"));
    let hooks = json!({ "chain": [{ "type": "security_policy" }, { "type": "ask" }] });
    let by = blocks_in_chain(&other, hooks, "write").await;
    assert_eq!(by.as_deref(), Some("SecurityPolicy"));
}

#[test]
fn no_hook_of_a_chain_is_made_where_another_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    for wrong in [
        json!({ "type": "security_polcy" }),
        json!({ "type": "redact", "config": { "kind": [] } }),
        json!({ "type": "block_tools" }),
        json!({ "type": "block_tools", "config": { "tools": [] } }),
        json!({ "type": "path_prefix", "config": { "root": "/no/such/folder" } }),
        json!({ "type": "webhook_audit", "config": { "url": "http://audit.example.com/" } }),
        json!({ "type": "jsonl_log", "config": { "path": "x", "events": [] } }),
        // A factory that says so only when it makes the hook.
        json!({ "type": "example_logger", "config": { "log_file": "x", "log_events": false } }),
    ] {
        let log = json!({ "type": "jsonl_log", "config": { "path": path } });
        let config = json!({ "hooks": { "chain": [log, wrong] } });
        let config = HooksConfig::from_json(&config.to_string()).unwrap();
        let factories = HookFactoryRegistry::with_builtins().with(ExampleLogger);
        assert!(config.hooks(&factories).is_err());
        assert!(!path.exists());
    }
}

#[test]
fn a_chain_that_is_embedded_says_the_whole_key() {
    let config =
        toml::from_str::<HooksConfig>("[[chain]]\ntype = 'block_tools'\nconfig = { tools = [] }");
    let error = made(&config.unwrap()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`hooks.chain[0].config.tools` is empty")
    );
}

#[test]
fn nothing_is_made_where_one_hook_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let text = format!(
        "[hooks.builtin]\npath_prefix = {{ root = '/no/such/folder' }}\njsonl_log = {{ path = '{}' }}",
        log.display()
    );
    let error = made(&HooksConfig::from_toml(&text).unwrap()).unwrap_err();
    assert_eq!(error.path(), "hooks.builtin.path_prefix.root");
    assert_eq!(error.line(), Some(2));
    assert!(!log.exists());
    let text = format!(
        "[hooks.builtin]\nwebhook_audit = {{ url = 'http://audit.example.com/' }}\njsonl_log = {{ path = '{}' }}",
        log.display()
    );
    let error = made(&HooksConfig::from_toml(&text).unwrap()).unwrap_err();
    assert_eq!(error.path(), "hooks.builtin.webhook_audit.url");
    assert!(!log.exists());
}

/// A hook whose factory is a stranger's.
struct Stranger;

#[hook]
impl Stranger {
    fn block(&self, _: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("stranger")
    }
}

impl HookFactory for Stranger {
    fn hook_type(&self) -> &str {
        "command_logger"
    }
    fn create(&self, _: &Value) -> Result<BoxHook<AgentEvent<'static>>, FactoryError> {
        Ok(BoxHook::new(Stranger))
    }
}

#[tokio::test]
async fn a_factory_takes_the_place_of_another_of_its_type() {
    let registry = HookFactoryRegistry::with_builtins().with(Stranger);
    assert_eq!(format!("{:?}", HookFactoryRegistry::new()), "[]");
    let config = HooksConfig::from_toml("[[hooks.chain]]\ntype = 'command_logger'").unwrap();
    let hooks = config.hooks(&registry).unwrap().chain.unwrap();
    let mut call = BeforeToolCall::default();
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    assert_eq!(result.as_cancel().unwrap().reason, "stranger");
}

#[test]
fn what_the_pages_show_works() {
    let readme = include_str!("../../../README.md");
    let (_, shown) = readme.split_once("```toml\n# hooks.toml\n").unwrap();
    let (text, _) = shown.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut config = HooksConfig::from_toml(text).unwrap();
    config.builtin.jsonl_log.as_on_mut().unwrap().path = folder.path().join("audit.jsonl");
    let hooks = made(&config).unwrap().into_pipeline();
    assert_eq!(format!("{hooks:?}"), "[SecurityPolicy, Redact]");

    let text = format!(
        "# hooks.toml\n{}",
        text.replace("max_actions", "max_action")
    );
    let error = HooksConfig::from_toml(&text).unwrap_err().to_string();
    let page = include_str!("../../../docs/built-in-hooks.md");
    let (_, shown) = page.split_once("```text\nhooks.toml:").unwrap();
    let (shown, _) = shown.split_once('…').unwrap();
    assert!(error.starts_with(shown), "{error}");
}

#[tokio::test]
async fn a_hook_that_is_registered_later_runs_among_hooks_that_are_off() {
    #[hook]
    fn lower(call: &mut BeforeToolCall) {
        call.name.make_ascii_lowercase();
    }
    let plugins = HookRegistry::<AgentEvent>::new();
    let hooks = with_builtins![BuiltinHooks::default(); plugins.clone() @ 0];
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall {
        name: "Shell".into(),
        ..BeforeToolCall::default()
    };
    assert!(hooks.intercept(&cx, &mut call).await.is_continue());
    assert_eq!(call.name, "Shell");
    plugins.register(lower).unwrap();
    assert!(hooks.intercept(&cx, &mut call).await.is_continue());
    assert_eq!(call.name, "shell");
}
