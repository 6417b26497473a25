//! `#[hook(around)]`: hooks around the work that follows on an event.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::common::{Mark, Notes, call, cx, plugin};
use allocation_counter::measure;
use hooks_core::agent::*;
use hooks_core::{BoxHook, HookRegistry, Next, RegisterError, Wraps, hook, hooks, wrap_around};
use tokio::sync::{Notify, Semaphore};
use tokio::task::yield_now;

type Registry = HookRegistry<AgentEvent<'static>>;

/// The output of work that is called `x`, with all hooks around it.
async fn wrapped(hooks: &impl AgentHooks) -> String {
    let work = || async {
        yield_now().await;
        ToolOutput::new("x")
    };
    wrap_around(hooks, &cx(), &call("x"), work).await.content
}

/// Puts its name around the output.
struct Brackets(&'static str);

#[hook(around)]
impl Brackets {
    async fn put(&self, _: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        yield_now().await;
        let output = next.run().await;
        yield_now().await;
        ToolOutput::new(format!("{0}({1})", self.0, output.content))
    }
}

mod order {
    use super::*;

    #[tokio::test]
    async fn without_such_hooks_the_work_is_just_done() {
        assert_eq!(wrapped(&hooks![]).await, "x");
        assert_eq!(wrapped(&hooks![Mark("a")]).await, "x");
        assert_eq!(wrapped(&Registry::new().with(plugin("p", 0))).await, "x");
    }

    #[tokio::test]
    async fn a_higher_priority_stands_farther_out() {
        let hooks = hooks![Brackets("c") @ -1, Brackets("a") @ 7, Brackets("b"), Brackets("b2")];
        assert_eq!(wrapped(&hooks).await, "a(b(b2(c(x))))");
    }

    #[tokio::test]
    async fn more_than_eight_stand_around_each_other() {
        let hooks = hooks![
            Brackets("a") @ 20, Brackets("b") @ 19, Brackets("c") @ 18, Brackets("d") @ 17,
            Brackets("e") @ 16, Brackets("f") @ 15, Brackets("g") @ 14, Brackets("h") @ 13,
            Brackets("i") @ 12, Brackets("j") @ 11,
        ];
        assert_eq!(wrapped(&hooks).await, "a(b(c(d(e(f(g(h(i(j(x))))))))))");
    }

    #[tokio::test]
    async fn other_hooks_between_them_do_not_matter() {
        let mark = || Mark("m");
        let hooks = hooks![mark() @ 9, Brackets("a") @ 8, mark() @ 7, Brackets("b") @ 6, mark()];
        assert_eq!(wrapped(&hooks).await, "a(b(x))");
    }

    #[tokio::test]
    async fn a_pipeline_in_a_list_is_one_layer() {
        let inner = hooks![Brackets("c") @ -9, Brackets("b") @ 99];
        let hooks = hooks![Brackets("d"), inner @ 1, Brackets("a") @ 2];
        assert_eq!(wrapped(&hooks).await, "a(b(c(d(x))))");
    }

    #[tokio::test]
    async fn in_then_the_first_is_outside() {
        let first = hooks![Brackets("a"), Brackets("b") @ -1];
        let second = hooks![Brackets("c")];
        assert_eq!(
            wrapped(&first.then(second).then(Brackets("d"))).await,
            "a(b(c(d(x))))"
        );
        assert_eq!(wrapped(&hooks![].then(Brackets("a"))).await, "a(x)");
        assert_eq!(wrapped(&Brackets("a").then(hooks![])).await, "a(x)");
    }

    #[tokio::test]
    async fn behind_pointers_and_options_they_stand_where_they_do_without() {
        let shared = Arc::new(Brackets("a"));
        let off: Option<Brackets> = None;
        let hooks = hooks![
            shared.clone() @ 5, &shared @ 4, off @ 3, Some(Brackets("b")) @ 2, Box::new(Brackets("c")),
        ];
        assert_eq!(wrapped(&hooks).await, "a(a(b(c(x))))");
        assert_eq!(wrapped(&Some(hooks![Brackets("a")])).await, "a(x)");
        assert_eq!(wrapped(&None::<Brackets>).await, "x");
    }

    #[tokio::test]
    async fn a_spread_leaves_them_where_they_are() {
        let plugins = HookRegistry::<AgentEvent>::default();
        let hooks = hooks![Brackets("b"), Brackets("a") @ 1, ..plugins.clone()];
        assert_eq!(wrapped(&hooks).await, "a(b(x))");
        plugins.register(plugin("p", 0)).unwrap();
        assert_eq!(wrapped(&hooks).await, "a(b(x))");
    }

    #[tokio::test]
    async fn opaque_hooks_wrap_too() {
        fn opaque(name: &'static str) -> impl AgentHooks {
            hooks![Brackets(name)]
        }
        assert_eq!(wrapped(&opaque("a").then(opaque("b"))).await, "a(b(x))");
    }

    #[test]
    fn the_plan_shows_them() {
        assert_eq!(
            hooks![Brackets("a")].plan().to_string(),
            "\
order  hook      priority  event           runs
1      Brackets         0  BeforeToolCall  around
"
        );
    }

    #[tokio::test]
    async fn the_model_call_is_wrapped_in_the_same_way() {
        #[hook(around)]
        async fn calm(
            cx: &AgentContext,
            call: &BeforeLlmCall,
            mut next: Next<'_, BeforeLlmCall>,
        ) -> Result<LlmResponse, String> {
            assert_eq!((&*cx.session_id, &*call.model), ("s1", "m"));
            let answer = next.run().await;
            answer.or_else(|error| Ok(LlmResponse::new(format!("sorry: {error}"))))
        }
        let call = BeforeLlmCall {
            model: "m".into(),
            ..Default::default()
        };
        let work = || async { Err("busy".to_owned()) };
        let answer = wrap_around(&hooks![calm, Brackets("a")], &cx(), &call, work).await;
        assert_eq!(answer.unwrap().content, "sorry: busy");
        assert_eq!(wrapped(&hooks![calm, Brackets("a")]).await, "a(x)");
    }
}

mod filters {
    use super::*;

    #[hook(around, only("x", "mcp__*"))]
    async fn only(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        next.run().await;
        ToolOutput::new("wrapped")
    }
    #[hook(around, when = |call| call.id == "1")]
    async fn when(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        next.run().await;
        ToolOutput::new("wrapped")
    }
    #[hook(around, when = |cx, call| cx.depth == 0 && call.id == "1")]
    async fn deep(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        next.run().await;
        ToolOutput::new("wrapped")
    }

    async fn on(hooks: &impl AgentHooks, cx: &AgentContext, name: &str, id: &str) -> String {
        let call = BeforeToolCall {
            id: id.into(),
            ..call(name)
        };
        let work = || async { ToolOutput::new("plain") };
        wrap_around(hooks, cx, &call, work).await.content
    }

    #[tokio::test]
    async fn only_and_when_decide_which_work_is_wrapped() {
        assert_eq!(on(&hooks![only], &cx(), "x", "").await, "wrapped");
        assert_eq!(on(&hooks![only], &cx(), "mcp__a", "").await, "wrapped");
        assert_eq!(on(&hooks![only], &cx(), "y", "").await, "plain");
        assert_eq!(on(&hooks![when], &cx(), "x", "1").await, "wrapped");
        assert_eq!(on(&hooks![when], &cx(), "x", "2").await, "plain");
        assert_eq!(on(&hooks![deep], &cx(), "x", "1").await, "wrapped");
        assert_eq!(
            on(&hooks![deep], &cx().with_depth(1), "x", "1").await,
            "plain"
        );
    }
}

mod next {
    use super::*;

    #[tokio::test]
    async fn runs_the_work_again_each_time() {
        #[hook(around)]
        async fn thrice(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
            let first = next.run().await.content;
            let second = next.run().await.content;
            ToolOutput::new(first + &second + &next.run().await.content)
        }
        let count = Cell::new(0);
        let work = || async {
            yield_now().await;
            count.set(count.get() + 1);
            ToolOutput::new(count.get().to_string())
        };
        let output = wrap_around(&hooks![thrice], &cx(), &call("x"), work).await;
        assert_eq!(output.content, "123");
        let output = wrap_around(&hooks![thrice, &thrice @ 1], &cx(), &call("x"), work).await;
        assert_eq!(output.content, "456789101112");
        let output = wrap_around(&thrice.then(thrice), &cx(), &call("x"), work).await;
        assert_eq!(output.content, "131415161718192021");
    }

    #[tokio::test]
    async fn need_not_run_it_at_all() {
        #[hook(around)]
        async fn instead(_: &BeforeToolCall, _next: Next<'_, BeforeToolCall>) -> ToolOutput {
            ToolOutput::new("instead")
        }
        let work = || async { unreachable!() };
        let output = wrap_around(&hooks![instead], &cx(), &call("x"), work).await;
        assert_eq!(output.content, "instead");
        assert_eq!(
            wrapped(&hooks![Brackets("a") @ 1, instead, Brackets("b") @ -1]).await,
            "a(instead)"
        );
    }

    /// Says when it is dropped.
    struct Dropped<'a>(&'a Cell<usize>);
    impl Drop for Dropped<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_around_it_drops_the_work_before_it_starts_anew() {
        #[hook(around)]
        async fn impatient(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
            for _ in 0..3 {
                if let Ok(output) = tokio::time::timeout(Duration::from_secs(1), next.run()).await {
                    return output;
                }
            }
            // Not at once: the work is dropped meanwhile, and not polled again.
            tokio::time::sleep(Duration::from_secs(9)).await;
            ToolOutput::error("too slow")
        }
        let (starts, dropped) = (Cell::new(0), Cell::new(0));
        let slow = || async {
            assert_eq!(starts.replace(starts.get() + 1), dropped.get());
            let _dropped = Dropped(&dropped);
            tokio::time::sleep(Duration::from_secs(5)).await;
            unreachable!("the work is dropped")
        };
        let output = wrap_around(&hooks![impatient], &cx(), &call("x"), slow).await;
        assert_eq!(output, ToolOutput::error("too slow"));
        assert_eq!((starts.get(), dropped.get()), (3, 3));
        let output = wrap_around(&impatient.then(impatient), &cx(), &call("x"), slow).await;
        assert!(output.is_error);
        assert_eq!(starts.get(), dropped.get());
    }

    #[tokio::test]
    async fn can_be_dropped_before_it_is_polled_and_after_it_is_done() {
        #[hook(around)]
        async fn careless(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
            drop(next.run());
            let mut run = Box::pin(next.run());
            // The work is done when this looks again, and its output is not taken.
            tokio::select! {
                biased;
                () = async { yield_now().await; yield_now().await } => {}
                () = async { std::future::poll_fn(|task| { let _ = run.as_mut().poll(task); Poll::Pending::<()> }).await } => {}
            }
            drop(run);
            next.run().await
        }
        let count = Cell::new(0);
        let work = || async {
            count.set(count.get() + 1);
            ToolOutput::new(count.get().to_string())
        };
        let output = wrap_around(&hooks![careless], &cx(), &call("x"), work).await;
        assert_eq!(output.content, count.get().to_string());
    }

    /// Polls a future only when it has been woken, with a waker of its own, as `FuturesUnordered` does.
    async fn polled_only_when_woken<F: Future>(future: F) -> F::Output {
        struct Own {
            woken: AtomicUsize,
            outer: Mutex<Waker>,
        }
        impl Wake for Own {
            fn wake(self: Arc<Self>) {
                self.woken.store(1, Ordering::SeqCst);
                self.outer.lock().unwrap().wake_by_ref();
            }
        }
        let mut future = pin!(future);
        let own = Arc::new(Own {
            woken: AtomicUsize::new(1),
            outer: Mutex::new(Waker::noop().clone()),
        });
        std::future::poll_fn(|task| {
            own.outer.lock().unwrap().clone_from(task.waker());
            if own.woken.swap(0, Ordering::SeqCst) == 0 {
                return Poll::Pending;
            }
            let waker = Waker::from(own.clone());
            future.as_mut().poll(&mut Context::from_waker(&waker))
        })
        .await
    }

    #[tokio::test(start_paused = true)]
    async fn wakes_whoever_waits_for_it() {
        #[hook(around)]
        async fn picky(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
            let output = polled_only_when_woken(next.run()).await;
            ToolOutput::new(format!("p({})", output.content))
        }
        let within = |hooks| async move {
            let run = tokio::time::timeout(Duration::from_mins(1), wrapped(&hooks));
            run.await.expect("the hook is woken when the work is done")
        };
        assert_eq!(within(hooks![picky]).await, "p(x)");
        assert_eq!(
            wrapped(&hooks![picky, &picky @ 1, Brackets("a") @ 2]).await,
            "a(p(p(x)))"
        );
        assert_eq!(wrapped(&picky.then(picky)).await, "p(p(x))");
    }

    #[tokio::test]
    async fn work_that_wakes_many_times_is_polled_to_its_end() {
        #[hook(around)]
        async fn busy(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
            let other = async {
                for _ in 0..50 {
                    yield_now().await;
                }
            };
            tokio::join!(next.run(), other).0
        }
        let work = || async {
            for _ in 0..1_000 {
                yield_now().await;
            }
            ToolOutput::new("done")
        };
        let cx = cx();
        let (one, two) = (call("1"), call("2"));
        let hooks = hooks![busy, &busy @ 1, Brackets("a") @ 2];
        let (first, second) = tokio::join!(
            wrap_around(&hooks, &cx, &one, work),
            wrap_around(&hooks, &cx, &two, work),
        );
        assert_eq!((&*first.content, &*second.content), ("a(done)", "a(done)"));
    }
}

mod dropped {
    use super::*;

    /// Holds a permit while the work runs, and waits before and after it until it may go on.
    struct Limit {
        permits: Arc<Semaphore>,
        before: Notify,
        after: Notify,
    }

    #[hook(around)]
    impl Limit {
        async fn hold(&self, _: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
            let _permit = self.permits.acquire().await.unwrap();
            self.before.notified().await;
            let output = next.run().await;
            self.after.notified().await;
            output
        }
    }

    /// Drops a wrapped call in a state, in which it holds the permit or not.
    fn drop_in(state: &str, holds: usize) {
        let limit = |permits| Limit {
            permits: Arc::new(Semaphore::new(permits)),
            before: Notify::new(),
            after: Notify::new(),
        };
        let (list, first, second) = (limit(1), limit(1), limit(1));
        let pipeline = hooks![&list];
        let then = (&first).then(&second);
        let (inside, goes_on) = (Rc::new(()), Notify::new());
        let work = || {
            let (inside, goes_on) = (inside.clone(), &goes_on);
            async move {
                goes_on.notified().await;
                drop(inside);
                ToolOutput::new("x")
            }
        };
        let (cx, call) = (cx(), call("x"));
        let mut task = Context::from_waker(Waker::noop());
        let mut both = [
            Box::pin(wrap_around(&pipeline, &cx, &call, work))
                as std::pin::Pin<Box<dyn Future<Output = _>>>,
            Box::pin(wrap_around(&then, &cx, &call, work)),
        ];
        let mut poll = |both: &mut [std::pin::Pin<Box<dyn Future<Output = ToolOutput>>>]| {
            for future in both {
                assert!(future.as_mut().poll(&mut task).is_pending());
            }
        };
        let limits = [&list, &first, &second];
        'states: {
            if state == "before the first poll" {
                break 'states;
            }
            poll(&mut both);
            if state == "while the hook waits before the work" {
                break 'states;
            }
            for limit in limits {
                limit.before.notify_one();
            }
            poll(&mut both);
            assert_eq!(Rc::strong_count(&inside), 3, "the work runs in both");
            if state == "while the work runs" {
                break 'states;
            }
            goes_on.notify_waiters();
            poll(&mut both);
            assert_eq!(Rc::strong_count(&inside), 1, "the work is done");
        }
        let free = || limits.map(|limit| limit.permits.available_permits());
        assert_eq!(free()[0], 1 - holds, "{state}");
        drop(both);
        assert_eq!(free(), [1, 1, 1], "{state}");
        assert_eq!(Rc::strong_count(&inside), 1, "{state}");
    }

    #[test]
    fn it_releases_what_it_holds_in_every_state() {
        drop_in("before the first poll", 0);
        drop_in("while the hook waits before the work", 1);
        drop_in("while the work runs", 1);
        drop_in("while the hook waits after the work", 1);
    }

    #[tokio::test]
    async fn a_call_that_waits_for_a_permit_goes_on_when_another_is_dropped() {
        let limit = Limit {
            permits: Arc::new(Semaphore::new(1)),
            before: Notify::new(),
            after: Notify::new(),
        };
        let limit = Arc::new(limit);
        let hooks = Arc::new(hooks![limit.clone()]);
        let call = |hooks: Arc<_>| tokio::spawn(async move { wrapped(&*hooks).await });
        let first = call(hooks.clone());
        yield_now().await;
        let second = call(hooks.clone());
        yield_now().await;
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        limit.before.notify_one();
        limit.after.notify_one();
        assert_eq!(second.await.unwrap(), "x");
    }
}

mod panics {
    use super::*;

    struct Holds(Arc<Semaphore>);
    #[hook(around)]
    impl Holds {
        async fn hold(
            &self,
            call: &BeforeToolCall,
            mut next: Next<'_, BeforeToolCall>,
        ) -> ToolOutput {
            let _permit = self.0.acquire().await.unwrap();
            assert_ne!(call.name, "before");
            let output = next.run().await;
            assert_ne!(call.name, "after");
            output
        }
    }

    #[tokio::test]
    async fn a_panic_in_the_work_or_in_a_hook_unwinds_and_releases_what_is_held() {
        for state in ["before", "work", "after", "none"] {
            let permits = Arc::new(Semaphore::new(2));
            let hooks = hooks![
                Holds(permits.clone()),
                Holds(permits.clone()).then(Brackets("a")) @ 0
            ];
            let local = tokio::task::LocalSet::new();
            let run = local.spawn_local(async move {
                let work = move || async move {
                    yield_now().await;
                    assert_ne!(state, "work");
                    ToolOutput::new("x")
                };
                wrap_around(&hooks, &cx(), &call(state), work).await.content
            });
            match local.run_until(run).await {
                Ok(output) => assert_eq!((&*output, state), ("a(x)", "none")),
                Err(error) => assert!(error.is_panic() && state != "none"),
            }
            assert_eq!(permits.available_permits(), 2, "{state}");
        }
    }

    #[tokio::test]
    async fn a_hook_may_catch_the_panic_of_a_spawned_tool_and_run_it_again() {
        #[hook(around)]
        async fn retry(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
            let output = next.run().await;
            if output.is_error {
                next.run().await
            } else {
                output
            }
        }
        let count = Arc::new(AtomicUsize::new(0));
        let work = || async {
            let count = count.clone();
            let tool = tokio::spawn(async move {
                assert_ne!(count.fetch_add(1, Ordering::Relaxed), 0, "the first time");
                ToolOutput::new("x")
            });
            tool.await
                .unwrap_or_else(|_| ToolOutput::error("it panicked"))
        };
        let output = wrap_around(&hooks![retry], &cx(), &call("x"), work).await;
        assert_eq!(output.content, "x");
    }
}

mod threads {
    use super::*;

    #[tokio::test]
    async fn work_that_is_not_send_can_be_wrapped() {
        let local = tokio::task::LocalSet::new();
        let work = || async {
            let not_send = Rc::new("x");
            yield_now().await;
            ToolOutput::new(*not_send)
        };
        let run = local.run_until(async move {
            let hooks = hooks![Brackets("a"), Brackets("b")];
            let run = async move { wrap_around(&hooks, &cx(), &call("x"), work).await };
            tokio::task::spawn_local(run).await.unwrap()
        });
        assert_eq!(run.await.content, "a(b(x))");
    }

    #[tokio::test]
    async fn what_is_send_can_be_spawned_through_the_bound() {
        async fn agent<H: AgentHooks + 'static>(hooks: H) -> String {
            tokio::spawn(async move { wrapped(&hooks).await })
                .await
                .unwrap()
        }
        let hooks = hooks![Brackets("a"), ..Registry::new()];
        assert_eq!(agent(hooks.then(Some(Brackets("b")))).await, "a(b(x))");
    }

    #[tokio::test]
    async fn the_bound_for_one_event_is_enough() {
        async fn driver(hooks: impl Wraps<BeforeToolCall>) -> String {
            let work = || async { ToolOutput::new("x") };
            wrap_around(&hooks, &cx(), &call("x"), work).await.content
        }
        assert_eq!(driver(hooks![Brackets("a")]).await, "a(x)");
    }
}

mod registries {
    use super::*;

    fn refused(name: &str) -> Result<(), RegisterError> {
        Err(RegisterError::Around { name: name.into() })
    }

    #[test]
    fn no_registry_takes_them_because_they_would_not_run() {
        let registry = Registry::new();
        assert_eq!(registry.register(Brackets("a")), refused("Brackets"));
        assert_eq!(registry.register(Some(Brackets("a"))), refused("Brackets"));
        assert_eq!(
            registry.register(hooks![Brackets("a"), Mark("m")]),
            refused("hooks")
        );
        assert_eq!(
            registry.register(Mark("m").then(Brackets("a"))),
            refused("hooks")
        );
        assert_eq!(
            registry.register(Brackets("a").shadow()),
            refused("Brackets")
        );
        assert_eq!(registry.register_at(1, Brackets("a")), refused("Brackets"));
        assert_eq!(
            registry.register_at(1, Brackets("a").named("n")),
            refused("n")
        );
        assert_eq!(
            registry.replace("n", Brackets("a")),
            Err(RegisterError::Around { name: "n".into() })
        );
        let plugins = HookRegistry::<AgentEvent>::default();
        assert_eq!(plugins.register(Brackets("a")), refused("Brackets"));
        assert!(registry.is_empty() && plugins.is_empty());
    }

    #[test]
    #[should_panic(
        expected = "`Brackets` has a hook with `#[hook(around)]`, which cannot run behind a box"
    )]
    fn also_not_in_a_box() {
        let _ = BoxHook::<AgentEvent>::new(Brackets("a"));
    }

    #[test]
    fn one_that_is_switched_off_is_none() {
        Registry::new().register(None::<Brackets>).unwrap();
    }

    #[test]
    fn the_refusal_says_what_to_do() {
        let error = Registry::new().register(Brackets("a")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`Brackets` has a hook with `#[hook(around)]`, which cannot run in a registry: name that hook in \
             the `hooks![…]` of the agent"
        );
    }
}

#[test]
fn nothing_is_allocated() {
    #[hook(around)]
    async fn plain(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        next.run().await
    }
    let count = |hooks: &dyn Fn(&AgentContext, &BeforeToolCall)| {
        let (cx, call) = (cx(), call("x"));
        measure(|| hooks(&cx, &call)).count_total
    };
    fn ready<F: Future>(future: F) -> F::Output {
        let mut task = Context::from_waker(Waker::noop());
        match pin!(future).poll(&mut task) {
            Poll::Ready(output) => output,
            Poll::Pending => unreachable!(),
        }
    }
    let work = || async { ToolOutput::default() };
    let none = hooks![];
    let many = hooks![
        plain, &plain @ 1, &&plain @ 2, Some(plain) @ 3, Some(&plain) @ 4, hooks![plain] @ 5,
        hooks![plain, &plain] @ 6, plain.then(plain) @ 7, plain.shadow() @ 8, plain.read_only() @ 9,
    ];
    let then = plain.then(plain);
    let spread = hooks![plain, ..Registry::new()];
    assert_eq!(
        count(&|cx, call| drop(ready(wrap_around(&none, cx, call, work)))),
        0
    );
    assert_eq!(
        count(&|cx, call| drop(ready(wrap_around(&many, cx, call, work)))),
        0
    );
    assert_eq!(
        count(&|cx, call| drop(ready(wrap_around(&then, cx, call, work)))),
        0
    );
    assert_eq!(
        count(&|cx, call| drop(ready(wrap_around(&spread, cx, call, work)))),
        0
    );
    // The control: an allocation is seen.
    assert_ne!(count(&|_, _| drop(Notes::default())), 0);
}

/// Around hooks in wrappers, whose forms `composition` tries, behind a driver.
mod wrappers {
    use hooks_core::{HookAction, OnPanic};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test]
    async fn hold_in_code_that_is_generic_over_its_hooks_and_spawned() {
        async fn spawned<H: AgentHooks + 'static>(hooks: H) -> String {
            let hooks = hooks
                .on_panic(OnPanic::Skip)
                .timeout(SECOND)
                .when(|_: &AgentContext, _: AgentEvent<'_>| true)
                .read_only();
            let tool = async |_: &BeforeToolCall| ToolOutput::new("x");
            let run = async move {
                let hooks = hooks.then(Brackets("b"));
                run_tool_call(&hooks, &cx(), call("x"), tool).await.unwrap()
            };
            tokio::spawn(run).await.unwrap().output.content
        }
        assert_eq!(spawned(Brackets("a")).await, "a(b(x))");
        assert_eq!(spawned(hooks![Mark("m")]).await, "b(x)");
        assert_eq!(spawned(BoxHook::<AgentEvent>::new(Mark("m"))).await, "b(x)");
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_call_fails_and_may_be_tried_again() {
        #[hook(around)]
        async fn hangs(
            call: &BeforeLlmCall,
            mut next: Next<'_, BeforeLlmCall>,
        ) -> Result<LlmResponse, String> {
            if call.model == "a" {
                std::future::pending::<()>().await;
            }
            next.run().await
        }
        #[hook]
        fn another(failed: &mut LlmFailed) -> HookAction<LlmFailed> {
            assert!(failed.error.ends_with("its timeout of 1s"), "{failed:?}");
            failed.model = "b".into();
            HookAction::respond(Retry::default())
        }
        let model = async |request: &BeforeLlmCall, _: Deltas<'_>| {
            Ok::<_, String>(LlmResponse::new(request.model.as_str()))
        };
        let hooks = hooks![hangs.timeout(SECOND), another];
        let mut request = BeforeLlmCall::new("p", "a", vec![]);
        let done = run_llm_call(&hooks, &cx(), &mut request, model).await;
        assert_eq!(done.unwrap().response.content, "b");
    }
}
