//! `run_turn_concurrent`: what its calls do at the same time, and what they do not do to each other.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_core::agent::*;
use hooks_core::{HookAction, Scope, hook, hooks};
use proptest::prelude::*;
use regex::Regex;
use serde_json::{Value, json};

use super::fixtures::*;
use super::random::{LETTERS, answered, answers, says};
use super::turn::{assert_is_whole, calls, conversation};

/// A turn whose model gives these answers, polled often enough for every future that makes progress.
fn run<H: AgentHooks>(
    hooks: &H,
    conversation: &mut Conversation,
    answers: Vec<LlmResponse>,
    tool: impl AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone,
) -> Option<Result<TurnResult, RunError>> {
    let answers = RefCell::new(answers.into_iter());
    let cx = cx();
    let model = async |_: &BeforeLlmCall, _: Deltas<'_>| {
        yield_once().await;
        let answer = answers.borrow_mut().next();
        Ok::<_, String>(answer.unwrap_or_else(|| LlmResponse::new("Done.")))
    };
    let turn = run_turn_concurrent(hooks, &cx, conversation, "Go.", model, tool);
    poll_times(pin!(turn), 1000)
}

/// Waits until it is so. A test in which it never is runs out of polls.
async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        yield_once().await;
    }
}

fn number(id: &str) -> usize {
    id.strip_prefix('c').unwrap().parse().unwrap()
}

/// The outputs of the calls, as the model reads them.
fn outputs(conversation: &Conversation) -> Vec<&str> {
    let messages = conversation.request.messages.iter();
    let outputs = messages.filter(|one| one.role == Role::Tool);
    outputs.map(|one| one.content.as_str()).collect()
}

/// The events of one call, in order.
fn events_of(recorder: &Recorder, id: &str) -> Vec<String> {
    let of_it = |event: &Value| event["id"] == id;
    let name = |event: Value| event["event"].as_str().unwrap().to_owned();
    recorder
        .events()
        .into_iter()
        .filter(of_it)
        .map(name)
        .collect()
}

/// Each call waits for the one after it, so one after the other they would wait for ever.
#[test]
fn calls_run_at_the_same_time_and_their_outputs_have_the_order_of_the_calls() {
    let recorder = Recorder::default();
    let mut conversation = conversation();
    let done = Cell::new(3);
    let hooks = hooks![
        &recorder,
        Says::new("BeforeToolCall", Say::Context),
        Says::new("AfterToolCall", Say::Context).times(1),
    ];
    let answers = vec![calls(&["shell", "shell", "shell"])];
    let turn = run(&hooks, &mut conversation, answers, async |call| {
        until(|| done.get() == number(&call.id) + 1).await;
        done.set(done.get() - 1);
        ToolOutput::new(call.id.as_str())
    });
    let response = turn.expect("the calls wait for each other").unwrap();
    assert_eq!(response.response, "Done.");

    assert_eq!(outputs(&conversation), ["c0", "c1", "c2"]);
    assert_is_whole(&conversation.request.messages);
    let tool = [
        "BeforeToolCall",
        "ApproveToolCall",
        "ToolCallStart",
        "AfterToolCall",
        "ToolCallEnd",
    ];
    for id in ["c0", "c1", "c2"] {
        assert_eq!(events_of(&recorder, id), tool, "{id}");
    }
    // The last call ended first, and only it got context after the tool.
    let ends: Vec<_> = recorder
        .all("ToolCallEnd")
        .iter()
        .map(|end| end["id"].clone())
        .collect();
    assert_eq!(ends, ["c2", "c1", "c0"]);
    let messages = &conversation.request.messages;
    let context = messages
        .iter()
        .skip(1)
        .filter(|one| one.role == Role::System);
    let context: Vec<_> = context.map(|one| one.content.as_str()).collect();
    let [before, after] = ["beside BeforeToolCall", "beside AfterToolCall"];
    assert_eq!(context, [before, before, before, after]);
}

#[test]
fn at_most_eight_calls_run_at_once_and_all_of_them_run() {
    let mut conversation = conversation();
    let (running, most, started) = (AtomicUsize::new(0), Cell::new(0), RefCell::new(Vec::new()));
    let turn = run(
        &hooks![],
        &mut conversation,
        vec![calls(&["shell"; 20])],
        async |call| {
            let _running = Guard::of(&running);
            started.borrow_mut().push(number(&call.id));
            most.set(most.get().max(running.load(Ordering::SeqCst)));
            // Calls with an even number take longer.
            for _ in 0..=number(&call.id) % 2 {
                yield_once().await;
            }
            ToolOutput::new(call.id.as_str())
        },
    );
    assert!(turn.unwrap().is_ok());
    assert_eq!(most.get(), 8);
    assert_eq!(started.into_inner(), (0..20).collect::<Vec<_>>());
    let expected: Vec<_> = (0..20).map(|at| format!("c{at}")).collect();
    assert_eq!(outputs(&conversation), expected);
}

#[test]
fn a_blocked_and_an_invalid_call_leave_the_others_alone() {
    let recorder = Recorder::default();
    let mut conversation = conversation();
    let hooks = hooks![&recorder, Says::new("BeforeToolCall", Say::Block).times(1)];
    let answers = vec![calls(&["shell", "fly", "shell"])];
    let turn = run(&hooks, &mut conversation, answers, async |_| {
        ToolOutput::new("tool")
    });
    assert!(turn.unwrap().is_ok());
    let expected = [
        "hook `Says` blocked the event: enough",
        "there is no tool `fly`",
        "tool",
    ];
    assert_eq!(outputs(&conversation), expected);
}

#[test]
fn calls_without_ids_keep_their_outputs_apart() {
    let mut conversation = conversation();
    let mut answer = calls(&["shell", "shell"]);
    for (at, call) in answer.tool_calls.iter_mut().enumerate() {
        call.id.clear();
        call.args = json!({ "at": at });
    }
    let is_last_done = Cell::new(false);
    let turn = run(&hooks![], &mut conversation, vec![answer], async |call| {
        if call.args["at"] == 0 {
            until(|| is_last_done.get()).await;
        }
        is_last_done.set(true);
        ToolOutput::new(call.args["at"].to_string())
    });
    assert!(turn.unwrap().is_ok());
    assert_eq!(outputs(&conversation), ["0", "1"]);
}

#[test]
fn a_turn_ends_only_if_the_user_has_the_answers_of_all_calls() {
    #[hook(when = |done| done.id != "c2")]
    fn handled(done: &mut AfterToolCall) {
        done.output.response_handled = true;
    }
    for (names, response) in [(&["shell"; 2][..], ""), (&["shell"; 3], "Done.")] {
        let mut conversation = conversation();
        let tool = async |_: &BeforeToolCall| ToolOutput::new("tool");
        let turn = run(
            &hooks![handled],
            &mut conversation,
            vec![calls(names)],
            tool,
        );
        assert_eq!(turn.unwrap().unwrap().response, response);
    }
}

/// Of five calls, the second ends the turn while the first and the third run; the fourth is over, and hooks are still
/// hearing of the end of the last.
#[test]
fn an_abort_drops_the_other_calls_and_each_has_one_end_and_one_output() {
    #[hook(when = |end| end.id == "c4")]
    async fn hears(_: &ToolCallEnd<'_>) {
        until(|| false).await;
    }
    /// Waits for what the last call tells.
    struct Aborts<'a>(&'a Recorder);
    #[hook(when = |after| after.id == "c1")]
    impl Aborts<'_> {
        async fn abort(&self, _: &AfterToolCall) -> HookAction<AfterToolCall> {
            until(|| self.0.count("ToolCallEnd") == 2).await;
            HookAction::abort_turn("enough")
        }
    }
    let recorder = Recorder::default();
    let mut with_tools = conversation();
    let working = AtomicUsize::new(0);
    let hooks = hooks![&recorder, hears, Aborts(&recorder)];
    let answers = vec![calls(&["shell"; 5])];
    let turn = run(&hooks, &mut with_tools, answers, async |call| {
        let _working = Guard::of(&working);
        until(|| number(&call.id) % 2 == 1 || call.id == "c4").await;
        ToolOutput::new("tool")
    });
    let cancel = cancel("Aborts", Scope::Turn);
    assert_eq!(turn.unwrap(), Err(RunError::Cancelled(cancel.clone())));
    assert_eq!(working.load(Ordering::SeqCst), 0);

    let running = [
        "BeforeToolCall",
        "ApproveToolCall",
        "ToolCallStart",
        "ToolCallSkipped",
    ];
    let whole = [
        "BeforeToolCall",
        "ApproveToolCall",
        "ToolCallStart",
        "AfterToolCall",
        "ToolCallEnd",
    ];
    assert_eq!(events_of(&recorder, "c0"), running);
    assert_eq!(events_of(&recorder, "c1"), whole);
    assert_eq!(events_of(&recorder, "c2"), running);
    assert_eq!(events_of(&recorder, "c3"), whole);
    assert_eq!(events_of(&recorder, "c4"), whole);
    for skipped in recorder.all("ToolCallSkipped") {
        assert_eq!(
            (&skipped["by"], &skipped["reason"]),
            (&json!("Aborts"), &json!("enough"))
        );
    }
    assert_eq!(recorder.only("AgentEnd")["status"], "aborted");

    let why = cancel.to_string();
    assert_eq!(outputs(&with_tools), [&why, &why, &why, "tool", &why]);
    assert_is_whole(&with_tools.request.messages);
    let again = run(&hooks![], &mut with_tools, vec![], async |_| {
        ToolOutput::default()
    });
    assert!(again.unwrap().is_ok());
}

/// Calls that have not begun are told of as well, with what the agent knows about their tools.
#[test]
fn an_abort_skips_the_calls_that_have_not_begun() {
    let known = ToolAnnotations {
        read_only: Some(true),
        ..ToolAnnotations::default()
    };
    let recorder = Recorder::default();
    let mut conversation = conversation().with_annotations("shell", known);
    let hooks = hooks![&recorder, Says::new("BeforeToolCall", Say::AbortRun)];
    let answers = vec![calls(&["shell"; 12])];
    let turn = run(&hooks, &mut conversation, answers, async |_| {
        ToolOutput::default()
    });
    assert!(
        matches!(turn.unwrap(), Err(RunError::Cancelled(cancel)) if cancel.scope == Scope::Run)
    );
    assert_eq!(recorder.count("BeforeToolCall"), 1);
    let skipped = recorder.all("ToolCallSkipped");
    assert_eq!(skipped.len(), 12);
    assert!(skipped.iter().all(|one| one["annotations"] == json!(known)));
    assert_is_whole(&conversation.request.messages);
}

/// After any number of polls, what ran is dropped, and the next turn goes on with what is there.
#[test]
fn a_turn_is_dropped_in_each_state_and_the_next_one_goes_on() {
    for polls in 0.. {
        let (recorder, working) = (Recorder::default(), AtomicUsize::new(0));
        let ended = Mutex::new(Vec::new());
        let mut conversation = conversation();
        let is_done = {
            let hooks = hooks![&recorder, waits];
            let (cx, asked) = (cx(), Cell::new(0));
            let model = async |_: &BeforeLlmCall, _: Deltas<'_>| {
                asked.set(asked.get() + 1);
                yield_once().await;
                Ok::<_, String>(match asked.get() {
                    1 => calls(&["shell", "fly", "shell", "shell"]),
                    _ => LlmResponse::new("Done."),
                })
            };
            let tool = async |call: &BeforeToolCall| {
                let _working = Guard::of(&working);
                // The first call takes the longest.
                for _ in number(&call.id)..5 {
                    yield_once().await;
                }
                ended.lock().unwrap().push(call.id.clone());
                ToolOutput::new(call.id.as_str())
            };
            let turn = run_turn_concurrent(&hooks, &cx, &mut conversation, "Go.", model, tool);
            poll_times(pin!(turn), polls).is_some()
        };
        assert_eq!(working.load(Ordering::SeqCst), 0, "{polls} polls");
        for id in ["c0", "c1", "c2", "c3"] {
            let events = events_of(&recorder, id);
            let is_end =
                |name: &&String| ["ToolCallEnd", "ToolCallSkipped"].contains(&name.as_str());
            assert!(
                events.iter().filter(is_end).count() <= 1,
                "{polls} polls: {events:?}"
            );
        }
        assert_is_whole(&conversation.request.messages);
        let told = outputs(&conversation);
        let mut interrupted = 0;
        for (at, output) in told.iter().enumerate() {
            match *output {
                "the call was interrupted" => interrupted += 1,
                "there is no tool `fly`" => assert_eq!(at, 1),
                output => assert_eq!(output, format!("c{at}")),
            }
        }
        assert!(!is_done || (told.len(), interrupted) == (4, 0), "{told:?}");

        let next = run(&hooks![], &mut conversation, vec![], async |_| {
            ToolOutput::default()
        });
        assert_eq!(next.unwrap().unwrap().response, "Done.");
        if is_done {
            // The calls were in all of these states at once.
            assert_eq!(ended.into_inner().unwrap(), ["c3", "c2", "c0"]);
            break;
        }
    }
}

#[test]
fn a_turn_that_runs_one_call_at_a_time_has_no_room_for_more() {
    let (hooks, cx, mut conversation) = (hooks![waits], cx(), conversation());
    let model = async |_: &BeforeLlmCall, _: Deltas<'_>| Ok::<_, String>(LlmResponse::new("Hi."));
    let tool = async |call: &BeforeToolCall| {
        let held = [0_u8; 512];
        yield_once().await;
        ToolOutput::new(format!("{} {held:?}", call.name))
    };
    let one = size_of_val(&run_turn(
        &hooks,
        &cx,
        &mut conversation,
        "Go.",
        model,
        tool,
    ));
    let many = size_of_val(&run_turn_concurrent(
        &hooks,
        &cx,
        &mut conversation,
        "Go.",
        model,
        tool,
    ));
    assert!(many > one + 7 * 512, "{one} {many}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// As for `run_turn`, but calls of one answer interleave, and one that is dropped ends early.
    #[test]
    fn each_call_keeps_the_contract_whatever_hooks_say(
        says in prop::collection::vec(says(), 5),
        script in answers(),
    ) {
        let says: Vec<_> = says
            .into_iter()
            .map(|one| one.map(|(on, say, times)| Says::new(on, say).times(times)))
            .collect();
        let [a, b, c, d, e] = &says[..] else { unreachable!("there are five") };
        let recorder = Recorder::default();
        let (hooks, cx, asked) = (hooks![&recorder, a, b, c, d, e, waits], cx(), Cell::new(0));
        let mut conversation = conversation();
        let done = now(run_turn_concurrent(
            &hooks,
            &cx,
            &mut conversation,
            "Go.",
            async |request: &BeforeLlmCall, _: Deltas<'_>| {
                assert_is_whole(&request.messages);
                let answer = answered(asked.get(), script.get(asked.get()));
                asked.set(asked.get() + 1);
                yield_once().await;
                answer
            },
            async |call: &BeforeToolCall| {
                for _ in 0..call.id.bytes().last().unwrap_or(0) % 3 {
                    yield_once().await;
                }
                ToolOutput::new("tool")
            },
        ));

        let letter = |name: &str| LETTERS.iter().find(|(known, _)| *known == name).unwrap().1;
        let of_call = Regex::new("^(?:v?t(?:g?x|gcme|me)|v(?:x|me)|v?(?:t(?:gc?)?)?m?x)$").unwrap();
        for (at, answer) in script.iter().enumerate() {
            let count = answer.as_ref().map_or(0, Vec::len);
            let calls = (0..count).map(|number| {
                let events = events_of(&recorder, &format!("{at}.{number}"));
                events.iter().map(|name| letter(name)).collect::<String>()
            });
            let calls: Vec<_> = calls.collect();
            let is_whole = calls.iter().all(|call| of_call.is_match(call));
            // An answer that was rejected, or that no one asked for, has no calls.
            let is_nothing = calls.iter().all(String::is_empty);
            prop_assert!(is_whole || is_nothing, "{calls:?}: {:?}", recorder.names());
        }
        let is_call = |letter: &char| "vtgcmex".contains(*letter);
        let turn: String = recorder.names().iter().map(|name| letter(name)).filter(|one| !is_call(one)).collect();
        let order = Regex::new("^s(?:rp?)?(?:ba?(?:if|ioa)*z?)*q?w$").unwrap();
        prop_assert!(order.is_match(&turn), "{turn}");
        let has_aborted = says.iter().flatten().any(Says::has_aborted);
        let is_aborted = matches!(&done, Err(RunError::Cancelled(cancel)) if cancel.scope > Scope::Event);
        prop_assert_eq!(is_aborted, has_aborted);
        assert_is_whole(&conversation.request.messages);
    }
}
