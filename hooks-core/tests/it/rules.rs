//! A hook with several rows, as `include!` in a list writes it: each rule has its own name in plans, decisions and probes.

use std::fmt::Display;
use std::sync::Mutex;

use hooks_core::__private::{
    Changes, Does, Judges, OnMany, Rejudges, Row, RuleRow, RuleSet, Rules, Runs, Says,
};
use hooks_core::agent::*;
use hooks_core::probe::{Probe, Ran};
use hooks_core::{Event, HookAction, HookRegistry, Scope, hook, hooks};
use serde_json::json;

use crate::common::cx;

const GUARD: Row = Row::new(Some(BeforeToolCall::INFO), Runs::Sync).guard();
const CHANGE: Row = Row::new(Some(BeforeToolCall::INFO), Runs::Sync).changes(true);

/// Two guards, of a tool `a`, and of a tool that ends with `!`, and a rule after them that changes a tool `z`.
struct Two;

impl RuleSet for Two {
    type Vocabulary = AgentEvent<'static>;
    type Rank = hooks_core::__rank!(7);
    type Answers = OnMany<BeforeToolCall>;
    const ROWS: &'static [RuleRow] = &[
        RuleRow {
            name: "no-a",
            source: "hooks.toml:1",
            rows: &[GUARD],
        },
        RuleRow {
            name: "no-mark",
            source: "hooks.toml:6",
            rows: &[GUARD],
        },
        RuleRow {
            name: "marks-z",
            source: "hooks.toml:8",
            rows: &[CHANGE],
        },
    ];
}

impl Judges<BeforeToolCall> for Two {
    type Facts = Rejudges;

    fn says(
        _: &AgentContext,
        call: &BeforeToolCall,
        from: usize,
        again: bool,
    ) -> Option<Says<BeforeToolCall>> {
        if from == 0 && call.name == "a" {
            return Some(Says::Cancels(0, Scope::Event, "not a".into()));
        }
        if from <= 1 && call.name.ends_with('!') {
            return Some(Says::Cancels(1, Scope::Turn, "no mark".into()));
        }
        (from <= 2 && !again && call.name == "z").then(|| adds(2, "!"))
    }
}

/// The rule that adds something to the name of the tool.
fn adds(nth: usize, what: &'static str) -> Says<BeforeToolCall> {
    let act = move |call: &mut BeforeToolCall| {
        call.name.push_str(what);
        Ok(HookAction::Continue)
    };
    let does = Does {
        changes: true,
        blocks: false,
        act: Box::new(act),
    };
    Says::Does(nth, does)
}

/// Three rules that change the call, or fail.
struct Three;

impl RuleSet for Three {
    type Vocabulary = AgentEvent<'static>;
    type Rank = hooks_core::__rank!(0);
    type Answers = OnMany<BeforeToolCall>;
    const ROWS: &'static [RuleRow] = &[
        RuleRow {
            name: "first",
            source: "hooks.toml:11",
            rows: &[CHANGE],
        },
        RuleRow {
            name: "fails",
            source: "hooks.toml:16",
            rows: &[CHANGE],
        },
        RuleRow {
            name: "last",
            source: "hooks.toml:21",
            rows: &[CHANGE],
        },
    ];
}

impl Judges<BeforeToolCall> for Three {
    type Facts = Changes;

    fn says(
        _: &AgentContext,
        call: &BeforeToolCall,
        from: usize,
        again: bool,
    ) -> Option<Says<BeforeToolCall>> {
        assert!(!again, "there is no guard among them");
        match from {
            0 => Some(adds(0, "1")),
            1 if call.name == "plain1" => Some(Says::Fails(1, "it has no value".into())),
            1 if call.name == "strict1" => Some(Says::Does(
                1,
                Does {
                    changes: true,
                    blocks: true,
                    act: Box::new(|_| Err("it does not fit".into())),
                },
            )),
            1 | 2 => Some(adds(2, "!")),
            _ => None,
        }
    }
}

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl Probe<AgentEvent<'static>> for Log {
    type State = ();

    fn begin(&self, _: &AgentContext, _: AgentEvent<'_>) {}

    fn changing(&self, (): &mut (), event: AgentEvent<'_>) {
        self.add(format!("changing {}", name(event)));
    }

    fn ran(&self, (): &mut (), hook: Ran<'_>, event: AgentEvent<'_>) {
        let (action, event) = (hook.action.word(), name(event));
        self.add(format!("{} {action} {} {event}", hook.name, hook.changed));
    }

    fn failed(&self, (): &mut (), hook: &str, failure: &dyn Display, event: AgentEvent<'_>) {
        self.add(format!("{hook} failed: {failure}: {}", name(event)));
    }
}

fn name(event: AgentEvent<'_>) -> &str {
    match event {
        AgentEvent::BeforeToolCall(call) => &call.name,
        _ => "",
    }
}

/// What the hooks decide about a call, and what a probe is told.
fn asked(tool: &str) -> (String, Vec<String>) {
    let log = Log::default();
    let hooks = hooks![Rules::<Three>::NEW, Rules::<Two>::NEW];
    let mut call = BeforeToolCall::new("1", tool, json!({}));
    let result = hooks.with_probe(&log).intercept_now(&cx(), &mut call);
    let cancel = result.as_cancel().map(ToString::to_string);
    (cancel.unwrap_or(call.name), log.0.into_inner().unwrap())
}

#[test]
fn a_rule_cancels_under_its_own_name() {
    let (cancel, told) = asked("a");
    assert_eq!(cancel, "hook `no-a` blocked the event: not a");
    assert_eq!(told, ["no-a block false a"]);
}

#[test]
fn a_guard_among_rules_judges_again_what_later_rules_have_changed() {
    let (cancel, told) = asked("x");
    assert_eq!(cancel, "hook `no-mark` aborted the turn: no mark");
    assert_eq!(
        told,
        [
            "changing x",
            "first continue true x1",
            "changing x1",
            "last continue true x1!",
            "no-mark abort_turn false x1!",
        ]
    );
}

#[test]
fn a_guard_judges_again_what_a_rule_of_the_same_priority_has_changed() {
    let hooks = hooks![Rules::<Two>::NEW];
    let mut call = BeforeToolCall::new("1", "z", json!({}));
    let result = hooks.intercept_now(&cx(), &mut call);
    assert_eq!(result.as_cancel().unwrap().hook, "no-mark");
}

#[test]
fn a_rule_that_fails_is_told_and_the_next_one_runs() {
    let (cancel, told) = asked("plain");
    assert_eq!(cancel, "hook `no-mark` aborted the turn: no mark");
    assert_eq!(told[2], "fails failed: it has no value: plain1");
    let (cancel, told) = asked("strict");
    assert_eq!(cancel, "hook `fails` blocked the event: it does not fit");
    assert_eq!(told.last().unwrap(), "fails block false strict1");
}

#[hook(priority = 3)]
fn between(_: &BeforeToolCall) {}

#[test]
fn a_plan_has_a_row_for_each_rule_with_its_place_in_the_file() {
    let rules = hooks![Rules::<Three>::NEW, Rules::<Two>::NEW];
    let hooks = hooks![between, &rules];
    assert_eq!(
        hooks.plan().to_string(),
        "\
order  hook     priority  event           runs
1      no-a            7  BeforeToolCall  sync, guard, judges again after `marks-z`, hooks.toml:1
2      no-mark         7  BeforeToolCall  sync, guard, judges again after `marks-z`, hooks.toml:6
3      marks-z         7  BeforeToolCall  sync, hooks.toml:8
4      between         3  BeforeToolCall  sync
5      first           0  BeforeToolCall  sync, hooks.toml:11
6      fails           0  BeforeToolCall  sync, hooks.toml:16
7      last            0  BeforeToolCall  sync, hooks.toml:21
"
    );
    let sources = hooks.plan().filter_map(|row| row.source).count();
    assert_eq!(sources, 6);
}

#[test]
fn rules_behind_a_box_say_the_same() {
    let hooks = HookRegistry::<AgentEvent<'static>>::new().with(hooks![Rules::<Two>::NEW]);
    let mut call = BeforeToolCall::new("1", "a", json!({}));
    let result = futures_now(hooks.intercept(&cx(), &mut call));
    assert_eq!(result.as_cancel().unwrap().hook, "no-a");
}

/// Awaits hooks that wait for nothing.
fn futures_now<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(future)
}
