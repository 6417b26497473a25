//! `a.then(b)`, and what else is made of hooks whose types are not known: registries of them, and agents
//! without an executor.

mod common;

use std::sync::Arc;

use common::{Guard, Log, Mark, MarkLater, Notes, call, cx, plugin, word};
use hooks_core::agent::*;
use hooks_core::{
    Decision, EventSet, HookAction, HookRegistry, Mounted, RegisterError, Then, async_trait, hook,
    hooks, intercept_fn,
};

type Registry = HookRegistry<AgentEvent<'static>>;

async fn order(hooks: &impl AgentHooks) -> String {
    let mut call = call("x");
    assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
    call.id
}

fn order_now(hooks: &impl AgentHooksNow) -> String {
    let mut call = call("x");
    assert!(hooks.intercept_now(&cx(), &mut call).is_continue());
    call.id
}

mod then {
    use super::*;

    #[tokio::test]
    async fn the_first_runs_before_the_second_whatever_their_priorities() {
        let first = hooks![Mark("b") @ -9, Mark("a") @ -8];
        let second = hooks![Mark("d") @ 8, Mark("c") @ 9];
        assert_eq!(order(&first.then(second)).await, "abcd");
    }

    #[tokio::test]
    async fn any_two_hooks_can_be_put_together() {
        fn opaque(name: &'static str) -> impl AgentHooks {
            hooks![MarkLater(name)]
        }
        fn library(theirs: impl AgentHooks) -> impl AgentHooks {
            opaque("a").then(theirs)
        }
        assert_eq!(order(&library(opaque("b"))).await, "ab");
        assert_eq!(order(&library(Mark("b"))).await, "ab");
        assert_eq!(order(&library(Some(Mark("b")))).await, "ab");
        assert_eq!(order(&library(None::<Mark>)).await, "a");
        assert_eq!(order(&library(&Mark("b"))).await, "ab");
        assert_eq!(order(&library(Arc::new(Mark("b")))).await, "ab");
        assert_eq!(order(&library(hooks![])).await, "a");
        assert_eq!(
            order(&library(Registry::new().with(plugin("b", 0)))).await,
            "ab"
        );
        assert_eq!(
            order(&Registry::new().with(plugin("b", 0)).then(opaque("c"))).await,
            "bc"
        );
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
        assert_eq!(
            (order(&first).await, order(&second).await),
            ("a".into(), "bc".into())
        );
        assert_eq!(order(&Then::new(Mark("a"), Mark("b"))).await, "ab");
    }

    #[tokio::test]
    async fn it_stands_in_a_list_at_priority_0_and_at_any_other() {
        let two = || Mark("x").then(MarkLater("y"));
        assert_eq!(
            order(&hooks![Mark("b") @ -1, two(), Mark("a") @ 1]).await,
            "axyb"
        );
        assert_eq!(
            order(&hooks![Mark("b") @ -1, two() @ 2, Mark("a") @ 1]).await,
            "xyab"
        );
        let source = Registry::new().with(plugin("1", 1)).with(plugin("2", -1));
        assert_eq!(order(&hooks![Mark("a"), two(), ..source]).await, "1axy2");
    }

    #[tokio::test]
    async fn it_handles_what_either_does() {
        #[hook]
        fn tick(_: &HeartbeatTick) {}
        let both = tick.then(Mark("m"));
        assert!(both.handles::<HeartbeatTick>() && both.handles::<BeforeToolCall>());
        assert!(!both.handles::<LlmInput>());
        assert_eq!(
            both.wanted(),
            EventSet::of::<HeartbeatTick>() | EventSet::of::<BeforeToolCall>()
        );
        assert!(!hooks![both].handles::<LlmInput>());
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
        waits()
            .then(waits())
            .then(waits())
            .observe(&cx(), &HeartbeatTick)
            .await;
    }

    #[tokio::test]
    async fn it_can_be_spawned_through_the_bound() {
        async fn agent<A, B>(first: A, second: B) -> String
        where
            A: AgentHooks + 'static,
            B: AgentHooks + 'static,
        {
            let both = first.then(second);
            tokio::spawn(async move { order(&both).await })
                .await
                .unwrap()
        }
        assert_eq!(agent(MarkLater("a"), hooks![MarkLater("b")]).await, "ab");
    }
}

mod decisions {
    use super::*;

    const ORDER: [&str; 8] = ["L1", "G1", "L2", "h1", "L3", "G2", "h2", "L4"];

    /// Four hooks, of which two are registries, put together in one of three ways.
    async fn notes(way: usize, decider: &str) -> Vec<String> {
        let notes = Notes::default();
        let first = hooks![
            Log("L1", notes.clone()) @ 3,
            Guard("G1", notes.clone()) @ 2,
            Log("L2", notes.clone()),
        ];
        let second = Registry::new().with(plugin("h1", 0).noting(&notes));
        let third = hooks![Log("L3", notes.clone()) @ 1, Guard("G2", notes.clone())];
        let source = Registry::new().with(plugin("h2", 1).noting(&notes));
        let fourth = hooks![Log("L4", notes.clone()), ..source];
        let (cx, mut call) = (cx(), call(decider));
        let result = match way {
            0 => {
                let hooks = first.then(second).then(third).then(fourth);
                hooks.intercept(&cx, &mut call).await
            }
            1 => {
                let hooks = first.then(second.then(third.then(fourth)));
                hooks.intercept(&cx, &mut call).await
            }
            _ => {
                let hooks = Registry::new()
                    .with(first.then(second))
                    .with(third.then(fourth));
                hooks.intercept(&cx, &mut call).await
            }
        };
        assert_eq!(result.is_continue(), decider == "nobody");
        notes.take()
    }

    #[tokio::test]
    async fn a_decision_is_told_to_each_later_hook_once_and_to_no_earlier_one() {
        for (place, decider) in ORDER.iter().enumerate() {
            if decider.starts_with('L') {
                continue;
            }
            let hook = if decider.starts_with('G') {
                "Guard"
            } else {
                decider
            };
            for way in 0..3 {
                let mut notes = notes(way, decider).await;
                let ran = ORDER[..=place].iter().map(|name| format!("{name} ran"));
                let later = ORDER[place + 1..]
                    .iter()
                    .filter(|name| !name.starts_with('G'));
                let told = later.map(|name| format!("{name} told: stopped by {hook}"));
                let mut expected: Vec<_> = ran.chain(told).collect();
                notes[place + 1..].sort();
                expected[place + 1..].sort();
                assert_eq!(notes, expected, "{decider} in {way}");
            }
        }
    }

    #[tokio::test]
    async fn where_nobody_decides_everybody_runs_once() {
        for way in 0..3 {
            assert_eq!(
                notes(way, "nobody").await,
                ORDER.map(|name| format!("{name} ran"))
            );
        }
    }

    #[test]
    fn without_an_executor_it_is_the_same() {
        let notes = Notes::default();
        let log = |name| Log(name, notes.clone());
        let hooks = log("L1")
            .then(Guard("G", notes.clone()))
            .then(log("L2").then(log("L3")));
        assert!(!hooks.intercept_now(&cx(), &mut call("G")).is_continue());
        let told = [
            "L1 ran",
            "G ran",
            "L2 told: stopped by Guard",
            "L3 told: stopped by Guard",
        ];
        assert_eq!(notes.take(), told);
        assert!(hooks.intercept_now(&cx(), &mut call("x")).is_continue());
        assert_eq!(notes.take(), ["L1 ran", "G ran", "L2 ran", "L3 ran"]);
    }
}

mod now {
    use super::*;

    #[test]
    fn two_opaque_hooks_need_no_executor() {
        fn opaque(name: &'static str) -> impl AgentHooksNow {
            hooks![Mark(name)]
        }
        fn both(first: impl AgentHooksNow, second: impl AgentHooksNow) -> impl AgentHooksNow {
            first.then(second)
        }
        assert_eq!(
            order_now(&both(opaque("a"), both(opaque("b"), opaque("c")))),
            "abc"
        );
        assert_eq!(
            order_now(&hooks![opaque("a").then(opaque("b")), Mark("c") @ -1]),
            "abc"
        );
        assert_eq!(order_now(&both(hooks![], None::<Mark>)), "");
    }

    #[test]
    fn an_agent_without_an_executor_dispatches_both_kinds_and_asks_what_is_handled() {
        struct Agent<H>(H);
        impl<H: AgentHooksNow> Agent<H> {
            fn turn(&self) -> bool {
                self.0.observe_now(&cx(), &HeartbeatTick);
                self.0.handles::<BeforeToolCall>()
                    && self.0.intercept_now(&cx(), &mut call("G")).is_continue()
            }
        }
        let notes = Notes::default();
        assert!(!Agent(Guard("G", notes.clone()).then(Log("L", notes.clone()))).turn());
        assert_eq!(notes.take(), ["L ran", "G ran", "L told: stopped by Guard"]);
        assert!(!Agent(hooks![]).turn());
    }

    #[tokio::test]
    async fn hooks_that_need_no_executor_can_be_awaited_too() {
        async fn later(hooks: &impl AgentHooksNow) -> String {
            order(hooks).await
        }
        assert_eq!(later(&Mark("a").then(Mark("b"))).await, "ab");
    }
}

mod registry {
    use super::*;

    fn opaque(name: &'static str) -> impl AgentHooks + 'static {
        hooks![MarkLater(name), Mark(",")]
    }

    #[tokio::test]
    async fn it_takes_every_kind_of_hook_and_handler() {
        let boxed: Box<dyn AgentHandler> = Box::new(plugin("6", 0));
        let shared: Arc<dyn AgentHandler> = Arc::new(plugin("7", 0));
        let pipeline: Box<dyn AgentHandler> = Box::new(hooks![Mark("8")]);
        let registry = Registry::new()
            .with(Mark("1"))
            .with(hooks![Mark("2")])
            .with(opaque("3"))
            .with(plugin("4", 0))
            .with(Arc::new(plugin("5", 0)))
            .with(boxed)
            .with(shared)
            .with(pipeline)
            .with(Mark("9").then(MarkLater("a")))
            .with(Box::new(plugin("b", 0)))
            .with(Arc::new(Mark("c")))
            .with(Box::new(hooks![Mark("d")]))
            .with(Some(Mark("e")))
            .with(intercept_fn::<BeforeToolCall, _>(|_, call| {
                call.id.push('f');
                HookAction::Continue
            }))
            .with(Registry::new().with(plugin("g", 0)))
            .with(Mounted::new(Registry::new().with(plugin("h", 0))));
        assert_eq!(order(&registry).await, "123,456789abcdefgh");
        assert_eq!(order(&hooks![..registry]).await, "123,456789abcdefgh");
    }

    #[tokio::test]
    async fn it_is_the_type_erased_form_of_any_hooks() {
        fn erased(hooks: impl AgentHooks + 'static) -> Registry {
            Registry::new().with(hooks)
        }
        let all = [
            erased(Mark("a")),
            erased(opaque("b")),
            erased(hooks![]),
            erased(plugin_hooks()),
        ];
        let mut orders = Vec::new();
        for hooks in &all {
            orders.push(order(hooks).await);
        }
        assert_eq!(orders, ["a", "b,", "", "p"]);
    }

    fn plugin_hooks() -> impl AgentHooks + 'static {
        Registry::new().with(plugin("p", 0))
    }

    #[test]
    fn one_hook_keeps_its_name_and_priority_and_several_are_a_pipeline() {
        #[hook(priority = 7)]
        fn seven(_: &BeforeToolCall) {}
        #[hook(priority = 9, name = "IX")]
        fn nine(_: &BeforeToolCall) {}
        let registry = Registry::new()
            .with(seven)
            .with(hooks![nine])
            .with(hooks![seven, nine])
            .with(seven.then(nine))
            .with(seven.shadow().on_panic(hooks_core::OnPanic::Skip))
            .with(hooks![nine @ 8]);
        let names: Vec<_> = registry.names().collect();
        assert_eq!(
            names,
            ["IX", "IX#2", "seven", "seven#2", "Pipeline", "Pipeline#2"]
        );
        let rows: Vec<_> = registry
            .plan()
            .skip(1)
            .map(|row| (row.hook, row.priority))
            .collect();
        assert_eq!(
            rows,
            [
                ("IX", 9),
                ("IX", 8),
                ("seven", 7),
                ("seven", 7),
                ("Pipeline", 0),
                ("Pipeline", 0)
            ]
        );
    }

    struct Silent;
    #[async_trait]
    impl AgentHandler for Silent {}

    #[test]
    fn several_of_one_type_are_numbered_however_they_are_held() {
        let boxed: Box<dyn AgentHandler> = Box::new(Silent);
        let shared: Arc<dyn AgentHandler> = Arc::new(Silent);
        let pipeline = || -> Box<dyn AgentHandler> { Box::new(hooks![Mark("a"), Mark("b")]) };
        let mut registry = Registry::new();
        registry.register(Silent).unwrap();
        registry.register(Silent).unwrap();
        registry.register(Box::new(Silent)).unwrap();
        registry.register(Arc::new(Silent)).unwrap();
        registry.register(boxed).unwrap();
        registry.register(Box::new(shared)).unwrap();
        registry.register(pipeline()).unwrap();
        registry.register(pipeline()).unwrap();
        let names: Vec<_> = registry
            .names()
            .map(|name| name.rsplit("::").next().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "Silent",
                "Silent#2",
                "Silent#3",
                "Silent#4",
                "Silent#5",
                "Silent#6",
                "Pipeline",
                "Pipeline#2",
            ]
        );
    }

    #[test]
    fn a_number_that_has_become_free_is_given_again() {
        let mut registry = Registry::new()
            .with(Mark("a"))
            .with(Mark("b"))
            .with(Mark("c"));
        assert!(registry.unregister("Mark#2"));
        registry.register(Mark("d")).unwrap();
        assert!(registry.unregister("Mark"));
        registry.register(Mark("e")).unwrap();
        assert_eq!(
            registry.names().collect::<Vec<_>>(),
            ["Mark#3", "Mark#2", "Mark"]
        );
    }

    #[test]
    fn a_name_stands_once_and_whoever_gives_it_from_outside_is_told() {
        let taken = Err(RegisterError::NameTaken { name: "p".into() });
        let mut registry = Registry::new().with(plugin("p", 1));
        registry.register(plugin("p", 2)).unwrap();
        registry.register(Box::new(plugin("p", 3))).unwrap();
        registry.register_at(4, plugin("p", 2)).unwrap();
        assert_eq!(
            registry.names().collect::<Vec<_>>(),
            ["p#4", "p#3", "p#2", "p"]
        );
        assert_eq!(format!("{registry:?}"), "[p, p, p, p]");
        assert_eq!(registry.register_as("p", 3, Mark("m")), taken);
        registry.register_as("q", 9, plugin("p", 2)).unwrap();
        assert_eq!(format!("{registry:?}"), "[q, p, p, p, p]");
        let plugins = Mounted::new(registry);
        plugins.mount(plugin("p", 0)).unwrap();
        assert_eq!(plugins.mount_as("p", 3, Mark("m")), taken);
        plugins.mount_as("r", 10, Mark("m")).unwrap();
        assert_eq!(format!("{plugins:?}"), "[r, q, p, p, p, p, p]");
        assert!(plugins.unmount("p#5"));
        let Err(error) = taken else { unreachable!() };
        assert_eq!(
            error.to_string(),
            "the registry has a handler `p` already: give this one another name, or write `replace` to put it \
             in the other's place"
        );
    }

    #[tokio::test]
    async fn names_and_priorities_from_outside_go_over_ones_own() {
        let mut registry = Registry::new();
        registry.register_at(1, plugin("a", 99)).unwrap();
        registry.register_as("named", 2, plugin("b", -99)).unwrap();
        registry
            .register_as("named too", 3, Guard("c", Notes::default()))
            .unwrap();
        assert_eq!(
            registry.names().collect::<Vec<_>>(),
            ["named too", "named", "a"]
        );
        let result = registry.intercept(&cx(), &mut call("b")).await;
        assert_eq!(result.as_cancel().unwrap().hook, "named");
    }

    #[tokio::test]
    async fn replace_keeps_the_place_where_the_priority_is_the_same() {
        let mut registry = Registry::new()
            .with(plugin("a", 1))
            .with(plugin("b", 1))
            .with(plugin("c", 1));
        assert_eq!(registry.replace("b", plugin("B", 1)), Ok(true));
        assert_eq!(order(&registry).await, "aBc");
        assert_eq!(registry.replace("b", plugin("B", 2)), Ok(true));
        assert_eq!(order(&registry).await, "Bac");
        assert_eq!(registry.replace("d", plugin("D", 1)), Ok(false));
        assert_eq!(order(&registry).await, "BacD");
        assert_eq!(registry.names().collect::<Vec<_>>(), ["b", "a", "c", "d"]);
    }

    #[tokio::test]
    async fn what_is_taken_out_or_replaced_is_not_asked_any_more() {
        #[hook]
        fn tick(_: &HeartbeatTick) {}
        let mut registry = Registry::new().with(tick).with(Mark("m"));
        assert!(registry.handles::<HeartbeatTick>() && registry.handles::<BeforeToolCall>());
        assert!(!registry.handles::<LlmInput>());
        assert!(registry.unregister("tick") && !registry.unregister("tick"));
        assert!(!registry.handles::<HeartbeatTick>());
        assert_eq!(registry.replace("Mark", tick), Ok(true));
        assert!(registry.handles::<HeartbeatTick>() && !registry.handles::<BeforeToolCall>());
        assert_eq!((registry.len(), registry.is_empty()), (1, false));
    }

    #[tokio::test]
    async fn a_copy_shares_the_handlers_and_not_the_list() {
        let notes = Notes::default();
        let registry = Registry::new().with(plugin("a", 0).noting(&notes));
        let mut copy = registry.clone();
        copy.register(plugin("b", 0)).unwrap();
        assert_eq!(
            (order(&registry).await, order(&copy).await),
            ("a".into(), "ab".into())
        );
        assert_eq!(notes.take(), ["a ran", "a ran"]);
    }

    #[tokio::test]
    async fn a_pipeline_in_it_is_told_of_decisions_as_it_would_be_in_a_list() {
        let notes = Notes::default();
        let registry = Registry::new()
            .with(plugin("no", 1))
            .with(Log("L1", notes.clone()))
            .with(hooks![Log("L2", notes.clone()), Guard("G", notes.clone())])
            .with(Log("L3", notes.clone()).then(Log("L4", notes.clone())));
        assert!(
            !registry
                .intercept(&cx(), &mut call("no"))
                .await
                .is_continue()
        );
        let told = ["L1", "L2", "L3", "L4"].map(|name| format!("{name} told: stopped by no"));
        assert_eq!(notes.take(), told);
        let stopped = hooks_core::Cancel {
            hook: "x".into(),
            reason: "y".into(),
            scope: hooks_core::Scope::Run,
        };
        assert_eq!(word(Decision::Cancel(&stopped)), "stopped by x");
    }
}
