//! What becomes of a hook that panics or outlives its timeout, for each policy, kind and way to run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall, HeartbeatTick};
use hooks_core::{Hook as _, HookAction, HookResult, OnPanic, hook, hooks};

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

fn call() -> BeforeToolCall {
    BeforeToolCall {
        name: "shell".into(),
        ..BeforeToolCall::default()
    }
}

#[hook(priority = -1)]
fn after(call: &mut BeforeToolCall) {
    call.name.push_str("+after");
}

/// A tick counts only where its test has its own counter.
macro_rules! counting {
    ($hook:ident $counter:ident) => {
        static $counter: AtomicUsize = AtomicUsize::new(0);
        #[hook(priority = -1)]
        fn $hook(_: &HeartbeatTick) {
            $counter.fetch_add(1, Ordering::Relaxed);
        }
    };
}

mod intercepted {
    use super::*;

    #[hook]
    fn propagates(call: &mut BeforeToolCall) {
        call.name.push_str("+half");
        panic!("oh no");
    }
    #[hook(on_panic = skip)]
    fn skips(call: &mut BeforeToolCall) {
        call.name.push_str("+half");
        panic!("oh no");
    }
    #[hook(on_panic = skip)]
    fn skips_looking(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        panic!("oh no");
    }
    #[hook(on_panic = block)]
    fn blocks(call: &mut BeforeToolCall) {
        call.name.push_str("+half");
        let nth = call.name.len();
        panic!("oh no {nth}");
    }
    #[hook(on_panic = propagate)]
    async fn propagates_later(call: &mut BeforeToolCall) {
        tokio::task::yield_now().await;
        call.name.push_str("+half");
        panic!("oh no");
    }
    #[hook(on_panic = skip)]
    async fn skips_later(call: &mut BeforeToolCall) {
        call.name.push_str("+half");
        tokio::task::yield_now().await;
        panic!("oh no");
    }
    #[hook(on_panic = block)]
    async fn blocks_later(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        tokio::task::yield_now().await;
        std::panic::panic_any(7)
    }

    #[test]
    fn a_panic_propagates_by_default() {
        let mut tool = call();
        let hooks = hooks![propagates, after];
        let panic = catch_unwind(AssertUnwindSafe(|| hooks.intercept_now(&cx(), &mut tool)));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"oh no"));
    }

    #[test]
    fn skip_leaves_the_event_as_it_was_and_goes_on() {
        let mut tool = call();
        let hooks = hooks![skips, skips_looking, after];
        assert_eq!(hooks.intercept_now(&cx(), &mut tool), HookResult::Continue);
        assert_eq!(tool.name, "shell+after");
    }

    #[test]
    fn block_fails_closed_with_the_panics_message() {
        let mut tool = call();
        let result = hooks![blocks, after].intercept_now(&cx(), &mut tool);
        let cancel = result.as_cancel().unwrap();
        assert_eq!(
            (&*cancel.hook, &*cancel.reason),
            ("blocks", "the hook panicked: oh no 10")
        );
        assert!(!tool.name.contains("after"));
    }

    #[tokio::test]
    async fn a_panic_in_a_future_propagates_by_default() {
        let run = tokio::spawn(async {
            let _ = hooks![propagates_later].intercept(&cx(), &mut call()).await;
        });
        assert!(run.await.unwrap_err().is_panic());
    }

    #[tokio::test]
    async fn skip_in_a_future_leaves_the_event_as_it_was_and_goes_on() {
        let mut tool = call();
        let result = hooks![skips_later, after].intercept(&cx(), &mut tool).await;
        assert_eq!(result, HookResult::Continue);
        assert_eq!(tool.name, "shell+after");
    }

    #[tokio::test]
    async fn block_in_a_future_fails_closed() {
        let result = hooks![blocks_later, after]
            .intercept(&cx(), &mut call())
            .await;
        let cancel = result.as_cancel().unwrap();
        assert_eq!(
            cancel.to_string(),
            "hook `blocks_later` blocked the event: the hook panicked: with a payload that is not a string"
        );
    }

    #[test]
    fn a_predicate_that_panics_is_the_hooks_panic() {
        #[hook(on_panic = block, when = |_| panic!("in the predicate"))]
        fn guarded(_: &BeforeToolCall) {}
        let result = hooks![guarded].intercept_now(&cx(), &mut call());
        assert_eq!(
            result.as_cancel().unwrap().reason,
            "the hook panicked: in the predicate"
        );
    }

    /// An error whose message cannot be made.
    #[derive(Debug)]
    struct Unspeakable;
    impl std::fmt::Display for Unspeakable {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("no words")
        }
    }

    #[tokio::test]
    async fn an_error_that_panics_is_the_hooks_panic() {
        #[hook(on_panic = block)]
        fn fails(_: &BeforeToolCall) -> Result<(), Unspeakable> {
            Err(Unspeakable)
        }
        #[hook(on_panic = skip)]
        async fn fails_later(_: &BeforeToolCall) -> Result<(), Unspeakable> {
            tokio::task::yield_now().await;
            Err(Unspeakable)
        }
        let result = hooks![fails].intercept_now(&cx(), &mut call());
        assert_eq!(
            result.as_cancel().unwrap().reason,
            "the hook panicked: no words"
        );
        let hooks = hooks![fails_later];
        assert!(hooks.intercept(&cx(), &mut call()).await.is_continue());
    }

    #[tokio::test]
    async fn a_wrapper_also_catches_the_panic_of_a_patch() {
        #[derive(Clone, Debug, PartialEq)]
        pub struct Pair(u8, u8);
        #[derive(Debug)]
        pub struct Faulty;
        impl hooks_core::Patch<Pair> for Faulty {
            fn apply(self, pair: &mut Pair) {
                pair.0 = 9;
                panic!("half done");
            }
        }
        #[derive(Debug, hooks_core::HookEvent)]
        pub enum PairEvent<'a> {
            #[intercept(patch = Faulty)]
            Pair(&'a Pair),
        }
        #[hook]
        fn at_once(_: &mut Pair) -> HookAction<Pair> {
            HookAction::modify(Faulty)
        }
        #[hook]
        async fn later(_: &mut Pair) -> HookAction<Pair> {
            tokio::task::yield_now().await;
            HookAction::modify(Faulty)
        }
        let mut pair = Pair(1, 2);
        let hooks = hooks![at_once.on_panic(OnPanic::Skip)];
        assert!(hooks.intercept_now(&(), &mut pair).is_continue());
        let hooks = hooks![later.on_panic(OnPanic::Skip)];
        assert!(hooks.intercept(&(), &mut pair).await.is_continue());
        assert_eq!(pair, Pair(1, 2));
        let hooks = hooks![at_once.on_panic(OnPanic::Block)];
        let result = hooks.intercept_now(&(), &mut pair);
        assert_eq!(
            result.as_cancel().unwrap().reason,
            "the hook panicked: half done"
        );
    }

    #[test]
    fn what_a_hook_says_that_does_not_panic_is_kept() {
        #[hook(on_panic = skip)]
        fn says(call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
            call.name.push_str("+kept");
            HookAction::block("said")
        }
        #[hook(on_panic = block, only("other"))]
        fn elsewhere(_: &BeforeToolCall) {
            panic!("never runs");
        }
        let mut tool = call();
        let result = hooks![elsewhere, says].intercept_now(&cx(), &mut tool);
        assert_eq!(result.as_cancel().unwrap().reason, "said");
        assert_eq!(tool.name, "shell+kept");
    }
}

mod observed {
    use super::*;

    #[hook]
    fn propagates(_: &HeartbeatTick) {
        panic!("oh no");
    }
    #[hook(on_panic = skip)]
    fn skips(_: &HeartbeatTick) {
        panic!("oh no");
    }
    #[hook]
    async fn propagates_later(_: &HeartbeatTick) {
        tokio::task::yield_now().await;
        panic!("oh no");
    }
    #[hook(on_panic = skip)]
    async fn skips_later(_: &HeartbeatTick) {
        tokio::task::yield_now().await;
        panic!("oh no");
    }
    #[hook(every, on_panic = skip)]
    fn skips_every(event: AgentEvent<'_>) {
        panic!("oh no: {}", event.name());
    }
    #[hook(every, on_panic = skip)]
    async fn skips_every_later(event: AgentEvent<'_>) {
        tokio::task::yield_now().await;
        panic!("oh no: {}", event.name());
    }

    #[test]
    fn a_panic_propagates_by_default() {
        let panic = catch_unwind(AssertUnwindSafe(|| {
            hooks![propagates].observe_now(&cx(), &HeartbeatTick);
        }));
        assert!(panic.is_err());
    }

    #[test]
    fn skip_lets_the_others_run() {
        counting!(counts RAN);
        hooks![skips, skips_every, counts].observe_now(&cx(), &HeartbeatTick);
        assert_eq!(RAN.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_panic_in_a_future_propagates_by_default() {
        let run = tokio::spawn(async {
            hooks![propagates_later]
                .observe(&cx(), &HeartbeatTick)
                .await;
        });
        assert!(run.await.unwrap_err().is_panic());
    }

    #[tokio::test]
    async fn skip_in_a_future_lets_the_others_run() {
        counting!(counts RAN);
        hooks![skips_later, skips_every_later, counts]
            .observe(&cx(), &HeartbeatTick)
            .await;
        assert_eq!(RAN.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn skip_on_every_event_changes_no_intercepted_one() {
        let mut tool = call();
        let result = hooks![skips_every, skips_every_later, after]
            .intercept(&cx(), &mut tool)
            .await;
        assert_eq!(result, HookResult::Continue);
        assert_eq!(tool.name, "shell+after");
    }
}

mod timeouts {
    use super::*;
    use tokio::time::{Instant, sleep};

    #[hook(timeout = "2s")]
    async fn guards(call: &mut BeforeToolCall) {
        call.name.push_str("+half");
        sleep(Duration::from_secs(3)).await;
        call.name.push_str("+done");
    }
    #[hook(timeout = "500ms", on_timeout = skip)]
    async fn fills_in(call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        call.name.push_str("+half");
        sleep(Duration::from_secs(3)).await;
        HookAction::block("too late to say so")
    }
    #[hook(timeout = "1m 30s")]
    async fn in_time(call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        sleep(Duration::from_secs(80)).await;
        call.name.push_str("+in time");
        HookAction::block("an action is never lost")
    }
    #[hook(timeout = "2s")]
    async fn watches(_: &HeartbeatTick) {
        sleep(Duration::from_secs(1_000)).await;
    }
    #[hook(every, timeout = "2s")]
    async fn watches_all(_event: AgentEvent<'_>) {
        sleep(Duration::from_secs(1_000)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_guard_that_takes_too_long_blocks_by_default() {
        let start = Instant::now();
        let mut tool = call();
        let result = hooks![guards, after].intercept(&cx(), &mut tool).await;
        assert_eq!(start.elapsed(), Duration::from_secs(2));
        let cancel = result.as_cancel().unwrap();
        assert_eq!(
            cancel.to_string(),
            "hook `guards` blocked the event: the hook took longer than its timeout of 2s"
        );
        sleep(Duration::from_secs(10)).await;
        assert_eq!(
            tool.name, "shell+half",
            "it is dropped, and later hooks do not run"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn skip_leaves_the_event_as_it_was_and_goes_on() {
        let start = Instant::now();
        let mut tool = call();
        let result = hooks![fills_in, after].intercept(&cx(), &mut tool).await;
        assert_eq!(start.elapsed(), Duration::from_millis(500));
        assert_eq!(result, HookResult::Continue);
        assert_eq!(tool.name, "shell+after");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_said_in_time_is_kept() {
        let mut tool = call();
        let result = hooks![in_time].intercept(&cx(), &mut tool).await;
        assert_eq!(
            result.as_cancel().unwrap().reason,
            "an action is never lost"
        );
        assert_eq!(tool.name, "shell+in time");
    }

    #[tokio::test(start_paused = true)]
    async fn what_only_watches_is_skipped_by_default_and_delays_together() {
        counting!(counts RAN);
        let start = Instant::now();
        hooks![watches, watches_all, counts]
            .observe(&cx(), &HeartbeatTick)
            .await;
        assert_eq!(
            start.elapsed(),
            Duration::from_secs(2),
            "they time out concurrently"
        );
        assert_eq!(RAN.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_on_a_block_goes_for_its_asynchronous_methods() {
        struct Both;
        #[hook(timeout = "1s", on_timeout = block, on_panic = skip)]
        impl Both {
            fn at_once(&self, call: &mut BeforeToolCall) {
                call.name.push_str("+at once");
            }
            #[hook(on_timeout = skip)]
            async fn later(&self, _: &HeartbeatTick) {
                sleep(Duration::from_secs(5)).await;
            }
        }
        let mut tool = call();
        assert!(hooks![Both].intercept_now(&cx(), &mut tool).is_continue());
        assert_eq!(tool.name, "shell+at once");
        let start = Instant::now();
        hooks![Both].observe(&cx(), &HeartbeatTick).await;
        assert_eq!(start.elapsed(), Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_within_a_timeout_does_as_on_panic_says() {
        #[hook(timeout = "1s", on_timeout = skip, on_panic = block)]
        async fn both(call: &mut BeforeToolCall) {
            call.name.push_str("+half");
            sleep(Duration::from_millis(1)).await;
            assert_ne!(call.name, "shell+half", "oh no");
            sleep(Duration::from_secs(2)).await;
        }
        let result = hooks![both].intercept(&cx(), &mut call()).await;
        assert!(result.as_cancel().unwrap().reason.contains("oh no"));
        let mut other = BeforeToolCall {
            name: "list".into(),
            ..call()
        };
        assert!(
            hooks![both]
                .intercept(&cx(), &mut other)
                .await
                .is_continue()
        );
        assert_eq!(other.name, "list");
    }
}
