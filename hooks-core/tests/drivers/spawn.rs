//! Where a driver may run: on any thread where its work is `Send`, and on one thread where it is not.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use hooks_core::agent::*;
use hooks_core::{Cancel, Hook, Next, OnPanic, async_trait, hook, hooks};
use serde_json::json;
use tokio::task::JoinHandle;

use super::fixtures::*;

/// An agent that is generic over its hooks, and spawns what it does.
struct Agent<H> {
    hooks: Arc<H>,
    cx: AgentContext,
}

impl<H: AgentHooks + 'static> Agent<H> {
    fn tool_call(&self, call: BeforeToolCall) -> JoinHandle<Result<ToolCallResult, Cancel>> {
        let (hooks, cx) = (Arc::clone(&self.hooks), self.cx.clone());
        tokio::spawn(async move {
            run_tool_call(&*hooks, &cx, call, async |call: &BeforeToolCall| {
                tokio::task::yield_now().await;
                ToolOutput::new(call.name.as_str())
            })
            .await
        })
    }

    fn invalid_tool_call(
        &self,
        invalid: InvalidToolCall,
    ) -> JoinHandle<Result<ToolCallResult, Cancel>> {
        let (hooks, cx) = (Arc::clone(&self.hooks), self.cx.clone());
        tokio::spawn(async move {
            let check = |_: &BeforeToolCall| Ok(());
            let tool = async |call: &BeforeToolCall| {
                tokio::task::yield_now().await;
                ToolOutput::new(call.name.as_str())
            };
            run_invalid_tool_call(&*hooks, &cx, invalid, check, tool).await
        })
    }

    fn llm_call(&self) -> JoinHandle<Result<LlmCallResult, RunError>> {
        let (hooks, cx) = (Arc::clone(&self.hooks), self.cx.clone());
        tokio::spawn(async move {
            let mut request = BeforeLlmCall::default();
            let model = async |_: &BeforeLlmCall, deltas: Deltas<'_>| {
                deltas.text("Hi.").await;
                tokio::task::yield_now().await;
                Ok::<_, String>(LlmResponse::new("Hi."))
            };
            run_llm_call(&*hooks, &cx, &mut request, model).await
        })
    }

    fn turn(&self) -> JoinHandle<Result<TurnResult, RunError>> {
        let (hooks, cx) = (Arc::clone(&self.hooks), self.cx.clone());
        tokio::spawn(async move {
            let mut conversation = Conversation::new("script", "script");
            let model = async |_: &BeforeLlmCall, deltas: Deltas<'_>| {
                deltas.text("Hi.").await;
                Ok::<_, String>(LlmResponse::new("Hi."))
            };
            let tool = async |call: &BeforeToolCall| ToolOutput::new(call.name.as_str());
            run_turn(&*hooks, &cx, &mut conversation, "Go.", model, tool).await
        })
    }

    fn concurrent_turn(&self) -> JoinHandle<Result<TurnResult, RunError>> {
        let (hooks, cx) = (Arc::clone(&self.hooks), self.cx.clone());
        tokio::spawn(async move {
            let mut conversation = super::turn::conversation();
            let model = async |request: &BeforeLlmCall, deltas: Deltas<'_>| {
                deltas.text("Hi.").await;
                Ok::<_, String>(match request.messages.last() {
                    Some(last) if last.role == Role::User => super::turn::calls(&["shell"; 3]),
                    _ => LlmResponse::new("Hi."),
                })
            };
            let tool = async |call: &BeforeToolCall| {
                tokio::task::yield_now().await;
                ToolOutput::new(call.name.as_str())
            };
            run_turn_concurrent(&*hooks, &cx, &mut conversation, "Go.", model, tool).await
        })
    }

    fn message(&self) -> JoinHandle<Result<MessageOutcome, MessageError<String>>> {
        let (hooks, cx) = (Arc::clone(&self.hooks), self.cx.clone());
        tokio::spawn(async move {
            let message = MessageReceived::new("cli", "ada", "Hello.");
            run_message(
                &*hooks,
                &cx,
                message,
                async |message: MessageReceived| {
                    tokio::task::yield_now().await;
                    Ok(message.content)
                },
                async |_: &MessageSending| {
                    tokio::task::yield_now().await;
                    Ok::<(), String>(())
                },
            )
            .await
        })
    }
}

#[hook(around)]
async fn around(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    tokio::task::yield_now().await;
    next.run().await
}

#[hook]
fn mark(call: &mut BeforeToolCall) {
    call.name.push('!');
}

#[hook(every)]
async fn slow(_: AgentEvent<'_>) {
    tokio::task::yield_now().await;
}

#[tokio::test]
async fn drivers_run_on_any_thread_in_an_agent_that_is_generic_over_its_hooks() {
    let agent = Agent {
        hooks: Arc::new(hooks![around, slow]),
        cx: cx(),
    };
    let ran = agent.tool_call(call()).await.unwrap().unwrap();
    assert_eq!(ran.output.content, "shell");
    let invalid = InvalidToolCall::new("1", "bash", json!({}), "no such tool");
    let ran = agent.invalid_tool_call(invalid).await.unwrap().unwrap();
    assert_eq!(ran.output.content, "bash");
    assert_eq!(
        agent.llm_call().await.unwrap().unwrap().response.content,
        "Hi."
    );
    assert_eq!(agent.turn().await.unwrap().unwrap().response, "Hi.");
    let done = agent.concurrent_turn().await.unwrap().unwrap();
    assert_eq!(done.response, "Hi.");
    assert!(matches!(
        agent.message().await.unwrap(),
        Ok(MessageOutcome::Sent(_))
    ));
}

/// An `async` block that names hooks of every kind: their types hold lifetimes, which rustc forgets in the type of
/// a future.
#[tokio::test]
async fn a_spawned_block_may_name_any_hooks() {
    static SLOW: slow = slow;
    let registry = AgentRegistry::new().with(slow);
    let spawned = tokio::spawn(async move {
        let hooks = hooks![around, &SLOW, Some(slow), ..registry.clone()];
        let wrapped = registry.clone().then(slow).on_panic(OnPanic::Skip);
        let cx = cx();
        let tool = async |call: &BeforeToolCall| ToolOutput::new(call.name.as_str());
        let ran = run_tool_call(&hooks, &cx, call(), tool).await.unwrap();
        assert_eq!(ran.output.content, "shell");

        let mut request = BeforeLlmCall::default();
        let model = async |_: &BeforeLlmCall, deltas: Deltas<'_>| {
            deltas.text("Hi.").await;
            Ok::<_, String>(LlmResponse::new("Hi."))
        };
        for hooks in [&registry, &registry.clone()] {
            run_llm_call(hooks, &cx, &mut request, model).await.unwrap();
        }
        run_llm_call(&wrapped, &cx, &mut request, model)
            .await
            .unwrap();
        let done = run_llm_call(&hooks, &cx, &mut request, model).await;
        assert_eq!(done.unwrap().response.content, "Hi.");

        let mut conversation = Conversation::new("script", "script");
        let turn = run_turn_concurrent(&wrapped, &cx, &mut conversation, "Go.", model, tool);
        Box::pin(turn).await.unwrap();
        let turn = run_turn_concurrent(&hooks, &cx, &mut conversation, "Go.", model, tool);
        Box::pin(turn).await.unwrap();
        run_turn(&hooks, &cx, &mut conversation, "Go.", model, tool)
            .await
            .unwrap()
            .response
    });
    assert_eq!(spawned.await.unwrap(), "Hi.");
}

struct Echo;

#[async_trait]
impl AgentHandler for Echo {
    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        if let AgentEventMut::BeforeToolCall(call) = event {
            call.name.push('!');
        }
        AgentSaid::Continue
    }
}

/// Each driver, in a spawned block that names the type of its hooks: a generic helper would hide what rustc cannot prove.
macro_rules! spawned {
    ($($test:ident: $Hooks:ty = $hooks:expr;)*) => { $(
        #[tokio::test]
        async fn $test() {
            let hooks: Arc<$Hooks> = Arc::new($hooks);
            let of = || (Arc::clone(&hooks), cx());

            let (hooks, cx) = of();
            let ran = tokio::spawn(async move {
                let tool = async |call: &BeforeToolCall| ToolOutput::new(call.name.as_str());
                run_tool_call(&hooks, &cx, call(), tool).await
            });
            assert_eq!(ran.await.unwrap().unwrap().output.content, "shell!");

            let (hooks, cx) = of();
            let ran = tokio::spawn(async move {
                let invalid = InvalidToolCall::new("1", "bash", json!({}), "no such tool");
                let check = |_: &BeforeToolCall| Ok(());
                let tool = async |call: &BeforeToolCall| ToolOutput::new(call.name.as_str());
                run_invalid_tool_call(&*hooks, &cx, invalid, check, tool).await
            });
            assert!(ran.await.unwrap().is_ok());

            let (hooks, cx) = of();
            let ran = tokio::spawn(async move {
                let model = async |_: &BeforeLlmCall, deltas: Deltas<'_>| {
                    deltas.text("Hi.").await;
                    Ok::<_, String>(LlmResponse::new("Hi."))
                };
                run_llm_call(&*hooks, &cx, &mut BeforeLlmCall::default(), model).await
            });
            assert_eq!(ran.await.unwrap().unwrap().response.content, "Hi.");

            let (hooks, cx) = of();
            let ran = tokio::spawn(async move {
                let mut conversation = Conversation::new("script", "script");
                let model = async |_: &BeforeLlmCall, _: Deltas<'_>| Ok::<_, String>(LlmResponse::new("Hi."));
                let tool = async |call: &BeforeToolCall| ToolOutput::new(call.name.as_str());
                run_turn(&*hooks, &cx, &mut conversation, "Go.", model, tool).await
            });
            assert_eq!(ran.await.unwrap().unwrap().response, "Hi.");

            let (hooks, cx) = of();
            let ran = tokio::spawn(async move {
                let mut conversation = Conversation::new("script", "script");
                let model = async |_: &BeforeLlmCall, _: Deltas<'_>| Ok::<_, String>(LlmResponse::new("Hi."));
                let tool = async |call: &BeforeToolCall| ToolOutput::new(call.name.as_str());
                run_turn_concurrent(&*hooks, &cx, &mut conversation, "Go.", model, tool).await
            });
            assert_eq!(ran.await.unwrap().unwrap().response, "Hi.");

            let (hooks, cx) = of();
            let ran = tokio::spawn(async move {
                let message = MessageReceived::new("cli", "ada", "Hello.");
                let answer = async |message: MessageReceived| Ok::<_, String>(message.content);
                let send = async |_: &MessageSending| Ok::<(), String>(());
                run_message(&*hooks, &cx, message, answer, send).await
            });
            assert!(matches!(ran.await.unwrap(), Ok(MessageOutcome::Sent(_))));
        }
    )* };
}
spawned! {
    a_box_runs_behind_every_driver_in_a_task: AgentBox = AgentBox::new(hooks![mark, slow]);
    a_boxed_handler_runs_behind_every_driver_in_a_task: Box<dyn AgentHandler> = Box::new(Echo);
    a_shared_handler_runs_behind_every_driver_in_a_task: Arc<dyn AgentHandler> = Arc::new(Echo);
    a_registry_runs_behind_every_driver_in_a_task: AgentRegistry = AgentRegistry::new().with(mark);
    erased_forms_in_a_list_run_behind_every_driver_in_a_task:
        hooks_core::Then<AgentBox, Box<dyn AgentHandler>> =
        AgentBox::new(slow).then(Box::new(Echo) as Box<dyn AgentHandler>);
}

/// Work that borrows what lies on the stack, changes it, and could not leave its thread.
#[test]
fn work_may_borrow_and_change_what_is_local_and_need_not_be_send() {
    let hooks = hooks![around, waits];
    let shared = Rc::new(RefCell::new(Vec::new()));
    let ran = RefCell::new(Vec::new());
    let done = now(run_tool_call(
        &hooks,
        &cx(),
        call(),
        async |call: &BeforeToolCall| {
            ran.borrow_mut().push(call.name.clone());
            shared.borrow_mut().push(1);
            let held = Rc::clone(&shared);
            yield_once().await;
            ToolOutput::new(format!("{} {}", ran.borrow().len(), held.borrow().len()))
        },
    ));
    assert_eq!(done.unwrap().output.content, "1 1");
    assert_eq!(ran.into_inner(), ["shell"]);

    let mut conversation = Conversation::new("script", "script");
    let (asked, tools) = (Cell::new(0), Cell::new(0));
    let done = now(run_turn(
        &hooks,
        &cx(),
        &mut conversation,
        "Go.",
        async |_, _| {
            asked.set(asked.get() + 1);
            let held = Rc::clone(&shared);
            yield_once().await;
            held.borrow_mut().push(2);
            if asked.get() > 1 {
                return Ok(LlmResponse::new("Done."));
            }
            let call = ToolCall::new("1", "shell", json!({}));
            Ok::<_, String>(LlmResponse {
                tool_calls: vec![call],
                ..LlmResponse::default()
            })
        },
        async |_| {
            tools.set(tools.get() + 1);
            ToolOutput::default()
        },
    ));
    assert_eq!(done.unwrap().response, "Done.");
    // The conversation names no tool, so none ran.
    assert_eq!((asked.get(), tools.get(), shared.borrow().len()), (2, 0, 3));
}

#[tokio::test(flavor = "current_thread")]
async fn work_that_is_not_send_runs_on_one_thread_of_a_runtime() {
    let local = tokio::task::LocalSet::new();
    let done = local.run_until(async {
        let spawned = tokio::task::spawn_local(async {
            let shared = Rc::new(1);
            let (hooks, cx) = (hooks![around, slow], cx());
            run_tool_call(&hooks, &cx, call(), async |_: &BeforeToolCall| {
                let held = Rc::clone(&shared);
                tokio::task::yield_now().await;
                ToolOutput::new(held.to_string())
            })
            .await
        });
        spawned.await.unwrap()
    });
    assert_eq!(done.await.unwrap().output.content, "1");
}
