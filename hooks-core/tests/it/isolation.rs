//! Handlers of a registry fail each on its own: what a panic and a timeout come to, by policy and kind of event.

#![allow(missing_docs, reason = "the events of a test")]

mod common;

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use common::{call, cx};
use hooks_core::agent::*;
use hooks_core::{
    HookAction, HookEvent, HookRegistry, HookResult, OnPanic, Scope, Timeouts, async_trait, hooks,
};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

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

/// How a handler fails.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    AtOnce,
    Later,
    Hangs,
}

/// A handler that changes an event and then fails.
struct Fails(How);

impl Fails {
    async fn fail(&self, bytes: &mut Vec<u8>) {
        bytes.push(b'!');
        assert!(self.0 != How::AtOnce, "oh no");
        tokio::task::yield_now().await;
        bytes.push(b'!');
        assert!(self.0 != How::Later, "oh no");
        std::future::pending::<()>().await;
    }
}

#[async_trait]
impl DoorHandler for Fails {
    fn name(&self) -> &str {
        "fails"
    }
    fn priority(&self) -> i32 {
        1
    }
    async fn handle_any(&self, _cx: &(), event: DoorEventMut<'_>) -> DoorSaid {
        match event {
            DoorEventMut::Open(event) => self.fail(&mut event.0).await,
            DoorEventMut::Done(event) => self.fail(&mut event.0).await,
            DoorEventMut::Ask(event) => self.fail(&mut event.0).await,
            DoorEventMut::OpenOnce(event) => self.fail(&mut event.0).await,
            DoorEventMut::DoneOnce(event) => self.fail(&mut event.0).await,
            DoorEventMut::Seen(_) => self.fail(&mut Vec::new()).await,
            DoorEventMut::Counted(event) => self.fail(&mut event.0).await,
        }
        DoorSaid::Continue
    }
}

/// The handler after it.
struct Next(UnboundedSender<&'static str>);

#[async_trait]
impl DoorHandler for Next {
    fn name(&self) -> &str {
        "next"
    }
    async fn handle_any(&self, _cx: &(), event: DoorEventMut<'_>) -> DoorSaid {
        self.0.send(event.name()).unwrap();
        match event {
            DoorEventMut::Open(event) => event.0.push(b'n'),
            DoorEventMut::Done(event) => event.0.push(b'n'),
            DoorEventMut::Ask(event) => event.0.push(b'n'),
            DoorEventMut::OpenOnce(event) => event.0.push(b'n'),
            DoorEventMut::DoneOnce(event) => event.0.push(b'n'),
            DoorEventMut::Seen(_) => {}
            DoorEventMut::Counted(event) => event.0.push(b'n'),
        }
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

/// What an event that holds a `0` comes to: with the registry alone, at one place in a list, and spread.
macro_rules! intercepted {
    ($Event:ident, $registry:expr) => {{
        let alone = asked!($Event, $registry, |registry| registry);
        let at_a_place = asked!($Event, $registry, |registry| hooks![hooks![registry] @ 3]);
        let spread = asked!($Event, $registry, |registry| hooks![..registry]);
        assert_eq!((&alone, &alone), (&at_a_place, &spread));
        alone
    }};
}

macro_rules! asked {
    ($Event:ident, $registry:expr, |$with_next:ident| $hooks:expr) => {{
        let (sender, mut next) = unbounded_channel();
        let $with_next = $registry.with(Next(sender));
        let run = tokio::spawn(async move {
            let mut event = $Event(b"0".to_vec());
            let result = $hooks.intercept(&(), &mut event).await;
            (result, event.0)
        });
        match run.await {
            Err(error) => {
                assert!(error.is_panic());
                Came::Unwound
            }
            Ok((HookResult::Continue, bytes)) => Came::On(bytes, next.recv().await.is_some()),
            Ok((HookResult::Cancel(cancel), bytes)) => {
                assert_eq!((&*cancel.hook, cancel.scope), ("fails", Scope::Event));
                assert_eq!(next.recv().await, None);
                Came::Blocked(cancel.reason.into(), bytes)
            }
            Ok((HookResult::Respond(_), _)) => unreachable!(),
        }
    }};
}

/// Whether the next handler was told of an observed event, in each of the same three ways.
macro_rules! observed {
    ($registry:expr) => {{
        let alone = told!($registry, |registry| registry);
        let at_a_place = told!($registry, |registry| hooks![hooks![registry] @ 3]);
        let spread = told!($registry, |registry| hooks![..registry]);
        assert_eq!((&alone, &alone), (&at_a_place, &spread));
        alone
    }};
}

macro_rules! told {
    ($registry:expr, |$with_next:ident| $hooks:expr) => {{
        let (sender, mut next) = unbounded_channel();
        let $with_next = $registry.with(Next(sender));
        let run = tokio::spawn(async move { $hooks.observe(&(), &Seen::default()).await });
        match run.await {
            Err(error) => {
                assert!(error.is_panic());
                Came::Unwound
            }
            Ok(()) => Came::On(Vec::new(), next.recv().await.is_some()),
        }
    }};
}

type Registry = HookRegistry<DoorEvent<'static>>;

fn registry(policy: OnPanic, how: How) -> Registry {
    Registry::new().on_panic(policy).with(Fails(how))
}

/// The same with a limit for every event, which does not run out.
fn limited(policy: OnPanic, how: How) -> Registry {
    let limit = Some(Duration::from_mins(1));
    registry(policy, how).timeouts(Timeouts {
        observe: limit,
        intercept: limit,
        approve: limit,
    })
}

/// What a panic comes to, whenever it happens and with and without timeouts.
macro_rules! panicked {
    ($asked:ident!($($Event:ident)?), $policy:expr) => {{
        let came = $asked!($($Event,)? registry($policy, How::AtOnce));
        assert_eq!(came, $asked!($($Event,)? registry($policy, How::Later)));
        assert_eq!(came, $asked!($($Event,)? limited($policy, How::AtOnce)));
        assert_eq!(came, $asked!($($Event,)? limited($policy, How::Later)));
        came
    }};
}

mod a_panic {
    use super::*;

    #[tokio::test]
    async fn is_skipped_and_the_event_is_as_it_was() {
        assert_eq!(panicked!(intercepted!(Open), OnPanic::Skip), on(b"0n"));
        assert_eq!(panicked!(intercepted!(Done), OnPanic::Skip), on(b"0n"));
        assert_eq!(panicked!(intercepted!(Ask), OnPanic::Skip), on(b"0n"));
        assert_eq!(
            panicked!(observed!(), OnPanic::Skip),
            Came::On(vec![], true)
        );
    }

    #[tokio::test]
    async fn blocks_the_event_as_it_was_if_the_policy_says_so() {
        let no = blocked("it panicked: oh no", b"0");
        assert_eq!(panicked!(intercepted!(Open), OnPanic::Block), no);
        assert_eq!(panicked!(intercepted!(Ask), OnPanic::Block), no);
    }

    #[tokio::test]
    async fn cannot_block_what_cannot_be_blocked_which_goes_on_as_it_was() {
        assert_eq!(panicked!(intercepted!(Done), OnPanic::Block), on(b"0n"));
        assert_eq!(
            panicked!(observed!(), OnPanic::Block),
            Came::On(vec![], true)
        );
    }

    #[tokio::test]
    async fn unwinds_if_the_policy_says_so() {
        assert_eq!(
            panicked!(intercepted!(Open), OnPanic::Propagate),
            Came::Unwound
        );
        assert_eq!(
            panicked!(intercepted!(Done), OnPanic::Propagate),
            Came::Unwound
        );
        assert_eq!(
            panicked!(intercepted!(OpenOnce), OnPanic::Propagate),
            Came::Unwound
        );
        assert_eq!(panicked!(observed!(), OnPanic::Propagate), Came::Unwound);
    }

    #[tokio::test]
    async fn blocks_an_event_that_cannot_be_put_back_also_under_skip() {
        let at_once = blocked("it panicked: oh no", b"0!");
        let later = blocked("it panicked: oh no", b"0!!");
        for policy in [OnPanic::Skip, OnPanic::Block] {
            assert_eq!(
                intercepted!(OpenOnce, registry(policy, How::AtOnce)),
                at_once
            );
            assert_eq!(
                intercepted!(OpenOnce, limited(policy, How::AtOnce)),
                at_once
            );
            assert_eq!(intercepted!(OpenOnce, registry(policy, How::Later)), later);
        }
    }

    #[tokio::test]
    async fn goes_on_with_an_event_that_can_neither_be_put_back_nor_blocked() {
        for policy in [OnPanic::Skip, OnPanic::Block] {
            assert_eq!(
                intercepted!(DoneOnce, registry(policy, How::AtOnce)),
                on(b"0!n")
            );
            assert_eq!(
                intercepted!(DoneOnce, registry(policy, How::Later)),
                on(b"0!!n")
            );
        }
    }

    #[tokio::test]
    async fn is_skipped_by_default() {
        assert_eq!(OnPanic::default(), OnPanic::Skip);
        assert_eq!(
            intercepted!(Open, Registry::default().with(Fails(How::Later))),
            on(b"0n")
        );
    }

    #[tokio::test]
    async fn of_each_of_many_handlers_is_its_own() {
        let mut registry = Registry::new();
        for nth in 0..20 {
            let how = if nth % 2 == 0 {
                How::AtOnce
            } else {
                How::Later
            };
            registry
                .register_as(&format!("fails {nth}"), nth, Fails(how))
                .unwrap();
        }
        assert_eq!(intercepted!(Open, registry.clone()), on(b"0n"));
        assert_eq!(observed!(registry.clone()), Came::On(vec![], true));
    }

    #[tokio::test]
    async fn in_a_hook_that_is_a_handler_is_the_hooks_before_it_is_the_registrys() {
        use hooks_core::hook;
        #[hook(on_panic = block, priority = 1)]
        fn fails(_: &mut Open) {
            panic!("oh no");
        }
        #[hook(priority = 1, name = "fails")]
        fn plain(event: &mut Open) {
            event.0.push(b'!');
            panic!("oh no");
        }
        let own = Registry::new().with(fails);
        assert_eq!(
            intercepted!(Open, own.clone()),
            blocked("it panicked: oh no", b"0")
        );
        assert_eq!(intercepted!(Open, Registry::new().with(plain)), on(b"0n"));
    }
}

/// Between the handlers that fail there are some that change the event, and some that leave it alone.
mod what_handlers_before_have_changed {
    use super::*;
    use hooks_core::hook;

    /// A handler that does not handle the event.
    struct Silent;
    impl DoorHandler for Silent {}

    /// A handler that adds a byte in one method, at once or after it has waited.
    struct Adds(u8, bool);

    #[async_trait]
    impl DoorHandler for Adds {
        async fn counted(&self, _cx: &(), event: &mut Counted) -> HookAction<Counted> {
            if self.1 {
                tokio::task::yield_now().await;
            }
            event.0.push(self.0);
            HookAction::Continue
        }
    }

    /// A handler that replaces the event.
    struct Replaces;

    #[async_trait]
    impl DoorHandler for Replaces {
        async fn counted(&self, _cx: &(), event: &mut Counted) -> HookAction<Counted> {
            let mut bytes = event.0.clone();
            bytes.push(b'r');
            HookAction::Modify(Counted(bytes, Arc::clone(&event.1)))
        }
    }

    /// A handler written by hand, whose future has no size: it changes the event before there is one.
    struct ByHand;

    impl DoorHandler for ByHand {
        fn counted<'a, 'b, 'c, 'f>(
            &'a self,
            (): &'b (),
            event: &'c mut Counted,
        ) -> Pin<Box<dyn Future<Output = HookAction<Counted>> + Send + 'f>>
        where
            Self: 'f,
            'a: 'f,
            'b: 'f,
            'c: 'f,
        {
            event.0.push(b'h');
            Box::pin(std::future::poll_fn(|_| Poll::Ready(HookAction::Continue)))
        }
    }

    /// Handlers among which some fail: what the event is then, and how often it was copied.
    async fn left_by(registry: Registry) -> (String, usize) {
        #[hook(priority = 5)]
        fn between(event: &mut Counted) {
            event.0.push(b'-');
        }
        let mut event = Counted::default();
        assert!(registry.intercept(&(), &mut event).await.is_continue());
        let copies = event.1.load(Ordering::Relaxed);

        let mut spread = Counted::default();
        let hooks = hooks![between, ..registry];
        assert!(hooks.intercept(&(), &mut spread).await.is_continue());
        let without = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace('-', "");
        assert!(spread.0.contains(&b'-'), "a static hook's change is kept");
        let left = without(event.0);
        assert_eq!(left, without(spread.0));
        (left, copies)
    }

    /// The handlers run in this order, around the static hook's place.
    macro_rules! in_order {
        ($registry:expr, $($handler:expr),* $(,)?) => {{
            let mut registry = $registry;
            let mut priority = 9;
            $(
                priority -= 1;
                registry.register_at(priority, $handler).unwrap();
            )*
            let _ = priority;
            registry
        }};
    }

    #[tokio::test]
    async fn is_kept_when_one_panics() {
        for how in [How::AtOnce, How::Later] {
            for waits in [false, true] {
                let registry = in_order!(
                    Registry::new(),
                    Silent,
                    Adds(b'1', waits),
                    Silent,
                    Fails(how),
                    Silent,
                    Adds(b'2', waits),
                    Fails(how),
                    Replaces,
                    Fails(how),
                    Adds(b'3', waits),
                );
                assert_eq!(left_by(registry).await.0, "12r3", "{how:?} {waits}");
            }
        }
    }

    #[tokio::test]
    async fn is_kept_also_if_a_future_without_size_came_of_it() {
        let registry = in_order!(Registry::new(), Silent, ByHand, Silent, Fails(How::AtOnce));
        assert_eq!(left_by(registry).await.0, "h");
    }

    #[tokio::test(start_paused = true)]
    async fn is_kept_when_one_hangs() {
        let limits = Timeouts {
            intercept: Some(Duration::from_secs(1)),
            ..Timeouts::default()
        };
        for policy in POLICIES {
            let registry = in_order!(
                Registry::new().timeouts(limits).on_panic(policy),
                Silent,
                Adds(b'1', true),
                Silent,
                Fails(How::Hangs),
            );
            let mut event = Counted::default();
            let result = registry.intercept(&(), &mut event).await;
            assert_eq!(&*result.as_cancel().unwrap().hook, "fails");
            assert_eq!(event.0, b"1");
        }
    }

    #[tokio::test]
    async fn is_copied_anew_after_the_handlers_that_handle_the_event() {
        let silent = in_order!(Registry::new(), Silent, Silent, Silent);
        let one = in_order!(Registry::new(), Silent, Silent, Adds(b'1', false));
        let two = in_order!(one.clone(), Adds(b'0', false), Silent, Silent);
        let none = two.clone().on_panic(OnPanic::Propagate);
        assert_eq!(left_by(silent).await, (String::new(), 1));
        assert_eq!(left_by(one).await, ("1".into(), 1));
        assert_eq!(left_by(two).await, ("01".into(), 3));
        assert_eq!(left_by(none).await, ("01".into(), 0));
    }
}

mod a_timeout {
    use super::*;

    const NONE: Timeouts = Timeouts {
        observe: None,
        intercept: None,
        approve: None,
    };

    /// A handler that hangs, and limits of which one is a second.
    fn hangs(timeouts: Timeouts) -> Registry {
        registry(OnPanic::Skip, How::Hangs).timeouts(timeouts)
    }

    const SECOND: Option<Duration> = Some(Duration::from_secs(1));
    const LATE: &str = "it took longer than its timeout of 1s";

    #[tokio::test(start_paused = true)]
    async fn blocks_an_intercepted_event_as_it_was() {
        let limits = Timeouts {
            intercept: SECOND,
            ..NONE
        };
        let before = tokio::time::Instant::now();
        assert_eq!(intercepted!(Open, hangs(limits)), blocked(LATE, b"0"));
        assert_eq!(before.elapsed().as_secs(), 3, "one second each time");
    }

    #[tokio::test(start_paused = true)]
    async fn lets_an_event_go_on_as_it_was_that_cannot_be_blocked() {
        let limits = Timeouts {
            intercept: SECOND,
            ..NONE
        };
        assert_eq!(intercepted!(Done, hangs(limits)), on(b"0n"));
        let limits = Timeouts {
            observe: SECOND,
            ..NONE
        };
        assert_eq!(observed!(hangs(limits)), Came::On(vec![], true));
    }

    #[tokio::test(start_paused = true)]
    async fn blocks_also_what_cannot_be_put_back() {
        let limits = Timeouts {
            intercept: SECOND,
            ..NONE
        };
        assert_eq!(intercepted!(OpenOnce, hangs(limits)), blocked(LATE, b"0!!"));
    }

    #[tokio::test(start_paused = true)]
    async fn of_approvals_holds_for_events_that_ask_for_one_and_for_no_other() {
        let approve = Timeouts {
            approve: SECOND,
            ..NONE
        };
        assert_eq!(intercepted!(Ask, hangs(approve)), blocked(LATE, b"0"));
        let both = Timeouts {
            intercept: SECOND,
            approve: Some(Duration::from_secs(9)),
            ..NONE
        };
        assert_eq!(intercepted!(Open, hangs(both)), blocked(LATE, b"0"));
        let late = "it took longer than its timeout of 9s";
        assert_eq!(intercepted!(Ask, hangs(both)), blocked(late, b"0"));
    }

    /// Whether a dispatch is over within an hour.
    async fn ends<F: Future>(dispatch: F) -> bool {
        tokio::time::timeout(Duration::from_hours(1), dispatch)
            .await
            .is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn of_one_kind_says_nothing_of_the_others() {
        let others = [
            Timeouts {
                intercept: None,
                observe: SECOND,
                approve: SECOND,
            },
            Timeouts {
                intercept: SECOND,
                observe: None,
                approve: SECOND,
            },
            Timeouts {
                intercept: SECOND,
                observe: SECOND,
                approve: None,
            },
        ];
        for limits in others {
            let registry = hangs(limits);
            let opened = ends(registry.intercept(&(), &mut Open::default())).await;
            assert_eq!(opened, limits.intercept.is_some());
            let asked = ends(registry.intercept(&(), &mut Ask::default())).await;
            assert_eq!(asked, limits.approve.is_some());
            let seen = ends(registry.observe(&(), &Seen::default())).await;
            assert_eq!(seen, limits.observe.is_some());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn is_there_for_each_handler_anew() {
        struct Slow;
        #[async_trait]
        impl DoorHandler for Slow {
            async fn handle_any(&self, _cx: &(), _: DoorEventMut<'_>) -> DoorSaid {
                tokio::time::sleep(Duration::from_millis(900)).await;
                DoorSaid::Continue
            }
        }
        let limits = Timeouts {
            observe: SECOND,
            intercept: SECOND,
            approve: SECOND,
        };
        let mut registry = Registry::new().timeouts(limits);
        for _ in 0..5 {
            registry.register(Slow).unwrap();
        }
        assert_eq!(intercepted!(Open, registry.clone()), on(b"0n"));
        let before = tokio::time::Instant::now();
        registry.observe(&(), &Seen::default()).await;
        assert_eq!(
            before.elapsed(),
            Duration::from_millis(900),
            "observers run concurrently"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn drops_the_handlers_work() {
        struct Holds(std::sync::Arc<()>);
        #[async_trait]
        impl DoorHandler for Holds {
            async fn handle_any(&self, _cx: &(), _: DoorEventMut<'_>) -> DoorSaid {
                let _held = self.0.clone();
                std::future::pending().await
            }
        }
        let held = std::sync::Arc::new(());
        let limits = Timeouts {
            observe: SECOND,
            intercept: SECOND,
            approve: None,
        };
        let registry = Registry::new().timeouts(limits).with(Holds(held.clone()));
        assert!(
            !registry
                .intercept(&(), &mut Open::default())
                .await
                .is_continue()
        );
        registry.observe(&(), &Seen::default()).await;
        assert_eq!(std::sync::Arc::strong_count(&held), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn of_the_standard_vocabulary_leaves_a_person_time_to_approve() {
        struct Asks;
        #[async_trait]
        impl AgentHandler for Asks {
            async fn handle_any(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
                tokio::time::sleep(Duration::from_secs(30)).await;
                AgentSaid::Continue
            }
        }
        let registry = HookRegistry::<AgentEvent>::new()
            .with(Asks)
            .timeouts(Timeouts {
                observe: SECOND,
                intercept: SECOND,
                approve: Some(Duration::from_mins(1)),
            });
        let args = serde_json::Value::Null;
        let mut approve = ApproveToolCall {
            id: "1",
            name: "shell",
            args: &args,
            approval: &Approval::Usual,
        };
        assert!(registry.intercept(&cx(), &mut approve).await.is_continue());
        assert!(
            !registry
                .intercept(&cx(), &mut call("shell"))
                .await
                .is_continue()
        );
    }
}

#[tokio::test]
async fn a_handler_that_decides_and_one_that_fails_are_both_named() {
    struct Blocks;
    #[async_trait]
    impl DoorHandler for Blocks {
        fn name(&self) -> &str {
            "fails"
        }
        fn priority(&self) -> i32 {
            1
        }
        async fn open(&self, _cx: &(), event: &mut Open) -> HookAction<Open> {
            event.0.push(b'b');
            HookAction::block("not today")
        }
    }
    for policy in POLICIES {
        let registry = Registry::new().on_panic(policy).with(Blocks);
        assert_eq!(
            intercepted!(Open, registry.clone()),
            blocked("not today", b"0b")
        );
    }
}
