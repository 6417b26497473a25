//! `HookRegistry`: hooks that exist only at run time, and come and go while agents run. Nothing is lost, run twice or
//! leaked, and nothing waits forever.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, OnceLock, Weak};

use crate::vocabulary::*;
use hooks_core::{
    BoxHook, Hook, HookAction, HookResult, OnPanic, RegisterError, async_trait, hook, hooks,
    intercept_fn,
};
use serde_json::json;
use tokio::sync::Notify;

use crate::common::*;

/// A hook in a box, made of a function.
struct Boxed<F> {
    name: &'static str,
    priority: i32,
    does: F,
}

#[async_trait]
impl<F: Fn(AgentEventMut<'_>) -> AgentSaid + Send + Sync> AgentHandler for Boxed<F> {
    fn name(&self) -> &str {
        self.name
    }
    fn priority(&self) -> i32 {
        self.priority
    }
    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        (self.does)(event)
    }
}

fn boxed<F>(name: &'static str, priority: i32, does: F) -> Box<dyn AgentHandler>
where
    F: Fn(AgentEventMut<'_>) -> AgentSaid + Send + Sync + 'static,
{
    Box::new(Boxed {
        name,
        priority,
        does,
    })
}

mod its_hooks {
    use super::*;

    #[tokio::test]
    async fn run_by_priority_and_equal_ones_in_the_order_of_registration() {
        let registry = Registry::new();
        assert!(registry.is_empty());
        for (name, priority) in [("d", -5), ("b", 10), ("c", 10), ("a", 11), ("e", -5)] {
            registry.register(plugin(name, priority)).unwrap();
        }
        assert_eq!(registry.len(), 5);
        assert_eq!(order(&registry).await, "abcde");
        assert_eq!(format!("{registry:?}"), "[a, b, c, d, e]");
    }

    #[tokio::test]
    async fn end_it_when_one_decides_and_that_one_is_named() {
        let registry = Registry::new()
            .with(plugin("last", -1))
            .with(plugin("strict", 5));
        let mut tool = call("strict");
        let result = registry.intercept(&cx(), &mut tool).await;
        assert_eq!(stopped(&result), Some(("strict", "no")));
        assert_eq!(tool.id, "strict");
    }

    #[tokio::test]
    async fn see_what_the_one_before_has_modified() {
        #[hook(priority = 1)]
        fn modifies(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
            HookAction::modify(json!({ "path": "/" }))
        }
        let answers = boxed("answers", 0, |event| match event {
            AgentEventMut::BeforeToolCall(call) => {
                let output = ToolOutput::new(call.args["path"].to_string());
                HookAction::<BeforeToolCall>::respond(output).into()
            }
            _ => AgentSaid::Continue,
        });
        let registry = Registry::new().with(answers).with(modifies);
        let result = registry.intercept(&cx(), &mut call("x")).await;
        assert_eq!(result, HookResult::Respond(ToolOutput::new("\"/\"")));
    }

    #[tokio::test]
    async fn are_of_every_kind() {
        let shared: Arc<dyn AgentHandler> = Arc::from(plugin("2", 0));
        let inner = Registry::new().with(plugin("8", 0));
        let registry = Registry::new()
            .with(plugin("1", 0))
            .with(shared)
            .with(Mark("3"))
            .with(hooks![Mark("4")].named("4"))
            .with(hooks![opaque(MarkLater("5")).then(Mark(","))].named("5"))
            .with(Box::new(Arc::new(Some(Mark("6")))).named("6"))
            .with(intercept_fn::<BeforeToolCall, _>(|_, call| {
                call.id.push('7');
                HookAction::Continue
            }))
            .with(inner.clone())
            .with(Mark("a").then(MarkLater("b")).named("ab"))
            .with(hooks![Mark("c"), ..Registry::new()].shadow().named("c"))
            .with(None::<Mark>.named("none"));
        assert_eq!(order(&registry).await, "12345,678ab");
        inner.register(plugin("9", 0)).unwrap();
        assert_eq!(order(&hooks![..registry]).await, "12345,6789ab");
    }

    #[tokio::test]
    async fn have_one_place_in_a_static_list() {
        let plugins = Registry::new().with(plugin("1", 1_000));
        let hooks = hooks![Mark("a") @ -10, plugins.clone() @ -20, Mark("b")];
        assert_eq!(order(&hooks).await, "ba1");
        let plan = "\
order  hook          priority  event           runs
1      Mark                 0  BeforeToolCall  sync
2      Mark               -10  BeforeToolCall  sync
3      HookRegistry       -20  every event     async
4        1               1000  every event     async
";
        assert_eq!(hooks.plan().to_string(), plan);
        assert!(hooks.handles::<HeartbeatTick>());
        assert!(plugins.unregister("1"));
        assert!(!hooks.handles::<HeartbeatTick>());
        assert_eq!(order(&hooks).await, "ba");
    }

    #[tokio::test]
    async fn may_be_read_from_outside_and_its_future_spawned() {
        #[derive(Default)]
        struct Count(AtomicUsize);
        #[hook]
        impl Count {
            async fn tick(&self, _: &HeartbeatTick) {
                tokio::task::yield_now().await;
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let count = Arc::new(Count::default());
        let registry = Registry::new().with(Arc::clone(&count));
        let run = tokio::spawn(async move { registry.observe(&cx(), &HeartbeatTick).await });
        run.await.unwrap();
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn are_asked_no_more_when_they_are_gone() {
        #[hook]
        fn tick(_: &HeartbeatTick) {}
        let registry = Registry::new().with(tick).with(Mark("m"));
        assert!(registry.handles::<HeartbeatTick>() && registry.handles::<BeforeToolCall>());
        assert!(!registry.handles::<AfterToolCall>());
        assert!(registry.unregister("tick") && !registry.unregister("tick"));
        assert!(!registry.handles::<HeartbeatTick>());
        assert_eq!(registry.replace("Mark", tick), Ok(true));
        assert!(registry.handles::<HeartbeatTick>() && !registry.handles::<BeforeToolCall>());
        assert_eq!((registry.len(), registry.is_empty()), (1, false));
    }
}

mod names {
    use super::*;

    #[test]
    fn and_priorities_are_those_of_one_hook_and_several_have_none() {
        #[hook(priority = 7)]
        fn seven(_: &BeforeToolCall) {}
        #[hook(priority = 9, name = "IX")]
        fn nine(_: &BeforeToolCall) {}
        let registry = Registry::new()
            .with(hooks![nine])
            .with(seven.shadow().on_panic(OnPanic::Skip))
            .with(hooks![seven, nine])
            .with(hooks![nine @ 8].named("eight"))
            .with(boxed("box", 5, |_| AgentSaid::Continue));
        assert_eq!(registry.names(), ["IX", "eight", "seven", "box", "hooks"]);
        let plan = "\
order  hook          priority  event           runs
1      HookRegistry         0  every event     async
2        IX                 9  BeforeToolCall  sync
3        IX                 8  BeforeToolCall  sync
4        seven              7  BeforeToolCall  sync
5        box                5  every event     async
6        hooks              0                  one after the other
7          IX               9  BeforeToolCall  sync
8          seven            7  BeforeToolCall  sync
";
        assert_eq!(registry.plan().to_string(), plan);
    }

    #[test]
    fn of_a_box_that_says_none_is_its_type() {
        struct Silent;
        #[async_trait]
        impl AgentHandler for Silent {
            async fn handle(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
                AgentSaid::Continue
            }
        }
        let silent: Box<dyn AgentHandler> = Box::new(Silent);
        let registry = Registry::new().with(silent);
        assert!(registry.names()[0].ends_with("::Silent"));
    }

    #[tokio::test]
    async fn stand_once_and_whoever_gives_one_again_is_told() {
        let registry = Registry::new().with(plugin("p", 1));
        let taken = RegisterError::NameTaken { name: "p".into() };
        assert_eq!(registry.register(plugin("p", 2)), Err(taken.clone()));
        assert_eq!(
            registry.register_at(3, Mark("m").named("p")),
            Err(taken.clone())
        );
        assert_eq!(
            taken.to_string(),
            "the registry already has a hook `p`: give this one another name with `.named(…)`, or call `replace` \
             to put it in the other's place"
        );
        registry.register_at(3, plugin("q", 2)).unwrap();
        registry.register_at(2, plugin("x", 9).named("r")).unwrap();
        assert_eq!(registry.names(), ["q", "r", "p"]);
        let result = registry.intercept(&cx(), &mut call("x")).await;
        assert_eq!(
            stopped(&result),
            Some(("r", "no")),
            "a given name is the one that counts"
        );
    }

    #[tokio::test]
    async fn are_kept_by_replace_and_the_place_where_the_priority_is_the_same() {
        let registry = Registry::new()
            .with(plugin("a", 1))
            .with(plugin("b", 1))
            .with(plugin("c", 1));
        for (name, hook, was_there, expected) in [
            ("b", plugin("B", 1), true, "aBc"),
            ("b", plugin("B", 2), true, "Bac"),
            ("d", plugin("D", 1), false, "BacD"),
        ] {
            assert_eq!(registry.replace(name, hook), Ok(was_there));
            assert_eq!(order(&registry).await, expected);
        }
        assert_eq!(registry.names(), ["b", "a", "c", "d"]);
    }
}

/// A hook that says when it has begun, and waits until it may end.
#[derive(Clone, Default)]
struct Waits(Arc<(Notify, Notify)>);

#[hook(priority = 100, name = "waits")]
impl Waits {
    async fn wait(&self, call: &mut BeforeToolCall) {
        call.id.push('w');
        self.0.0.notify_one();
        self.0.1.notified().await;
    }
}

impl Waits {
    async fn begun(&self) {
        self.0.0.notified().await;
    }
    fn end(&self) {
        self.0.1.notify_one();
    }
}

type Change = Box<dyn Fn(&Registry) + Send + Sync>;

/// What may happen to a registry with the hooks `waits` or `changes`, `1` and `2`, and what runs in it afterwards.
fn changes(first: &'static str) -> Vec<(Change, &'static str)> {
    fn of(change: impl Fn(&Registry) + Send + Sync + 'static) -> Change {
        Box::new(change)
    }
    vec![
        (of(|all| drop(all.register(plugin("3", 1)))), "*132"),
        (of(|all| assert!(all.unregister("1"))), "*2"),
        (of(move |all| assert!(all.unregister(first))), "12"),
        (
            of(|all| assert_eq!(all.replace("1", plugin("p", 5)), Ok(true))),
            "*p2",
        ),
        (
            of(move |all| assert_eq!(all.replace(first, plugin("n", 0)), Ok(true))),
            "12n",
        ),
        (
            of(move |all| {
                let old = all.swap(&Registry::new().with(plugin("y", 0)));
                assert_eq!(old.names(), [first, "1", "2"]);
            }),
            "y",
        ),
        (
            of(move |all| {
                assert_eq!(all.names(), [first, "1", "2"]);
                assert_eq!(hooks![..all.clone()].plan().count(), 3);
            }),
            "*12",
        ),
    ]
}

#[tokio::test]
async fn a_dispatch_keeps_the_hooks_with_which_it_began() {
    for is_spread in [true, false] {
        for (nth, (change, after)) in changes("waits").into_iter().enumerate() {
            let waits = Waits::default();
            let plugins = Registry::new()
                .with(waits.clone())
                .with(plugin("1", 1))
                .with(plugin("2", 0));
            let all = plugins.clone();
            let run = tokio::spawn(async move {
                if is_spread {
                    order(&hooks![..all]).await
                } else {
                    order(&hooks![all]).await
                }
            });
            waits.begun().await;
            change(&plugins);
            waits.end();
            assert_eq!(run.await.unwrap(), "w12", "{nth}");
            waits.end();
            assert_eq!(order(&plugins).await, after.replace('*', "w"), "{nth}");
        }
    }
}

mod a_hook_may_change_the_registry_in_which_it_stands {
    use super::*;

    #[tokio::test]
    async fn while_it_runs() {
        for (nth, (change, after)) in changes("changes").into_iter().enumerate() {
            let plugins = Registry::new().with(plugin("1", 1)).with(plugin("2", 0));
            let (all, ran) = (plugins.clone(), AtomicUsize::new(0));
            let changes = boxed("changes", 10, move |event| {
                if let AgentEventMut::BeforeToolCall(call) = event {
                    call.id.push('c');
                    if ran.fetch_add(1, Ordering::Relaxed) == 0 {
                        change(&all);
                    }
                }
                AgentSaid::Continue
            });
            plugins.register(changes).unwrap();
            let hooks = hooks![..plugins.clone()];
            assert_eq!(order(&hooks).await, "c12", "{nth}");
            assert_eq!(order(&hooks).await, after.replace('*', "c"), "{nth}");
            plugins.swap(&Registry::new());
        }
    }

    #[tokio::test]
    async fn while_it_observes() {
        let plugins = Registry::new();
        let all = plugins.clone();
        let registers = boxed("registers", 0, move |_| {
            all.register(plugin(&format!("m{}", all.len()), 0)).unwrap();
            AgentSaid::Continue
        });
        plugins.register(registers).unwrap();
        hooks![..plugins.clone()]
            .observe(&cx(), &HeartbeatTick)
            .await;
        hooks![plugins.clone()].observe(&cx(), &HeartbeatTick).await;
        assert_eq!(plugins.names(), ["registers", "m1", "m2"]);
        plugins.swap(&Registry::new());
    }

    /// A hook that takes its helper away with it.
    struct Leaves(Registry);
    #[hook(name = "leaves")]
    impl Leaves {
        fn tick(&self, _: &HeartbeatTick) {}
    }
    impl Drop for Leaves {
        fn drop(&mut self) {
            self.0.unregister("helper");
        }
    }

    #[test]
    fn while_it_is_dropped() {
        let plugins = Registry::new();
        let with_both = || {
            plugins.swap(&Registry::new());
            plugins.register(plugin("helper", 0)).unwrap();
            plugins.register(Leaves(plugins.clone())).unwrap();
        };
        with_both();
        assert!(plugins.unregister("leaves"));
        assert!(plugins.is_empty());

        with_both();
        assert_eq!(plugins.replace("leaves", plugin("other", 0)), Ok(true));
        assert_eq!(plugins.names(), ["leaves"]);

        with_both();
        let name = String::from("leaves");
        let taken = plugins.register(Leaves(plugins.clone()));
        assert_eq!(taken, Err(RegisterError::NameTaken { name }));
        assert_eq!(plugins.names(), ["leaves"]);

        with_both();
        drop(plugins.swap(&Registry::new().with(plugin("helper", 0))));
        assert!(plugins.is_empty());
    }

    #[test]
    fn while_it_is_registered() {
        /// Asks for its place among the others.
        struct Nth(Registry, OnceLock<String>);
        #[async_trait]
        impl AgentHandler for Nth {
            fn name(&self) -> &str {
                self.1.get_or_init(|| format!("nth {}", self.0.len()))
            }
            fn priority(&self) -> i32 {
                i32::try_from(self.0.len()).unwrap()
            }
            async fn handle(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
                AgentSaid::Continue
            }
        }
        let plugins = Registry::new();
        for _ in 0..3 {
            let nth: Box<dyn AgentHandler> = Box::new(Nth(plugins.clone(), OnceLock::new()));
            plugins.register(nth).unwrap();
        }
        assert_eq!(plugins.names(), ["nth 2", "nth 1", "nth 0"]);
        plugins.swap(&Registry::new());
    }
}

mod a_hook_that_fails {
    use super::*;

    /// Panics in the way that its name says.
    struct Fails(&'static str);

    #[async_trait]
    impl AgentHandler for Fails {
        fn name(&self) -> &str {
            assert_ne!(self.0, "in name()");
            self.0
        }
        fn priority(&self) -> i32 {
            50
        }
        fn wants(&self, _: &hooks_core::EventInfo, subject: Option<&str>) -> bool {
            assert!(self.0 != "in wants()" || subject.is_none());
            true
        }
        async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            if let AgentEventMut::BeforeToolCall(call) = event {
                call.id.push_str("half");
            }
            assert_ne!(self.0, "at once");
            tokio::task::yield_now().await;
            panic!("oh no")
        }
    }

    /// Panics before there is a future.
    struct NoFuture;
    impl AgentHandler for NoFuture {
        fn priority(&self) -> i32 {
            50
        }
        fn handle<'a, 'b, 'c, 'f>(
            &'a self,
            _: &'b AgentContext,
            _: AgentEventMut<'c>,
        ) -> std::pin::Pin<Box<dyn Future<Output = AgentSaid> + Send + 'f>>
        where
            Self: 'f,
            'a: 'f,
            'b: 'f,
            'c: 'f,
        {
            panic!("no future")
        }
    }

    #[tokio::test]
    async fn fails_alone() {
        let bad: [Box<dyn AgentHandler>; 4] = [
            Box::new(Fails("at once")),
            Box::new(Fails("later")),
            Box::new(Fails("in wants()")),
            Box::new(NoFuture),
        ];
        for bad in bad {
            let notes = Notes::default();
            let plugins = Registry::new()
                .with(bad)
                .with(noting("1", 60, &notes))
                .with(noting("2", 40, &notes));
            let spread = hooks![Mark("a") @ 50, ..plugins.clone()];
            let one_place = hooks![Mark("a") @ 50, plugins @ 0];
            for _ in 0..2 {
                assert_eq!(order(&spread).await, "1a2");
                assert_eq!(order(&one_place).await, "a12");
                notes.take();
                spread.observe(&cx(), &HeartbeatTick).await;
                one_place.observe(&cx(), &HeartbeatTick).await;
                assert_eq!(notes.take(), ["1", "2", "1", "2"]);
            }
        }
    }

    #[test]
    fn while_it_is_registered_leaves_the_registry_as_it_was() {
        let fails = || -> Box<dyn AgentHandler> { Box::new(Fails("in name()")) };
        let plugins = Registry::new().with(plugin("1", 0));
        let registers = || plugins.register(fails());
        let replaces = || plugins.replace("1", fails());
        assert!(catch_unwind(AssertUnwindSafe(registers)).is_err());
        assert!(catch_unwind(AssertUnwindSafe(replaces)).is_err());
        assert_eq!(plugins.names(), ["1"]);
        plugins.register(plugin("2", 0)).unwrap();
        assert!(plugins.unregister("1"));
        assert_eq!(plugins.names(), ["2"]);
    }

    #[test]
    fn while_it_is_dropped_leaves_the_registry_without_it() {
        struct Bad;
        #[hook(name = "bad")]
        impl Bad {
            fn tick(&self, _: &HeartbeatTick) {}
        }
        impl Drop for Bad {
            fn drop(&mut self) {
                panic!("dropped");
            }
        }
        let plugins = Registry::new().with(Bad);
        let removes = || plugins.unregister("bad");
        assert!(catch_unwind(AssertUnwindSafe(removes)).is_err());
        plugins.register(plugin("1", 0)).unwrap();
        assert_eq!(plugins.names(), ["1"]);
    }

    #[tokio::test]
    async fn has_the_policy_with_which_it_was_registered() {
        #[hook]
        fn fails(_: &mut BeforeToolCall) {
            panic!("oh no");
        }
        let plugins = Registry::new().with(fails);
        let block = plugins.clone().on_panic(OnPanic::Block);
        assert_eq!(order(&plugins).await, "", "a policy is for hooks to come");
        assert_eq!(block.replace("fails", fails), Ok(true));
        let result = plugins.intercept(&cx(), &mut call("x")).await;
        assert_eq!(
            stopped(&result),
            Some(("fails", "the hook panicked: oh no"))
        );
        plugins.swap(&Registry::new().with(fails));
        assert_eq!(order(&plugins).await, "");
        plugins.swap(&Registry::new().on_panic(OnPanic::Block).with(fails));
        let result = plugins.intercept(&cx(), &mut call("x")).await;
        assert!(!result.is_continue());
    }
}

mod nothing_leaks {
    use super::*;

    fn held(plugins: &Registry) -> Weak<Mark> {
        let held = Arc::new(Mark("h"));
        let weak = Arc::downgrade(&held);
        plugins.register(held).unwrap();
        weak
    }

    #[tokio::test]
    async fn a_hook_is_dropped_when_it_is_gone_and_the_last_dispatch_has_ended() {
        let waits = Waits::default();
        let plugins = Registry::new().with(waits.clone());
        let hook = held(&plugins);
        let hooks = Arc::new(hooks![..plugins.clone()]);
        let run = |hooks: Arc<_>| tokio::spawn(async move { order(&*hooks).await });
        let first = run(hooks.clone());
        waits.begun().await;
        let second = run(hooks.clone());
        waits.begun().await;

        assert!(plugins.unregister("Mark"));
        assert!(hook.upgrade().is_some(), "two dispatches use it");
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        assert!(hook.upgrade().is_some(), "one dispatch uses it");
        waits.end();
        assert_eq!(second.await.unwrap(), "wh");
        assert!(hook.upgrade().is_none());
    }

    #[tokio::test]
    async fn an_idle_registry_drops_at_once_what_is_gone() {
        let plugins = Registry::new();
        let hooks = hooks![..plugins.clone()];
        let hook = held(&plugins);
        assert_eq!(order(&hooks).await, "h");
        assert!(plugins.unregister("Mark"));
        assert!(hook.upgrade().is_none());

        let hook = held(&plugins);
        assert_eq!(plugins.replace("Mark", plugin("1", 0)), Ok(true));
        assert!(hook.upgrade().is_none());

        plugins.swap(&Registry::new());
        let hook = held(&plugins);
        plugins.swap(&Registry::new());
        assert!(hook.upgrade().is_none());

        let hook = held(&plugins);
        drop((plugins, hooks));
        assert!(hook.upgrade().is_none());
    }

    #[tokio::test]
    async fn a_panic_holds_on_to_nothing() {
        #[hook]
        fn panics(_: &BeforeToolCall) {
            panic!("oh no");
        }
        for policy in [OnPanic::Skip, OnPanic::Propagate] {
            let plugins = Registry::new().on_panic(policy).with(panics);
            let hook = held(&plugins);
            let hooks = hooks![..plugins.clone()];
            let run = tokio::spawn(async move { hooks.intercept(&cx(), &mut call("x")).await });
            assert_eq!(run.await.is_err(), policy == OnPanic::Propagate);
            assert!(plugins.unregister("Mark"));
            assert!(hook.upgrade().is_none());
        }
    }
}

#[tokio::test]
async fn a_handle_is_another_way_to_the_same_hooks() {
    let plugins = Registry::new().with(plugin("1", 0));
    let other = plugins.clone();
    other.register(plugin("2", 0)).unwrap();
    assert_eq!(format!("{plugins:?}"), "[1, 2]");
    assert!(plugins.unregister("1") && !other.unregister("1"));
    assert_eq!(format!("{other:?}"), "[2]");
}

/// Adding and removing costs what it costs to sort, and a plan and a drop need no stack for each hook.
#[tokio::test]
async fn ten_thousand_hooks_are_registered_run_shown_and_removed() {
    const MANY: usize = 10_000;
    struct Counts(Arc<AtomicUsize>);
    #[hook]
    impl Counts {
        async fn call(&self, _: &BeforeToolCall) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        async fn tick(&self, _: &HeartbeatTick) {
            tokio::task::yield_now().await;
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (plugins, count) = (Registry::new(), Arc::new(AtomicUsize::new(0)));
    let hooks = hooks![Mark("a"), ..plugins.clone()];
    for nth in 0..MANY {
        let counts = Counts(count.clone()).named(format!("hook {nth}"));
        plugins.register(counts).unwrap();
    }
    assert_eq!(order(&hooks).await, "a");
    assert_eq!(count.swap(0, Ordering::Relaxed), MANY);
    hooks.observe(&cx(), &HeartbeatTick).await;
    assert_eq!(count.swap(0, Ordering::Relaxed), MANY);
    assert_eq!(hooks.plan().count(), 2 * MANY + 1);
    for nth in (0..MANY).rev() {
        assert!(plugins.unregister(&format!("hook {nth}")));
    }
    assert_eq!(Arc::strong_count(&count), 1);
    assert_eq!(order(&hooks).await, "a");
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let dropped = small.spawn(move || drop((plugins, hooks)));
    dropped.unwrap().join().unwrap();
}

#[test]
fn many_threads_register_and_dispatch_and_no_hook_is_lost_or_runs_twice() {
    const ROUNDS: usize = 200;
    const THREADS: usize = 4;
    /// Leaves its name on a call, which it is given once.
    struct Adds(String);
    #[hook]
    impl Adds {
        async fn add(&self, call: &mut BeforeToolCall) {
            tokio::task::yield_now().await;
            call.context.push(self.0.clone());
        }
    }
    let adds = |name: &str| Adds(name.into()).named(name.to_owned());
    let plugins = Registry::new().with(adds("stays"));
    let barrier = Barrier::new(2 * THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (plugins, barrier) = (plugins.clone(), &barrier);
            scope.spawn(move || {
                barrier.wait();
                for round in 0..ROUNDS {
                    let name = format!("{thread}.{round}");
                    plugins.register(adds(&name)).unwrap();
                    assert_eq!(plugins.replace("stays", adds("stays")), Ok(true));
                    assert!(plugins.unregister(&name));
                }
            });
        }
        for _ in 0..THREADS {
            let (plugins, barrier) = (plugins.clone(), &barrier);
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = { runtime }.build().unwrap();
                let hooks = hooks![Mark("a") @ 1, Mark("b") @ -1, ..plugins];
                barrier.wait();
                for _ in 0..ROUNDS {
                    let mut call = call("x");
                    let result = runtime.block_on(hooks.intercept(&cx(), &mut call));
                    assert!(result.is_continue());
                    assert_eq!(call.id, "ab");
                    let seen = call.context.len();
                    let stays = call.context.iter().filter(|name| *name == "stays");
                    assert_eq!(stays.count(), 1, "the one that is replaced all the time");
                    call.context.sort();
                    call.context.dedup();
                    assert_eq!(call.context.len(), seen, "no hook runs twice");
                    assert!(seen <= 1 + THREADS);
                }
            });
        }
    });
    assert_eq!(plugins.names(), ["stays"]);
}

mod a_source_within_a_box {
    use super::*;

    #[hook]
    fn mark(after: &mut AfterToolCall) {
        after.name.push('!');
    }

    #[hook]
    fn other(_: &BeforeToolCall) {}

    /// Only calls of `deploy`, so that a registry remembers whom a subject concerns.
    #[hook(only("deploy"))]
    fn deploys(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::block("no")
    }

    async fn marked<H: AgentHooks>(hooks: &H) -> String {
        let mut after = AfterToolCall::default();
        let result = hooks.intercept(&AgentContext::new("s"), &mut after).await;
        assert!(result.is_continue());
        after.name
    }

    /// What the source wants was read when it was boxed, and its later hooks never ran.
    #[tokio::test]
    async fn may_get_hooks_on_other_events_later() {
        let plugins = Registry::new();
        let of_list = BoxHook::<AgentEvent<'_>>::new(hooks![other, ..plugins.clone()]);
        let of_source = BoxHook::<AgentEvent<'_>>::new(plugins.clone());
        let of_box =
            BoxHook::<AgentEvent<'_>>::new(BoxHook::<AgentEvent<'_>>::new(Some(plugins.clone())));
        let outer = Registry::new();
        let inner = hooks![other, ..plugins.clone()].named("inner");
        outer.register(inner).unwrap();
        let outermost = hooks![other, ..outer.clone()];
        assert_eq!(marked(&outer).await, "");
        plugins.register(mark).unwrap();
        assert_eq!(marked(&of_list).await, "!");
        assert_eq!(marked(&of_source).await, "!");
        assert_eq!(marked(&of_box).await, "!");
        assert_eq!(marked(&outer).await, "!");
        assert_eq!(marked(&outermost).await, "!");
        assert!(plugins.unregister("mark"));
        assert_eq!(marked(&of_list).await, "");
        assert_eq!(marked(&outermost).await, "");
    }

    #[tokio::test]
    async fn may_get_hooks_for_other_subjects_later() {
        let plugins = Registry::new();
        plugins.register(other).unwrap();
        let outer = Registry::new();
        outer
            .register(hooks![mark, ..plugins.clone()].named("inner"))
            .unwrap();
        let hooks = hooks![..outer.clone()];
        let mut call = BeforeToolCall {
            name: "deploy".into(),
            ..BeforeToolCall::default()
        };
        let cx = AgentContext::new("s");
        assert!(hooks.intercept(&cx, &mut call).await.is_continue());
        plugins.register(deploys).unwrap();
        assert!(!hooks.intercept(&cx, &mut call).await.is_continue());
    }
}
