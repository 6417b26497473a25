//! `run_tool_call` and `run_invalid_tool_call`.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_core::agent::*;
use hooks_core::{Cancel, HookAction, Next, Scope, hook, hooks};
use serde_json::json;

use super::fixtures::*;

const RAN: [&str; 5] = [
    "BeforeToolCall",
    "ApproveToolCall",
    "ToolCallStart",
    "AfterToolCall",
    "ToolCallEnd",
];
const ANSWERED: [&str; 3] = ["BeforeToolCall", "AfterToolCall", "ToolCallEnd"];
const BLOCKED: [&str; 2] = ["BeforeToolCall", "ToolCallSkipped"];
const DENIED: [&str; 3] = ["BeforeToolCall", "ApproveToolCall", "ToolCallSkipped"];

fn run(hooks: &impl AgentHooks) -> Result<ToolCallResult, Cancel> {
    now(run_tool_call(
        hooks,
        &cx(),
        call(),
        async |_: &BeforeToolCall| {
            yield_once().await;
            ToolOutput::new("tool")
        },
    ))
}

fn check(call: &BeforeToolCall) -> Result<(), String> {
    if call.name == "shell" {
        Ok(())
    } else {
        Err(format!("there is no tool `{}`", call.name))
    }
}

fn run_invalid(hooks: &impl AgentHooks) -> Result<ToolCallResult, Cancel> {
    let invalid = InvalidToolCall::new("c1", "bash", json!({}), "there is no tool `bash`");
    now(run_invalid_tool_call(
        hooks,
        &cx(),
        invalid,
        check,
        async |_: &BeforeToolCall| ToolOutput::new("tool"),
    ))
}

/// Each row: what a hook says, and on what; which events follow, how it came out, and what the model reads.
#[test]
fn a_call_raises_its_events_in_the_order_of_the_table() {
    use ToolOutcome::{Answered, Deferred, Ran, Skipped};
    let later = "hook `approval` blocked the event: the tool call has to wait until a person decides about it: the owner decides";
    let asked = "hook `approval` blocked the event: no person approved the tool call, and a hook requires it: it is dear";
    let blocked = "hook `Says` blocked the event: enough";
    for (on, say, raised, outcome, output) in [
        ("", Say::Continue, &RAN[..], Ran, "tool"),
        ("BeforeToolCall", Say::Modify, &RAN, Ran, "tool"),
        (
            "BeforeToolCall",
            Say::Answer,
            &ANSWERED,
            Answered,
            "answered",
        ),
        ("BeforeToolCall", Say::Block, &BLOCKED, Skipped, blocked),
        ("BeforeToolCall", Say::Ask, &DENIED, Skipped, asked),
        ("BeforeToolCall", Say::Defer, &DENIED, Deferred, later),
        ("BeforeToolCall", Say::Grant, &RAN, Ran, "tool"),
        ("ApproveToolCall", Say::Answer, &RAN, Ran, "tool"),
        ("ApproveToolCall", Say::Block, &DENIED, Skipped, blocked),
        ("AfterToolCall", Say::Modify, &RAN, Ran, "modified"),
        // The work is done: there is nothing to block.
        ("AfterToolCall", Say::Block, &RAN, Ran, "tool"),
        ("ToolCallStart", Say::AbortRun, &RAN, Ran, "tool"),
        ("ToolCallEnd", Say::AbortRun, &RAN, Ran, "tool"),
    ] {
        let recorder = Recorder::default();
        let done = run(&hooks![&recorder, Says::new(on, say)]).unwrap();
        assert_eq!(recorder.names(), raised, "{say:?} on {on}");
        assert_eq!(done.outcome, outcome, "{say:?} on {on}");
        assert_eq!(done.output.content, output, "{say:?} on {on}");
        let is_error = matches!(outcome, Skipped | Deferred);
        assert_eq!(done.output.is_error, is_error, "{say:?} on {on}");
        assert_eq!((done.id.as_str(), done.name.as_str()), ("c1", "shell"));
        let is_ended = recorder.count("ToolCallEnd") == 1;
        if is_ended {
            let end = recorder.only("ToolCallEnd");
            assert_eq!(end["output"]["content"], output);
            let said = if outcome == Ran { "ran" } else { "answered" };
            assert_eq!(end["outcome"], said);
        }
    }
}

#[test]
fn a_deferred_call_may_be_approved_at_once_or_blocked() {
    let deferred = Says::new("BeforeToolCall", Say::Defer);
    let done = run(&hooks![
        &deferred,
        Says::new("ApproveToolCall", Say::Answer)
    ])
    .unwrap();
    assert_eq!(done.outcome, ToolOutcome::Ran);
    let deferred = Says::new("BeforeToolCall", Say::Defer);
    let done = run(&hooks![&deferred, Says::new("ApproveToolCall", Say::Block)]).unwrap();
    assert_eq!(done.outcome, ToolOutcome::Skipped);
}

#[test]
fn a_hook_named_as_the_approval_that_blocks_a_deferred_call_skips_it() {
    #[hook(name = "approval", priority = -1)]
    fn blocks(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("never")
    }
    let done = run(&hooks![Says::new("BeforeToolCall", Say::Defer), blocks]).unwrap();
    assert_eq!(done.outcome, ToolOutcome::Skipped);
}

#[test]
fn what_is_known_about_a_tool_is_in_every_event_of_its_call() {
    let known = ToolAnnotations {
        destructive: Some(true),
        ..ToolAnnotations::default()
    };
    for (say, count) in [(Say::Continue, 5), (Say::Block, 2)] {
        let recorder = Recorder::default();
        let call = BeforeToolCall::new("c1", "shell", json!({})).with_annotations(known);
        let hooks = hooks![&recorder, Says::new("BeforeToolCall", say)];
        now(run_tool_call(&hooks, &cx(), call, async |_| {
            ToolOutput::new("tool")
        }))
        .unwrap();
        let names = recorder.names();
        assert_eq!(names.len(), count);
        for name in names {
            let annotations = &recorder.only(&name)["annotations"];
            assert_eq!(annotations, &json!(known), "{name}");
        }
    }
}

#[test]
fn nothing_is_known_about_another_tool() {
    let known = ToolAnnotations {
        read_only: Some(true),
        ..ToolAnnotations::default()
    };
    let mut call = BeforeToolCall::new("c1", "list", json!({})).with_annotations(known);
    hooks_core::Patch::apply(ToolCallPatch::from(json!({ "path": "/" })), &mut call);
    assert_eq!(call.annotations, known);
    let other = ToolCallPatch {
        name: Some("delete".into()),
        args: None,
    };
    hooks_core::Patch::apply(other, &mut call);
    assert!(call.annotations.is_empty());
}

#[test]
fn an_abort_on_any_event_of_a_call_ends_it_once_and_is_returned() {
    for (on, answers, raised) in [
        ("BeforeToolCall", false, &BLOCKED[..]),
        ("ApproveToolCall", false, &DENIED),
        ("AfterToolCall", false, &RAN),
        ("AfterToolCall", true, &ANSWERED),
    ] {
        for (say, scope) in [(Say::AbortTurn, Scope::Turn), (Say::AbortRun, Scope::Run)] {
            let recorder = Recorder::default();
            let answers = answers.then(|| Says::new("BeforeToolCall", Say::Answer));
            let hooks = hooks![&recorder, answers, Says::new(on, say)];
            assert_eq!(run(&hooks), Err(cancel("Says", scope)), "{say:?} on {on}");
            assert_eq!(recorder.names(), raised, "{say:?} on {on}");
            if on != "AfterToolCall" {
                let skipped = recorder.only("ToolCallSkipped");
                assert_eq!(
                    (&skipped["by"], &skipped["reason"]),
                    (&json!("Says"), &json!("enough"))
                );
            }
        }
    }
}

#[test]
fn an_output_that_no_hook_let_pass_is_shown_to_nobody() {
    fn secret() -> ToolOutput {
        ToolOutput {
            for_user: Some("hunter2".into()),
            data: Some(json!("hunter2")),
            ..ToolOutput::new("hunter2")
        }
    }
    #[hook]
    fn answer(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::respond(secret())
    }
    for by_hook in [None, Some(answer)] {
        let recorder = Recorder::default();
        let hooks = hooks![
            &recorder,
            by_hook,
            Says::new("AfterToolCall", Say::AbortTurn)
        ];
        let done = now(run_tool_call(&hooks, &cx(), call(), async |_| secret()));
        assert_eq!(done, Err(cancel("Says", Scope::Turn)));
        let end = recorder.only("ToolCallEnd");
        let reason = "hook `Says` aborted the turn: enough";
        assert_eq!(end["output"]["content"], reason);
        assert_eq!(end["output"]["is_error"], true);
        assert!(!end.to_string().contains("hunter2"), "{end}");
    }
}

#[test]
fn an_answer_is_redacted_as_an_output_is() {
    #[hook]
    fn redact(after: &mut AfterToolCall) {
        after.output.content = after.output.content.replace("answered", "***");
        after.output.for_user = None;
    }
    let recorder = Recorder::default();
    let hooks = hooks![&recorder, redact, Says::new("BeforeToolCall", Say::Answer)];
    assert_eq!(run(&hooks).unwrap().output.content, "***");
    assert_eq!(recorder.only("ToolCallEnd")["output"]["content"], "***");
    assert_eq!(recorder.only("AfterToolCall")["duration"]["nanos"], 0);
}

#[test]
fn an_ask_needs_an_approved_and_a_grant_can_still_be_denied() {
    for (first, on_approve, outcome) in [
        (Say::Ask, Say::Continue, ToolOutcome::Skipped),
        (Say::Ask, Say::Answer, ToolOutcome::Ran),
        (Say::Ask, Say::Block, ToolOutcome::Skipped),
        (Say::Grant, Say::Continue, ToolOutcome::Ran),
        (Say::Grant, Say::Block, ToolOutcome::Skipped),
    ] {
        let recorder = Recorder::default();
        let hooks = hooks![
            &recorder,
            Says::new("BeforeToolCall", first),
            Says::new("ApproveToolCall", on_approve),
        ];
        assert_eq!(
            run(&hooks).unwrap().outcome,
            outcome,
            "{first:?}, {on_approve:?}"
        );
        let approval = &recorder.only("ApproveToolCall")["approval"];
        assert!(!approval.is_null(), "{approval}");
    }
}

#[test]
fn context_of_before_and_after_is_collected_in_order_and_kept_of_a_call_that_is_blocked() {
    let both = hooks![
        Says::new("BeforeToolCall", Say::Context),
        Says::new("AfterToolCall", Say::Context),
    ];
    let expected = ["beside BeforeToolCall", "beside AfterToolCall"];
    assert_eq!(run(&both).unwrap().context, expected);

    let blocked = hooks![
        Says::new("BeforeToolCall", Say::Context) @ 10,
        Says::new("BeforeToolCall", Say::Block),
    ];
    assert_eq!(run(&blocked).unwrap().context, expected[..1]);

    let answered = hooks![
        Says::new("BeforeToolCall", Say::Context) @ 10,
        Says::new("BeforeToolCall", Say::Answer),
        Says::new("AfterToolCall", Say::Context),
    ];
    assert_eq!(run(&answered).unwrap().context, expected);
}

#[test]
fn the_tool_is_given_the_call_as_hooks_left_it() {
    let hooks = hooks![Says::new("BeforeToolCall", Say::Modify)];
    let done = now(run_tool_call(
        &hooks,
        &cx(),
        call(),
        async |call: &BeforeToolCall| ToolOutput::new(call.args.to_string()),
    ));
    assert_eq!(
        done.unwrap().output.content,
        r#"{"command":"ls","modified":true}"#
    );
}

#[test]
fn an_invalid_call_is_repaired_answered_blocked_or_skipped() {
    use ToolOutcome::{Answered, Ran, Skipped};
    let repaired = [&["InvalidToolCall"][..], &RAN].concat();
    for (say, raised, outcome, output) in [
        (Say::Modify, &repaired[..], Ran, "tool"),
        (
            Say::Answer,
            &["InvalidToolCall", "AfterToolCall", "ToolCallEnd"],
            Answered,
            "answered",
        ),
        (
            Say::Block,
            &["InvalidToolCall", "ToolCallSkipped"],
            Skipped,
            "hook `Says` blocked the event: enough",
        ),
        (
            Say::Continue,
            &["InvalidToolCall", "ToolCallSkipped"],
            Skipped,
            "there is no tool `bash`",
        ),
    ] {
        let recorder = Recorder::default();
        let hooks = hooks![&recorder, Says::new("InvalidToolCall", say)];
        let done = run_invalid(&hooks).unwrap();
        assert_eq!(recorder.names(), raised, "{say:?}");
        assert_eq!(
            (done.outcome, done.output.content.as_str()),
            (outcome, output)
        );
    }
}

#[test]
fn an_abort_on_an_invalid_call_ends_it_once() {
    for (on, end) in [
        ("InvalidToolCall", "ToolCallSkipped"),
        ("BeforeToolCall", "ToolCallSkipped"),
        ("ApproveToolCall", "ToolCallSkipped"),
        ("AfterToolCall", "ToolCallEnd"),
    ] {
        let recorder = Recorder::default();
        let repair = Says::new("InvalidToolCall", Say::Modify);
        let hooks = hooks![&recorder, repair, Says::new(on, Say::AbortRun)];
        assert_eq!(run_invalid(&hooks), Err(cancel("Says", Scope::Run)), "{on}");
        let ends = recorder.count("ToolCallEnd") + recorder.count("ToolCallSkipped");
        assert_eq!((recorder.count(end), ends), (1, 1), "{on}");
    }
    let recorder = Recorder::default();
    let answer = Says::new("InvalidToolCall", Say::Answer);
    let hooks = hooks![&recorder, answer, Says::new("AfterToolCall", Say::AbortRun)];
    assert!(run_invalid(&hooks).is_err());
    assert_eq!(recorder.only("ToolCallEnd")["outcome"], "answered");
}

/// Holds a permit while the tool runs, and runs it again if it fails.
struct Retries {
    permits: AtomicUsize,
}

#[hook(around, only("shell"))]
impl Retries {
    async fn retry(&self, _: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        let _permit = Guard::of(&self.permits);
        let output = next.run().await;
        if output.is_error {
            return next.run().await;
        }
        output
    }
}

#[test]
fn a_hook_around_the_tool_retries_and_holds_a_permit() {
    let around = Retries {
        permits: AtomicUsize::new(0),
    };
    let recorder = Recorder::default();
    let tries = Cell::new(0);
    let hooks = hooks![&around, &recorder];
    let done = now(run_tool_call(
        &hooks,
        &cx(),
        call(),
        async |_: &BeforeToolCall| {
            yield_once().await;
            assert_eq!(around.permits.load(Ordering::SeqCst), 1);
            tries.set(tries.get() + 1);
            if tries.get() == 1 {
                ToolOutput::error("reset")
            } else {
                ToolOutput::new("tool")
            }
        },
    ));
    assert_eq!(done.unwrap().output.content, "tool");
    assert_eq!((tries.get(), around.permits.load(Ordering::SeqCst)), (2, 0));
    // The events are those of one call, however often the tool ran.
    assert_eq!(recorder.names(), RAN);
}

#[test]
fn hooks_around_a_tool_nest_by_priority() {
    #[hook(around, priority = 10)]
    async fn outer(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        yield_once().await;
        let output = next.run().await;
        ToolOutput::new(format!("outer({})", output.content))
    }
    #[hook(around)]
    async fn inner(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        let output = next.run().await;
        yield_once().await;
        ToolOutput::new(format!("inner({})", output.content))
    }
    #[hook(around, only("other"))]
    async fn never(_: &BeforeToolCall, _: Next<'_, BeforeToolCall>) -> ToolOutput {
        unreachable!("it is another tool's")
    }
    let hooks = hooks![never, inner, outer];
    assert_eq!(run(&hooks).unwrap().output.content, "outer(inner(tool))");
}

#[test]
fn a_hook_around_a_tool_may_answer_without_it() {
    #[hook(around)]
    async fn dry(_: &BeforeToolCall, _: Next<'_, BeforeToolCall>) -> ToolOutput {
        ToolOutput::new("dry run")
    }
    let recorder = Recorder::default();
    let done = now(run_tool_call(
        &hooks![dry, &recorder],
        &cx(),
        call(),
        async |_| unreachable!("a hook stands before it"),
    ));
    assert_eq!(done.unwrap().output.content, "dry run");
    assert_eq!(recorder.names(), RAN);
}

/// A duration is one that was measured, and only where a hook wants it is there a clock at all.
#[test]
fn a_call_has_a_duration() {
    let recorder = Recorder::default();
    let done = now(run_tool_call(
        &hooks![&recorder],
        &cx(),
        call(),
        async |_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            ToolOutput::new("tool")
        },
    ));
    assert!(done.is_ok());
    let nanos = |name: &str| recorder.only(name)["duration"]["nanos"].as_u64().unwrap();
    assert!(nanos("AfterToolCall") >= 2_000_000);
    assert_eq!(nanos("AfterToolCall"), nanos("ToolCallEnd"));
}

#[test]
fn a_hook_that_only_wants_the_end_of_a_call_gets_it() {
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    #[hook]
    fn ended(end: &ToolCallEnd<'_>) {
        assert_eq!(end.output.content, "tool");
        SEEN.fetch_add(1, Ordering::SeqCst);
    }
    assert_eq!(run(&hooks![ended]).unwrap().outcome, ToolOutcome::Ran);
    assert_eq!(SEEN.load(Ordering::SeqCst), 1);
}

/// A hook's error fails closed, and says so to the model.
#[test]
fn a_hook_that_fails_blocks_the_call() {
    #[hook]
    fn broken(_: &BeforeToolCall) -> Result<HookAction<BeforeToolCall>, &'static str> {
        Err("no connection")
    }
    let done = run(&hooks![broken]).unwrap();
    assert_eq!(done.outcome, ToolOutcome::Skipped);
    assert!(done.output.content.contains("no connection"));
}
