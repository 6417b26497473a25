//! `run_llm_call`.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_core::agent::*;
use hooks_core::{HookAction, Next, Scope, hook, hooks};
use serde_json::json;

use super::fixtures::*;

const BEFORE: [&str; 2] = ["BeforeLlmCall", "LlmInput"];
const AFTER: [&str; 2] = ["LlmOutput", "AfterLlmCall"];

fn request() -> BeforeLlmCall {
    BeforeLlmCall::new("openai", "large", vec![ChatMessage::user("Hello?")])
}

/// A model that says so, the first time and the next; `Err` is a failure.
fn run<H: AgentHooks>(
    hooks: &H,
    request: &mut BeforeLlmCall,
    answers: &[Result<&str, &str>],
) -> Result<LlmCallResult, RunError> {
    let answers = RefCell::new(answers.iter());
    now(run_llm_call(
        hooks,
        &cx(),
        request,
        async |_: &BeforeLlmCall, _: Deltas<'_>| {
            yield_once().await;
            let answer = answers.borrow_mut().next().expect("the script goes on");
            answer.map(|text| LlmResponse {
                usage: Usage::new(10, 1),
                ..LlmResponse::new(text)
            })
        },
    ))
}

#[test]
fn a_call_of_the_model_raises_its_events_in_order() {
    let recorder = Recorder::default();
    let done = run(&hooks![&recorder], &mut request(), &[Ok("Hi.")]).unwrap();
    assert_eq!(recorder.names(), [BEFORE, AFTER].concat());
    assert_eq!(
        (done.response.content.as_str(), done.outcome),
        ("Hi.", ToolOutcome::Ran)
    );
    assert_eq!((done.attempts, done.usage), (0, Usage::new(10, 1)));
}

#[test]
fn an_answered_call_raises_no_input_and_no_output() {
    let recorder = Recorder::default();
    let hooks = hooks![&recorder, Says::new("BeforeLlmCall", Say::Answer)];
    let done = run(&hooks, &mut request(), &[]).unwrap();
    assert_eq!(recorder.names(), ["BeforeLlmCall", "AfterLlmCall"]);
    assert_eq!(done.outcome, ToolOutcome::Answered);
    assert_eq!(
        (done.response.content.as_str(), done.usage),
        ("cached", Usage::default())
    );
}

#[test]
fn an_answer_of_a_hook_that_is_rejected_is_followed_by_the_models() {
    let hooks = hooks![
        Says::new("BeforeLlmCall", Say::Answer),
        Says::new("AfterLlmCall", Say::Answer).times(1),
    ];
    let done = run(&hooks, &mut request(), &[Ok("Hi.")]).unwrap();
    assert_eq!((done.outcome, done.attempts), (ToolOutcome::Ran, 1));
    assert_eq!(done.response.content, "Hi.");
}

#[test]
fn pieces_are_raised_between_the_input_and_the_output() {
    let recorder = Recorder::default();
    let hooks = hooks![&recorder, waits];
    let done = now(run_llm_call(
        &hooks,
        &cx(),
        &mut request(),
        async |_, deltas| {
            assert!(deltas.are_wanted());
            deltas.reasoning("Hm.").await;
            deltas.text("Hel").await;
            yield_once().await;
            deltas.text("lo").await;
            deltas.tool_call("{}").await;
            Ok::<_, String>(LlmResponse::new("Hello"))
        },
    ));
    assert!(done.is_ok());
    assert_eq!(
        recorder.names(),
        [&BEFORE[..], &["LlmDelta"; 4], &AFTER].concat()
    );
    let pieces = recorder.all("LlmDelta");
    let pieces: Vec<_> = pieces
        .iter()
        .map(|piece| (&piece["kind"], &piece["text"]))
        .collect();
    assert_eq!(pieces[1], (&json!("text"), &json!("Hel")));
    assert_eq!(
        pieces
            .iter()
            .map(|piece| piece.0.as_str().unwrap())
            .collect::<Vec<_>>(),
        ["reasoning", "text", "text", "tool_call"]
    );
}

#[test]
fn pieces_that_no_hook_wants_need_not_be_streamed() {
    #[hook]
    fn other(_: &AfterLlmCall) {}
    let done = now(run_llm_call(
        &hooks![other],
        &cx(),
        &mut request(),
        async |_, deltas| {
            assert!(!deltas.are_wanted());
            Ok::<_, String>(LlmResponse::new("Hello"))
        },
    ));
    assert!(done.is_ok());
}

#[test]
fn an_abort_on_any_event_of_the_model_is_returned() {
    let failed = [&BEFORE[..], &["LlmFailed"]].concat();
    for (on, answer, raised) in [
        ("BeforeLlmCall", Ok("Hi."), &BEFORE[..1]),
        ("LlmFailed", Err("busy"), &failed),
        ("AfterLlmCall", Ok("Hi."), &[BEFORE, AFTER].concat()),
    ] {
        for (say, scope) in [(Say::AbortTurn, Scope::Turn), (Say::AbortRun, Scope::Run)] {
            let recorder = Recorder::default();
            let hooks = hooks![&recorder, Says::new(on, say)];
            let done = run(&hooks, &mut request(), &[answer]);
            assert_eq!(
                done,
                Err(RunError::Cancelled(cancel("Says", scope))),
                "{on}"
            );
            assert_eq!(recorder.names(), raised, "{on}");
        }
    }
}

#[test]
fn a_blocked_call_asks_nobody() {
    let recorder = Recorder::default();
    let hooks = hooks![&recorder, Says::new("BeforeLlmCall", Say::Block)];
    let done = run(&hooks, &mut request(), &[]);
    assert_eq!(done, Err(RunError::Cancelled(cancel("Says", Scope::Event))));
    assert_eq!(recorder.names(), ["BeforeLlmCall"]);
}

#[test]
fn a_failure_that_nobody_retries_is_returned() {
    let recorder = Recorder::default();
    let done = run(&hooks![&recorder], &mut request(), &[Err("busy")]);
    assert_eq!(done, Err(RunError::Failed("busy".into())));
    assert_eq!(recorder.names(), ["BeforeLlmCall", "LlmInput", "LlmFailed"]);
}

#[test]
fn a_hook_on_a_failure_has_another_model_asked() {
    #[hook]
    fn fall_back(failed: &mut LlmFailed) -> HookAction<LlmFailed> {
        failed.model = "small".into();
        HookAction::respond(Retry::with_feedback("You failed."))
    }
    let recorder = Recorder::default();
    let mut request = request();
    let done = run(
        &hooks![&recorder, fall_back],
        &mut request,
        &[Err("busy"), Ok("Hi.")],
    );
    let done = done.unwrap();
    assert_eq!((done.attempts, done.response.content.as_str()), (1, "Hi."));
    assert_eq!(request.model, "small");
    assert_eq!(request.messages[1], ChatMessage::user("You failed."));
    let asked: Vec<_> = recorder
        .all("LlmInput")
        .iter()
        .map(|input| input["model"].clone())
        .collect();
    assert_eq!(asked, ["large", "small"]);
    assert_eq!(recorder.only("AfterLlmCall")["model"], "small");
}

#[test]
fn attempts_are_counted_and_end() {
    let recorder = Recorder::default();
    let failures = vec![Err("busy"); 20];
    let hooks = hooks![&recorder, Says::new("LlmFailed", Say::Answer)];
    let done = run(&hooks, &mut request(), &failures);
    assert_eq!(done, Err(RunError::Failed("busy".into())));
    let count = |name: &str| -> Vec<u64> {
        let events = recorder.all(name);
        events
            .iter()
            .map(|event| event["attempt"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(
        count("LlmFailed"),
        (0..=u64::from(MAX_RETRIES)).collect::<Vec<_>>()
    );

    let recorder = Recorder::default();
    let answers = vec![Ok("Hi."); 20];
    let hooks = hooks![&recorder, Says::new("AfterLlmCall", Say::Answer)];
    let done = run(&hooks, &mut request(), &answers).unwrap();
    assert_eq!(
        (done.attempts, recorder.count("LlmInput")),
        (MAX_RETRIES, 9)
    );
    // All answers were paid for.
    assert_eq!(done.usage, Usage::new(90, 9));
    let events = recorder.all("AfterLlmCall");
    assert_eq!(events.last().unwrap()["attempt"], MAX_RETRIES);
}

#[test]
fn failures_and_rejections_share_their_attempts() {
    let hooks = hooks![
        Says::new("LlmFailed", Say::Answer),
        Says::new("AfterLlmCall", Say::Answer),
    ];
    let answers: Vec<_> = (0..20)
        .map(|at| if at % 2 == 0 { Err("busy") } else { Ok("Hi.") })
        .collect();
    // The ninth time, the model fails.
    assert_eq!(
        run(&hooks, &mut request(), &answers),
        Err(RunError::Failed("busy".into()))
    );
}

#[test]
fn a_rejected_answer_and_its_feedback_stay_in_the_conversation() {
    let hooks = hooks![Says::new("AfterLlmCall", Say::Answer).times(1)];
    let mut request = request();
    assert!(run(&hooks, &mut request, &[Ok("Hi."), Ok("Hello.")]).is_ok());
    let said: Vec<_> = request
        .messages
        .iter()
        .map(|one| one.content.as_str())
        .collect();
    assert_eq!(said, ["Hello?", "Hi.", "try again"]);
}

#[test]
fn without_feedback_the_model_is_asked_the_same_again() {
    #[hook]
    fn again(after: &AfterLlmCall) -> HookAction<AfterLlmCall> {
        if after.attempt == 0 {
            return HookAction::respond(Retry::new());
        }
        HookAction::Continue
    }
    let recorder = Recorder::default();
    let mut request = request();
    let done = run(
        &hooks![&recorder, again],
        &mut request,
        &[Ok(""), Ok("Hello.")],
    )
    .unwrap();
    assert_eq!(
        (done.response.content.as_str(), done.attempts),
        ("Hello.", 1)
    );
    assert_eq!(request.messages.len(), 1);
    let inputs = recorder.all("LlmInput");
    assert_eq!(inputs[0], inputs[1]);
}

/// A provider refuses a conversation in which a call has no output.
#[test]
fn the_calls_of_a_rejected_answer_have_an_output() {
    let hooks = hooks![Says::new("AfterLlmCall", Say::Answer).times(1)];
    let mut request = request();
    let done = now(run_llm_call(&hooks, &cx(), &mut request, async |_, _| {
        Ok::<_, String>(LlmResponse {
            tool_calls: vec![
                ToolCall::new("1", "list", json!({})),
                ToolCall::new("2", "list", json!({})),
            ],
            ..LlmResponse::default()
        })
    }));
    assert!(done.is_ok());
    let answered: Vec<_> = request
        .messages
        .iter()
        .map(|one| one.tool_call_id.as_deref())
        .collect();
    assert_eq!(answered, [None, None, Some("1"), Some("2"), None]);
}

static PERMITS: AtomicUsize = AtomicUsize::new(0);

#[hook(around)]
async fn fall_back(
    request: &BeforeLlmCall,
    mut next: Next<'_, BeforeLlmCall>,
) -> Result<LlmResponse, String> {
    let _permit = Guard::of(&PERMITS);
    assert_eq!(request.model, "large");
    match next.run().await {
        Ok(response) => Ok(response),
        Err(_) => next.run().await,
    }
}

#[test]
fn a_hook_around_the_model_retries_and_holds_a_permit() {
    let recorder = Recorder::default();
    let hooks = hooks![&recorder, fall_back];
    let done = run(&hooks, &mut request(), &[Err("busy"), Ok("Hi.")]).unwrap();
    assert_eq!((done.response.content.as_str(), done.attempts), ("Hi.", 0));
    assert_eq!(recorder.names(), [BEFORE, AFTER].concat());
    assert_eq!(PERMITS.load(Ordering::SeqCst), 0);
}

/// With the feature `tracing`, a span is put around each hook's future.
#[cfg(not(feature = "tracing"))]
#[test]
fn a_delta_allocates_only_for_hooks_that_are_async() {
    #[derive(Default)]
    struct Count(AtomicUsize);

    #[hook]
    impl Count {
        fn note(&self, _: &LlmDelta<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[hook]
    async fn slow(_: &LlmDelta<'_>) {
        yield_once().await;
    }

    fn allocations_of_four_deltas(hooks: &impl AgentHooks) -> u64 {
        let mut request = BeforeLlmCall::default();
        let counted = AtomicUsize::new(0);
        let done = now(run_llm_call(
            hooks,
            &cx(),
            &mut request,
            async |_, deltas| {
                let count = allocation_counter::measure(|| {
                    for _ in 0..4 {
                        now(deltas.text("Hi."));
                    }
                });
                let count = usize::try_from(count.count_total).unwrap();
                counted.store(count, Ordering::Relaxed);
                Ok::<_, String>(LlmResponse::default())
            },
        ));
        done.unwrap();
        counted.into_inner() as u64
    }

    let count = Count::default();
    assert_eq!(allocations_of_four_deltas(&hooks![]), 0);
    assert_eq!(allocations_of_four_deltas(&hooks![&count]), 0);
    assert_eq!(count.0.load(Ordering::Relaxed), 4);
    assert_eq!(allocations_of_four_deltas(&hooks![slow, &count]), 4);
    assert_eq!(count.0.load(Ordering::Relaxed), 8);
}

/// A hook on a failure changes the request of the next attempt, after the guards have seen it.
#[test]
fn run_llm_call_judges_the_request_again_that_a_retry_has_changed() {
    #[hook(guard)]
    fn no_large(request: &BeforeLlmCall) -> HookAction<BeforeLlmCall> {
        if request.model == "large" {
            HookAction::block("too dear")
        } else {
            HookAction::Continue
        }
    }
    #[hook]
    fn asks_large(failed: &mut LlmFailed) -> HookAction<LlmFailed> {
        failed.model = "large".into();
        HookAction::respond(Retry::new())
    }
    let asked = AtomicUsize::new(0);
    let mut request = BeforeLlmCall::new("openai", "small", vec![ChatMessage::user("Hello?")]);
    let hooks = hooks![no_large, asks_large];
    let cx = cx();
    let done = run_llm_call(&hooks, &cx, &mut request, async |_, _| {
        asked.fetch_add(1, Ordering::Relaxed);
        Err::<LlmResponse, _>("busy")
    });
    let Err(RunError::Cancelled(cancel)) = now(done) else {
        panic!("the second request is blocked");
    };
    assert_eq!((&*cancel.hook, &*cancel.reason), ("no_large", "too dear"));
    assert_eq!(asked.into_inner(), 1);
}
