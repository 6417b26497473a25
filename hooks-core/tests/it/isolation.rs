//! The hooks of a registry fail each on its own: what a panic and a timeout come to, by policy and kind of event.

#![allow(missing_docs, reason = "the events of a test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hooks_core::{
    BoxHook, Hook, HookAction, HookEvent, HookRegistry, HookResult, OnPanic, Scope, Timeouts,
    async_trait, hook, hooks,
};

use crate::common::Notes;

const POLICIES: [OnPanic; 3] = [OnPanic::Skip, OnPanic::Block, OnPanic::Propagate];

/// A payload of each kind, with `Clone` and without.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Open(Vec<u8>);
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Done(Vec<u8>);
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ask(Vec<u8>);
#[derive(Debug, Default, PartialEq)]
pub struct OpenOnce(Vec<u8>);
#[derive(Debug, Default, PartialEq)]
pub struct DoneOnce(Vec<u8>);
#[derive(Debug, Default, PartialEq)]
pub struct Seen(Vec<u8>);
/// It counts its copies.
#[derive(Debug, Default)]
pub struct Counted(Vec<u8>, Arc<AtomicUsize>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.1.fetch_add(1, Ordering::Relaxed);
        Counted(self.0.clone(), Arc::clone(&self.1))
    }
}

#[derive(Debug, HookEvent)]
pub enum DoorEvent<'a> {
    #[intercept]
    Open(&'a Open),
    #[intercept(no_block)]
    Done(&'a Done),
    #[intercept(approval)]
    Ask(&'a Ask),
    #[intercept]
    OpenOnce(&'a OpenOnce),
    #[intercept(no_block)]
    DoneOnce(&'a DoneOnce),
    #[observe]
    Seen(&'a Seen),
    #[intercept]
    Counted(&'a Counted),
}

type Registry = HookRegistry<DoorEvent<'static>>;

/// The bytes of an event that a hook may change.
fn bytes<'e>(event: DoorEventMut<'e>, none: &'e mut Vec<u8>) -> &'e mut Vec<u8> {
    match event {
        DoorEventMut::Open(event) => &mut event.0,
        DoorEventMut::Done(event) => &mut event.0,
        DoorEventMut::Ask(event) => &mut event.0,
        DoorEventMut::OpenOnce(event) => &mut event.0,
        DoorEventMut::DoneOnce(event) => &mut event.0,
        DoorEventMut::Seen(_) => none,
        DoorEventMut::Counted(event) => &mut event.0,
    }
}

/// How a handler fails.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    AtOnce,
    Later,
    Hangs,
}

/// A handler that changes an event and then fails.
struct Fails(How);

#[async_trait]
impl DoorHandler for Fails {
    fn name(&self) -> &str {
        "fails"
    }
    fn priority(&self) -> i32 {
        1
    }
    async fn handle(&self, (): &(), event: DoorEventMut<'_>) -> DoorSaid {
        let mut none = Vec::new();
        let bytes = bytes(event, &mut none);
        bytes.push(b'!');
        assert!(self.0 != How::AtOnce, "oh no");
        tokio::task::yield_now().await;
        bytes.push(b'!');
        assert!(self.0 != How::Later, "oh no");
        std::future::pending().await
    }
}

fn fails(how: How) -> Box<dyn DoorHandler> {
    Box::new(Fails(how))
}

/// The handler after it.
struct Next(Notes);

#[async_trait]
impl DoorHandler for Next {
    fn name(&self) -> &str {
        "next"
    }
    async fn handle(&self, (): &(), event: DoorEventMut<'_>) -> DoorSaid {
        self.0.add(event.name());
        bytes(event, &mut Vec::new()).push(b'n');
        DoorSaid::Continue
    }
}

/// What a dispatch came to.
#[derive(Debug, PartialEq)]
enum Came {
    /// It went on with this event; whether the next handler ran.
    On(Vec<u8>, bool),
    /// It was blocked with this reason, and this event.
    Blocked(String, Vec<u8>),
    Unwound,
}

fn on(bytes: &[u8]) -> Came {
    Came::On(bytes.into(), bytes.ends_with(b"n"))
}

fn blocked(reason: &str, bytes: &[u8]) -> Came {
    Came::Blocked(reason.into(), bytes.into())
}

/// A registry alone, at one place in a list, and spread, with a handler after its own.
fn three_ways(registry: impl Fn() -> Registry, next: &Notes) -> [BoxHook<DoorEvent<'static>>; 3] {
    let with_next = || {
        let next: Box<dyn DoorHandler> = Box::new(Next(next.clone()));
        registry().with(next)
    };
    [
        BoxHook::new(with_next()),
        BoxHook::new(hooks![hooks![with_next()] @ 3]),
        BoxHook::new(hooks![..with_next()]),
    ]
}

/// What an event that holds a `0` comes to, in each of the three ways.
macro_rules! intercepted {
    ($Event:ident, $registry:expr) => {{
        let next = Notes::default();
        let mut all = Vec::new();
        for hooks in three_ways(|| $registry, &next) {
            let run = tokio::spawn(async move {
                let mut event = $Event(b"0".to_vec());
                let result = hooks.intercept(&(), &mut event).await;
                (result, event.0)
            });
            let ran = |next: &Notes| next.take() == [stringify!($Event)];
            all.push(match run.await {
                Err(error) => {
                    assert!(error.is_panic());
                    Came::Unwound
                }
                Ok((HookResult::Continue, bytes)) => Came::On(bytes, ran(&next)),
                Ok((HookResult::Cancel(cancel), bytes)) => {
                    assert_eq!((&*cancel.hook, cancel.scope), ("fails", Scope::Event));
                    assert!(!ran(&next));
                    Came::Blocked(cancel.reason.into(), bytes)
                }
                Ok((HookResult::Respond(_), _)) => unreachable!(),
            });
        }
        assert!(all[0] == all[1] && all[0] == all[2], "{all:?}");
        all.swap_remove(0)
    }};
}

/// Whether the next handler was told of an observed event; nothing if the dispatch unwound.
async fn observed(registry: impl Fn() -> Registry) -> Option<bool> {
    let next = Notes::default();
    let mut all = Vec::new();
    for hooks in three_ways(registry, &next) {
        let run = tokio::spawn(async move { hooks.observe(&(), &Seen::default()).await });
        let ran = run.await.is_ok();
        let told = next.take() == ["Seen"];
        all.push(ran.then_some(told));
    }
    assert!(all[0] == all[1] && all[0] == all[2], "{all:?}");
    all[0]
}

fn limits(intercept: Option<u64>, observe: Option<u64>, approve: Option<u64>) -> Timeouts {
    let seconds = |limit: Option<u64>| limit.map(Duration::from_secs);
    Timeouts {
        observe: seconds(observe),
        intercept: seconds(intercept),
        approve: seconds(approve),
    }
}

/// Registries in which a handler panics: whenever it happens, and with timeouts that do not run out and without.
fn panicking(policy: OnPanic) -> [impl Fn() -> Registry; 4] {
    let registry = move |how, limits| {
        move || {
            let registry = Registry::new().on_panic(policy).timeouts(limits);
            registry.with(fails(how))
        }
    };
    let (none, minute) = (Timeouts::default(), limits(Some(60), Some(60), Some(60)));
    [
        registry(How::AtOnce, none),
        registry(How::Later, none),
        registry(How::AtOnce, minute),
        registry(How::Later, minute),
    ]
}

#[tokio::test]
async fn a_panic_comes_to_what_the_policy_says() {
    let no = || blocked("the hook panicked: oh no", b"0");
    for (policy, of_open, of_done, told) in [
        (OnPanic::Skip, on(b"0n"), on(b"0n"), Some(true)),
        (OnPanic::Block, no(), on(b"0n"), Some(true)),
        (OnPanic::Propagate, Came::Unwound, Came::Unwound, None),
    ] {
        for registry in panicking(policy) {
            assert_eq!(intercepted!(Open, registry()), of_open, "{policy:?}");
            assert_eq!(intercepted!(Ask, registry()), of_open, "{policy:?}");
            assert_eq!(intercepted!(Done, registry()), of_done, "{policy:?}");
            assert_eq!(observed(registry).await, told, "{policy:?}");
        }
    }
    assert_eq!(OnPanic::default(), OnPanic::Skip);
    let by_default = intercepted!(Open, Registry::default().with(fails(How::Later)));
    assert_eq!(by_default, on(b"0n"));
}

/// An event that is not `Clone` is blocked, also under `Skip`. If it cannot be blocked either, it goes on.
#[tokio::test]
async fn a_panic_on_an_event_that_cannot_be_put_back_blocks_it_if_possible() {
    for policy in [OnPanic::Skip, OnPanic::Block] {
        let halves: [&[u8]; 4] = [b"0!", b"0!!", b"0!", b"0!!"];
        for (registry, half) in panicking(policy).into_iter().zip(halves) {
            let no = blocked("the hook panicked: oh no", half);
            assert_eq!(intercepted!(OpenOnce, registry()), no);
            assert_eq!(
                intercepted!(DoneOnce, registry()),
                on(&[half, b"n"].concat())
            );
        }
    }
    for registry in panicking(OnPanic::Propagate) {
        assert_eq!(intercepted!(OpenOnce, registry()), Came::Unwound);
    }
}

#[tokio::test]
async fn a_panic_of_each_of_many_handlers_is_its_own() {
    let many = || {
        let registry = Registry::new();
        for (nth, how) in (0..20).zip([How::AtOnce, How::Later].into_iter().cycle()) {
            let hook = fails(how).named(format!("fails {nth}"));
            registry.register_at(nth, hook).unwrap();
        }
        registry
    };
    assert_eq!(intercepted!(Open, many()), on(b"0n"));
    assert_eq!(observed(many).await, Some(true));
}

#[tokio::test]
async fn a_hooks_own_policy_is_before_the_registrys() {
    #[hook(on_panic = block, priority = 1)]
    fn fails(_: &mut Open) {
        panic!("oh no");
    }
    #[hook(priority = 1, name = "fails")]
    fn plain(event: &mut Open) {
        event.0.push(b'!');
        panic!("oh no");
    }
    let no = blocked("the hook panicked: oh no", b"0");
    assert_eq!(intercepted!(Open, Registry::new().with(fails)), no);
    assert_eq!(intercepted!(Open, Registry::new().with(plain)), on(b"0n"));
}

#[tokio::test]
async fn a_handler_that_blocks_is_named_under_every_policy() {
    struct Blocks;
    #[hook(name = "fails", priority = 1)]
    impl Blocks {
        fn open(&self, event: &mut Open) -> HookAction<Open> {
            event.0.push(b'b');
            HookAction::block("not today")
        }
    }
    for policy in POLICIES {
        let came = intercepted!(Open, Registry::new().on_panic(policy).with(Blocks));
        assert_eq!(came, blocked("not today", b"0b"));
    }
}

/// Between the handlers that fail there are some that change the event, and some that leave it alone.
mod what_hooks_before_have_changed {
    use super::*;

    /// Adds a byte, at once or after it has waited; `None` replaces the event.
    struct Adds(Option<u8>, bool);

    #[hook]
    impl Adds {
        async fn counted(&self, event: &mut Counted) -> HookAction<Counted> {
            if self.1 {
                tokio::task::yield_now().await;
            }
            let Some(byte) = self.0 else {
                let bytes = [&event.0[..], b"r"].concat();
                return HookAction::Modify(Counted(bytes, Arc::clone(&event.1)));
            };
            event.0.push(byte);
            HookAction::Continue
        }
    }

    /// A handler that does not want the event.
    struct Silent;

    #[async_trait]
    impl DoorHandler for Silent {
        fn wants(&self, _: &hooks_core::EventInfo, _: Option<&str>) -> bool {
            false
        }
        async fn handle(&self, (): &(), _: DoorEventMut<'_>) -> DoorSaid {
            unreachable!("it does not want the event")
        }
    }

    fn silent() -> Box<dyn DoorHandler> {
        Box::new(Silent)
    }

    /// Registers hooks, each below the one before.
    macro_rules! in_order {
        ($registry:expr; $($hook:expr),*) => {{
            let registry = $registry;
            $({
                let nth = i32::try_from(registry.len()).unwrap();
                registry.register_at(-nth, $hook.named(format!("{nth}"))).unwrap();
            })*
            registry
        }};
    }

    /// What is left of the event, and how often it was copied.
    async fn left_by(registry: Registry) -> (String, usize) {
        #[hook(priority = -3)]
        fn between(event: &mut Counted) {
            event.0.push(b'-');
        }
        let mut event = Counted::default();
        assert!(registry.intercept(&(), &mut event).await.is_continue());
        let copies = event.1.load(Ordering::Relaxed);

        let mut spread = Counted::default();
        let hooks = hooks![between, ..registry];
        assert!(hooks.intercept(&(), &mut spread).await.is_continue());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let (left, spread) = (text(event.0), text(spread.0));
        assert!(spread.contains('-'), "a static hook's change is kept");
        assert_eq!(left, spread.replace('-', ""));
        (left, copies)
    }

    #[tokio::test]
    async fn is_kept_when_one_panics() {
        for how in [How::AtOnce, How::Later] {
            for waits in [false, true] {
                let registry = in_order!(
                    Registry::new();
                    silent(), Adds(Some(b'1'), waits), silent(), fails(how), silent(),
                    Adds(Some(b'2'), waits), fails(how), Adds(None, waits), fails(how),
                    Adds(Some(b'3'), waits)
                );
                assert_eq!(left_by(registry).await.0, "12r3", "{how:?} {waits}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn is_kept_when_one_hangs() {
        for policy in POLICIES {
            let registry = Registry::new().on_panic(policy);
            let registry = registry.timeouts(limits(Some(1), None, None));
            let registry = in_order!(
                registry; silent(), Adds(Some(b'1'), true), silent(), fails(How::Hangs)
            );
            let mut event = Counted::default();
            let result = registry.intercept(&(), &mut event).await;
            assert_eq!(&*result.as_cancel().unwrap().hook, "3");
            assert_eq!(event.0, b"1");
        }
    }

    /// Only what may change the event, and only where a panic is caught.
    #[tokio::test]
    async fn is_copied_once_for_each_hook_that_is_asked() {
        #[hook]
        fn looks(_: &Counted) {}
        let add = |byte| Adds(Some(byte), false);
        for (policy, copies) in [(OnPanic::Skip, 2), (OnPanic::Propagate, 0)] {
            let registry = Registry::new().on_panic(policy);
            let registry = in_order!(registry; silent(), looks, add(b'0'), silent(), add(b'1'));
            assert_eq!(left_by(registry).await, ("01".into(), copies), "{policy:?}");
        }
    }
}

mod a_timeout {
    use super::*;

    const LATE: &str = "the hook took longer than its timeout of 1s";

    /// A handler that hangs, with these limits.
    fn hangs(limits: Timeouts) -> Registry {
        Registry::new().timeouts(limits).with(fails(How::Hangs))
    }

    #[tokio::test(start_paused = true)]
    async fn blocks_what_can_be_blocked_and_puts_back_what_can_be_put_back() {
        let second = || hangs(limits(Some(1), Some(1), None));
        let before = tokio::time::Instant::now();
        assert_eq!(intercepted!(Open, second()), blocked(LATE, b"0"));
        assert_eq!(before.elapsed().as_secs(), 3, "one second each time");
        assert_eq!(intercepted!(OpenOnce, second()), blocked(LATE, b"0!!"));
        assert_eq!(intercepted!(Done, second()), on(b"0n"));
        assert_eq!(observed(second).await, Some(true));
    }

    /// Whether a dispatch is over within an hour.
    async fn ends<F: Future>(dispatch: F) -> bool {
        let hour = Duration::from_hours(1);
        tokio::time::timeout(hour, dispatch).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn of_one_kind_of_event_says_nothing_of_the_others() {
        for limits in [
            limits(None, Some(1), Some(1)),
            limits(Some(1), None, Some(1)),
            limits(Some(1), Some(1), None),
        ] {
            let registry = hangs(limits);
            let opened = ends(registry.intercept(&(), &mut Open::default())).await;
            assert_eq!(opened, limits.intercept.is_some());
            let asked = ends(registry.intercept(&(), &mut Ask::default())).await;
            assert_eq!(asked, limits.approve.is_some());
            let seen = ends(registry.observe(&(), &Seen::default())).await;
            assert_eq!(seen, limits.observe.is_some());
        }
        let long = || hangs(limits(Some(1), None, Some(9)));
        assert_eq!(intercepted!(Open, long()), blocked(LATE, b"0"));
        let late = "the hook took longer than its timeout of 9s";
        assert_eq!(intercepted!(Ask, long()), blocked(late, b"0"));
    }

    #[tokio::test(start_paused = true)]
    async fn is_there_for_each_handler_anew_and_observers_run_at_once() {
        struct Slow;
        #[async_trait]
        impl DoorHandler for Slow {
            async fn handle(&self, (): &(), _: DoorEventMut<'_>) -> DoorSaid {
                tokio::time::sleep(Duration::from_millis(900)).await;
                DoorSaid::Continue
            }
        }
        let five = || {
            let registry = Registry::new().timeouts(limits(Some(1), Some(1), Some(1)));
            for nth in 0..5 {
                let slow: Box<dyn DoorHandler> = Box::new(Slow);
                registry.register(slow.named(format!("{nth}"))).unwrap();
            }
            registry
        };
        assert_eq!(intercepted!(Open, five()), on(b"0n"));
        let before = tokio::time::Instant::now();
        five().observe(&(), &Seen::default()).await;
        assert_eq!(before.elapsed(), Duration::from_millis(900));
    }

    #[tokio::test(start_paused = true)]
    async fn drops_the_handlers_work() {
        struct Holds(Arc<()>);
        #[async_trait]
        impl DoorHandler for Holds {
            async fn handle(&self, (): &(), _: DoorEventMut<'_>) -> DoorSaid {
                let _held = self.0.clone();
                std::future::pending().await
            }
        }
        let held = Arc::new(());
        let holds: Box<dyn DoorHandler> = Box::new(Holds(held.clone()));
        let registry = Registry::new().timeouts(limits(Some(1), Some(1), None));
        let registry = registry.with(holds);
        let result = registry.intercept(&(), &mut Open::default()).await;
        assert!(!result.is_continue());
        registry.observe(&(), &Seen::default()).await;
        assert_eq!(Arc::strong_count(&held), 2);
    }
}
