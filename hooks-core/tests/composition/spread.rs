//! `hooks![a, b, ..source]`: hooks of a source in their places between static hooks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::vocabulary::*;
use hooks_core::{EventInfo, HandlerSource, Hook, HookAction, async_trait, hook, hooks};
use tokio::sync::Barrier;

use crate::common::*;

/// Hooks with these names and priorities.
fn registry(hooks: &[(&str, i32)], notes: &Notes) -> Registry {
    let registry = Registry::new();
    for &(name, priority) in hooks {
        registry.register(noting(name, priority, notes)).unwrap();
    }
    registry
}

mod places {
    use super::*;

    #[tokio::test]
    async fn each_hook_runs_at_its_own_priority_and_after_the_static_hooks_of_the_same() {
        let handlers = [
            ("1", 11),
            ("2", 10),
            ("3", 5),
            ("4", 5),
            ("5", 0),
            ("6", -1),
            ("7", -6),
        ];
        let source = registry(&handlers, &Notes::default());
        let hooks = hooks![
            Mark("d") @ -5,
            Mark("a") @ 10,
            Mark("b") @ 5,
            Mark("c") @ 5,
            ..source
        ];
        assert_eq!(order(&hooks).await, "1a2bc3456d7");
    }

    #[tokio::test]
    async fn the_ends_of_the_range_of_priorities_are_places_too() {
        let handlers = [("1", i32::MAX), ("2", i32::MIN)];
        let source = registry(&handlers, &Notes::default());
        let hooks = hooks![Mark("b") @ i32::MIN, Mark("a") @ i32::MAX, ..source];
        assert_eq!(order(&hooks).await, "a1b2");
    }

    #[tokio::test]
    async fn a_hook_has_the_place_that_the_list_gives_it() {
        #[hook(priority = 100)]
        fn x(call: &mut BeforeToolCall) {
            call.id.push('x');
        }
        let source = registry(&[("1", 50)], &Notes::default());
        assert_eq!(order(&hooks![x, ..&source]).await, "x1");
        assert_eq!(order(&hooks![x @ 40 + 9, ..&source]).await, "1x");
        assert_eq!(order(&hooks![x @ 50, ..&source]).await, "x1");
    }

    #[tokio::test]
    async fn hooks_of_one_priority_run_in_the_order_of_registration() {
        let handlers = [("1", 3), ("2", 3), ("3", 3), ("4", 3)];
        let source = registry(&handlers, &Notes::default());
        let hooks = hooks![Mark("a") @ 3, Mark("b") @ 2, ..source];
        assert_eq!(order(&hooks).await, "a1234b");
    }

    #[tokio::test]
    async fn asynchronous_hooks_and_synchronous_ones_keep_the_order() {
        let source = registry(&[("1", 9), ("2", 7), ("3", 5)], &Notes::default());
        let hooks = hooks![
            MarkLater("d") @ 4,
            MarkLater("a") @ 8,
            Mark("b") @ 8,
            MarkLater("c") @ 6,
            ..source
        ];
        assert_eq!(order(&hooks).await, "1ab2c3d");
    }

    /// A hook for each number, of which the first has the priority 100, the second 99, and so on.
    macro_rules! list {
        ($source:expr; $($nth:literal)*) => {
            hooks![$(Mark(concat!($nth, ",")) @ 100 - $nth,)* ..$source]
        };
    }

    /// Moves one handler through all places of a list.
    macro_rules! one_hook_in_every_place {
        ($($nth:literal)*) => {
            let count = [$($nth),*].len();
            for place in -1..=i32::try_from(count).unwrap() {
                let source = registry(&[("H,", 100 - place)], &Notes::default());
                let mut expected: Vec<String> = vec![$($nth.to_string()),*];
                expected.insert(usize::try_from(place + 1).unwrap().min(count), "H".into());
                let hooks = list![source; $($nth)*];
                assert_eq!(order(&hooks).await.trim_end_matches(','), expected.join(","));
            }
        };
    }

    #[tokio::test]
    async fn one_group_of_hooks_is_cut_anywhere() {
        one_hook_in_every_place!(0 1 2 3 4 5 6 7);
    }

    #[tokio::test]
    async fn a_list_of_more_than_eight_is_cut_anywhere() {
        one_hook_in_every_place!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    }

    #[tokio::test]
    async fn a_list_of_more_than_sixty_four_is_cut_anywhere() {
        one_hook_in_every_place!(
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
            33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62
            63 64 65
        );
    }

    #[tokio::test]
    async fn a_pipeline_in_the_list_is_one_place() {
        let handlers = [("1", 50), ("2", 5), ("3", 4), ("4", -50)];
        let source = registry(&handlers, &Notes::default());
        let inner = hooks![Mark("y") @ -100, Mark("x") @ 100];
        let hooks = hooks![Mark("b") @ 4, inner @ 5, Mark("a") @ 6, ..source];
        assert_eq!(order(&hooks).await, "1axy2b34");
    }

    #[tokio::test]
    async fn a_pipeline_with_a_spread_of_its_own_can_stand_in_a_list() {
        let inner = registry(&[("2", 100), ("3", -100)], &Notes::default());
        let outer = registry(&[("1", 6), ("4", 4)], &Notes::default());
        let hooks = hooks![hooks![Mark("x"), ..inner] @ 5, ..outer];
        assert_eq!(order(&hooks).await, "12x34");
    }

    #[tokio::test]
    async fn a_hook_that_is_switched_off_leaves_no_gap() {
        let source = registry(&[("1", 1), ("2", -1)], &Notes::default());
        let on = Some(Mark("a"));
        let off: Option<Mark> = None;
        let shared = Arc::new(Mark("b"));
        let hooks = hooks![off, on, &shared, ..source];
        assert_eq!(order(&hooks).await, "1ab2");
    }
}

mod sources {
    use super::*;

    #[tokio::test]
    async fn without_hooks_the_static_hooks_run_as_ever() {
        let hooks = hooks![Mark("b"), Mark("a") @ 1, ..Registry::new()];
        assert_eq!(order(&hooks).await, "ab");
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert!(hooks.handles::<BeforeToolCall>());
        assert!(!hooks.handles::<HeartbeatTick>());
    }

    #[tokio::test]
    async fn a_list_of_nothing_but_a_source_runs_its_hooks() {
        let notes = Notes::default();
        let hooks = hooks![..registry(&[("2", 1), ("1", 2)], &notes)];
        assert_eq!(order(&hooks).await, "12");
        notes.take();
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert_eq!(notes.take(), ["1", "2"]);
    }

    #[tokio::test]
    async fn a_pointer_to_a_source_is_a_source() {
        let source = registry(&[("1", 1)], &Notes::default());
        let shared = Arc::new(source.clone());
        assert_eq!(order(&hooks![Mark("a"), ..&source]).await, "1a");
        assert_eq!(order(&hooks![Mark("a"), ..shared.clone()]).await, "1a");
        assert_eq!(order(&hooks![Mark("a"), ..&shared]).await, "1a");
        assert_eq!(order(&hooks![Mark("a"), ..Box::new(source)]).await, "1a");
    }

    #[tokio::test]
    async fn a_source_that_is_switched_off_has_no_hooks() {
        let source = |on: bool| on.then(|| registry(&[("1", 1)], &Notes::default()));
        let on = hooks![Mark("a"), ..source(true)];
        let off = hooks![Mark("a"), ..source(false)];
        assert_eq!(order(&on).await, "1a");
        assert_eq!(order(&off).await, "a");
        assert!(on.handles::<AfterToolCall>() && !off.handles::<AfterToolCall>());
        assert_eq!((on.plan().count(), off.plan().count()), (2, 1));
    }

    /// Hands out a registry that it keeps up to date.
    struct Watcher(Registry);

    impl HandlerSource for Watcher {
        type Vocabulary = AgentEvent<'static>;

        fn registry(&self) -> Option<&Registry> {
            Some(&self.0)
        }
    }

    #[tokio::test]
    async fn a_source_of_ones_own_type_runs_its_hooks_in_their_places() {
        let plugins = Registry::new();
        let hooks = hooks![Mark("b") @ -1, Mark("a") @ 1, ..Watcher(plugins.clone())];
        assert_eq!(order(&hooks).await, "ab");
        hooks.observe(&cx(), &HeartbeatTick).await;
        plugins.register(plugin("1", 0)).unwrap();
        assert_eq!(order(&hooks).await, "a1b");
        assert_eq!(format!("{hooks:?}"), "[Mark, 1, Mark]");
    }

    #[tokio::test]
    async fn handles_follows_what_is_registered() {
        #[hook]
        fn tick(_: &HeartbeatTick) {}
        let plugins = Registry::new();
        let hooks = hooks![Mark("a"), ..plugins.clone()];
        assert!(hooks.handles::<BeforeToolCall>() && !hooks.handles::<HeartbeatTick>());
        plugins.register(tick).unwrap();
        assert!(hooks.handles::<HeartbeatTick>() && !hooks.handles::<AfterToolCall>());
        assert!(plugins.unregister("tick"));
        assert!(hooks.handles::<BeforeToolCall>() && !hooks.handles::<HeartbeatTick>());
    }

    #[tokio::test]
    async fn hooks_are_asked_only_about_events_that_they_want() {
        struct Picky(Notes);
        #[async_trait]
        impl AgentHandler for Picky {
            fn wants(&self, event: &EventInfo, _: Option<&str>) -> bool {
                event.name == "HeartbeatTick"
            }
            async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
                self.0.add(event.name());
                AgentSaid::Continue
            }
        }
        let notes = Notes::default();
        let source = registry(&[("1", 1)], &Notes::default())
            .with(Box::new(Picky(notes.clone())) as Box<dyn AgentHandler>);
        let hooks = hooks![Mark("a"), ..source];
        assert_eq!(order(&hooks).await, "1a");
        let mut done = AfterToolCall::default();
        assert!(hooks.intercept(&cx(), &mut done).await.is_continue());
        assert!(notes.take().is_empty());
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert_eq!(notes.take(), ["HeartbeatTick"]);
    }
}

#[tokio::test]
async fn what_one_changes_the_next_one_sees_whether_it_is_static_or_not() {
    #[hook(priority = 9)]
    fn before(call: &mut BeforeToolCall) {
        call.name.push('b');
    }
    #[hook(priority = 5)]
    fn double(call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        call.name = call.name.repeat(2);
        HookAction::modify(serde_json::json!({ "seen": call.name }))
    }
    #[hook(priority = 1)]
    fn after(call: &mut BeforeToolCall) {
        assert_eq!(call.args["seen"], call.name);
        call.name.push('c');
    }
    let hooks = hooks![after, before, ..Registry::new().with(double)];
    let mut call = call("a");
    assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
    assert_eq!(call.name, "ababc");
}

#[tokio::test]
async fn whoever_decides_ends_it_and_is_named() {
    const ORDER: [&str; 10] = ["l0", "h0", "b1", "h1", "l2", "h2", "b3", "b4", "l4", "h5"];
    for (place, decider) in ORDER.iter().enumerate() {
        if decider.starts_with('l') {
            continue;
        }
        let notes = Notes::default();
        let log = |name| Log(name, notes.clone());
        let blocks = |name: &'static str| Blocks(name, notes.clone()).named(name);
        let source = registry(&[("h0", 90), ("h1", 70), ("h2", 60), ("h5", -10)], &notes);
        let hooks = hooks![
            log("l0") @ 95,
            blocks("b1") @ 80,
            log("l2") @ 60,
            blocks("b3") @ 55,
            blocks("b4") @ 54,
            log("l4") @ 53,
            ..source
        ];
        let result = hooks.intercept(&cx(), &mut call(decider)).await;
        assert_eq!(stopped(&result), Some((*decider, "no")));
        assert_eq!(notes.take(), ORDER[..=place]);
    }
}

mod observers {
    use super::*;

    /// Waits for all others.
    struct Waits(Arc<Barrier>, Arc<AtomicUsize>);
    #[hook]
    impl Waits {
        async fn tick(&self, _: &HeartbeatTick) {
            self.0.wait().await;
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[tokio::test]
    async fn static_hooks_and_hooks_run_concurrently() {
        let (barrier, count) = (Arc::new(Barrier::new(6)), Arc::new(AtomicUsize::new(0)));
        let waits = || Waits(barrier.clone(), count.clone());
        let source = Registry::new();
        for (name, priority) in [("a", 10), ("b", 0), ("c", -10)] {
            source.register_at(priority, waits().named(name)).unwrap();
        }
        let hooks = hooks![waits() @ 20, waits() @ 5, waits() @ -20, ..source];
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert_eq!(count.load(Ordering::Relaxed), 6);
    }

    #[tokio::test]
    async fn static_ones_that_do_not_wait_keep_their_order_and_so_do_those_of_the_source() {
        let notes = Notes::default();
        let source = registry(&[("h1", 9), ("h2", 5), ("h3", 1)], &notes);
        let log = |name| Log(name, notes.clone());
        let hooks = hooks![log("l2") @ 5, log("l1") @ 10, log("l3") @ 0, ..source];
        hooks.observe(&cx(), &HeartbeatTick).await;
        let (fixed, sourced): (Vec<_>, Vec<_>) = notes
            .take()
            .into_iter()
            .partition(|name| name.starts_with('l'));
        assert_eq!(
            (fixed, sourced),
            (
                vec!["l1".into(), "l2".into(), "l3".into()],
                vec!["h1".into(), "h2".into(), "h3".into()],
            )
        );
    }
}

mod plan {
    use super::*;

    #[hook(priority = 20)]
    fn check(_: &BeforeToolCall) {}
    #[hook]
    async fn count(_: &HeartbeatTick) {}

    struct Narrow;
    #[hook(priority = 10, name = "narrow")]
    impl Narrow {
        async fn before(&self, _: &BeforeToolCall) {}
        async fn end(&self, _: &AfterToolCall) {}
    }

    #[test]
    fn it_shows_each_hook_in_its_place_with_the_events_that_it_wants() {
        let source = Registry::new()
            .with(plugin("first", 30))
            .with(Narrow)
            .with(plugin("last", 0));
        let inner = hooks![Mark("x") @ 100];
        let hooks = hooks![count, check, inner @ 15, ..source];
        assert_eq!(
            hooks.plan().to_string(),
            "\
order  hook    priority  event           runs
1      first         30  every event     async
2      check         20  BeforeToolCall  sync
3      Mark          15  BeforeToolCall  sync
4      narrow        10  BeforeToolCall  async
4      narrow        10  AfterToolCall   async
5      count          0  HeartbeatTick   async
6      last           0  every event     async
"
        );
        assert_eq!(
            format!("{hooks:?}"),
            "[first, check, Mark, narrow, count, last]"
        );
    }

    #[test]
    fn hooks_do_not_find_a_place_within_a_pipeline_of_the_list() {
        let source = Registry::new().with(plugin("h", 50));
        let hooks = hooks![hooks![Mark("x") @ 100, Mark("y") @ 1] @ 60, check, ..source];
        assert_eq!(format!("{hooks:?}"), "[Mark, Mark, h, check]");
    }

    #[test]
    fn it_stays_as_it_was_made_while_hooks_come_and_go() {
        let plugins = Registry::new().with(plugin("a", 2)).with(plugin("b", 1));
        let spread = hooks![check, ..plugins.clone()].plan();
        let one_place = hooks![check, plugins.clone() @ 0].plan();
        assert!(plugins.unregister("a"));
        assert_eq!((spread.count(), one_place.count()), (3, 4));
    }

    #[test]
    fn events_that_are_never_raised_are_marked_of_hooks_too() {
        let source = Registry::new().with(Narrow).with(plugin("any", 0));
        let hooks = hooks![check, count, ..source];
        let plan = hooks.plan().raising(&["BeforeToolCall"]);
        assert_eq!(
            plan.to_string(),
            "\
order  hook    priority  event           runs
1      check         20  BeforeToolCall  sync
2      narrow        10  BeforeToolCall  async
2      narrow        10  AfterToolCall   async, but the agent never raises it
3      count          0  HeartbeatTick   async, but the agent never raises it
4      any            0  every event     async
"
        );
        let never: Vec<_> = plan.never_raised().map(|row| row.hook).collect();
        assert_eq!(never, ["narrow", "count"]);
    }
}

#[tokio::test]
async fn a_dispatch_through_the_bound_can_be_spawned() {
    async fn agent<H: AgentHooks + 'static>(hooks: H) -> String {
        let run = tokio::spawn(async move {
            hooks.observe(&cx(), &HeartbeatTick).await;
            order(&hooks).await
        });
        run.await.unwrap()
    }
    let source = registry(&[("1", 1), ("2", -1)], &Notes::default());
    let hooks = hooks![MarkLater("a"), ..source.clone()];
    assert_eq!(agent(hooks).await, "1a2");
    assert_eq!(
        agent(Arc::new(hooks![MarkLater("a"), ..source])).await,
        "1a2"
    );
}
