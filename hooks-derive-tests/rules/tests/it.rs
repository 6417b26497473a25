//! The same rules, compiled into this program and loaded at run time, say the same about the same events.
//!
//! The rules are random ones, by the build script. Each belongs to a group, which is the agent of an event, so that an event
//! meets one to four of them, in their order. `late` changes a call after all of them, so that guards judge again.

#[allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "the build script has the other part"
)]
mod random {
    include!("../random.rs");
}

use std::collections::BTreeMap;

use hooks_core::agent::*;
use hooks_core::{hook, hooks};
use hooks_runtime::Runtime;
use serde_json::{Map, Value, json};

use self::random::{EVENTS, Random, TEXTS, TOOLS};

include!(concat!(env!("OUT_DIR"), "/random.rs"));

/// Changes some calls after all rules.
#[hook(priority = -50)]
fn late(call: &mut BeforeToolCall) {
    if call.id == "late" {
        call.name = "Bash".into();
        call.args = json!({ "command": "git push --force", "path": "a", "n": 7, "text": "abc" });
    }
}

/// How often the two said the same, and how often they failed, and what differs.
#[derive(Default)]
struct Told {
    cases: usize,
    decided: usize,
    failed: usize,
    events: BTreeMap<&'static str, usize>,
    differ: Vec<String>,
}

impl Told {
    fn add(
        &mut self,
        event: &'static str,
        asked: &str,
        compiled: String,
        loaded: String,
        was: &str,
    ) {
        self.cases += 1;
        *self.events.entry(event).or_default() += 1;
        self.decided += usize::from(compiled != format!("Continue {was}"));
        self.failed += usize::from(compiled.contains("` failed: "));
        if compiled != loaded {
            self.differ.push(format!(
                "{event} {asked}\n  compiled {compiled}\n  loaded   {loaded}"
            ));
        }
    }
}

/// The arguments of a call. Most values have the types that rules expect.
fn args(random: &mut Random, is_odd: bool) -> Value {
    let mut args = Map::new();
    let odd = [
        json!(null),
        json!(5),
        json!("a"),
        json!([]),
        json!({}),
        json!(true),
        json!(u64::MAX),
        json!(-0.5),
    ];
    let keys = [
        "command", "path", "text", "n", "f", "flag", "list", "map", "none",
    ];
    for key in keys {
        if random.chance(if is_odd { 20 } else { 1 }) {
            continue;
        }
        let text = json!(*random.of(&TEXTS));
        let usual = match key {
            "command" if random.chance(10) => json!(["sh", "-c", text]),
            "n" => json!(*random.of(&[0, 1, 7, -5, i64::MAX])),
            "f" => json!(*random.of(&[0.5, 0.75, 2.0])),
            "flag" => json!(random.chance(50)),
            "list" => json!([*random.of(&[1, 7]), "a", text]),
            "map" => json!({ "x": text, "y": random.below(3) }),
            "none" => Value::Null,
            _ => text,
        };
        let value = if is_odd && random.chance(25) {
            random.of(&odd).clone()
        } else {
            usual
        };
        args.insert(key.into(), value);
    }
    // Other names of arguments, with which some of them may differ.
    for (ours, other) in [
        ("path", "file_path"),
        ("command", "cmd"),
        ("path", "filename"),
    ] {
        if random.chance(6)
            && let Some(value) = args.remove(ours)
        {
            args.insert(other.into(), value.clone());
            if random.chance(30) {
                args.insert(ours.into(), json!("differs"));
            }
        }
    }
    if random.chance(1) {
        args.insert("long".into(), json!("x".repeat(270_000)));
    }
    args.into()
}

fn context(random: &mut Random, group: usize) -> AgentContext {
    let mut cx = AgentContext::new("s").with_agent_id(format!("g{group}"));
    cx.depth = u32::try_from(random.below(3)).unwrap();
    cx.channel = (*random.of(&TEXTS)).into();
    cx.tenant_id = random.chance(50).then(|| "acme".into());
    if random.chance(90) {
        cx.extra.insert("who".into(), json!(*random.of(&TEXTS)));
    }
    cx
}

/// Asks both about random events of one kind.
async fn ask(
    told: &mut Told,
    random: &mut Random,
    (compiled, loaded): (&impl AgentHooks, &impl AgentHooks),
    cx: &AgentContext,
    kind: &'static str,
) {
    let is_odd = random.chance(25);
    let text = |random: &mut Random| (*random.of(&TEXTS)).to_owned();
    let attempt = u32::try_from(random.below(10)).unwrap();
    macro_rules! both {
        ($event:expr) => {{
            let mut event = $event;
            let (mut other, was) = (event.clone(), format!("{event:?}"));
            let one = compiled.intercept(cx, &mut event).await;
            let two = loaded.intercept(cx, &mut other).await;
            let (one, two) = (format!("{one:?} {event:?}"), format!("{two:?} {other:?}"));
            told.add(kind, &format!("{} {was}", cx.agent_id), one, two, &was);
        }};
    }
    let name = (*random.of(&TOOLS)).to_owned();
    let id = if random.chance(15) { "late" } else { "7" };
    let args = args(random, is_odd);
    match kind {
        "BeforeToolCall" => {
            let mut call = BeforeToolCall::new(id, name, args);
            call.annotations.destructive = random.chance(30).then_some(true);
            both!(call);
        }
        "AfterToolCall" => {
            let call = BeforeToolCall::new(id, name, args);
            both!(AfterToolCall::of(
                call,
                ToolOutput::new(text(random)),
                std::time::Duration::from_secs(1)
            ));
        }
        "InvalidToolCall" => both!(InvalidToolCall {
            id: id.into(),
            name,
            args,
            error: text(random),
            ..InvalidToolCall::default()
        }),
        "ApproveToolCall" => {
            let call = BeforeToolCall::new(id, name, args);
            both!(ApproveToolCall::from(&call));
        }
        "SessionStart" => both!(SessionStart {
            session_id: text(random),
            channel: text(random),
            ..SessionStart::default()
        }),
        "MessageReceived" => both!(MessageReceived {
            channel: text(random),
            sender: text(random),
            content: text(random),
            ..MessageReceived::default()
        }),
        "BeforeModelResolve" => both!(BeforeModelResolve {
            provider: text(random),
            model: text(random),
        }),
        "BeforePromptBuild" => both!(BeforePromptBuild {
            prompt: text(random)
        }),
        "BeforeLlmCall" => both!(BeforeLlmCall {
            provider: text(random),
            model: text(random),
            ..BeforeLlmCall::default()
        }),
        "LlmFailed" => both!(LlmFailed {
            provider: text(random),
            model: text(random),
            error: text(random),
            attempt,
        }),
        "AfterLlmCall" => both!(AfterLlmCall::new(
            text(random),
            LlmResponse::new(text(random)),
            attempt
        )),
        "SubagentStart" => both!(SubagentStart {
            id: text(random),
            agent: text(random),
            prompt: text(random),
            ..SubagentStart::default()
        }),
        "BeforeStop" => both!(BeforeStop {
            response: text(random),
            attempt
        }),
        "MessageSending" => both!(MessageSending {
            channel: text(random),
            recipient: text(random),
            content: text(random),
        }),
        _ => both!(BeforeCompact {
            trigger: text(random),
            instructions: text(random),
        }),
    }
}

/// The rules of each group, as a file.
fn of_groups() -> Vec<String> {
    let mut groups = vec![String::new(); GROUPS];
    for entry in TEXT.split("[[hooks.on]]\nname = \"g").skip(1) {
        let (group, _) = entry.split_once('-').unwrap();
        let group: usize = group.parse().unwrap();
        groups[group].push_str("[[hooks.on]]\nname = \"g");
        groups[group].push_str(entry);
    }
    groups
}

/// Asks both about events of groups; those of the file may have been changed.
async fn compare(groups: usize, change: impl Fn(String) -> String) -> Told {
    let mut told = Told::default();
    let mut random = Random(7);
    let compiled = compiled();
    for (group, text) in of_groups().into_iter().take(groups).enumerate() {
        let text = change(text);
        let runtime = Runtime::builder().text(&text).build().await;
        let runtime = runtime.unwrap_or_else(|error| panic!("{text}\n{error}"));
        let loaded = hooks![late, ..runtime];
        let is_of = |event: &str| text.contains(&format!("event = \"{event}\""));
        for about in EVENTS.iter().filter(|about| is_of(about.0)) {
            for _ in 0..20 {
                let cx = context(&mut random, group);
                ask(&mut told, &mut random, (&compiled, &loaded), &cx, about.0).await;
            }
        }
    }
    told
}

#[tokio::test]
async fn compiled_and_loaded_rules_say_the_same() {
    let told = compare(GROUPS, |text| text).await;
    let Told {
        cases,
        decided,
        failed,
        differ,
        events,
    } = told;
    println!(
        "{cases} cases, {decided} decided, {failed} failed, {} differ: {events:?}",
        differ.len()
    );
    assert!(
        differ.is_empty(),
        "{} differ\n{}",
        differ.len(),
        differ[..differ.len().min(10)].join("\n")
    );
    assert_eq!(events.len(), EVENTS.len());
    assert!(failed * 5 < cases, "{failed} of {cases} failed");
    assert!(failed * 100 > cases && decided * 3 > cases, "{decided}");
}

/// A test that finds nothing would say that all is well.
#[tokio::test]
async fn planted_mistakes_are_found() {
    for (right, wrong) in [
        ("&&", "||"),
        (".contains(", ".startsWith("),
        (" <= ", " < "),
        ("size(", "1 + size("),
        ("priority = 2\n", "priority = -2\n"),
        ("tools = \"shell\"", "tools = \"file_read\""),
        ("this is {{so}}", "this is so"),
        ("on_failure = \"skip\"\n", ""),
    ] {
        let told = compare(GROUPS / 8, |text| text.replace(right, wrong)).await;
        assert!(!told.differ.is_empty(), "{wrong:?} for {right:?}");
        // A mistake in one place changes a part of the cases.
        assert!(
            told.differ.len() * 4 < told.cases,
            "{wrong:?} for {right:?}"
        );
    }
}
