//! Records: one for each event, with a step for each hook that ran.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use hooks_builtin::config::{FactoryError, HookFactory};
use hooks_core::agent::{AfterToolCall, AgentContext, AgentEvent, BeforeToolCall, ToolOutput};
use hooks_core::{BoxHook, hook, hooks};
use hooks_runtime::{
    EventRecords, JsonlRecorder, OwnedEvent, Record, RecordOutcome, RecordPart, RecordStep,
    Recorder, Records, Runtime,
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
    let of = |step: RecordStep| (step.hook, step.outcome.as_str(), step.handler);
    let steps = records.steps().into_iter().map(of).collect();
    drop(records.take());
    steps
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
    let steps = done(&records);
    assert!(
        steps.iter().all(|(_, outcome, _)| *outcome == "continue"),
        "{steps:?}"
    );

    assert!(!call(&runtime, "deploy").await);
    let record = records.take().pop().unwrap();
    assert_eq!(
        (&*record.hook, record.outcome, &*record.steps[0].handler),
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
        let record = records.take().pop().unwrap();
        let is_changed = record.outcome == RecordOutcome::Modify;
        assert_eq!(is_changed, redacted, "{said}");
        if is_changed {
            assert_eq!(&*record.hook, "Redact");
            let step = record.decisive().unwrap().clone();
            let change = step.change.unwrap();
            assert_eq!(change[0]["value"], "[REDACTED:email]");
            assert!(!change.to_string().contains("ada"), "{change}");
        }
    }
}

#[tokio::test]
async fn each_hook_of_a_factory_is_recorded() {
    let (runtime, records) = built("[[hooks.chain]]\ntype = 'pair'\n").await;
    assert!(call(&runtime, "LS").await);
    let expected = [
        one("lower", "modify", "builtin"),
        one("fragile", "continue", "builtin"),
    ];
    assert_eq!(done(&records), expected);
    assert!(!call(&runtime, "panic").await);
    let record = records.take().pop().unwrap();
    assert_eq!(record.outcome, RecordOutcome::Block);
    let step = record.steps.last().unwrap();
    assert_eq!(step.outcome, RecordOutcome::Fault);
    assert!(step.reason.as_ref().unwrap().contains("panicked"));
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
        let decided = done(&records).into_iter();
        let decided: Vec<_> = decided
            .filter(|(_, outcome, _)| *outcome == "block")
            .collect();
        assert_eq!(decided, [one(name, "block", "rule")]);
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
        assert!(done(&records).contains(&one("BlockTools", "block", "builtin")));
    }
}

#[tokio::test]
async fn a_recorder_that_panics_loses_one_record() {
    struct Fragile(Records);

    impl Recorder for Fragile {
        fn record(&self, record: &Record) {
            assert_ne!(record.subject.as_deref(), Some("ls"));
            self.0.record(record);
        }
    }

    let text = "[[hooks.chain]]\ntype = 'block_tools'\nconfig = { tools = ['ls', 'rm'] }\n";
    let records = Records::latest(100);
    let builder = Runtime::builder().text(text).factory(Pair);
    let builder = builder.recorder(Fragile(records.clone()));
    let runtime = builder.build().await.unwrap();
    assert!(!call(&runtime, "ls").await);
    assert!(!call(&runtime, "rm").await);
    assert_eq!(done(&records), [one("BlockTools", "block", "builtin")]);
}

#[tokio::test]
async fn a_record_has_the_version_of_its_hook() {
    let text = "[[hooks.on]]\nname = 'no'\nversion = 3\nmandatory = true\nharmless = true\n\
                event = 'BeforeToolCall'\nblock = 'no'\n";
    let (runtime, records) = built(text).await;
    assert!(!call(&runtime, "ls").await);
    let record = records.take().pop().unwrap();
    let step = record.decisive().unwrap();
    assert_eq!((&*step.hook, step.hook_version), ("no", Some(3)));
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
    for (tool, outcome, hook, reason) in [
        ("deploy", "block", "no", Some("not today")),
        ("clean", "modify", "dry", None),
        ("pay", "ask", "who", Some("sure?")),
        ("ls", "continue", "", None),
    ] {
        let args = json!({ "mail": "ada@example.com" });
        let fields = json!({ "id": "7", "name": tool, "args": args });
        let mut event = OwnedEvent::from_json("BeforeToolCall", fields).unwrap();
        let _ = runtime.fire(&cx, &mut event).await;
        let record = records.take().pop().unwrap();
        assert!(record.is_event());
        assert_eq!((&*record.hook, record.outcome.as_str()), (hook, outcome));
        assert_eq!(record.reason.as_deref(), reason);
        assert_eq!(record.steps.len(), usize::from(tool != "ls"));
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
        (record.outcome, &*record.hook),
        (RecordOutcome::Block, "no")
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
        let steps = records.steps();
        assert_eq!(steps.len(), 3);
        for step in steps {
            let change = step.change.unwrap();
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

/// The names in a list of a record.
fn names(list: &[Arc<str>]) -> Vec<&str> {
    list.iter().map(|name| &**name).collect()
}

#[tokio::test]
async fn a_record_says_who_was_asked_and_who_was_not() {
    let text = "[[hooks.on]]\nname = 'elsewhere'\nevent = 'BeforeToolCall'\ntools = ['deploy']\nblock = 'no'\n\
                [[hooks.on]]\nname = 'unmet'\nevent = 'BeforeToolCall'\nif = 'args.command == \"pwd\"'\nblock = 'no'\n\
                [[hooks.on]]\nname = 'off'\nevent = 'BeforeToolCall'\nmode = 'off'\nblock = 'no'\n\
                [[hooks.on]]\nname = 'shadow'\nevent = 'BeforeToolCall'\nmode = 'shadow'\nblock = 'no'\n\
                [[hooks.on]]\nname = 'says no'\nevent = 'BeforeToolCall'\nblock = 'no'\n\
                [[hooks.on]]\nname = 'too late'\nevent = 'BeforeToolCall'\nblock = 'no'\n\
                [[hooks.on]]\nname = 'too late, unmet'\nevent = 'BeforeToolCall'\nif = 'args.command == \"pwd\"'\nblock = 'no'\n\
                [[hooks.on]]\nname = 'of another event'\nevent = 'BeforeStop'\nblock = 'no'\n";
    let (runtime, records) = built(text).await;
    let hooks = hooks![lower, ..runtime];
    let mut call = BeforeToolCall::new("1", "LS", json!({ "command": "ls" }));
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    assert!(!result.is_continue());
    let record = records.take().pop().unwrap();
    assert_eq!(
        (&*record.hook, record.outcome),
        ("says no", RecordOutcome::Block)
    );
    let steps: Vec<_> = record
        .steps
        .iter()
        .map(|step| (&*step.hook, &*step.handler, step.outcome.as_str()))
        .collect();
    let expected = [
        ("lower", "compiled", "modify"),
        ("shadow", "rule", "block"),
        ("says no", "rule", "block"),
    ];
    assert_eq!(steps, expected);
    assert_eq!(names(&record.unmet), ["unmet"]);
    assert_eq!(names(&record.unasked), ["too late", "too late, unmet"]);
}

#[tokio::test]
async fn a_guard_that_is_asked_in_the_second_round_only_judges_again() {
    let text = "[[hooks.on]]\nname = 'guard'\nevent = 'BeforeToolCall'\nif = 'args.command == \"rm\"'\nblock = 'no'\n\
                [[hooks.on]]\nname = 'change'\nevent = 'BeforeToolCall'\nmodify = { command = 'rm' }\n";
    let (runtime, records) = built(text).await;
    assert!(!call(&runtime, "shell").await);
    let record = records.take().pop().unwrap();
    let steps: Vec<_> = record
        .steps
        .iter()
        .map(|step| (&*step.hook, step.again))
        .collect();
    assert_eq!(steps, [("change", false), ("guard", true)]);
}

/// A guard that the change of a later hook makes judge again.
#[hook(guard, priority = 50)]
fn no_rm(call: &BeforeToolCall) -> hooks_core::HookAction<BeforeToolCall> {
    if call.name == "rm" {
        hooks_core::HookAction::block("no rm")
    } else {
        hooks_core::HookAction::Continue
    }
}

#[tokio::test]
async fn a_record_has_the_hooks_of_the_agent_in_their_order() {
    let text = "[[hooks.on]]\nname = 'look'\nevent = 'BeforeToolCall'\ncontext = 'careful'\n";
    let (runtime, records) = built(text).await;
    let hooks = hooks![no_rm, lower @ -1, ..runtime];
    let mut call = BeforeToolCall::new("1", "RM", json!({}));
    assert!(
        !hooks
            .intercept(&AgentContext::new("s1"), &mut call)
            .await
            .is_continue()
    );
    let record = records.take().pop().unwrap();
    let steps = record.steps.iter();
    let steps: Vec<_> = steps
        .map(|step| {
            (
                &*step.hook,
                &*step.handler,
                step.outcome.as_str(),
                step.again,
            )
        })
        .collect();
    assert_eq!(
        steps,
        [
            ("no_rm", "compiled", "continue", false),
            ("look", "rule", "modify", false),
            ("lower", "compiled", "modify", false),
            ("no_rm", "compiled", "block", true),
        ]
    );
    assert_eq!(
        (&*record.hook, record.decisive().unwrap().again),
        ("no_rm", true)
    );
}

#[tokio::test]
async fn a_part_of_an_event_says_which_one_it_is() {
    let text = "[[hooks.on]]\nname = 'audited'\nmust_audit = true\nevent = 'BeforeToolCall'\ncontext = 'take care'\n\
                [[hooks.on]]\nname = 'later'\nevent = 'ToolCallEnd'\ncommand = 'exit 1'\n";
    let (runtime, records) = built(text).await;
    assert!(call(&runtime, "ls").await);
    let parts: Vec<_> = records
        .take()
        .into_iter()
        .map(|record| (record.hook, record.part))
        .collect();
    let audited = "audited".to_owned();
    assert_eq!(
        parts,
        [
            (audited.clone(), Some(RecordPart::Audited)),
            (audited, None)
        ]
    );
    let mut end = OwnedEvent::from_json("ToolCallEnd", json!({ "name": "ls" })).unwrap();
    let _ = runtime.fire(&AgentContext::new("s1"), &mut end).await;
    runtime.shutdown().await;
    let record = records.take().pop().unwrap();
    assert_eq!(
        (record.part, record.outcome),
        (Some(RecordPart::Background), RecordOutcome::Fault)
    );
    assert!(!record.is_event());
}

#[test]
fn records_of_earlier_versions_are_read() {
    let of_hook = r#"{"at":"2026-01-02T03:04:05Z","revision":7,"hook":"no","hook_version":3,"source":"h.toml:1","handler":"rule",
        "event":"BeforeToolCall","subject":"ls","outcome":"block","shadow":true,"reason":"no","duration_us":12,"messages":["m"]}"#;
    let record: Record = serde_json::from_str(of_hook).unwrap();
    let step = record.decisive().unwrap();
    assert_eq!((record.part, record.revision), (Some(RecordPart::Hook), 7));
    assert_eq!(
        (
            step.hook_version,
            &*step.source,
            step.shadow,
            &*step.messages[0]
        ),
        (Some(3), "h.toml:1", true, "m")
    );
    let of_event = r#"{"at":"2026-01-02T03:04:05Z","revision":7,"hook":"","handler":"event","event":"BeforeToolCall",
        "outcome":"block","why":"decided by `no`","duration_us":12}"#;
    let record: Record = serde_json::from_str(of_event).unwrap();
    assert!(record.is_event());
    assert_eq!(
        (&*record.hook, record.outcome),
        ("no", RecordOutcome::Block)
    );
}
