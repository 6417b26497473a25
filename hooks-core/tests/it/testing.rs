//! The assertions of `hooks_core::testing`: what they take, what they give, and what they say when they fail.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hooks_core::agent::prelude::*;
use hooks_core::testing::*;
use hooks_core::{HookEvent, async_trait};

use crate::common::{MarkLater, call};

#[hook(priority = 10)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

/// Says what the name of the tool is.
#[hook(only("b*", "a*", "r*"))]
fn says(cx: &AgentContext, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    match call.name.as_str() {
        "block" => HookAction::block(cx.session_id.clone()),
        "abort_turn" => HookAction::abort_turn("enough"),
        "abort_run" => HookAction::abort_run("enough"),
        "respond" => HookAction::respond(ToolOutput::new("answered")),
        _ => HookAction::Continue,
    }
}

/// How an assertion fails.
fn failure<T>(assertion: impl FnOnce() -> T) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(assertion)) else {
        panic!("the assertion holds");
    };
    *panic.downcast::<String>().expect("a message")
}

#[test]
fn an_assertion_takes_whatever_is_a_hook() {
    struct Plugin;
    #[async_trait]
    impl AgentHandler for Plugin {
        fn name(&self) -> &str {
            "says"
        }
        async fn handle(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
            AgentSaid::block("no")
        }
    }
    fn opaque() -> impl AgentHooks {
        hooks![lower, says]
    }
    let (list, registry) = (hooks![lower, says], AgentRegistry::new().with(says));
    let boxed: Box<dyn AgentHandler> = Box::new(Plugin);
    assert_blocks!(says, call("block"), "says");
    assert_blocks!(list, call("Block"), "says");
    assert_blocks!(&list, call("Block"), "says");
    assert_blocks!(Arc::new(list), call("Block"), "says");
    assert_blocks!(opaque(), call("Block"), "says");
    assert_blocks!(hooks![lower, ..registry.clone()], call("Block"), "says");
    assert_blocks!(registry, call("block"), "says");
    assert_blocks!(AgentBox::new(list), call("Block"), "says");
    assert_blocks!(boxed, call("block"), "says");
    assert_blocks!(Some(says).shadow().then(list), call("Block"), "says");
    assert_passes!(hooks![], call("block"));
}

#[test]
fn an_assertion_gives_what_there_is_to_look_at() {
    let (hooks, cx) = (hooks![lower, says], AgentContext::new("s1"));
    assert_eq!(assert_passes!(hooks, call("SHELL")).name, "shell");
    assert_eq!(assert_passes!(hooks, &cx, call("SHELL")).name, "shell");
    assert_eq!(assert_blocks!(hooks, call("block"), "says").reason, "");
    assert_eq!(
        assert_blocks!(hooks, cx, call("block"), "says").reason,
        "s1"
    );
    assert_eq!(
        assert_responds!(hooks, cx, call("respond")).content,
        "answered"
    );
    assert_eq!(
        assert_aborts!(hooks, call("abort_turn"), "says").scope,
        Scope::Turn
    );
    assert_eq!(
        assert_aborts!(hooks, cx, call("abort_run"), "says").scope,
        Scope::Run
    );
}

#[test]
fn a_failure_says_what_happened_and_shows_the_plan() {
    let hooks = hooks![lower, says];
    let plan = Hook::plan(&hooks).to_string();
    let fails = |with: String, message: &str| assert_eq!(with, format!("{message}\n{plan}"));
    fails(
        failure(|| assert_blocks!(hooks, call("ls"), "says")),
        "hook `says` should block `BeforeToolCall`, but the event continues",
    );
    fails(
        failure(|| assert_blocks!(hooks, call("block"), "lower")),
        "hook `lower` should block `BeforeToolCall`, but hook `says` blocked the event",
    );
    fails(
        failure(|| assert_blocks!(hooks, call("abort_run"), "says")),
        "hook `says` should block `BeforeToolCall`, but hook `says` aborted the run: enough",
    );
    fails(
        failure(|| assert_aborts!(hooks, AgentContext::new("s1"), call("block"), "says")),
        "hook `says` should abort at `BeforeToolCall`, but hook `says` blocked the event: s1",
    );
    fails(
        failure(|| assert_passes!(hooks, call("respond"))),
        "`BeforeToolCall` should continue, but a hook answers it",
    );
    fails(
        failure(|| assert_responds!(hooks, call("ls"))),
        "a hook should answer `BeforeToolCall`, but the event continues",
    );
}

/// A hook that waits is not taken for one that lets the event pass.
#[tokio::test]
async fn hooks_that_wait_are_awaited_or_fail() {
    let hooks = hooks![MarkLater("x"), says];
    let failed = failure(|| assert_passes!(hooks, call("ls")));
    assert!(
        failed.starts_with("a hook on `BeforeToolCall` waits: write `judge("),
        "{failed}"
    );
    assert!(
        failed.ends_with(&Hook::plan(&hooks).to_string()),
        "{failed}"
    );

    let judged = judge(&hooks, call("ls"), &AgentContext::default()).await;
    assert_eq!(judged.passes().id, "x");
    let judged = judge(&hooks, call("block"), &AgentContext::default()).await;
    judged.blocks("says");
}

/// Neither the event nor the answer needs to be `Debug` or `Clone`, and any context will do.
#[test]
fn an_assertion_is_for_any_vocabulary() {
    #[derive(Default)]
    struct Shop(&'static str);
    struct Order(u32);
    struct Receipt(u32);
    #[derive(Clone, Copy, HookEvent)]
    #[events(context = Shop)]
    enum ShopEvent<'a> {
        #[intercept(respond = Receipt)]
        Order(&'a Order),
    }
    #[hook]
    fn shop(cx: &Shop, order: &Order) -> HookAction<Order> {
        match order.0 {
            0 => HookAction::block(cx.0),
            number => HookAction::respond(Receipt(number)),
        }
    }
    assert_eq!(assert_responds!(shop, Order(3)).0, 3);
    assert_eq!(
        assert_blocks!(shop, Shop("closed"), Order(0), "shop").reason,
        "closed"
    );
}
