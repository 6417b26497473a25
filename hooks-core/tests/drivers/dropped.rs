//! A driver's future is dropped in each of its states.
//!
//! All hooks and all work wait once, so that a driver has as many states as it can have. It is polled `k` times and
//! dropped, for every `k`: then nothing is raised any more, what was raised is the beginning of what the whole
//! call raises, and what hooks around the work held is released.

use std::cell::Cell;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_core::agent::*;
use hooks_core::{Next, hook, hooks};
use serde_json::json;

use super::fixtures::*;
use super::turn::{assert_is_whole, conversation};

/// Holds a permit around the tool and around the model, and waits before and after.
struct Holds<'a>(&'a AtomicUsize);

#[hook(around)]
impl Holds<'_> {
    async fn tool(&self, _: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        let _permit = Guard::of(self.0);
        yield_once().await;
        let output = next.run().await;
        yield_once().await;
        output
    }

    async fn model(
        &self,
        _: &BeforeLlmCall,
        mut next: Next<'_, BeforeLlmCall>,
    ) -> Result<LlmResponse, String> {
        let _permit = Guard::of(self.0);
        yield_once().await;
        let response = next.run().await;
        yield_once().await;
        response
    }
}

/// What lies outside of a driver's future.
#[derive(Default)]
struct Outside {
    recorder: Recorder,
    held: AtomicUsize,
    /// The work that runs.
    working: AtomicUsize,
    conversation: Conversation,
}

/// Drops what `start` starts after each number of polls. `check` looks at what is left.
fn drop_in_each_state<T>(
    new: impl Fn() -> Outside,
    start: impl AsyncFn(&Recorder, &AtomicUsize, &AtomicUsize, &mut Conversation) -> T,
    check: impl Fn(&Outside),
) {
    let mut dropped = Vec::new();
    for polls in 0.. {
        let mut outside = new();
        let Outside {
            recorder,
            held,
            working,
            conversation,
        } = &mut outside;
        let is_done = {
            let mut driver = pin!(start(recorder, held, working, conversation));
            let done = poll_times(driver.as_mut(), polls);
            dropped.push(recorder.names());
            done.is_some()
        };
        // Nothing is raised by the drop, and nothing is held after it.
        assert_eq!(Some(&recorder.names()), dropped.last(), "{polls} polls");
        assert_eq!(held.load(Ordering::SeqCst), 0, "{polls} polls");
        assert_eq!(working.load(Ordering::SeqCst), 0, "{polls} polls");
        check(&outside);
        if is_done {
            break;
        }
    }
    let whole = dropped.last().unwrap();
    // Each event has at least one state of its own.
    assert!(dropped.len() > whole.len(), "{}", dropped.len());
    for raised in &dropped {
        assert!(whole.starts_with(raised), "{raised:?}");
    }
}

async fn tool(working: &AtomicUsize) -> ToolOutput {
    let _working = Guard::of(working);
    yield_once().await;
    ToolOutput::new("tool")
}

#[test]
fn a_tool_call_is_dropped_in_each_state() {
    for (on, say) in [
        ("", Say::Continue),
        ("BeforeToolCall", Say::Answer),
        ("BeforeToolCall", Say::Block),
        ("ApproveToolCall", Say::Block),
        ("AfterToolCall", Say::AbortTurn),
    ] {
        drop_in_each_state(
            Outside::default,
            async |recorder, held, working, _| {
                let hooks = hooks![recorder, waits, Holds(held), Says::new(on, say)];
                run_tool_call(&hooks, &cx(), call(), async |_| tool(working).await).await
            },
            |outside| {
                let recorder = &outside.recorder;
                assert!(recorder.count("ToolCallEnd") + recorder.count("ToolCallSkipped") <= 1);
            },
        );
    }
}

#[test]
fn an_invalid_tool_call_is_dropped_in_each_state() {
    for say in [Say::Modify, Say::Answer, Say::Block, Say::Continue] {
        drop_in_each_state(
            Outside::default,
            async |recorder, held, working, _| {
                let says = Says::new("InvalidToolCall", say);
                let hooks = hooks![recorder, waits, Holds(held), says];
                let invalid = InvalidToolCall::new("1", "bash", json!({}), "no such tool");
                let check = |call: &BeforeToolCall| match call.name.as_str() {
                    "shell" => Ok(()),
                    _ => Err("no such tool".to_owned()),
                };
                let tool = async |_: &BeforeToolCall| tool(working).await;
                run_invalid_tool_call(&hooks, &cx(), invalid, check, tool).await
            },
            |_| {},
        );
    }
}

#[test]
fn a_call_of_the_model_is_dropped_in_each_state() {
    for (on, say) in [
        ("", Say::Continue),
        ("BeforeLlmCall", Say::Answer),
        ("AfterLlmCall", Say::Answer),
    ] {
        drop_in_each_state(
            Outside::default,
            async |recorder, held, working, conversation| {
                let says = Says::new(on, say).times(1);
                let retry = Says::new("LlmFailed", Say::Answer).times(1);
                let hooks = hooks![recorder, waits, Holds(held), says, retry];
                let asked = Cell::new(0);
                let request = &mut conversation.request;
                run_llm_call(&hooks, &cx(), request, async |_, deltas| {
                    let _working = Guard::of(working);
                    asked.set(asked.get() + 1);
                    deltas.text("Hi.").await;
                    yield_once().await;
                    match asked.get() {
                        1 => Err("busy"),
                        _ => Ok(LlmResponse::new("Hi.")),
                    }
                })
                .await
            },
            |_| {},
        );
    }
}

#[test]
fn a_message_is_dropped_in_each_state() {
    for sent in [Ok(()), Err("offline")] {
        drop_in_each_state(
            Outside::default,
            async |recorder, _, working, _| {
                run_message(
                    &hooks![recorder, waits],
                    &cx(),
                    MessageReceived::new("cli", "ada", "Hello."),
                    async |message: MessageReceived| {
                        let _working = Guard::of(working);
                        yield_once().await;
                        Ok::<_, String>(message.content)
                    },
                    async |_: &MessageSending| {
                        let _working = Guard::of(working);
                        yield_once().await;
                        sent
                    },
                )
                .await
            },
            |_| {},
        );
    }
}

/// The conversation keeps what was said before, and the next turn can go on with it.
#[test]
fn a_turn_is_dropped_in_each_state_and_the_next_one_goes_on() {
    let history = [ChatMessage::user("Hello."), ChatMessage::assistant("Hi.")];
    for (on, say) in [
        ("", Say::Continue),
        ("AfterToolCall", Say::AbortTurn),
        ("AfterLlmCall", Say::Answer),
        ("BeforeStop", Say::Block),
    ] {
        drop_in_each_state(
            || Outside {
                conversation: conversation().with_messages(history.clone()),
                ..Outside::default()
            },
            async |recorder, held, working, conversation| {
                let says = Says::new(on, say).times(1);
                let hooks = hooks![recorder, waits, Holds(held), says];
                let asked = Cell::new(0);
                let model = async |_: &BeforeLlmCall, deltas: Deltas<'_>| {
                    let _working = Guard::of(working);
                    asked.set(asked.get() + 1);
                    deltas.text("Hi.").await;
                    yield_once().await;
                    let call = |id: &str, name: &str| ToolCall::new(id, name, json!({}));
                    Ok::<_, String>(match asked.get() {
                        1 => LlmResponse {
                            tool_calls: vec![
                                call("1", "shell"),
                                call("2", "fly"),
                                call("3", "shell"),
                            ],
                            ..LlmResponse::default()
                        },
                        _ => LlmResponse::new("Done."),
                    })
                };
                let tool = async |_: &BeforeToolCall| tool(working).await;
                run_turn(&hooks, &cx(), conversation, "Go.", model, tool).await
            },
            |outside| {
                let messages = &outside.conversation.request.messages;
                let kept: Vec<_> = messages
                    .iter()
                    .filter(|one| history.contains(one))
                    .collect();
                assert_eq!(kept, history.each_ref());
                assert!(outside.recorder.count("AgentEnd") <= 1);

                let mut conversation = outside.conversation.clone();
                let next = now(run_turn(
                    &hooks![],
                    &cx(),
                    &mut conversation,
                    "Go on.",
                    async |request: &BeforeLlmCall, _: Deltas<'_>| {
                        assert_is_whole(&request.messages);
                        Ok::<_, String>(LlmResponse::new("Done."))
                    },
                    async |_: &BeforeToolCall| ToolOutput::default(),
                ));
                assert_eq!(next.unwrap().response, "Done.");
            },
        );
    }
}

/// A hook that gives up on the work, and runs it again: the first run is dropped before the second starts.
#[test]
fn work_that_a_hook_gives_up_is_dropped() {
    static WORKING: AtomicUsize = AtomicUsize::new(0);
    #[hook(around)]
    async fn impatient(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        let given_up = poll_times(pin!(next.run()), 1);
        assert!(given_up.is_none());
        yield_once().await;
        assert_eq!(WORKING.load(Ordering::SeqCst), 0);
        next.run().await
    }
    let done = now(run_tool_call(
        &hooks![impatient],
        &cx(),
        call(),
        async |_| tool(&WORKING).await,
    ));
    assert_eq!(done.unwrap().output.content, "tool");
    assert_eq!(WORKING.load(Ordering::SeqCst), 0);
}
