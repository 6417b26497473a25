//! Records of the hooks of a file that are no definitions.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use hooks_builtin::config::{FactoryError, HookFactory};
use hooks_core::agent::{AfterToolCall, AgentContext, AgentEvent, BeforeToolCall, ToolOutput};
use hooks_core::{BoxHook, hook, hooks};
use hooks_runtime::{
    EventRecords, JsonlRecorder, OwnedEvent, Record, RecordOutcome, Recorder, Records, Runtime,
};
use serde_json::{Value, json};

/// Two hooks in one: `lower` changes the name of a tool, and `fragile` panics.
struct Pair;

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

#[hook]
fn fragile(call: &BeforeToolCall) {
    assert_ne!(call.name, "panic");
}

impl HookFactory for Pair {
    fn hook_type(&self) -> &'static str {
        "pair"
    }

    fn create(&self, _: &Value) -> Result<BoxHook<AgentEvent<'static>>, FactoryError> {
        Ok(BoxHook::new(hooks![lower, fragile]))
    }
}

/// What hooks did: each outcome, with the hook and its handler.
fn done(records: &Records) -> Vec<(String, &'static str, String)> {
    let of = |record: Record| (record.hook, record.outcome.as_str(), record.handler);
    records.take().into_iter().map(of).collect()
}

fn one(hook: &str, outcome: &'static str, handler: &str) -> (String, &'static str, String) {
    (hook.into(), outcome, handler.into())
}

async fn built(text: &str) -> (Runtime, Records) {
    let records = Records::latest(100);
    let builder = Runtime::builder().text(text).factory(Pair);
    let runtime = builder.recorder(records.clone()).build().await.unwrap();
    (runtime, records)
}

async fn call(runtime: &Runtime, tool: &str) -> bool {
    let hooks = hooks![..runtime.clone()];
    let mut call = BeforeToolCall::new("1", tool, json!({ "command": "ls" }));
    let cx = AgentContext::new("s1");
    hooks.intercept(&cx, &mut call).await.is_continue()
}

#[tokio::test]
async fn a_built_in_hook_is_recorded_when_it_decides_or_changes_something() {
    let text =
        "[hooks.builtin]\nblock_tools = { tools = ['deploy'] }\nredact = true\nevent_log = true\n";
    let (runtime, records) = built(text).await;
    assert!(call(&runtime, "ls").await);
    assert_eq!(records.take(), []);

    assert!(!call(&runtime, "deploy").await);
    let record = records.take().pop().unwrap();
    assert_eq!(
        (&*record.hook, record.outcome, &*record.handler),
        ("BlockTools", RecordOutcome::Block, "builtin")
    );
    assert_eq!(
        (
            &*record.event,
            record.subject.as_deref(),
            &*record.session_id
        ),
        ("BeforeToolCall", Some("deploy"), "s1")
    );
    assert_eq!(
        (record.tool_call_id.as_deref(), record.revision),
        (Some("1"), 1)
    );
    assert!(record.reason.unwrap().contains("deploy"));

    let hooks = hooks![..runtime];
    for (said, redacted) in [("nothing", false), ("ada@example.com", true)] {
        let mut done = AfterToolCall {
            output: ToolOutput::new(said),
            ..AfterToolCall::default()
        };
        let _ = hooks.intercept(&AgentContext::new("s1"), &mut done).await;
        let record = records.take().pop();
        assert_eq!(record.is_some(), redacted, "{said}");
        if let Some(record) = record {
            assert_eq!(
                (&*record.hook, record.outcome),
                ("Redact", RecordOutcome::Modify)
            );
            let change = record.change.unwrap();
            assert_eq!(change[0]["value"], "[REDACTED:email]");
            assert!(!change.to_string().contains("ada"), "{change}");
        }
    }
}

#[tokio::test]
async fn each_hook_of_a_factory_is_recorded() {
    let (runtime, records) = built("[[hooks.chain]]\ntype = 'pair'\n").await;
    assert!(call(&runtime, "LS").await);
    assert_eq!(done(&records), [one("lower", "modify", "builtin")]);
    assert!(!call(&runtime, "panic").await);
    let record = records.take().pop().unwrap();
    assert_eq!(record.outcome, RecordOutcome::Fault);
    assert!(record.reason.unwrap().contains("panicked"));
}

#[tokio::test]
async fn nothing_is_recorded_twice_whatever_its_name() {
    for (name, text) in [
        (
            "BlockTools",
            "[hooks.builtin]\nblock_tools = { tools = ['deploy'] }\n",
        ),
        ("lower", "[[hooks.chain]]\ntype = 'pair'\n"),
    ] {
        let rule =
            format!("[[hooks.on]]\nname = '{name}'\nevent = 'BeforeToolCall'\nblock = 'no'\n");
        let (runtime, records) = built(&format!("{text}{rule}")).await;
        assert!(!call(&runtime, "ls").await);
        assert_eq!(done(&records), [one(name, "block", "rule")]);
    }
}

#[tokio::test]
async fn a_second_file_with_the_same_hooks_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, tool: &str| {
        let text = format!("[hooks.builtin]\nblock_tools = {{ tools = ['{tool}'] }}\n");
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write("one.toml", "deploy");
    write("two.toml", "shell");
    let file = |name: &str| Path::join(folder.path(), name);
    let records = Records::latest(100);
    let builder = Runtime::builder()
        .file(file("one.toml"))
        .file(file("two.toml"));
    let runtime = builder.recorder(records.clone()).build().await.unwrap();
    for tool in ["deploy", "shell"] {
        assert!(!call(&runtime, tool).await);
        assert_eq!(done(&records), [one("BlockTools", "block", "builtin")]);
    }
}

#[tokio::test]
async fn a_recorder_that_panics_loses_one_record() {
    struct Fragile(Records);

    impl Recorder for Fragile {
        fn record(&self, record: &Record) {
            assert_ne!(record.hook, "lower");
            self.0.record(record);
        }
    }

    let text = "[[hooks.chain]]\ntype = 'pair'\n[[hooks.chain]]\ntype = 'block_tools'\nconfig = { tools = ['ls'] }\n";
    let records = Records::latest(100);
    let builder = Runtime::builder().text(text).factory(Pair);
    let builder = builder.recorder(Fragile(records.clone()));
    let runtime = builder.build().await.unwrap();
    assert!(!call(&runtime, "LS").await);
    assert_eq!(done(&records), [one("BlockTools", "block", "builtin")]);
}

#[tokio::test]
async fn a_record_has_the_version_of_its_hook() {
    let text = "[[hooks.on]]\nname = 'no'\nversion = 3\nmandatory = true\nharmless = true\n\
                event = 'BeforeToolCall'\nblock = 'no'\n";
    let (runtime, records) = built(text).await;
    assert!(!call(&runtime, "ls").await);
    let record = records.take().pop().unwrap();
    assert_eq!((&*record.hook, record.hook_version), ("no", Some(3)));
    let status = runtime.status().hooks.remove(0);
    assert_eq!((status.version, status.harmless), (Some(3), true));
}

/// A recorder that is asked whether its records are there.
#[derive(Default)]
struct Audit {
    recorded: AtomicUsize,
    /// How many records there were when somebody asked.
    durable: AtomicUsize,
    fails: bool,
}

#[async_trait]
impl Recorder for Audit {
    fn record(&self, _: &Record) {
        self.recorded.fetch_add(1, Ordering::Relaxed);
    }

    async fn durable(&self) -> io::Result<()> {
        let recorded = self.recorded.load(Ordering::Relaxed);
        self.durable.store(recorded, Ordering::Relaxed);
        if self.fails {
            return Err(io::Error::other("the disk is full"));
        }
        Ok(())
    }
}

#[tokio::test]
async fn the_agent_waits_for_a_record_that_must_be_there() {
    let rule = "[[hooks.on]]\nname = 'audited'\nmust_audit = true\nevent = 'BeforeToolCall'\ntools = ['deploy']\n\
                context = 'take care'\n";
    for (fails, recorder, passes) in [
        (false, true, true),
        (true, true, false),
        (false, false, false),
    ] {
        let audit = Arc::new(Audit {
            fails,
            ..Audit::default()
        });
        let mut builder = Runtime::builder().text(rule);
        if recorder {
            builder = builder.recorder(Arc::clone(&audit));
        }
        let runtime = builder.build().await.unwrap();
        assert!(call(&runtime, "ls").await, "it is not asked");
        assert_eq!(audit.durable.load(Ordering::Relaxed), 0);
        assert_eq!(call(&runtime, "deploy").await, passes);
        assert_eq!(audit.durable.load(Ordering::Relaxed), usize::from(recorder));
    }
}

#[tokio::test]
async fn what_is_durable_is_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.jsonl");
    let recorder = JsonlRecorder::append(&path).unwrap();
    recorder.record(&Record::new("one", "BeforeToolCall"));
    recorder.durable().await.unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"hook\":\"one\""), "{text}");
}

#[tokio::test]
async fn a_whole_dispatch_is_recorded_and_can_be_asked_again() {
    let text = "[[hooks.on]]\nname = 'no'\nevent = 'BeforeToolCall'\ntools = ['deploy']\nblock = 'not today'\n\
                [[hooks.on]]\nname = 'dry'\nevent = 'BeforeToolCall'\ntools = ['clean']\nmodify = { dry = true }\n\
                [[hooks.on]]\nname = 'who'\nevent = 'BeforeToolCall'\ntools = ['pay']\nask = 'sure?'\n";
    let records = Records::latest(100).keeping_events();
    let builder = Runtime::builder().text(text).recorder(records.clone());
    let runtime = builder.build().await.unwrap();
    let cx = AgentContext::new("s1").with_turn(2);
    for (tool, outcome, why, reason) in [
        ("deploy", "block", "decided by `no`", Some("not today")),
        ("clean", "modify", "", None),
        ("pay", "ask", "", Some("sure?")),
        ("ls", "continue", "", None),
    ] {
        let args = json!({ "mail": "ada@example.com" });
        let fields = json!({ "id": "7", "name": tool, "args": args });
        let mut event = OwnedEvent::from_json("BeforeToolCall", fields).unwrap();
        let _ = runtime.fire(&cx, &mut event).await;
        let record = records.take().pop().unwrap();
        assert!(record.is_event());
        assert_eq!((&*record.hook, record.outcome.as_str()), ("", outcome));
        assert_eq!((&*record.why, record.reason.as_deref()), (why, reason));
        assert_eq!(
            (record.revision, record.tool_call_id.as_deref()),
            (1, Some("7"))
        );
        assert_eq!(record.change.is_some(), matches!(tool, "clean" | "pay"));
        let line = serde_json::to_string(&record).unwrap();
        assert!(!line.contains("ada"), "{line}");
        let read: Record = serde_json::from_str(&line).unwrap();
        let (asked_in, asked) = OwnedEvent::of_record(&read).unwrap().unwrap();
        assert_eq!(asked_in, cx);
        let json = asked.to_json();
        assert_eq!(
            (&json["name"], &json["args"]),
            (&json!(tool), &json!({ "mail": "[REDACTED:email]" }))
        );
    }
    let mut event = OwnedEvent::from_json("ToolCallEnd", json!({ "name": "ls" })).unwrap();
    let _ = runtime.fire(&cx, &mut event).await;
    assert_eq!(records.take(), [], "hooks decide nothing about it");
}

#[tokio::test]
async fn a_probe_records_a_pipeline_with_its_static_hooks() {
    let (runtime, _) =
        built("[[hooks.on]]\nname = 'no'\nevent = 'BeforeToolCall'\nblock = 'no'\n").await;
    let records = Records::latest(100).keeping_events();
    let events = EventRecords::new(records.clone());
    let hooks = hooks![lower, ..runtime].with_probe(&events);
    let mut call = BeforeToolCall::new("1", "LS", json!({}));
    let _ = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    let record = records.take().pop().unwrap();
    assert_eq!(
        (record.outcome, &*record.why),
        (RecordOutcome::Block, "decided by `no`")
    );
    assert_eq!(
        (record.subject.as_deref(), record.reason.as_deref()),
        (Some("ls"), Some("no"))
    );
    assert_eq!(record.input.unwrap()["event"]["name"], "LS", "as it came");

    let nobody = EventRecords::new(Records::latest(100));
    let hooks = hooks![lower].with_probe(&nobody);
    let _ = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
}

#[tokio::test]
async fn an_event_that_is_too_long_is_recorded_without_its_text() {
    let (records, cx) = (Records::latest(1).keeping_events(), AgentContext::default());
    let runtime = Runtime::builder()
        .recorder(records.clone())
        .build()
        .await
        .unwrap();
    let fields = json!({ "name": "write", "args": { "content": "x".repeat(300 << 10) } });
    let mut event = OwnedEvent::from_json("BeforeToolCall", fields).unwrap();
    let _ = runtime.fire(&cx, &mut event).await;
    let record = records.take().pop().unwrap();
    assert_eq!((record.input, record.warnings.len()), (None, 1));
}

#[tokio::test]
async fn the_changes_of_records_lead_from_the_event_that_came_to_the_one_that_left() {
    for (event, fields) in [
        (
            "BeforeToolCall",
            json!({ "name": "ls", "context": ["came"] }),
        ),
        ("BeforeToolCall", json!({ "name": "ls" })),
        ("AfterToolCall", json!({ "name": "ls" })),
        ("MessageReceived", json!({ "content": "hello" })),
        ("SessionStart", json!({})),
        ("SubagentStart", json!({ "prompt": "look" })),
        ("BeforePromptBuild", json!({ "prompt": "p" })),
    ] {
        let rule = |name: &str| {
            format!("[[hooks.on]]\nname = '{name}'\nevent = '{event}'\ncontext = '{name}/~\"'\n")
        };
        let text = ["one", "two", "three"].map(rule).concat();
        let (runtime, records) = built(&text).await;
        let mut raised = OwnedEvent::from_json(event, fields).unwrap();
        let mut known = raised.to_json();
        runtime.fire(&AgentContext::new("s1"), &mut raised).await;
        let records = records.take();
        assert_eq!(records.len(), 3);
        for record in records {
            let change = record.change.unwrap();
            let change: json_patch::Patch = serde_json::from_value(change).unwrap();
            json_patch::patch(&mut known, &change).unwrap();
        }
        assert_eq!(known, raised.to_json(), "{event}");
        assert!(known.to_string().contains("three"), "{known}");
    }
}

#[tokio::test]
async fn a_file_without_built_in_hooks_leaves_all_names_to_its_own() {
    let text = "[[hooks.on]]\nname = 'HookRegistry'\nevent = 'BeforeStop'\nblock = 'no'\n";
    let (runtime, _) = built(text).await;
    let plan = hooks![..runtime].plan().to_string();
    assert!(
        plan.contains("HookRegistry") && !plan.contains('#'),
        "{plan}"
    );
}
