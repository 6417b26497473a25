//! Functions of an agent that raise an event, beside the same functions without hooks. Their assembly is compared.
//!
//! Every event of the standard vocabulary has a module of its name. An event is raised through hooks on *other* events:
//! an event about tools through hooks on all the others, and the other way round.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hooks_core::agent::{self, AgentContext, AgentHooks, AgentHooksNow};
use hooks_core::{Event, HookAction, HookResult, hook, hooks};

/// What an agent does with its event.
#[inline(always)]
fn work<E>(event: &mut E) {
    black_box(event);
}

/// Carries out what hooks have decided; whether the agent goes on.
#[inline(always)]
fn goes_on<E: Event>(result: HookResult<E>) -> bool {
    match result {
        HookResult::Continue => return true,
        HookResult::Respond(response) => drop(black_box(response)),
        HookResult::Cancel(cancel) => drop(black_box(cancel)),
    }
    false
}

/// Polls a future until it is done.
#[inline(always)]
fn poll_now<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut task = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
            return output;
        }
    }
}

/// Hooks on events: plain `fn`s, and `async fn`s.
macro_rules! hooks_on {
    ($on:ident: $($Event:ident $(<$life:lifetime>)?,)*) => {
        #[allow(non_snake_case, reason = "a hook has the name of its event")]
        mod $on {
            use super::*;

            mod plain {
                use super::*;
                $(#[hook]
                pub(super) fn $Event(event: &agent::$Event $(<$life>)?) {
                    black_box(event);
                })*
            }

            mod later {
                use super::*;
                $(#[hook]
                pub(super) async fn $Event(event: &agent::$Event $(<$life>)?) {
                    std::future::pending::<()>().await;
                    black_box(event);
                })*
            }

            pub(super) fn now() -> impl AgentHooksNow {
                hooks![$(plain::$Event),*]
            }

            pub(super) fn awaited() -> impl AgentHooks {
                hooks![$(later::$Event),*]
            }
        }
    };
}
hooks_on! { on_tools: BeforeToolCall, ToolCallStart<'_>, AfterToolCall, ToolCallEnd<'_>, }
hooks_on! { on_others: SessionStart, BeforeStop, LlmDelta<'_>, HeartbeatTick, }

/// Functions that raise events through hooks on others.
macro_rules! raised {
    (through $hooks:ident: $($how:ident $Event:ident $(<$life:lifetime>)?;)*) => { $(
        /// Raises the event of that name.
        #[allow(non_snake_case, reason = "named as its event is")]
        pub mod $Event {
            use super::*;

            /// Without hooks.
            #[inline(never)]
            pub fn without(_: &AgentContext, event: &mut agent::$Event $(<$life>)?) -> bool {
                work(event);
                work(event);
                true
            }

            /// Through plain `fn`s.
            #[inline(never)]
            pub fn now(cx: &AgentContext, event: &mut agent::$Event $(<$life>)?) -> bool {
                work(event);
                if !raise!($how now $hooks::now(), cx, event) {
                    return false;
                }
                work(event);
                true
            }

            /// Through `async fn`s.
            #[inline(never)]
            pub fn awaited(cx: &AgentContext, event: &mut agent::$Event $(<$life>)?) -> bool {
                work(event);
                if !raise!($how awaited $hooks::awaited(), cx, event) {
                    return false;
                }
                work(event);
                true
            }
        }
    )* };
}

/// Raises an event; whether the agent goes on.
macro_rules! raise {
    (intercept now $hooks:expr, $cx:ident, $event:ident) => {
        goes_on($hooks.intercept_now($cx, $event))
    };
    (intercept awaited $hooks:expr, $cx:ident, $event:ident) => {
        goes_on(poll_now($hooks.intercept($cx, $event)))
    };
    (observe now $hooks:expr, $cx:ident, $event:ident) => {{
        $hooks.observe_now($cx, &*$event);
        true
    }};
    (observe awaited $hooks:expr, $cx:ident, $event:ident) => {{
        poll_now($hooks.observe($cx, &*$event));
        true
    }};
}

raised! { through on_others:
    intercept BeforeLlmCall;
    intercept InvalidToolCall;
    intercept BeforeToolCall;
    intercept ApproveToolCall<'_>;
    observe ToolCallStart<'_>;
    intercept AfterToolCall;
    observe ToolCallEnd<'_>;
    observe ToolCallSkipped<'_>;
    intercept SubagentStart;
    observe SubagentStop<'_>;
}

raised! { through on_tools:
    observe GatewayStart<'_>;
    observe GatewayStop;
    observe HeartbeatTick;
    intercept SessionStart;
    observe SessionEnd<'_>;
    intercept MessageReceived;
    observe AgentStart<'_>;
    intercept BeforeModelResolve;
    intercept BeforePromptBuild;
    observe LlmInput<'_>;
    observe LlmDelta<'_>;
    intercept LlmFailed;
    observe LlmOutput<'_>;
    intercept AfterLlmCall;
    intercept BeforeStop;
    observe AgentEnd<'_>;
    observe AgentError<'_>;
    intercept MessageSending;
    observe MessageSent<'_>;
    observe MessageFailed<'_>;
    intercept BeforeCompact;
    observe AfterCompact<'_>;
    observe Interrupt<'_>;
    observe Notification<'_>;
    observe Custom<'_>;
}

/// Guards with no hook after them that changes the event, beside the same hooks as no guards.
pub mod guards {
    use super::{AgentContext, HookAction, agent, black_box, hook, hooks, poll_now};

    macro_rules! checks {
        ($name:ident $($guard:ident)?) => {
            mod $name {
                use super::*;

                #[hook(priority = 2, $($guard)?)]
                pub(super) fn no_shell(call: &agent::BeforeToolCall) -> HookAction<agent::BeforeToolCall> {
                    if call.name == "shell" {
                        return HookAction::block("no shell here");
                    }
                    HookAction::Continue
                }

                #[hook(priority = 1, $($guard)?)]
                pub(super) fn known(call: &agent::BeforeToolCall) -> HookAction<agent::BeforeToolCall> {
                    if call.id.is_empty() {
                        return HookAction::block("a call has an id");
                    }
                    HookAction::Continue
                }

                #[hook]
                pub(super) fn look(call: &agent::BeforeToolCall) {
                    black_box(call);
                }
            }
        };
    }
    checks!(plain);
    checks!(guarded guard);

    /// Hooks that are not guards.
    #[inline(never)]
    pub fn without(cx: &AgentContext, event: &mut agent::BeforeToolCall) -> usize {
        let hooks = hooks![plain::no_shell, plain::known, plain::look];
        let result = hooks.intercept_now(cx, event);
        result.as_cancel().map_or(0, |cancel| cancel.reason.len())
    }

    /// The same as guards.
    #[inline(never)]
    pub fn now(cx: &AgentContext, event: &mut agent::BeforeToolCall) -> usize {
        let hooks = hooks![guarded::no_shell, guarded::known, guarded::look];
        let result = hooks.intercept_now(cx, event);
        result.as_cancel().map_or(0, |cancel| cancel.reason.len())
    }

    /// The same, awaited.
    #[inline(never)]
    pub fn awaited(cx: &AgentContext, event: &mut agent::BeforeToolCall) -> usize {
        let hooks = hooks![guarded::no_shell, guarded::known, guarded::look];
        let result = poll_now(hooks.intercept(cx, event));
        result.as_cancel().map_or(0, |cancel| cancel.reason.len())
    }
}
