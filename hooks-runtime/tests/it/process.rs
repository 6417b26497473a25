//! Processes that stay: PicoClaw's protocol, whatever the process does.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hooks_core::agent::{
    AfterLlmCall, AfterToolCall, AgentContext, AgentEnd, AgentStart, Approval, ApproveToolCall,
    BeforeLlmCall, BeforeToolCall, ChatMessage, LlmResponse, ToolAnnotations, ToolCall,
    ToolCallEnd, ToolCallStart, ToolOutcome, ToolOutput,
};
use hooks_core::{HookResult, Scope, hooks};
use hooks_runtime::{RecordOutcome, Records, Runtime};
use serde_json::{Value, json};

/// Long enough for a slow machine. What takes that long has failed.
const LONG: Duration = Duration::from_mins(5);

fn cx() -> AgentContext {
    AgentContext::new("s1").with_agent_id("coder").with_turn(2)
}

fn call(args: Value) -> BeforeToolCall {
    BeforeToolCall::new("call 1", "shell", args)
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

struct Trial {
    runtime: Runtime,
    records: Records,
    log: PathBuf,
    _folder: tempfile::TempDir,
}

impl Trial {
    /// A process that runs a fixture. `start` is what it does when it starts, `lines` are further lines of the file.
    async fn of(program: &str, start: &str, lines: &str) -> Option<Self> {
        let events = "['BeforeToolCall', 'AfterToolCall', 'ApproveToolCall', 'BeforeLlmCall', 'AfterLlmCall', \
                      'AgentStart', 'ToolCallEnd']";
        Trial::on(events, program, start, lines).await
    }

    async fn on(events: &str, program: &str, start: &str, lines: &str) -> Option<Self> {
        if std::process::Command::new("python3")
            .arg("--version")
            .output()
            .is_err()
        {
            eprintln!("python3 is not there: this test shows nothing");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let env = format!(
            "{{ GATE_LOG = {0}, GATE_START = {1}, PICOCLAW_HOOK_LOG_FILE = {0} }}",
            json!(log),
            json!(start)
        );
        let argv = json!(["python3", fixture(program)]);
        let restart = start != "dies once";
        let text = format!(
            "[[hooks.on]]\nname = 'gate'\ntimeout = '50s'\n{lines}\n\
             event = {events}\n[hooks.on.process]\nargv = {argv}\nenv = {env}\nrestart = {restart}\n\
             [hooks.limits]\nchain = '60s'\nbreaker = {{ faults = 1000 }}\n"
        );
        let records = Records::latest(200);
        let runtime = Runtime::builder()
            .text(text)
            .recorder(records.clone())
            .build();
        let runtime = runtime.await.unwrap_or_else(|error| panic!("{error}"));
        Some(Trial {
            runtime,
            records,
            log,
            _folder: folder,
        })
    }

    async fn gate() -> Option<Self> {
        Trial::of("gate.py", "", "").await
    }

    /// A process that only observes, as all of PicoClaw's kind do.
    async fn observer() -> Option<Self> {
        let events = "['AgentStart', 'ToolCallStart', 'ToolCallEnd', 'AgentEnd']";
        Trial::on(events, "gate.py", "", "").await
    }

    async fn decide(&self, call: &mut BeforeToolCall) -> HookResult<BeforeToolCall> {
        let hooks = hooks![..self.runtime.clone()];
        let cx = cx();
        let asked = tokio::time::timeout(LONG, hooks.intercept(&cx, call));
        asked.await.expect("the agent hangs")
    }

    /// Has the process do this, and returns the reason if it blocks.
    async fn does(&self, what: &str) -> Option<String> {
        self.with(json!({ "do": what })).await
    }

    async fn with(&self, args: Value) -> Option<String> {
        let result = self.decide(&mut call(args)).await;
        result.as_cancel().map(|cancel| cancel.reason.to_string())
    }

    /// What the process says to a call, as it is in a result.
    async fn says(&self, call: &mut BeforeToolCall, result: Value) -> HookResult<BeforeToolCall> {
        call.args["do"] = "say".into();
        call.args["result"] = result;
        self.decide(call).await
    }

    /// Waits until the process can be asked, and returns its number.
    async fn pid(&self) -> String {
        let started = Instant::now();
        while started.elapsed() < LONG {
            if let Some(reason) = self.does("pid").await
                && reason.parse::<u32>().is_ok()
            {
                return reason;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it does not come up: {:?}", self.records.steps().last());
    }

    fn heard(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        log.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Waits until it has heard so much.
    async fn has_heard(&self, lines: usize) -> Vec<Value> {
        let started = Instant::now();
        while started.elapsed() < LONG && self.heard().len() < lines {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.heard()
    }

    fn fault(&self) -> String {
        let record = self.records.steps().pop().unwrap();
        assert_eq!(record.outcome, RecordOutcome::Fault, "{record:?}");
        record.reason.unwrap()
    }
}

fn is_gone(pid: &str) -> bool {
    let started = Instant::now();
    while started.elapsed() < LONG {
        match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
            Err(_) => return true,
            Ok(status) if status.rsplit(')').next().unwrap().trim().starts_with('Z') => {
                return true;
            }
            Ok(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    false
}

/// What a process hears of a call, a model's answer and two observed events.
async fn conversation() -> Option<Vec<Value>> {
    let trial = Trial::gate().await?;
    // Nothing runs before the first event.
    assert!(trial.heard().is_empty());
    let hooks = hooks![..trial.runtime.clone()];
    let cx = cx()
        .with_channel("cli")
        .with_chat_id("c1")
        .with_trace_id("t1");
    let mut before = call(json!({ "a": 1 }));
    assert!(hooks.intercept(&cx, &mut before).await.is_continue());
    assert!(
        hooks
            .intercept(&cx, &mut ApproveToolCall::from(&before))
            .await
            .is_continue()
    );
    let output = ToolOutput {
        for_user: Some("seen".into()),
        ..ToolOutput::new("done")
    };
    let mut after = AfterToolCall::of(before, output, Duration::from_micros(1500));
    assert!(hooks.intercept(&cx, &mut after).await.is_continue());
    let assistant = ChatMessage::from(LlmResponse {
        tool_calls: vec![ToolCall::new("1", "t", json!({ "b": 2 }))],
        ..LlmResponse::new("hm")
    });
    let mut llm = BeforeLlmCall::new("p", "m", vec![ChatMessage::user("hi"), assistant]);
    assert!(hooks.intercept(&cx, &mut llm).await.is_continue());
    let mut said = AfterLlmCall::new("m", LlmResponse::new("yes"), 0);
    assert!(hooks.intercept(&cx, &mut said).await.is_continue());
    hooks.observe(&cx, &AgentStart { prompt: "go" }).await;
    hooks
        .observe(&cx, &ToolCallEnd::of(&after, ToolOutcome::Ran))
        .await;

    let heard = trial.has_heard(8).await;
    trial.runtime.shutdown().await;
    Some(heard)
}

#[tokio::test]
async fn it_is_greeted_and_then_asked_in_order() {
    let Some(heard) = conversation().await else {
        return;
    };
    assert_eq!(
        heard[0],
        json!({
            "jsonrpc": "2.0", "id": 1, "method": "hook.hello",
            "params": { "name": "gate", "version": 1, "modes": ["tool", "approve", "llm", "observe"] },
        })
    );
    let methods: Vec<_> = heard
        .iter()
        .map(|line| line["method"].as_str().unwrap())
        .collect();
    assert_eq!(
        methods[1..6],
        [
            "hook.before_tool",
            "hook.approve_tool",
            "hook.after_tool",
            "hook.before_llm",
            "hook.after_llm"
        ]
    );
    let ids: Vec<_> = heard[..6]
        .iter()
        .map(|line| line["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn a_request_has_what_picoclaw_sends() {
    let Some(heard) = conversation().await else {
        return;
    };
    let meta = json!({
        "AgentID": "coder", "TurnID": "s1:2", "ParentTurnID": "", "SessionKey": "s1", "Iteration": 2,
        "TracePath": "t1", "Source": "",
    });
    let inbound = json!({ "inbound": { "channel": "cli", "chat_id": "c1", "sender_id": "" } });
    assert_eq!(
        heard[1]["params"],
        json!({
            "meta": meta, "context": inbound, "tool": "shell", "arguments": { "a": 1 }, "channel": "cli", "chat_id": "c1",
        })
    );
    let params = &heard[3]["params"];
    assert_eq!(params["duration"], 1_500_000);
    assert_eq!(
        params["result"],
        json!({ "for_llm": "done", "for_user": "seen", "silent": false, "is_error": false, "async": false })
    );
    let calls = &heard[4]["params"]["messages"][1]["tool_calls"];
    assert_eq!(
        *calls,
        json!([{ "id": "1", "type": "function", "function": { "name": "t", "arguments": "{\"b\":2}" } }])
    );
    assert_eq!(heard[5]["params"]["response"]["content"], "yes");
}

#[tokio::test]
async fn an_observed_event_has_no_id() {
    let Some(heard) = conversation().await else {
        return;
    };
    for (line, kind) in heard[6..]
        .iter()
        .zip(["agent.turn.start", "agent.tool.exec_end"])
    {
        assert!(line.get("id").is_none());
        assert_eq!(line["method"], "hook.runtime_event");
        assert_eq!(line["params"]["kind"], kind);
    }
    let payload = &heard[7]["params"]["payload"];
    assert_eq!(
        (
            &payload["Tool"],
            &payload["Duration"],
            &payload["ForLLMLen"]
        ),
        (&json!("shell"), &json!(1_500_000), &json!(4))
    );
}

/// The events of two agents, on two threads: each agent's own come in its order, also while the process starts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn observed_events_come_in_the_order_in_which_they_were_raised() {
    const TURNS: u32 = 100;
    let Some(trial) = Trial::observer().await else {
        return;
    };
    let mut agents = tokio::task::JoinSet::new();
    for session in ["s1", "s2"] {
        let runtime = trial.runtime.clone();
        agents.spawn(async move {
            let hooks = hooks![..runtime];
            for turn in 0..TURNS {
                let cx = AgentContext::new(session).with_turn(turn);
                let call = call(json!({}));
                let start = ToolCallStart {
                    id: &call.id,
                    name: &call.name,
                    args: &call.args,
                    annotations: ToolAnnotations::default(),
                };
                let done = AfterToolCall::of(call.clone(), ToolOutput::new("x"), Duration::ZERO);
                hooks.observe(&cx, &AgentStart { prompt: "go" }).await;
                hooks.observe(&cx, &start).await;
                hooks
                    .observe(&cx, &ToolCallEnd::of(&done, ToolOutcome::Ran))
                    .await;
                hooks.observe(&cx, &AgentEnd::default()).await;
            }
        });
    }
    while let Some(done) = agents.join_next().await {
        done.unwrap();
    }
    trial.runtime.shutdown().await;
    let heard = trial.heard();
    let expected: Vec<_> = (0..TURNS)
        .flat_map(|turn| {
            let kinds = [
                "agent.turn.start",
                "agent.tool.exec_start",
                "agent.tool.exec_end",
                "agent.turn.end",
            ];
            kinds.map(|kind| (kind.to_owned(), turn))
        })
        .collect();
    for session in ["s1", "s2"] {
        let own: Vec<_> = heard
            .iter()
            .map(|line| &line["params"])
            .filter(|params| params["scope"]["session_key"] == session)
            .map(|params| {
                let turn = params["scope"]["turn_id"].as_str().unwrap();
                let turn: u32 = turn.rsplit(':').next().unwrap().parse().unwrap();
                (params["kind"].as_str().unwrap().to_owned(), turn)
            })
            .collect();
        assert_eq!(own, expected, "{session}");
    }
}

#[tokio::test]
async fn every_action_has_its_effect() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    let deny = json!({ "action": "deny_tool", "reason": "no" });
    let result = trial.says(&mut call(json!({})), deny).await;
    assert_eq!(result.as_cancel().unwrap().reason, "no");
    for (action, scope) in [("abort_turn", Scope::Turn), ("hard_abort", Scope::Run)] {
        let result = trial
            .says(&mut call(json!({})), json!({ "action": action }))
            .await;
        assert_eq!(result.as_cancel().unwrap().scope, scope);
    }
    let respond = json!({ "action": "respond", "result": { "for_llm": "mine", "for_user": "yours", "is_error": true } });
    let HookResult::Respond(output) = trial.says(&mut call(json!({})), respond).await else {
        panic!()
    };
    assert_eq!(
        (
            output.content.as_str(),
            output.for_user.as_deref(),
            output.is_error
        ),
        ("mine", Some("yours"), true)
    );
    // A change counts whatever the action is.
    for action in ["modify", "continue", ""] {
        let mut changed = call(json!({}));
        let said =
            json!({ "action": action, "call": { "tool": "other", "arguments": { "c": 3 } } });
        assert!(trial.says(&mut changed, said).await.is_continue());
        assert_eq!(
            (changed.name.as_str(), &changed.args),
            ("other", &json!({ "c": 3 }))
        );
    }
    let mut kept = call(json!({}));
    assert!(
        trial
            .says(
                &mut kept,
                json!({ "action": "modify", "call": { "tool": "other" } })
            )
            .await
            .is_continue()
    );
    assert_eq!(
        (kept.name.as_str(), &kept.args["do"]),
        ("other", &json!("say"))
    );
    // Nobody understands it, and the call could be harmful.
    assert!(
        trial
            .says(&mut call(json!({})), json!({ "action": "deny" }))
            .await
            .as_cancel()
            .is_some()
    );

    let hooks = hooks![..trial.runtime.clone()];
    let output = json!({ "action": "modify", "result": { "result": { "for_llm": "censored" } } });
    let before = call(json!({ "do": "say", "result": output }));
    let mut after = AfterToolCall::of(before, ToolOutput::new("secret"), Duration::ZERO);
    assert!(hooks.intercept(&cx(), &mut after).await.is_continue());
    assert_eq!(after.output.content, "censored");
}

#[tokio::test]
async fn an_approval_needs_a_yes() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    let hooks = hooks![..trial.runtime.clone()];
    let refused = call(json!({ "do": "refuse" }));
    let result = hooks
        .intercept(&cx(), &mut ApproveToolCall::from(&refused))
        .await;
    assert_eq!(result.as_cancel().unwrap().reason, "too dear");
    let mut asked = call(json!({}));
    asked.approval = Approval::ask("it is dear");
    let result = hooks
        .intercept(&cx(), &mut ApproveToolCall::from(&asked))
        .await;
    assert!(matches!(result, HookResult::Respond(_)), "{result:?}");
    // Whoever cannot be asked has not approved.
    let Some(trial) = Trial::of("gate.py", "dies", "").await else {
        return;
    };
    let hooks = hooks![..trial.runtime.clone()];
    let result = hooks
        .intercept(&cx(), &mut ApproveToolCall::from(&asked))
        .await;
    assert!(result.as_cancel().is_some(), "{result:?}");
}

#[tokio::test]
async fn answers_may_come_in_any_order() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    let hold = |name: &str| trial.with(json!({ "do": "hold", "name": name }));
    let (one, two, released) = tokio::join!(hold("one"), hold("two"), async {
        trial.has_heard(3).await;
        trial.does("release").await
    });
    assert_eq!(
        (one.as_deref(), two.as_deref(), released),
        (Some("one"), Some("two"), None)
    );
}

#[tokio::test]
async fn what_nobody_asked_for_is_dropped() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    let pid = trial.pid().await;
    for what in ["twice", "wrong id", "bad lines", "flood"] {
        assert_eq!(trial.does(what).await, None, "{what}");
        assert_eq!(trial.does("nothing").await, None, "after {what}");
    }
    assert_eq!(trial.pid().await, pid);
}

/// A request with the id of a call is no answer, and half an answer is no consent.
#[tokio::test]
async fn what_is_no_whole_answer_is_no_consent() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    trial.pid().await;
    assert_eq!(trial.does("request").await.as_deref(), Some("the answer"));
    for (what, why) in [
        ("no result", "neither a `result` nor an `error`"),
        ("two actions", "the object has the key `action` twice"),
    ] {
        assert!(trial.does(what).await.is_some(), "{what}");
        assert!(trial.fault().contains(why), "{what}: {}", trial.fault());
    }
    for (said, why) in [
        (json!({ "approved": false }), "the key `approved`"),
        (
            json!({ "action": "continue", "call": "none" }),
            "`call` is a text",
        ),
        (
            json!({ "call": { "arguments": [] } }),
            "`call.arguments` is a list",
        ),
        (
            json!({ "call": { "tool": false } }),
            "`call.tool` is a boolean",
        ),
        (
            json!({ "action": "modify", "request": {} }),
            "the key `request`",
        ),
        (json!({ "reason": { "deny": 1 } }), "`reason` is an object"),
    ] {
        let mut asked = call(json!({}));
        let answer = trial.says(&mut asked, said.clone());
        assert!(!answer.await.is_continue(), "{said}");
        assert!(trial.fault().contains(why), "{said}: {}", trial.fault());
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_fails_its_own_call() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    let pid = trial.pid().await;
    let waiting = trial.with(json!({ "do": "hold", "name": "held" }));
    let others = async {
        trial.has_heard(3).await;
        assert!(trial.does("long").await.is_some());
        assert!(trial.fault().contains("1 MiB"), "{}", trial.fault());
        trial.does("release").await
    };
    let (held, released) = tokio::join!(waiting, others);
    assert_eq!((held.as_deref(), released), (Some("held"), None));
    assert_eq!(trial.pid().await, pid);
}

#[tokio::test]
async fn an_answer_that_never_comes_fails_its_own_call() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    let pid = trial.pid().await;
    let hooks = hooks![..trial.runtime.clone()];
    let (cx, mut never) = (cx(), call(json!({ "do": "never" })));
    let asked = tokio::time::timeout(Duration::from_millis(300), hooks.intercept(&cx, &mut never));
    assert!(asked.await.is_err());
    assert_eq!(trial.pid().await, pid);
}

#[tokio::test]
async fn an_error_is_a_failure() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    assert!(trial.does("error").await.is_some());
    assert!(trial.fault().contains("method not found"));
    let Some(trial) = Trial::of("gate.py", "", "on_failure = 'skip'").await else {
        return;
    };
    assert_eq!(trial.does("error").await, None);
}

#[tokio::test]
async fn one_that_dies_comes_back() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    let pid = trial.pid().await;
    let waiting = trial.with(json!({ "do": "hold", "name": "held" }));
    let (held, died) = tokio::join!(waiting, async {
        trial.has_heard(3).await;
        trial.does("die").await
    });
    // All open calls fail.
    assert!(held.is_some_and(|reason| reason != "held") && died.is_some());
    let again = trial.pid().await;
    assert_ne!(pid, again);
    // The ids start anew.
    let hellos = trial
        .heard()
        .into_iter()
        .filter(|line| line["method"] == "hook.hello");
    let ids: Vec<_> = hellos.map(|line| line["id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!(1)]);
}

#[tokio::test]
async fn one_that_is_not_to_come_back_stays_away() {
    let Some(trial) = Trial::of("gate.py", "dies once", "").await else {
        return;
    };
    trial.pid().await;
    assert!(trial.does("die").await.is_some());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(trial.does("pid").await.unwrap().contains("exit status: 7"));
}

#[tokio::test]
async fn one_that_does_not_start_says_why() {
    for (start, why) in [
        ("dies", "exit status: 3: no reason to live"),
        ("refuses", "not with you"),
        ("silent", "hook.hello"),
    ] {
        let Some(trial) = Trial::of("gate.py", start, "").await else {
            return;
        };
        assert!(trial.does("nothing").await.is_some());
        assert!(trial.fault().contains(why), "{start}: {}", trial.fault());
    }
    let Some(trial) = Trial::of("gate.py", "not ok", "").await else {
        return;
    };
    assert_eq!(trial.does("nothing").await, None);
    let text =
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nprocess = { argv = ['no-such-program-here'] }";
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let result = hooks![..runtime]
        .intercept(&cx(), &mut call(json!({})))
        .await;
    assert!(
        result
            .as_cancel()
            .unwrap()
            .reason
            .contains("no-such-program-here")
    );
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused() {
    for (entry, message) in [
        ("{ argv = [] }", "the program is missing"),
        (
            "{ argv = ['a'], env = { 'A=B' = '1' } }",
            "not a valid name of a variable",
        ),
    ] {
        let text = format!("[[hooks.on]]\nevent = 'BeforeToolCall'\nprocess = {entry}");
        let error = Runtime::builder()
            .text(text)
            .build()
            .await
            .expect_err(entry)
            .to_string();
        assert!(error.contains(message), "{entry}: {error}");
    }
}

/// As a command does.
#[tokio::test]
async fn it_inherits_what_programs_need_and_what_its_file_names() {
    for (env, variable) in [
        ("", "no home"),
        ("env = ['CARGO_PKG_NAME']\n", "hooks-runtime home"),
        ("env = { CARGO_PKG_NAME = 'set', HOME = '' }\n", "set"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("said");
        let says = format!(
            "echo ${{CARGO_PKG_NAME:-no}} ${{HOME:+home}} >{}",
            file.display()
        );
        let argv = json!(["sh", "-c", says]);
        let text = format!(
            "[[hooks.on]]\nevent = 'BeforeToolCall'\ntimeout = '50s'\n\
             [hooks.on.process]\nargv = {argv}\nrestart = false\n{env}"
        );
        let runtime = Runtime::builder().text(text).build().await.unwrap();
        let mut call = call(json!({}));
        let result = hooks![..runtime].intercept(&cx(), &mut call).await;
        // The process says nothing and ends.
        assert!(result.as_cancel().is_some());
        let said = std::fs::read_to_string(&file).unwrap();
        assert_eq!(said.trim(), variable, "{env}");
    }
}

#[tokio::test]
async fn shutdown_ends_it_however_it_behaves() {
    for start in ["", "stays"] {
        let Some(trial) = Trial::of("gate.py", start, "").await else {
            return;
        };
        let pid = trial.pid().await;
        let hooks = hooks![..trial.runtime.clone()];
        hooks
            .observe(&cx(), &AgentStart { prompt: "the last" })
            .await;
        trial.runtime.shutdown().await;
        assert!(is_gone(&pid), "{start}");
        // What was said before is still heard.
        let last = trial.heard().pop().unwrap();
        assert_eq!(last["params"]["payload"]["UserMessage"], "the last");
        assert!(trial.does("nothing").await.is_some(), "it was ended");
    }
}

#[tokio::test]
async fn it_ends_with_its_definition() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    let pid = trial.pid().await;
    drop(trial);
    let gone = tokio::task::spawn_blocking(move || is_gone(&pid));
    assert!(gone.await.unwrap());
}

#[test]
fn it_survives_the_end_of_an_async_runtime() {
    let start = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let Some(trial) = start().block_on(Trial::gate()) else {
        return;
    };
    let pid = start().block_on(trial.pid());
    assert!(is_gone(&pid));
    assert_ne!(start().block_on(trial.pid()), pid);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_agents_at_once_get_their_own_answers() {
    let Some(trial) = Trial::gate().await else {
        return;
    };
    let mut agents = tokio::task::JoinSet::new();
    for agent in 0..64 {
        let runtime = trial.runtime.clone();
        agents.spawn(async move {
            let hooks = hooks![..runtime];
            for number in 0..20 {
                let name = format!("{agent}/{number}");
                let mut call = call(json!({ "do": "echo", "name": name }));
                let result = hooks.intercept(&cx(), &mut call).await;
                assert_eq!(result.as_cancel().unwrap().reason, name);
            }
        });
    }
    while let Some(done) = agents.join_next().await {
        done.unwrap();
    }
}

/// Another program of PicoClaw's kind may stand in this variable: then it is tried, too.
#[tokio::test]
async fn a_program_for_picoclaw_works_as_it_is() {
    let theirs = std::env::var("PICOCLAW_PROGRAM").ok();
    let Some(trial) = Trial::of(theirs.as_deref().unwrap_or("review_gate.py"), "", "").await else {
        return;
    };
    let hooks = hooks![..trial.runtime.clone()];
    let mut before = call(json!({ "text": "hello" }));
    assert!(hooks.intercept(&cx(), &mut before).await.is_continue());
    assert!(
        hooks
            .intercept(&cx(), &mut ApproveToolCall::from(&before))
            .await
            .is_continue()
    );
    let mut after = AfterToolCall::of(before, ToolOutput::new("hello"), Duration::ZERO);
    assert!(hooks.intercept(&cx(), &mut after).await.is_continue());
    hooks
        .observe(&cx(), &ToolCallEnd::of(&after, ToolOutcome::Ran))
        .await;
    trial.runtime.shutdown().await;
    let heard: Vec<_> = trial
        .heard()
        .into_iter()
        .map(|line| {
            (
                line["direction"].clone(),
                line["id"].clone(),
                line["notification"].clone(),
            )
        })
        .collect();
    let expected =
        |direction: &str, id: u64, notification: Value| (json!(direction), json!(id), notification);
    assert_eq!(
        heard,
        [
            expected("in", 1, json!(false)),
            expected("out", 1, Value::Null),
            expected("in", 2, json!(false)),
            expected("out", 2, Value::Null),
            expected("in", 3, json!(false)),
            expected("out", 3, Value::Null),
            expected("in", 4, json!(false)),
            expected("out", 4, Value::Null),
            expected("in", 0, json!(true)),
        ]
    );
}

#[tokio::test]
async fn one_that_does_not_read_ends_with_the_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let program = format!(
        "read -r hello; echo $$ > {file:?}; echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{}}}}'; exec sleep 1000"
    );
    let argv = json!(["sh", "-c", program]);
    let text = format!(
        "[[hooks.on]]\nevent = ['BeforeToolCall', 'AgentStart']\ntimeout = '500ms'\nprocess = {{ argv = {argv} }}"
    );
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let hooks = hooks![..runtime.clone()];
    // More than a pipe holds.
    let mut long = call(json!({ "text": "x".repeat(1 << 20) }));
    assert!(!hooks.intercept(&cx(), &mut long).await.is_continue());
    let pid = std::fs::read_to_string(&file).unwrap();
    runtime.shutdown().await;
    assert!(is_gone(pid.trim()));
}

#[tokio::test]
async fn the_time_that_a_process_takes_to_start_is_not_the_hooks() {
    let program = "sleep 3; read -r hello; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'; \
                   read -r call; echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"action\":\"deny_tool\",\"reason\":\"no\"}}'; \
                   read -r rest";
    let argv = json!(["sh", "-c", program]);
    let text = format!(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\ntimeout = '2s'\nprocess = {{ argv = {argv} }}"
    );
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let hooks = hooks![..runtime.clone()];
    let result = hooks.intercept(&cx(), &mut call(json!({}))).await;
    assert_eq!(result.as_cancel().unwrap().reason, "no");
    runtime.shutdown().await;
}

#[tokio::test]
async fn a_process_that_is_only_told_of_an_event_is_a_notice() {
    let notices = async |event: &str| {
        let text = format!("[[hooks.on]]\nevent = {event}\nprocess = {{ argv = ['gate'] }}");
        let runtime = Runtime::builder().text(text).build().await.unwrap();
        runtime.status().notices.concat()
    };
    let told = notices("['BeforeToolCall', 'MessageReceived', 'BeforeStop', 'AgentEnd']").await;
    assert!(
        told.contains("only notified of `MessageReceived`, `BeforeStop`, and cannot decide"),
        "{told}"
    );
    for event in ["'*'", "'BeforeToolCall'", "'AgentEnd'"] {
        assert_eq!(notices(event).await, "");
    }
}
