//! Probes: every hook of a dispatch is seen, wherever it stands, and the end of each dispatch once.

use std::fmt::Display;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use hooks_core::agent::*;
use hooks_core::probe::{Probe, Ran};
use hooks_core::{
    AnyAction, BoxHook, EventInfo, Hook, HookAction, HookRegistry, OnPanic, hook, hooks, observe_fn,
};
use serde_json::json;

use crate::common::*;

/// Writes down all that it is told.
#[derive(Clone, Default)]
struct Told(Notes);

impl Told {
    fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

fn name(event: AgentEvent<'_>) -> String {
    match event {
        AgentEvent::BeforeToolCall(call) => call.name.clone(),
        other => other.name().into(),
    }
}

impl Probe<AgentEvent<'static>> for Told {
    /// How many hooks have run.
    type State = usize;

    fn begin(&self, cx: &AgentContext, event: AgentEvent<'_>) -> usize {
        self.0
            .add(format!("{} begins {}", cx.session_id, name(event)));
        0
    }

    fn ran(&self, count: &mut usize, hook: Ran<'_>, event: AgentEvent<'_>) {
        *count += 1;
        assert_eq!(hook.duration, Duration::ZERO, "nobody reads the clock");
        let changed = if hook.changed { " changed" } else { "" };
        let (action, event) = (hook.action.word(), name(event));
        self.0
            .add(format!("{} {action}{changed} {event}", hook.name));
    }

    fn observed(&self, count: &usize, hook: Ran<'_>, _: AgentEvent<'_>) {
        assert_eq!(
            (*count, hook.changed, hook.action),
            (0, false, AnyAction::Continue)
        );
        self.0.add(format!("{} observed", hook.name));
    }

    fn failed(&self, _: &mut usize, hook: &str, failure: &dyn Display, event: AgentEvent<'_>) {
        self.0
            .add(format!("{hook} failed: {failure}: {}", name(event)));
    }

    fn end(
        &self,
        count: usize,
        _: &AgentContext,
        event: AgentEvent<'_>,
        result: Option<AnyAction<'_>>,
    ) {
        let result = result.map_or("dropped", AnyAction::word);
        self.0
            .add(format!("end {result} {} after {count}", name(event)));
    }
}

#[hook(priority = 9)]
fn looks(_: &BeforeToolCall) {}

#[hook(priority = 8)]
async fn changes(call: &mut BeforeToolCall) {
    tokio::task::yield_now().await;
    call.name.push('!');
}

#[hook(priority = 7)]
fn modifies(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::modify(ToolCallPatch {
        name: Some("m".into()),
        args: None,
    })
}

#[hook(priority = 6)]
fn decides(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    match &*call.id {
        "block" => HookAction::block("no"),
        "turn" => HookAction::abort_turn("no"),
        "run" => HookAction::abort_run("no"),
        "respond" => HookAction::respond(ToolOutput::default()),
        _ => HookAction::Continue,
    }
}

#[hook(priority = 5, only("other"))]
fn elsewhere(_: &mut BeforeToolCall) {}

#[hook(priority = 4)]
fn last(_: &mut BeforeToolCall) {}

async fn told(told: &Told, hooks: &impl AgentHooks, id: &str) -> Vec<String> {
    let mut call = BeforeToolCall::new(id, "x", json!({}));
    let _ = hooks.intercept(&cx(), &mut call).await;
    told.take()
}

const LOOKS: &str = "looks continue x";
const CHANGES: &str = "changes continue changed x!";
const MODIFIES: &str = "modifies modify changed m";

#[tokio::test]
async fn it_is_told_what_each_hook_said_and_exactly_which_changed_the_event() {
    let probe = Told::default();
    let hooks = hooks![last, elsewhere, decides, modifies, changes, looks].with_probe(&probe);
    for (id, word) in [
        ("block", "block"),
        ("turn", "abort_turn"),
        ("run", "abort_run"),
        ("respond", "respond"),
    ] {
        assert_eq!(
            told(&probe, &hooks, id).await,
            [
                "s1 begins x",
                LOOKS,
                CHANGES,
                MODIFIES,
                &format!("decides {word} m"),
                &format!("end {word} m after 4"),
            ]
        );
    }
    assert_eq!(
        told(&probe, &hooks, "").await[3..],
        [
            MODIFIES,
            "decides continue m",
            "last continue changed m",
            "end continue m after 5"
        ]
    );
}

#[tokio::test]
async fn it_sees_every_hook_wherever_that_stands() {
    let probe = Told::default();
    let expected = [
        "s1 begins x",
        LOOKS,
        CHANGES,
        MODIFIES,
        "end continue m after 3",
    ];
    let second = Duration::from_secs(1);
    let all = || Registry::new().with(looks).with(changes).with(modifies);
    macro_rules! sees_all {
        ($($hooks:expr),* $(,)?) => {$(
            let hooks = $hooks.with_probe(&probe);
            assert_eq!(told(&probe, &hooks, "").await, expected, stringify!($hooks));
        )*};
    }
    sees_all![
        hooks![looks, changes, modifies],
        hooks![hooks![looks] @ 9, hooks![hooks![changes, modifies]]],
        looks.then(changes).then(modifies),
        opaque(looks).then(opaque(hooks![changes, modifies])),
        hooks![looks.then(changes) @ 0, modifies @ -1],
        all(),
        hooks![all()],
        hooks![..all()],
        hooks![changes, ..Registry::new().with(looks).with(modifies)],
        hooks![looks, modifies, ..Registry::new().with(hooks![changes])],
        hooks![
            looks.on_panic(OnPanic::Skip),
            changes.timeout(second),
            modifies.when(|_, _| true)
        ],
        hooks![looks, changes, modifies]
            .on_panic(OnPanic::Block)
            .timeout(second),
        hooks![looks.read_only(), Some(changes), Box::new(modifies)],
        hooks![
            &looks,
            Arc::new(changes),
            Some(hooks![modifies]),
            None::<last>
        ],
        hooks![
            looks.named("other").named("looks") @ 9,
            changes,
            hooks![modifies].named("one") @ 0,
        ],
    ];
}

#[test]
fn without_an_executor_it_is_the_same() {
    let probe = Told::default();
    let hooks = hooks![looks, modifies.then(decides) @ 0].with_probe(&probe);
    let mut call = BeforeToolCall::new("block", "x", json!({}));
    assert!(!hooks.intercept_now(&cx(), &mut call).is_continue());
    let expected = [
        "s1 begins x",
        LOOKS,
        MODIFIES,
        "decides block m",
        "end block m after 3",
    ];
    assert_eq!(probe.take(), expected);
}

#[tokio::test]
async fn it_sees_observed_events_and_those_that_no_hook_handles() {
    #[hook(priority = 1)]
    async fn later(_: &HeartbeatTick) {
        tokio::task::yield_now().await;
    }
    let probe = Told::default();
    let at_once = || observe_fn::<HeartbeatTick, _>(|_, _| {}).named("at once");
    let expected = [
        "s1 begins HeartbeatTick",
        "at once observed",
        "later observed",
    ];
    let end = "end continue HeartbeatTick after 0";
    macro_rules! sees_both {
        ($($hooks:expr),* $(,)?) => {$(
            let hooks = $hooks.with_probe(&probe);
            hooks.observe(&cx(), &HeartbeatTick).await;
            let mut told = probe.take();
            assert_eq!(told.pop().as_deref(), Some(end), stringify!($hooks));
            told.sort_by_key(|line| !line.starts_with("s1"));
            told[1..].sort();
            assert_eq!(told, expected, stringify!($hooks));
        )*};
    }
    sees_both![
        hooks![later, at_once()],
        at_once().then(later),
        hooks![hooks![at_once()], later.on_panic(OnPanic::Skip)],
        Registry::new().with(later).with(at_once()),
        hooks![later, ..Registry::new().with(at_once())],
    ];
    let hooks = hooks![later].with_probe(&probe);
    assert!(hooks.handles::<GatewayStop>());
    hooks.observe(&cx(), &GatewayStop).await;
    assert!(
        hooks
            .intercept(&cx(), &mut BeforeStop::default())
            .await
            .is_continue()
    );
    assert_eq!(
        probe.take(),
        [
            "s1 begins GatewayStop",
            "end continue GatewayStop after 0",
            "s1 begins BeforeStop",
            "end continue BeforeStop after 0",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn it_is_told_of_failures_with_the_event_as_it_is_then() {
    #[hook]
    fn panics(call: &mut BeforeToolCall) {
        call.name.clear();
        panic!("oh no");
    }
    #[hook]
    async fn hangs(call: &mut BeforeToolCall) {
        call.name.clear();
        std::future::pending::<()>().await;
    }
    let (probe, skip) = (Told::default(), OnPanic::Skip);
    let late = "hangs failed: the hook took longer than its timeout of 1s: x";
    let oh_no = "panics failed: the hook panicked: oh no: x";
    let second = Duration::from_secs(1);
    let hooks = hooks![panics.on_panic(skip), last @ -1].with_probe(&probe);
    let expected = [
        "s1 begins x",
        oh_no,
        "last continue changed x",
        "end continue x after 1",
    ];
    assert_eq!(told(&probe, &hooks, "").await, expected);
    let hooks =
        hooks![hooks![looks, panics].on_panic(OnPanic::Block) @ 0, last @ -1].with_probe(&probe);
    let expected = ["s1 begins x", LOOKS, oh_no, "end block x after 1"];
    assert_eq!(told(&probe, &hooks, "").await, expected);
    let hooks = hooks![hangs.timeout(second)].with_probe(&probe);
    let expected = ["s1 begins x", late, "end block x after 0"];
    assert_eq!(told(&probe, &hooks, "").await, expected);
    let hooks = hooks![..Registry::new().with(panics).with(last)].with_probe(&probe);
    let expected = [
        "s1 begins x",
        "last continue changed x",
        oh_no,
        "end continue x after 1",
    ];
    assert_eq!(told(&probe, &hooks, "").await, expected);
}

#[tokio::test]
async fn it_is_told_once_of_the_end_of_a_dispatch_that_is_dropped() {
    #[hook]
    async fn hangs(_: &BeforeToolCall) {
        std::future::pending::<()>().await;
    }
    let probe = Told::default();
    let (cx, mut call) = (cx(), call("x"));
    let mut task = Context::from_waker(Waker::noop());
    macro_rules! dropped {
        ($($hooks:expr),* $(,)?) => {$(
            let hooks = $hooks.with_probe(&probe);
            let mut dispatch = Box::pin(hooks.intercept(&cx, &mut call));
            assert!(dispatch.as_mut().poll(&mut task).is_pending());
            assert_eq!(probe.take(), ["s1 begins x", LOOKS]);
            drop(dispatch);
            assert_eq!(probe.take(), ["end dropped x after 1"]);
            drop(hooks.intercept(&cx, &mut call));
            assert!(probe.take().is_empty(), "it had not begun");
        )*};
    }
    dropped![
        hooks![looks, hangs],
        looks.then(hangs),
        Registry::new().with(looks).with(hangs),
        hooks![looks, ..Registry::new().with(hangs)],
    ];
}

#[tokio::test]
async fn several_may_be_attached_and_each_sees_what_is_inside_it() {
    let (outer, inner) = (Told::default(), Told::default());
    let hooks = hooks![looks].with_probe((&outer, (Arc::new(inner.clone()), &outer)));
    let seen = told(&inner, &hooks, "").await;
    assert_eq!(seen, ["s1 begins x", LOOKS, "end continue x after 1"]);
    assert_eq!(outer.take().len(), 6, "it is attached twice");

    let hooks = hooks![looks, hooks![modifies].with_probe(&inner) @ 0].with_probe(&outer);
    let seen = told(&inner, &hooks, "").await;
    assert_eq!(seen, ["s1 begins x", MODIFIES, "end continue m after 1"]);
    assert_eq!(
        outer.take(),
        ["s1 begins x", LOOKS, MODIFIES, "end continue m after 2"]
    );

    let hooks = hooks![looks].with_probe(&None::<Told>).with_probe(());
    assert!(hooks.intercept(&cx(), &mut call("x")).await.is_continue());
    assert_eq!(format!("{hooks:?}"), "[looks]");
}

#[tokio::test]
async fn one_that_is_attached_to_a_source_sees_the_whole_list() {
    let probe = Told::default();
    let source = Registry::new().with(changes);
    source.attach(Arc::new(probe.clone()));
    let expected = [
        "s1 begins x",
        LOOKS,
        CHANGES,
        MODIFIES,
        "end continue m after 3",
    ];
    let hooks = hooks![modifies, looks, ..source.clone()];
    assert_eq!(told(&probe, &hooks, "").await, expected);
    let hooks = hooks![hooks![looks, modifies].read_only() @ 9, ..source.clone()];
    assert_eq!(
        told(&probe, &hooks, "").await,
        [
            "s1 begins x",
            LOOKS,
            "modifies modify changed m",
            CHANGES,
            "end continue x! after 3"
        ]
    );
    let alone = ["s1 begins x", CHANGES, "end continue x! after 1"];
    assert_eq!(told(&probe, &source, "").await, alone);
    assert_eq!(
        told(&probe, &hooks![looks, source.clone() @ 0], "").await,
        alone
    );
    // Also where no hook of the source wants the event.
    let hooks = hooks![Log("log", Notes::default()), ..source];
    hooks.observe(&cx(), &HeartbeatTick).await;
    let end = "end continue HeartbeatTick after 0";
    assert_eq!(
        probe.take(),
        ["s1 begins HeartbeatTick", "Log observed", end]
    );
}

/// A guard that judges twice has run twice, in one dispatch.
/// Whoever only looks never harms the agent.
#[tokio::test]
async fn one_of_a_registry_that_panics_sees_no_more_of_that_dispatch() {
    struct Panics(&'static str, Notes);
    impl Panics {
        fn says(&self, what: &'static str) {
            self.1.add(what);
            assert_ne!(self.0, what);
        }
    }
    impl Probe<AgentEvent<'static>> for Panics {
        type State = ();
        fn wants(&self, _: &EventInfo) -> bool {
            self.says("wants");
            true
        }
        fn begin(&self, _: &AgentContext, _: AgentEvent<'_>) {
            self.says("begin");
        }
        fn changing(&self, (): &mut (), _: AgentEvent<'_>) {
            self.says("changing");
        }
        fn ran(&self, (): &mut (), _: Ran<'_>, _: AgentEvent<'_>) {
            self.says("ran");
        }
        fn observed(&self, (): &(), _: Ran<'_>, _: AgentEvent<'_>) {
            self.says("observed");
        }
        fn failed(&self, (): &mut (), _: &str, _: &dyn Display, _: AgentEvent<'_>) {
            self.says("failed");
        }
        fn end(&self, (): (), _: &AgentContext, _: AgentEvent<'_>, _: Option<AnyAction<'_>>) {
            self.says("end");
        }
    }
    #[hook(priority = 1)]
    fn fails(_: &BeforeToolCall) {
        panic!("no");
    }
    #[hook]
    fn listens(_: &HeartbeatTick) {}
    let all = ["wants", "begin", "changing", "ran", "failed", "end"];
    for step in [&all[..], &["observed"]].concat() {
        let registry = HookRegistry::<AgentEvent>::new().with(fails).with(changes);
        let (registry, notes) = (registry.with(listens), Notes::default());
        registry.attach(Arc::new(Panics(step, notes.clone())));
        let hooks = hooks![..registry];
        let mut call = BeforeToolCall::default();
        let result = hooks.intercept(&cx(), &mut call).await;
        assert!(result.is_continue(), "{step}");
        let seen = all.iter().take_while(|one| **one != step).count() + 1;
        assert_eq!(notes.take(), all[..seen.min(all.len())], "{step}");
        let () = hooks.observe(&cx(), &HeartbeatTick).await;
        assert_eq!(
            notes.take().contains(&"observed".into()),
            !["wants", "begin"].contains(&step)
        );
    }
}

#[tokio::test]
async fn both_rounds_of_guards_are_one_dispatch() {
    #[hook(guard, priority = 99)]
    fn judge(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        match &*call.name {
            "m" => HookAction::block("no"),
            _ => HookAction::Continue,
        }
    }
    let probe = Told::default();
    let expected = [
        "s1 begins x",
        "judge continue x",
        MODIFIES,
        "judge block m",
        "end block m after 3",
    ];
    let hooks = hooks![judge, modifies].with_probe(&probe);
    assert_eq!(told(&probe, &hooks, "").await, expected);
    let source = Registry::new().with(judge);
    source.attach(Arc::new(probe.clone()));
    assert_eq!(
        told(&probe, &hooks![modifies, ..source], "").await,
        expected
    );
}

#[tokio::test(start_paused = true)]
async fn it_may_ask_how_long_a_hook_ran() {
    struct Timed(Notes);
    impl Probe<AgentEvent<'static>> for Timed {
        type State = ();
        const TIMED: bool = true;
        fn begin(&self, _: &AgentContext, _: AgentEvent<'_>) {}
        fn ran(&self, (): &mut (), hook: Ran<'_>, _: AgentEvent<'_>) {
            self.0
                .add(format!("{}", hook.duration >= Duration::from_millis(2)));
        }
    }
    #[hook]
    fn slow(_: &BeforeToolCall) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let probe = Timed(Notes::default());
    for hooks in [Registry::new().with(slow)] {
        let hooks = hooks![slow, hooks @ 0].with_probe(&probe);
        assert!(hooks.intercept(&cx(), &mut call("x")).await.is_continue());
    }
    assert_eq!(probe.0.take(), ["true", "true"]);
}

/// Writes down the event as it is before each hook that may change it.
#[derive(Clone, Default)]
struct Before(Notes);

impl Probe<AgentEvent<'static>> for Before {
    type State = ();

    fn begin(&self, _: &AgentContext, _: AgentEvent<'_>) {}

    fn changing(&self, (): &mut (), event: AgentEvent<'_>) {
        self.0.add(format!("from {}", name(event)));
    }

    fn ran(&self, (): &mut (), hook: Ran<'_>, _: AgentEvent<'_>) {
        self.0.add(hook.name);
    }
}

#[tokio::test]
async fn it_is_told_before_a_hook_may_change_the_event() {
    let all = || hooks![looks, changes, modifies, decides, elsewhere, last];
    let expected = [
        "looks", "from x", "changes", "from x!", "modifies", "decides", "from m", "last",
    ];
    let probe = Before::default();
    let run = async |hooks: &dyn Fn() -> BoxHook<AgentEvent<'static>>| {
        let mut call = BeforeToolCall::new("1", "x", json!({}));
        let _ = hooks().intercept(&cx(), &mut call).await;
        probe.0.take()
    };
    let attached = || BoxHook::new(all().with_probe(Arc::new(probe.clone())));
    assert_eq!(run(&attached).await, expected);
    let around_a_box = || {
        BoxHook::new(hooks![BoxHook::<AgentEvent>::new(all())].with_probe(Arc::new(probe.clone())))
    };
    assert_eq!(run(&around_a_box).await, expected);
    let of_a_registry = || {
        let registry = Registry::new().with(all().named("all"));
        registry.attach(Arc::new(probe.clone()));
        BoxHook::new(registry)
    };
    assert_eq!(run(&of_a_registry).await, expected);
    let spread = || {
        let registry = Registry::new().with(all().named("all"));
        BoxHook::new(hooks![..registry].with_probe(Arc::new(probe.clone())))
    };
    assert_eq!(run(&spread).await, expected);
}
