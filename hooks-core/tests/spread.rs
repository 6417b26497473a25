//! `hooks![a, b, ..source]`: handlers in their places between static hooks.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Guard, Log, Mark, MarkLater, Notes, call, cx, plugin};
use hooks_core::agent::*;
use hooks_core::{
    EventSet, HandlerSource, HookAction, HookRegistry, HookResult, Mounted, async_trait, hook,
    hooks,
};
use tokio::sync::Barrier;

type Registry = HookRegistry<AgentEvent<'static>>;

/// Handlers with these names and priorities.
fn registry(handlers: &[(&str, i32)], notes: &Notes) -> Registry {
    let mut registry = Registry::new();
    for &(name, priority) in handlers {
        registry
            .register(plugin(name, priority).noting(notes))
            .unwrap();
    }
    registry
}

/// In which order the hooks run on a call.
async fn order(hooks: &impl AgentHooks) -> String {
    let mut call = call("x");
    assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
    call.id
}

mod places {
    use super::*;

    #[tokio::test]
    async fn each_handler_runs_at_its_own_priority_and_after_the_static_hooks_of_the_same() {
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
    async fn handlers_of_one_priority_run_in_the_order_of_registration() {
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
    macro_rules! one_handler_in_every_place {
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
        one_handler_in_every_place!(0 1 2 3 4 5 6 7);
    }

    #[tokio::test]
    async fn a_list_of_more_than_eight_is_cut_anywhere() {
        one_handler_in_every_place!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    }

    #[tokio::test]
    async fn a_list_of_more_than_sixty_four_is_cut_anywhere() {
        one_handler_in_every_place!(
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
    async fn without_handlers_the_static_hooks_run_as_ever() {
        let hooks = hooks![Mark("b"), Mark("a") @ 1, ..Registry::new()];
        assert_eq!(order(&hooks).await, "ab");
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert!(hooks.handles::<BeforeToolCall>());
        assert!(!hooks.handles::<HeartbeatTick>());
    }

    #[tokio::test]
    async fn a_list_of_nothing_but_a_source_runs_its_handlers() {
        let notes = Notes::default();
        let hooks = hooks![..registry(&[("2", 1), ("1", 2)], &notes)];
        assert_eq!(order(&hooks).await, "12");
        notes.take();
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert_eq!(notes.take(), ["1 ran", "2 ran"]);
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
    async fn a_source_that_is_switched_off_has_no_handlers() {
        let source = |on: bool| on.then(|| registry(&[("1", 1)], &Notes::default()));
        let on = hooks![Mark("a"), ..source(true)];
        let off = hooks![Mark("a"), ..source(false)];
        assert_eq!(order(&on).await, "1a");
        assert_eq!(order(&off).await, "a");
        assert!(on.handles::<LlmInput>() && !off.handles::<LlmInput>());
        assert_eq!((on.plan().count(), off.plan().count()), (2, 1));
        // Also where it is asked though it wants nothing.
        assert!(None::<Registry>.current().is_empty());
    }

    /// Wants events that none of its handlers does, which a source may.
    struct Eager(Mounted<AgentEvent<'static>>);

    impl HandlerSource for Eager {
        type Vocabulary = AgentEvent<'static>;
        type Set<'a> = Arc<Registry>;

        fn wanted(&self) -> EventSet {
            EventSet::ALL
        }
        fn current(&self) -> Arc<Registry> {
            self.0.snapshot()
        }
        fn describe<'d>(&'d self, handler: &mut dyn FnMut(&'d str, i32, EventSet)) {
            self.0.describe(handler);
        }
    }

    #[tokio::test]
    async fn a_source_of_ones_own_type_runs_its_handlers_in_their_places() {
        let mounted = Mounted::<AgentEvent>::default();
        let hooks = hooks![Mark("b") @ -1, Mark("a") @ 1, ..Eager(mounted.clone())];
        assert_eq!(order(&hooks).await, "ab");
        hooks.observe(&cx(), &HeartbeatTick).await;
        mounted.mount(plugin("1", 0)).unwrap();
        assert_eq!(order(&hooks).await, "a1b");
        assert_eq!(format!("{hooks:?}"), "[Mark, 1, Mark]");
    }

    #[tokio::test]
    async fn handles_follows_what_is_mounted() {
        #[hook]
        fn tick(_: &HeartbeatTick) {}
        let mounted = Mounted::<AgentEvent>::default();
        let hooks = hooks![Mark("a"), ..mounted.clone()];
        assert!(hooks.handles::<BeforeToolCall>() && !hooks.handles::<HeartbeatTick>());
        mounted.mount(tick).unwrap();
        assert!(hooks.handles::<HeartbeatTick>() && !hooks.handles::<LlmInput>());
        assert!(mounted.unmount("tick"));
        assert!(hooks.handles::<BeforeToolCall>() && !hooks.handles::<HeartbeatTick>());
    }

    #[tokio::test]
    async fn handlers_are_asked_only_about_events_that_they_want() {
        struct Picky(Notes);
        #[async_trait]
        impl AgentHandler for Picky {
            fn events(&self) -> EventSet {
                EventSet::of::<HeartbeatTick>()
            }
            async fn handle_any(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
                self.0.add(event.name());
                AgentSaid::Continue
            }
        }
        let notes = Notes::default();
        let source = registry(&[("1", 1)], &Notes::default()).with(Picky(notes.clone()));
        let hooks = hooks![Mark("a"), ..source];
        assert_eq!(order(&hooks).await, "1a");
        hooks.observe(&cx(), &GatewayStop).await;
        assert!(notes.take().is_empty());
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert_eq!(notes.take(), ["HeartbeatTick"]);
    }
}

mod changes {
    use super::*;

    struct Double;
    #[async_trait]
    impl AgentHandler for Double {
        fn priority(&self) -> i32 {
            5
        }
        async fn before_tool_call(
            &self,
            _cx: &AgentContext,
            call: &mut BeforeToolCall,
        ) -> HookAction<BeforeToolCall> {
            call.name = call.name.repeat(2);
            HookAction::modify(serde_json::json!({ "seen": call.name }))
        }
    }

    #[tokio::test]
    async fn what_one_changes_the_next_one_sees_whether_it_is_a_handler_or_not() {
        #[hook(priority = 9)]
        fn before(call: &mut BeforeToolCall) {
            call.name.push('b');
        }
        #[hook(priority = 1)]
        fn after(call: &mut BeforeToolCall) {
            assert_eq!(call.args["seen"], call.name);
            call.name.push('c');
        }
        let hooks = hooks![after, before, ..Registry::new().with(Double)];
        let mut call = call("a");
        assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
        assert_eq!(call.name, "ababc");
    }
}

mod decisions {
    use super::*;

    /// Everybody in the order of priority: guards, which are not told, logs and handlers, which are.
    const ORDER: [&str; 17] = [
        "L0", "h0", "G1", "h1", "L2", "h2", "h2b", "G3", "L3", "G4", "L4", "h4", "G5", "L5", "G6",
        "L6", "h7",
    ];

    /// Who decides, by the name of the call, and what everybody notes.
    async fn notes_when_decided_by(decider: &str) -> (HookResult<BeforeToolCall>, Vec<String>) {
        let notes = Notes::default();
        let log = |name| Log(name, notes.clone());
        let guard = |name| Guard(name, notes.clone());
        let handlers = [
            ("h0", 90),
            ("h1", 70),
            ("h2", 60),
            ("h2b", 60),
            ("h4", 35),
            ("h7", -10),
        ];
        let source = registry(&handlers, &notes);
        let hooks = hooks![
            log("L0") @ 95,
            guard("G1") @ 80,
            log("L2") @ 60,
            guard("G3") @ 55,
            log("L3") @ 54,
            guard("G4") @ 53,
            log("L4") @ 52,
            guard("G5") @ 34,
            log("L5") @ 33,
            guard("G6") @ 32,
            log("L6") @ 31,
            ..source
        ];
        let result = hooks.intercept(&cx(), &mut call(decider)).await;
        (result, notes.take())
    }

    #[tokio::test]
    async fn a_decision_is_told_to_each_later_one_once_and_to_no_earlier_one() {
        for (place, decider) in ORDER.iter().enumerate() {
            if decider.starts_with('L') {
                continue;
            }
            for (name, told) in [
                (
                    decider.to_string(),
                    format!("told: stopped by {}", hook_name(decider)),
                ),
                (format!("{decider}!"), "told: answered".into()),
            ] {
                let (result, mut notes) = notes_when_decided_by(&name).await;
                assert!(!result.is_continue());
                let ran = ORDER[..=place].iter().map(|name| format!("{name} ran"));
                let later = ORDER[place + 1..]
                    .iter()
                    .filter(|name| !name.starts_with('G'));
                let told = later.map(|name| format!("{name} {told}"));
                let mut expected: Vec<_> = ran.chain(told).collect();
                // All are told at once, so the order among them says nothing.
                notes[place + 1..].sort();
                expected[place + 1..].sort();
                assert_eq!(notes, expected, "{name}");
            }
        }
    }

    /// A hook that is a type has the type's name.
    fn hook_name(decider: &str) -> &str {
        if decider.starts_with('G') {
            "Guard"
        } else {
            decider
        }
    }

    #[tokio::test]
    async fn where_nobody_decides_everybody_runs_once_and_nobody_is_told() {
        let (result, notes) = notes_when_decided_by("nobody").await;
        assert!(result.is_continue());
        assert_eq!(notes, ORDER.map(|name| format!("{name} ran")));
    }

    #[tokio::test]
    async fn what_a_hook_before_the_pipeline_decides_is_told_to_all_of_it() {
        let notes = Notes::default();
        let source = registry(&[("h1", 10), ("h2", -10)], &notes);
        let inner = hooks![Log("L", notes.clone()), ..source];
        let hooks = hooks![Guard("G", notes.clone()) @ 1, inner];
        assert!(!hooks.intercept(&cx(), &mut call("G")).await.is_continue());
        let mut told = notes.take();
        told.sort();
        assert_eq!(
            told,
            [
                "G ran",
                "L told: stopped by Guard",
                "h1 told: stopped by Guard",
                "h2 told: stopped by Guard",
            ]
        );
    }

    #[tokio::test]
    async fn the_one_that_decides_is_named() {
        let (result, _) = notes_when_decided_by("h4").await;
        assert_eq!(result.as_cancel().unwrap().hook, "h4");
        let (result, _) = notes_when_decided_by("G5").await;
        assert_eq!(result.as_cancel().unwrap().hook, "Guard");
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

    struct WaitsToo(Waits, i32);
    #[async_trait]
    impl AgentHandler for WaitsToo {
        fn priority(&self) -> i32 {
            self.1
        }
        async fn heartbeat_tick(&self, _cx: &AgentContext, _: &HeartbeatTick) {
            self.0.0.wait().await;
            self.0.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[tokio::test]
    async fn static_hooks_and_handlers_run_concurrently() {
        let (barrier, count) = (Arc::new(Barrier::new(6)), Arc::new(AtomicUsize::new(0)));
        let waits = || Waits(barrier.clone(), count.clone());
        let source = Registry::new()
            .with(WaitsToo(waits(), 10))
            .with(WaitsToo(waits(), 0))
            .with(WaitsToo(waits(), -10));
        let hooks = hooks![waits() @ 20, waits() @ 5, waits() @ -20, ..source];
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert_eq!(count.load(Ordering::Relaxed), 6);
    }

    #[tokio::test]
    async fn those_that_do_not_wait_run_in_the_order_of_priority() {
        let notes = Notes::default();
        let source = registry(&[("h1", 9), ("h2", 5), ("h3", 1)], &notes);
        let log = |name| Log(name, notes.clone());
        let hooks = hooks![log("L1") @ 10, log("L2") @ 5, log("L3") @ 0, ..source];
        hooks.observe(&cx(), &HeartbeatTick).await;
        assert_eq!(
            notes.take(),
            ["L1 ran", "h1 ran", "L2 ran", "h2 ran", "h3 ran", "L3 ran"]
        );
    }
}

mod plan {
    use super::*;

    #[hook(priority = 20)]
    fn guard(_: &BeforeToolCall) {}
    #[hook]
    async fn count(_: &HeartbeatTick) {}

    struct Narrow;
    #[async_trait]
    impl AgentHandler for Narrow {
        fn name(&self) -> &str {
            "narrow"
        }
        fn priority(&self) -> i32 {
            10
        }
        fn events(&self) -> EventSet {
            EventSet::of::<ToolCallEnd>() | EventSet::of::<BeforeToolCall>()
        }
    }

    #[test]
    fn it_shows_each_handler_in_its_place_with_the_events_that_it_wants() {
        let source = Registry::new()
            .with(plugin("first", 30))
            .with(Narrow)
            .with(plugin("last", 0));
        let inner = hooks![Mark("x") @ 100];
        let hooks = hooks![count, guard, inner @ 15, ..source];
        assert_eq!(
            hooks.plan().to_string(),
            "\
order  hook    priority  event           runs
1      first         30  every event     async
2      guard         20  BeforeToolCall  sync
3        Mark       100  BeforeToolCall  sync
4      narrow        10  BeforeToolCall  async
4      narrow        10  ToolCallEnd     async
5      count          0  HeartbeatTick   async
6      last           0  every event     async
"
        );
        assert_eq!(
            format!("{hooks:?}"),
            "[first, guard, Mark, narrow, count, last]"
        );
    }

    #[test]
    fn handlers_do_not_find_a_place_within_a_pipeline_of_the_list() {
        let source = Registry::new().with(plugin("h", 50));
        let hooks = hooks![hooks![Mark("x") @ 100, Mark("y") @ 1] @ 60, guard, ..source];
        assert_eq!(format!("{hooks:?}"), "[Mark, Mark, h, guard]");
    }

    #[test]
    fn it_stays_as_it_was_made_while_handlers_come_and_go() {
        let mounted = Mounted::<AgentEvent>::default();
        mounted.mount(plugin("a", 2)).unwrap();
        mounted.mount(plugin("b", 1)).unwrap();
        for hooks in [
            &hooks![guard, ..mounted.clone()].plan() as &dyn Fits,
            &hooks![guard, mounted.clone()].plan(),
        ] {
            let before = hooks.names();
            assert!(mounted.unmount("a"));
            assert_eq!(hooks.names(), before);
            mounted.mount(plugin("a", 2)).unwrap();
        }
        trait Fits {
            fn names(&self) -> Vec<String>;
        }
        impl Fits for hooks_core::Plan<'_> {
            fn names(&self) -> Vec<String> {
                self.clone().map(|row| row.hook.into()).collect()
            }
        }
    }

    #[test]
    fn events_that_are_never_raised_are_marked_of_handlers_too() {
        let source = Registry::new().with(Narrow).with(plugin("any", 0));
        let hooks = hooks![guard, count, ..source];
        let plan = hooks.plan().raising(&["BeforeToolCall"]);
        assert_eq!(
            plan.to_string(),
            "\
order  hook    priority  event           runs
1      guard         20  BeforeToolCall  sync
2      narrow        10  BeforeToolCall  async
2      narrow        10  ToolCallEnd     async, but the agent never raises it
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
