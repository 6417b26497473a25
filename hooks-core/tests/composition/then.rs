//! `a.then(b)`: hooks whose types, and so whose priorities, are not known.

use std::sync::Arc;

use crate::vocabulary::*;
use hooks_core::{EventSet, Hook, Then, hook, hooks};

use crate::common::*;

#[tokio::test]
async fn the_first_runs_before_the_second_whatever_their_priorities() {
    let first = hooks![Mark("b") @ -9, Mark("a") @ -8];
    let second = hooks![Mark("d") @ 8, Mark("c") @ 9];
    assert_eq!(order(&first.then(second)).await, "abcd");
}

#[tokio::test]
async fn any_two_hooks_can_be_put_together() {
    fn library(theirs: impl AgentHooks) -> impl AgentHooks {
        opaque(hooks![MarkLater("a")]).then(theirs)
    }
    let b = || Registry::new().with(plugin("b", 0));
    assert_eq!(order(&library(opaque(MarkLater("b")))).await, "ab");
    assert_eq!(order(&library(Some(Mark("b")))).await, "ab");
    assert_eq!(order(&library(None::<Mark>)).await, "a");
    assert_eq!(order(&library(&Mark("b"))).await, "ab");
    assert_eq!(order(&library(Arc::new(Mark("b")))).await, "ab");
    assert_eq!(order(&library(hooks![])).await, "a");
    assert_eq!(order(&library(plugin("b", 0))).await, "ab");
    assert_eq!(order(&library(b())).await, "ab");
    assert_eq!(order(&library(hooks![..b()])).await, "ab");
    assert_eq!(order(&b().then(opaque(Mark("c")))).await, "bc");
}

#[tokio::test]
async fn it_nests_on_either_side() {
    let left = Mark("a")
        .then(MarkLater("b"))
        .then(Mark("c"))
        .then(hooks![]);
    assert_eq!(order(&left).await, "abc");
    let right = Mark("a").then(MarkLater("b").then(hooks![].then(Mark("c"))));
    assert_eq!(order(&right).await, "abc");
    let (first, second) = right.into_inner();
    assert_eq!(order(&first).await, "a");
    assert_eq!(order(&second).await, "bc");
    assert_eq!(order(&Then::new(Mark("a"), Mark("b"))).await, "ab");
}

#[tokio::test]
async fn it_stands_in_a_list_at_priority_0_and_at_any_other() {
    let two = || Mark("x").then(MarkLater("y"));
    let hooks = hooks![Mark("b") @ -1, two() @ 0, Mark("a") @ 1];
    assert_eq!(order(&hooks).await, "axyb");
    let hooks = hooks![Mark("b") @ -1, two() @ 2, Mark("a") @ 1];
    assert_eq!(order(&hooks).await, "xyab");
    let source = Registry::new().with(plugin("1", 1)).with(plugin("2", -1));
    assert_eq!(
        order(&hooks![Mark("a"), two() @ 0, ..source]).await,
        "1axy2"
    );
}

#[test]
fn it_handles_what_either_does() {
    #[hook]
    fn tick(_: &HeartbeatTick) {}
    let both = tick.then(Mark("m"));
    assert!(both.handles::<HeartbeatTick>() && both.handles::<BeforeToolCall>());
    assert!(!both.handles::<AfterToolCall>());
    let wanted = EventSet::of::<HeartbeatTick>() | EventSet::of::<BeforeToolCall>();
    assert_eq!(both.wanted(), wanted);
    assert!(!hooks![both].handles::<AfterToolCall>());
    assert!(!hooks![].then(None::<Mark>).handles::<BeforeToolCall>());
}

#[test]
fn its_plan_is_that_of_the_one_and_then_of_the_other() {
    #[hook(priority = -5)]
    fn low(_: &BeforeToolCall) {}
    #[hook(priority = 5)]
    async fn high(_: &HeartbeatTick) {}
    let both = low.then(hooks![high]);
    assert_eq!(
        both.plan().to_string(),
        "\
order  hook    priority  event           runs
1      low           -5  BeforeToolCall  sync
2        high         5  HeartbeatTick   async
"
    );
    assert_eq!(format!("{both:?}"), "[low, high]");
}

#[tokio::test]
async fn observers_of_both_run_concurrently() {
    struct Waits(Arc<tokio::sync::Barrier>);
    #[hook]
    impl Waits {
        async fn tick(&self, _: &HeartbeatTick) {
            self.0.wait().await;
        }
    }
    let barrier = Arc::new(tokio::sync::Barrier::new(3));
    let waits = || Waits(barrier.clone());
    let hooks = hooks![waits().then(waits()).then(waits())];
    hooks.observe(&cx(), &HeartbeatTick).await;
}

#[tokio::test]
async fn it_can_be_spawned_through_the_bound() {
    async fn agent<A, B>(first: A, second: B) -> String
    where
        A: AgentHooks + 'static,
        B: AgentHooks + 'static,
    {
        let both = first.then(second);
        let run = tokio::spawn(async move { order(&both).await });
        run.await.unwrap()
    }
    assert_eq!(agent(MarkLater("a"), hooks![MarkLater("b")]).await, "ab");
}

#[tokio::test]
async fn where_both_are_synchronous_no_executor_is_needed() {
    fn both(first: impl AgentHooksNow, second: impl AgentHooksNow) -> impl AgentHooksNow {
        first.then(second)
    }
    fn now(name: &'static str) -> impl AgentHooksNow {
        hooks![Mark(name)]
    }
    let all = both(now("a"), both(now("b"), now("c")));
    assert_eq!(order_now(&all), "abc");
    assert_eq!(order(&all).await, "abc", "it can be awaited too");
    let listed = hooks![now("a").then(now("b")) @ 0, Mark("c") @ -1];
    assert_eq!(order_now(&listed), "abc");
    assert_eq!(order_now(&both(hooks![], None::<Mark>)), "");
}

#[tokio::test]
async fn whoever_decides_in_it_ends_it() {
    async fn blocks_it(hooks: &impl AgentHooks, name: &str) -> bool {
        !hooks.intercept(&cx(), &mut call(name)).await.is_continue()
    }
    const ORDER: [&str; 6] = ["l1", "b1", "l2", "b2", "l3", "b3"];
    for (place, decider) in ORDER.iter().enumerate() {
        if decider.starts_with('l') {
            continue;
        }
        for way in 0..3 {
            let notes = Notes::default();
            let log = |name| Log(name, notes.clone());
            let blocks = |name| Blocks(name, notes.clone());
            let first = hooks![log("l1") @ 1, blocks("b1")];
            let second = Registry::new()
                .with(log("l2"))
                .with(noting("b2", 0, &notes));
            let third = hooks![log("l3") @ 1, blocks("b3")];
            let is_blocked = match way {
                0 => blocks_it(&first.then(second).then(third), decider).await,
                1 => blocks_it(&first.then(second.then(third)), decider).await,
                _ => {
                    let both = Registry::new()
                        .with(first.then(second))
                        .with(third.named("third"));
                    blocks_it(&both, decider).await
                }
            };
            assert!(is_blocked);
            assert_eq!(notes.take(), ORDER[..=place], "{decider} in {way}");
        }
    }
}
