//! Handlers that come and go while agents run, and what may go wrong with them: nothing is lost, run twice or
//! leaked, and nothing waits forever.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Weak};
use std::time::Duration;

use common::{Mark, Notes, call, cx, plugin};
use hooks_core::agent::*;
use hooks_core::{
    Decision, HookAction, HookRegistry, Mounted, OnPanic, RegisterError, Timeouts, async_trait,
    hook, hooks,
};
use tokio::sync::Notify;

type Plugins = Mounted<AgentEvent<'static>>;
type Registry = HookRegistry<AgentEvent<'static>>;

async fn order(hooks: &impl AgentHooks) -> String {
    let mut call = call("x");
    assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
    call.id
}

fn names(plugins: &Plugins) -> Vec<String> {
    plugins.snapshot().names().map(Into::into).collect()
}

/// A handler that says when it has begun, and waits until it may end.
#[derive(Clone, Default)]
struct Waits(Arc<(Notify, Notify)>);

impl Waits {
    async fn begun(&self) {
        self.0.0.notified().await;
    }
    fn end(&self) {
        self.0.1.notify_one();
    }
}

#[async_trait]
impl AgentHandler for Waits {
    fn name(&self) -> &str {
        "waits"
    }
    fn priority(&self) -> i32 {
        100
    }
    async fn before_tool_call(
        &self,
        _cx: &AgentContext,
        call: &mut BeforeToolCall,
    ) -> HookAction<BeforeToolCall> {
        call.id.push('w');
        self.0.0.notify_one();
        self.0.1.notified().await;
        HookAction::Continue
    }
}

mod a_dispatch_keeps_the_set_with_which_it_began {
    use super::*;

    /// Changes the set while a dispatch waits in its first handler.
    async fn while_it_waits(change: impl FnOnce(&Plugins)) -> (String, String) {
        let (plugins, waits) = (Plugins::default(), Waits::default());
        plugins.mount(waits.clone()).unwrap();
        plugins.mount(plugin("1", 1)).unwrap();
        plugins.mount(plugin("2", 0)).unwrap();
        let hooks = Arc::new(hooks![Mark("a") @ 2, Mark("b") @ 1, ..plugins.clone()]);
        let run = tokio::spawn({
            let hooks = hooks.clone();
            async move { order(&*hooks).await }
        });
        waits.begun().await;
        change(&plugins);
        waits.end();
        let first = run.await.unwrap();
        waits.end();
        (first, order(&*hooks).await)
    }

    #[tokio::test]
    async fn when_a_handler_is_mounted() {
        let (first, next) = while_it_waits(|plugins| plugins.mount(plugin("3", 1)).unwrap()).await;
        assert_eq!((&*first, &*next), ("wab12", "wab132"));
    }

    #[tokio::test]
    async fn when_a_handler_is_unmounted() {
        let (first, next) = while_it_waits(|plugins| assert!(plugins.unmount("1"))).await;
        assert_eq!((&*first, &*next), ("wab12", "wab2"));
    }

    #[tokio::test]
    async fn when_the_handler_that_runs_is_unmounted() {
        let (first, next) = while_it_waits(|plugins| assert!(plugins.unmount("waits"))).await;
        assert_eq!((&*first, &*next), ("wab12", "ab12"));
    }

    #[tokio::test]
    async fn when_a_handler_is_replaced() {
        let (first, next) = while_it_waits(|plugins| {
            assert_eq!(plugins.replace("1", plugin("p", 5)), Ok(true));
        })
        .await;
        assert_eq!((&*first, &*next), ("wab12", "wpab2"));
    }

    #[tokio::test]
    async fn when_all_are_swapped() {
        let (first, next) = while_it_waits(|plugins| {
            let old = plugins.swap(Registry::new().with(plugin("y", 0)));
            assert_eq!(old.names().collect::<Vec<_>>(), ["waits", "1", "2"]);
        })
        .await;
        assert_eq!((&*first, &*next), ("wab12", "aby"));
    }

    #[tokio::test]
    async fn also_where_the_handlers_have_one_place_in_the_list() {
        let (plugins, waits) = (Plugins::default(), Waits::default());
        plugins.mount(waits.clone()).unwrap();
        plugins.mount(plugin("1", 1)).unwrap();
        let hooks = Arc::new(hooks![Mark("a"), plugins.clone() @ -1]);
        let run = tokio::spawn({
            let hooks = hooks.clone();
            async move { order(&*hooks).await }
        });
        waits.begun().await;
        plugins.swap(Registry::new());
        waits.end();
        assert_eq!(run.await.unwrap(), "aw1");
        assert_eq!(order(&*hooks).await, "a");
    }
}

mod a_handler_may_change_the_set_in_which_it_stands {
    use super::*;

    /// A handler that does something to the set while it is called.
    struct Changes<F>(Plugins, F);

    #[async_trait]
    impl<F: Fn(&Plugins) + Send + Sync> AgentHandler for Changes<F> {
        fn name(&self) -> &str {
            "changes"
        }
        fn priority(&self) -> i32 {
            10
        }
        async fn before_tool_call(
            &self,
            _cx: &AgentContext,
            call: &mut BeforeToolCall,
        ) -> HookAction<BeforeToolCall> {
            call.id.push('c');
            (self.1)(&self.0);
            HookAction::Continue
        }
        async fn heartbeat_tick(&self, _cx: &AgentContext, _: &HeartbeatTick) {
            (self.1)(&self.0);
        }
        fn decided(&self, _cx: &AgentContext, _: AgentEvent<'_>, _: Decision<'_>) {
            (self.1)(&self.0);
        }
    }

    async fn twice(change: impl Fn(&Plugins) + Send + Sync + Unpin + 'static) -> [String; 2] {
        let plugins = Plugins::default();
        plugins.mount(Changes(plugins.clone(), change)).unwrap();
        plugins.mount(plugin("1", 1)).unwrap();
        let hooks = hooks![Mark("a"), ..plugins.clone()];
        let both = [order(&hooks).await, order(&hooks).await];
        plugins.swap(Registry::new());
        both
    }

    #[tokio::test]
    async fn it_mounts_another() {
        let both = twice(|plugins| {
            let _ = plugins.mount(plugin("2", 0));
        });
        assert_eq!(both.await, ["c1a", "c1a2"]);
    }

    #[tokio::test]
    async fn it_unmounts_another() {
        let both = twice(|plugins| {
            let _ = plugins.unmount("1");
        });
        assert_eq!(both.await, ["c1a", "ca"]);
    }

    #[tokio::test]
    async fn it_unmounts_itself() {
        let both = twice(|plugins| assert!(plugins.unmount("changes")));
        assert_eq!(both.await, ["c1a", "1a"]);
    }

    #[tokio::test]
    async fn it_replaces_itself() {
        let both = twice(|plugins| {
            assert_eq!(plugins.replace("changes", plugin("n", 10)), Ok(true));
        });
        assert_eq!(both.await, ["c1a", "n1a"]);
    }

    #[tokio::test]
    async fn it_swaps_all() {
        let both = twice(|plugins| drop(plugins.swap(Registry::new())));
        assert_eq!(both.await, ["c1a", "a"]);
    }

    #[tokio::test]
    async fn it_looks_at_the_set_and_its_plan() {
        let both = twice(|plugins| {
            assert_eq!(names(plugins), ["changes", "1"]);
            assert_eq!(hooks![..plugins.clone()].plan().count(), 2);
        });
        assert_eq!(both.await, ["c1a", "c1a"]);
    }

    #[tokio::test]
    async fn also_while_it_observes_and_while_it_is_told() {
        let plugins = Plugins::default();
        let count = Arc::new(AtomicUsize::new(0));
        let mounts = {
            let count = count.clone();
            move |plugins: &Plugins| {
                let name = format!("m{}", count.fetch_add(1, Ordering::Relaxed));
                plugins.mount(plugin(&name, 0)).unwrap();
            }
        };
        plugins.mount(Changes(plugins.clone(), mounts)).unwrap();
        let no = || common::Guard("no", Notes::default());
        let spread = hooks![no() @ 20, ..plugins.clone()];
        let one_place = hooks![no() @ 20, plugins.clone()];
        spread.observe(&cx(), &HeartbeatTick).await;
        one_place.observe(&cx(), &HeartbeatTick).await;
        assert!(!spread.intercept(&cx(), &mut call("no")).await.is_continue());
        let result = one_place.intercept(&cx(), &mut call("no")).await;
        assert!(!result.is_continue());
        assert_eq!(names(&plugins), ["changes", "m0", "m1", "m2", "m3"]);
        plugins.swap(Registry::new());
    }

    /// A handler that changes the set when it is dropped, as a plugin that takes its helpers away with it.
    struct Leaves(Plugins);
    #[async_trait]
    impl AgentHandler for Leaves {
        fn name(&self) -> &str {
            "leaves"
        }
    }
    impl Drop for Leaves {
        fn drop(&mut self) {
            let _ = self.0.unmount("helper");
        }
    }

    #[test]
    fn also_while_it_is_dropped() {
        let plugins = Plugins::default();
        let with_both = || {
            plugins.swap(Registry::new());
            plugins.mount(plugin("helper", 0)).unwrap();
            plugins.mount(Leaves(plugins.clone())).unwrap();
        };
        with_both();
        assert!(plugins.unmount("leaves"));
        assert!(names(&plugins).is_empty());

        with_both();
        assert_eq!(plugins.replace("leaves", plugin("other", 0)), Ok(true));
        assert_eq!(names(&plugins), ["leaves"]);

        with_both();
        let name = String::from("leaves");
        let taken = plugins.mount_as("leaves", 0, Leaves(plugins.clone()));
        assert_eq!(taken, Err(RegisterError::NameTaken { name }));
        assert_eq!(names(&plugins), ["leaves"]);

        with_both();
        drop(plugins.swap(Registry::new().with(plugin("helper", 0))));
        assert!(names(&plugins).is_empty());
    }

    /// A handler that asks for its name among the others.
    struct Nth(Plugins, std::sync::OnceLock<String>);
    #[async_trait]
    impl AgentHandler for Nth {
        fn name(&self) -> &str {
            let nth = || format!("nth {}", self.0.snapshot().len());
            self.1.get_or_init(nth)
        }
        fn priority(&self) -> i32 {
            i32::try_from(self.0.snapshot().len()).unwrap()
        }
    }

    #[test]
    fn also_while_it_is_mounted() {
        let plugins = Plugins::default();
        for _ in 0..3 {
            let nth = Nth(plugins.clone(), std::sync::OnceLock::new());
            plugins.mount(nth).unwrap();
        }
        assert_eq!(names(&plugins), ["nth 2", "nth 1", "nth 0"]);
        plugins.swap(Registry::new());
    }
}

mod a_handler_that_fails_fails_alone {
    use super::*;

    /// A handler that panics in the way that its name says, or hangs.
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
        async fn before_tool_call(
            &self,
            _cx: &AgentContext,
            call: &mut BeforeToolCall,
        ) -> HookAction<BeforeToolCall> {
            call.id.push_str("half");
            assert_ne!(self.0, "at once");
            tokio::task::yield_now().await;
            assert_ne!(self.0, "later");
            std::future::pending().await
        }
        async fn heartbeat_tick(&self, _cx: &AgentContext, _: &HeartbeatTick) {
            assert_ne!(self.0, "at once");
            tokio::task::yield_now().await;
            assert_ne!(self.0, "later");
            std::future::pending::<()>().await;
        }
        fn decided(&self, _cx: &AgentContext, _: AgentEvent<'_>, _: Decision<'_>) {
            panic!("told");
        }
    }

    /// A handler written by hand, which panics before there is a future.
    struct NoFuture;
    impl AgentHandler for NoFuture {
        fn priority(&self) -> i32 {
            50
        }
        fn handle_any<'a, 'b, 'c, 'f>(
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

    fn limited() -> Registry {
        let limit = Some(Duration::from_secs(1));
        Registry::new().timeouts(Timeouts {
            observe: limit,
            intercept: limit,
            approve: None,
        })
    }

    /// Mounts it among others, in a spread and at one place.
    async fn among_others(plugins: Plugins) {
        let notes = Notes::default();
        plugins.mount(plugin("1", 60).noting(&notes)).unwrap();
        plugins.mount(plugin("2", 40).noting(&notes)).unwrap();
        let spread = hooks![Mark("a") @ 50, ..plugins.clone()];
        let one_place = hooks![Mark("a") @ 50, plugins.clone()];
        for _ in 0..2 {
            assert_eq!(order(&spread).await, "1a2");
            assert_eq!(order(&one_place).await, "a12");
            notes.take();
            spread.observe(&cx(), &HeartbeatTick).await;
            one_place.observe(&cx(), &HeartbeatTick).await;
            assert_eq!(notes.take(), ["1 ran", "2 ran", "1 ran", "2 ran"]);
        }
    }

    #[tokio::test]
    async fn when_it_panics_at_once() {
        among_others(Plugins::new(Registry::new().with(Fails("at once")))).await;
    }

    #[tokio::test]
    async fn when_it_panics_later() {
        among_others(Plugins::new(Registry::new().with(Fails("later")))).await;
    }

    #[tokio::test]
    async fn when_it_panics_before_it_gives_a_future() {
        among_others(Plugins::new(Registry::new().with(NoFuture))).await;
        among_others(Plugins::new(limited().with(NoFuture))).await;
    }

    #[tokio::test(start_paused = true)]
    async fn when_it_panics_and_there_are_timeouts() {
        among_others(Plugins::new(limited().with(Fails("at once")))).await;
        among_others(Plugins::new(limited().with(Fails("later")))).await;
    }

    #[tokio::test(start_paused = true)]
    async fn when_it_hangs_on_an_observed_event() {
        let notes = Notes::default();
        let plugins = Plugins::new(limited().with(Fails("hangs")));
        plugins.mount(plugin("2", 40).noting(&notes)).unwrap();
        hooks![..plugins].observe(&cx(), &HeartbeatTick).await;
        assert_eq!(notes.take(), ["2 ran"]);
    }

    #[tokio::test(start_paused = true)]
    async fn when_it_hangs_on_an_intercepted_event_which_fails_closed() {
        let plugins = Plugins::new(limited().with(Fails("hangs")));
        let hooks = hooks![..plugins];
        let mut call = call("x");
        let result = hooks.intercept(&cx(), &mut call).await;
        let cancel = result.as_cancel().unwrap();
        assert_eq!(cancel.hook, "hangs");
        assert_eq!(cancel.reason, "it took longer than its timeout of 1s");
        assert_eq!(call.id, "", "the event is as it was");
    }

    #[tokio::test]
    async fn when_it_panics_while_it_is_told() {
        let notes = Notes::default();
        let plugins = Plugins::new(Registry::new().with(Fails("later")));
        plugins.mount(plugin("first", 60).noting(&notes)).unwrap();
        plugins.mount(plugin("last", 40).noting(&notes)).unwrap();
        let told = ["first ran", "last told: stopped by first"];
        for _ in 0..2 {
            let spread = hooks![Mark("a"), ..plugins.clone()];
            let result = spread.intercept(&cx(), &mut call("first")).await;
            assert_eq!(result.as_cancel().unwrap().hook, "first");
            assert_eq!(notes.take(), told);
            let one_place = hooks![plugins.clone()];
            let result = one_place.intercept(&cx(), &mut call("first")).await;
            assert_eq!(result.as_cancel().unwrap().hook, "first");
            assert_eq!(notes.take(), told);
        }
    }

    #[test]
    fn when_it_panics_while_it_is_mounted_the_set_is_as_it_was_and_open_to_others() {
        let plugins = Plugins::default();
        plugins.mount(plugin("1", 0)).unwrap();
        let mounts = || plugins.mount(Fails("in name()"));
        let replaces = || plugins.replace("1", Fails("in name()"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(mounts)).is_err());
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(replaces)).is_err());
        assert_eq!(names(&plugins), ["1"]);
        plugins.mount(plugin("2", 0)).unwrap();
        assert!(plugins.unmount("1"));
        assert_eq!(names(&plugins), ["2"]);
    }

    #[test]
    fn when_it_panics_while_it_is_dropped_the_set_is_without_it_and_open_to_others() {
        struct Bad;
        #[async_trait]
        impl AgentHandler for Bad {
            fn name(&self) -> &str {
                "bad"
            }
        }
        impl Drop for Bad {
            fn drop(&mut self) {
                panic!("dropped");
            }
        }
        let plugins = Plugins::default();
        plugins.mount(Bad).unwrap();
        let unmounts = || plugins.unmount("bad");
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(unmounts)).is_err());
        plugins.mount(plugin("1", 0)).unwrap();
        assert_eq!(names(&plugins), ["1"]);
    }

    #[tokio::test]
    async fn the_policies_of_a_registry_that_is_swapped_in_hold_from_then_on() {
        let plugins = Plugins::default();
        let hooks = hooks![..plugins.clone()];
        plugins.swap(Registry::new().with(Fails("at once")));
        assert!(hooks.intercept(&cx(), &mut call("x")).await.is_continue());
        let block = Registry::new().on_panic(OnPanic::Block);
        plugins.swap(block.with(Fails("at once")));
        let result = hooks.intercept(&cx(), &mut call("x")).await;
        assert_eq!(result.as_cancel().unwrap().hook, "at once");
    }
}

mod nothing_leaks {
    use super::*;

    fn held(plugins: &Plugins) -> Weak<Mark> {
        let held = Arc::new(Mark("h"));
        let weak = Arc::downgrade(&held);
        plugins.mount(held).unwrap();
        weak
    }

    #[tokio::test]
    async fn a_handler_is_dropped_when_it_is_unmounted_and_the_last_dispatch_has_ended() {
        let (plugins, waits) = (Plugins::default(), Waits::default());
        plugins.mount(waits.clone()).unwrap();
        let handler = held(&plugins);
        let hooks = Arc::new(hooks![..plugins.clone()]);
        let run = |hooks: Arc<_>| tokio::spawn(async move { order(&*hooks).await });
        let first = run(hooks.clone());
        waits.begun().await;
        let second = run(hooks.clone());
        waits.begun().await;

        assert!(plugins.unmount("Mark"));
        assert!(handler.upgrade().is_some(), "two dispatches use it");
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        assert!(handler.upgrade().is_some(), "one dispatch uses it");
        waits.end();
        assert_eq!(second.await.unwrap(), "wh");
        assert!(handler.upgrade().is_none());
    }

    #[tokio::test]
    async fn an_idle_set_drops_at_once_what_is_unmounted_replaced_or_swapped_out() {
        let plugins = Plugins::default();
        let hooks = hooks![..plugins.clone()];
        let handler = held(&plugins);
        assert_eq!(order(&hooks).await, "h");
        assert!(plugins.unmount("Mark"));
        assert!(handler.upgrade().is_none());

        let handler = held(&plugins);
        assert_eq!(plugins.replace("Mark", plugin("1", 0)), Ok(true));
        assert!(handler.upgrade().is_none());

        plugins.swap(Registry::new());
        let handler = held(&plugins);
        plugins.swap(Registry::new());
        assert!(handler.upgrade().is_none());

        let handler = held(&plugins);
        drop((plugins, hooks));
        assert!(handler.upgrade().is_none());
    }

    #[tokio::test]
    async fn a_panic_holds_on_to_nothing() {
        #[hook]
        fn panics(_: &BeforeToolCall) {
            panic!("oh no");
        }
        for policy in [OnPanic::Skip, OnPanic::Propagate] {
            let plugins = Plugins::new(Registry::new().on_panic(policy));
            plugins.mount(panics).unwrap();
            let handler = held(&plugins);
            let hooks = hooks![..plugins.clone()];
            let run = tokio::spawn(async move { hooks.intercept(&cx(), &mut call("x")).await });
            assert_eq!(run.await.is_err(), policy == OnPanic::Propagate);
            assert!(plugins.unmount("Mark"));
            assert!(handler.upgrade().is_none());
        }
    }
}

mod ten_thousand_handlers {
    use super::*;

    const MANY: usize = 10_000;

    struct Counts(Arc<AtomicUsize>, String);
    #[async_trait]
    impl AgentHandler for Counts {
        fn name(&self) -> &str {
            &self.1
        }
        async fn before_tool_call(
            &self,
            _cx: &AgentContext,
            _call: &mut BeforeToolCall,
        ) -> HookAction<BeforeToolCall> {
            self.0.fetch_add(1, Ordering::Relaxed);
            HookAction::Continue
        }
        async fn heartbeat_tick(&self, _cx: &AgentContext, _: &HeartbeatTick) {
            tokio::task::yield_now().await;
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[tokio::test]
    async fn are_mounted_run_shown_and_unmounted() {
        let (plugins, count) = (Plugins::default(), Arc::new(AtomicUsize::new(0)));
        let hooks = hooks![Mark("a"), ..plugins.clone()];
        for nth in 0..MANY {
            let counts = Counts(count.clone(), format!("handler {nth}"));
            plugins.mount(counts).unwrap();
        }
        assert_eq!(order(&hooks).await, "a");
        assert_eq!(count.swap(0, Ordering::Relaxed), MANY);
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert_eq!(count.swap(0, Ordering::Relaxed), MANY);
        // What a plan shows is kept, and dropped again.
        assert_eq!(hooks.plan().count(), MANY + 1);
        assert_eq!(plugins.snapshot().plan().count(), MANY + 1);
        for nth in (0..MANY).rev() {
            assert!(plugins.unmount(&format!("handler {nth}")));
        }
        assert_eq!(Arc::strong_count(&count), 1);
        assert_eq!(order(&hooks).await, "a");
        let small = std::thread::Builder::new().stack_size(128 << 10);
        let dropped = small.spawn(move || drop((plugins, hooks)));
        dropped.unwrap().join().unwrap();
    }

    #[tokio::test]
    async fn of_one_type_are_numbered() {
        let plugins = Plugins::default();
        for _ in 0..MANY {
            plugins.mount(Mark("m")).unwrap();
        }
        assert_eq!(order(&plugins).await.len(), MANY);
        assert_eq!(names(&plugins).last().unwrap(), &format!("Mark#{MANY}"));
        assert!(plugins.unmount("Mark#2"));
        plugins.mount(Mark("m")).unwrap();
        assert_eq!(names(&plugins).last().unwrap(), "Mark#2");
    }

    #[tokio::test]
    async fn decide_and_are_told() {
        struct Told(Arc<AtomicUsize>);
        #[async_trait]
        impl AgentHandler for Told {
            fn decided(&self, _: &AgentContext, _: AgentEvent<'_>, _: Decision<'_>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let (mut registry, count) = (Registry::new(), Arc::new(AtomicUsize::new(0)));
        registry.register(plugin("first", 1)).unwrap();
        for _ in 0..MANY {
            registry.register(Told(count.clone())).unwrap();
        }
        let result = hooks![..registry]
            .intercept(&cx(), &mut call("first"))
            .await;
        assert_eq!(result.as_cancel().unwrap().hook, "first");
        assert_eq!(count.load(Ordering::Relaxed), MANY);
    }
}

/// A hook that is given to a call once, and leaves its mark on it once.
struct Adds(String);
#[async_trait]
impl AgentHandler for Adds {
    fn name(&self) -> &str {
        &self.0
    }
    async fn before_tool_call(
        &self,
        _cx: &AgentContext,
        call: &mut BeforeToolCall,
    ) -> HookAction<BeforeToolCall> {
        tokio::task::yield_now().await;
        call.context.push(self.0.clone());
        HookAction::Continue
    }
}

#[test]
fn many_threads_mount_and_dispatch_and_no_event_is_lost_or_seen_twice() {
    const ROUNDS: usize = 200;
    const THREADS: usize = 4;
    let plugins = Plugins::default();
    plugins.mount(Adds("stays".into())).unwrap();
    let barrier = Barrier::new(2 * THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (plugins, barrier) = (plugins.clone(), &barrier);
            scope.spawn(move || {
                barrier.wait();
                for round in 0..ROUNDS {
                    let name = format!("{thread}.{round}");
                    plugins.mount(Adds(name.clone())).unwrap();
                    assert_eq!(plugins.replace("stays", Adds("stays".into())), Ok(true));
                    assert!(plugins.unmount(&name));
                }
            });
        }
        for _ in 0..THREADS {
            let (plugins, barrier) = (plugins.clone(), &barrier);
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .build()
                    .unwrap();
                let hooks = hooks![Mark("a") @ 1, Mark("b") @ -1, ..plugins];
                barrier.wait();
                for _ in 0..ROUNDS {
                    let mut call = call("x");
                    let result = runtime.block_on(hooks.intercept(&cx(), &mut call));
                    assert!(result.is_continue());
                    assert_eq!(call.id, "ab");
                    let seen = call.context.len();
                    assert_eq!(
                        call.context.iter().filter(|name| *name == "stays").count(),
                        1,
                        "the one that is replaced all the time is there, and not twice"
                    );
                    call.context.sort();
                    call.context.dedup();
                    assert_eq!(call.context.len(), seen, "no handler runs twice");
                    assert!(seen <= 1 + THREADS);
                }
            });
        }
    });
    assert_eq!(names(&plugins), ["stays"]);
}

mod the_handle {
    use super::*;

    #[tokio::test]
    async fn is_another_way_to_the_same_handlers() {
        let plugins = Plugins::new(Registry::new().with(plugin("1", 0)));
        let other = plugins.clone();
        other.mount(plugin("2", 0)).unwrap();
        assert_eq!(format!("{plugins:?}"), "[1, 2]");
        assert!(plugins.unmount("1"));
        assert!(!plugins.unmount("1"));
        assert_eq!(format!("{other:?}"), "[2]");
    }

    #[tokio::test]
    async fn is_a_hook_of_one_place_with_all_its_handlers() {
        let plugins = Plugins::new(Registry::new().with(plugin("1", 1)));
        let hooks = hooks![Mark("a") @ -10, plugins.clone() @ -20, Mark("b")];
        assert_eq!(order(&hooks).await, "ba1");
        assert_eq!(
            hooks.plan().to_string(),
            "\
order  hook     priority  event           runs
1      Mark            0  BeforeToolCall  sync
2      Mark          -10  BeforeToolCall  sync
3      Mounted       -20  every event     async
4        1             1  every event     async
"
        );
        assert!(plugins.unmount("1"));
        assert!(!hooks.handles::<HeartbeatTick>());
        assert_eq!(order(&hooks).await, "ba");
    }

    #[tokio::test]
    async fn can_itself_be_mounted_and_what_it_gets_later_still_runs() {
        let inner = Plugins::default();
        let registry = Registry::new().with(inner.clone());
        let spread = Registry::new().with(hooks![Mark("a"), ..inner.clone()]);
        let then = Registry::new().with(hooks![Mark("a")].then(inner.clone()));
        inner.mount(plugin("1", 0)).unwrap();
        assert_eq!(order(&registry).await, "1");
        assert_eq!(order(&spread).await, "a1");
        assert_eq!(order(&then).await, "a1");
    }
}
