//! `.on_panic(…)`, `.timeout(…)`, `.when(…)`, `.read_only()` and `.shadow()`, around any hook.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "hooks without state are hooks too"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::vocabulary::*;
use hooks_core::{
    CatchPanic, Hook, HookAction, HookEvent, HookResult, OnPanic, ReadOnly, Shadow, Timeout, When,
    hook, hooks,
};
use serde_json::json;

use crate::common::*;

const SECOND: Duration = Duration::from_secs(1);

/// What a call of a tool `x`, and a finished one, come to: the reason, if it is stopped, and the id.
async fn asked(hooks: &impl AgentHooks) -> [String; 2] {
    let (mut call, mut done) = (
        call("x"),
        AfterToolCall {
            name: "x".into(),
            ..Default::default()
        },
    );
    let asked = hooks.intercept(&cx(), &mut call).await;
    let finished = hooks.intercept(&cx(), &mut done).await;
    hooks.observe(&cx(), &HeartbeatTick).await;
    [came(&asked, call.id), came(&finished, done.id)]
}

fn asked_now(hooks: &impl AgentHooksNow) -> [String; 2] {
    let (mut call, mut done) = (
        call("x"),
        AfterToolCall {
            name: "x".into(),
            ..Default::default()
        },
    );
    let asked = hooks.intercept_now(&cx(), &mut call);
    let finished = hooks.intercept_now(&cx(), &mut done);
    hooks.observe_now(&cx(), &HeartbeatTick);
    [came(&asked, call.id), came(&finished, done.id)]
}

fn came<E: hooks_core::Event>(result: &HookResult<E>, id: String) -> String {
    match result {
        HookResult::Continue => id,
        HookResult::Respond(_) => format!("{id} answered"),
        HookResult::Cancel(cancel) => format!("{id} {}: {}", cancel.hook, cancel.reason),
    }
}

/// Changes what it can, and then panics; a tick as well.
struct Panics;
#[hook]
impl Panics {
    fn before(&self, call: &mut BeforeToolCall) {
        call.id.push('!');
        panic!("oh no");
    }
    fn after(&self, done: &mut AfterToolCall) {
        done.id.push('!');
        panic!("oh no");
    }
    fn tick(&self, _: &HeartbeatTick) {
        panic!("oh no");
    }
}

/// The same, asynchronously.
struct PanicsLater;
#[hook]
impl PanicsLater {
    async fn before(&self, call: &mut BeforeToolCall) {
        call.id.push('!');
        tokio::task::yield_now().await;
        panic!("oh no");
    }
    async fn after(&self, done: &mut AfterToolCall) {
        done.id.push('!');
        tokio::task::yield_now().await;
        panic!("oh no");
    }
    async fn tick(&self, _: &HeartbeatTick) {
        tokio::task::yield_now().await;
        panic!("oh no");
    }
}

/// Changes what it can, and never ends.
struct Hangs;
#[hook]
impl Hangs {
    async fn before(&self, call: &mut BeforeToolCall) {
        call.id.push('!');
        std::future::pending::<()>().await;
    }
    async fn after(&self, done: &mut AfterToolCall) {
        done.id.push('!');
        std::future::pending::<()>().await;
    }
    async fn tick(&self, _: &HeartbeatTick) {
        std::future::pending::<()>().await;
    }
}

/// Changes what it can, by both ways, and then decides.
struct Decides;
#[hook]
impl Decides {
    fn before(&self, call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        call.id.push('!');
        HookAction::block("no")
    }
    fn after(&self, done: &mut AfterToolCall) -> HookAction<AfterToolCall> {
        done.id.push('!');
        HookAction::abort_turn("no")
    }
}

struct DecidesLater;
#[hook]
impl DecidesLater {
    async fn before(&self, call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        call.id.push('!');
        tokio::task::yield_now().await;
        HookAction::block("no")
    }
    async fn after(&self, done: &mut AfterToolCall) -> HookAction<AfterToolCall> {
        done.id.push('!');
        tokio::task::yield_now().await;
        HookAction::abort_turn("no")
    }
}

/// Counts the ticks.
struct Counts(Arc<AtomicUsize>);
#[hook]
impl Counts {
    fn tick(&self, _: &HeartbeatTick) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

mod on_panic {
    use super::*;

    const WENT_ON: [&str; 2] = ["", ""];

    #[tokio::test]
    async fn skip_goes_on_with_the_event_as_it_was() {
        let skip = OnPanic::Skip;
        assert_eq!(asked(&Panics.on_panic(skip)).await, WENT_ON);
        assert_eq!(asked(&PanicsLater.on_panic(skip)).await, WENT_ON);
        assert_eq!(
            asked(&hooks![Mark("a") @ 1, Panics].on_panic(skip)).await,
            WENT_ON
        );
        assert_eq!(
            asked(&hooks![MarkLater("a") @ 1, PanicsLater].on_panic(skip)).await,
            WENT_ON
        );
        assert_eq!(asked(&Mark("a").then(Panics).on_panic(skip)).await, WENT_ON);
        let opaque = opaque(PanicsLater);
        assert_eq!(asked(&opaque.on_panic(skip)).await, WENT_ON);
        let registry = Registry::new()
            .on_panic(OnPanic::Propagate)
            .with(PanicsLater);
        assert_eq!(asked(&hooks![registry].on_panic(skip)).await, WENT_ON);
        let registry = Registry::new().on_panic(OnPanic::Propagate).with(Panics);
        assert_eq!(asked(&hooks![..registry].on_panic(skip)).await, WENT_ON);
    }

    #[tokio::test]
    async fn block_stops_what_can_be_stopped_and_names_the_hook() {
        let block = OnPanic::Block;
        let one = |name| [format!(" {name}: the hook panicked: oh no"), String::new()];
        assert_eq!(asked(&Panics.on_panic(block)).await, one("Panics"));
        assert_eq!(
            asked(&PanicsLater.on_panic(block)).await,
            one("PanicsLater")
        );
        assert_eq!(asked(&hooks![Panics].on_panic(block)).await, one("Panics"));
        assert_eq!(
            asked(&hooks![PanicsLater, Mark("a")].on_panic(block)).await,
            one("PanicsLater")
        );
    }

    #[tokio::test]
    async fn propagate_unwinds() {
        let propagate = OnPanic::Propagate;
        let now = || asked_now(&Panics.on_panic(propagate));
        assert!(catch_unwind(AssertUnwindSafe(now)).is_err());
        let later = tokio::spawn(async move { asked(&PanicsLater.on_panic(propagate)).await });
        assert!(later.await.unwrap_err().is_panic());
    }

    #[test]
    fn what_is_synchronous_stays_so() {
        assert_eq!(asked_now(&Panics.on_panic(OnPanic::Skip)), WENT_ON);
        assert_eq!(
            asked_now(&hooks![Panics, Mark("a")].on_panic(OnPanic::Skip)),
            WENT_ON
        );
        assert_eq!(
            asked_now(&hooks![Panics.on_panic(OnPanic::Skip), Mark("a")]),
            ["a", ""]
        );
    }
}

mod timeout {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn blocks_what_can_be_blocked_and_the_event_is_as_it_was() {
        let late = |name| {
            [
                format!(" {name}: the hook took longer than its timeout of 1s"),
                String::new(),
            ]
        };
        assert_eq!(asked(&Hangs.timeout(SECOND)).await, late("Hangs"));
        assert_eq!(
            asked(&hooks![Mark("a") @ 1, Hangs].timeout(SECOND)).await,
            late("Hangs")
        );
        assert_eq!(
            asked(&Mark("a").then(opaque(Hangs)).timeout(SECOND)).await,
            late("Hangs")
        );
        assert_eq!(
            asked(&Registry::new().with(Hangs).timeout(SECOND)).await,
            late("Hangs")
        );
        assert_eq!(
            asked(&hooks![..Registry::new().with(Hangs)].timeout(SECOND)).await,
            late("Hangs")
        );
    }

    #[tokio::test(start_paused = true)]
    async fn or_skip_goes_on() {
        assert_eq!(asked(&Hangs.timeout(SECOND).or_skip()).await, ["", ""]);
        let hooks = hooks![Hangs.timeout(SECOND).or_skip() @ 1, MarkLater("a")];
        assert_eq!(asked(&hooks).await, ["a", ""]);
    }

    #[tokio::test(start_paused = true)]
    async fn of_a_pipeline_is_for_all_its_hooks_together() {
        #[hook]
        async fn one(_: &BeforeToolCall) {
            tokio::time::sleep(SECOND).await;
        }
        #[hook]
        async fn two(_: &BeforeToolCall) {
            tokio::time::sleep(SECOND).await;
        }
        let hooks = |limit| hooks![one, two].timeout(limit);
        assert_eq!(asked(&hooks(SECOND * 3)).await[0], "");
        assert!(asked(&hooks(SECOND * 3 / 2)).await[0].contains("its timeout of 1.5s"));
    }

    #[tokio::test(start_paused = true)]
    async fn that_does_not_run_out_changes_nothing() {
        assert_eq!(
            asked(&hooks![MarkLater("a"), DecidesLater @ -1].timeout(SECOND)).await,
            ["a! DecidesLater: no", "! DecidesLater: no",]
        );
    }

    #[test]
    fn what_is_synchronous_stays_so_and_needs_no_runtime() {
        assert_eq!(
            asked_now(&hooks![Mark("a"), Decides].timeout(SECOND)),
            ["a! Decides: no", "! Decides: no",]
        );
    }
}

mod when {
    use super::*;

    /// A wrapper has nothing to do with events that its hook does not want.
    #[tokio::test]
    async fn asks_only_about_events_that_the_hook_wants() {
        let times = AtomicUsize::new(0);
        let counted = |_: &AgentContext, _: AgentEvent<'_>| {
            times.fetch_add(1, Ordering::Relaxed);
            true
        };
        let hooks = opaque(Counts(Arc::default())).when(counted);
        asked(&hooks).await;
        assert_eq!(times.load(Ordering::Relaxed), 1);
        assert!(hooks.handles::<HeartbeatTick>() && !hooks.handles::<BeforeToolCall>());

        asked_now(&Counts(Arc::default()).when(counted));
        assert_eq!(times.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn the_predicate_sees_the_context_and_every_event() {
        let on_after = |_: &AgentContext, event: AgentEvent<'_>| event.name() == "AfterToolCall";
        assert_eq!(asked_now(&Decides.when(on_after)), ["", "! Decides: no"]);
        assert_eq!(
            asked(&DecidesLater.when(on_after)).await,
            ["", "! DecidesLater: no"]
        );
        let deep = |cx: &AgentContext, _: AgentEvent<'_>| cx.depth > 0;
        assert_eq!(asked_now(&hooks![Decides, Mark("a")].when(deep)), ["", ""]);
        assert_eq!(
            asked(&Registry::new().with(Decides).when(deep)).await,
            ["", ""]
        );
        assert_eq!(asked(&opaque(Decides).when(deep)).await, ["", ""]);
        let shallow = |cx: &AgentContext, _: AgentEvent<'_>| cx.depth == 0;
        assert_eq!(
            asked(&Registry::new().with(Mark("a")).when(shallow)).await,
            ["a", ""]
        );
        assert_eq!(
            asked(&hooks![MarkLater("a"), ..Registry::new()].when(shallow)).await,
            ["a", ""]
        );
    }

    #[tokio::test]
    async fn observers_too_run_only_then() {
        let count = Arc::new(AtomicUsize::new(0));
        Counts(count.clone())
            .when(|_, _| false)
            .observe(&cx(), &HeartbeatTick)
            .await;
        assert_eq!(count.load(Ordering::Relaxed), 0);
        hooks![Counts(count.clone())]
            .when(|_, _| true)
            .observe_now(&cx(), &HeartbeatTick);
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}

mod read_only {
    use super::*;

    #[tokio::test]
    async fn changes_are_undone_and_decisions_hold() {
        assert_eq!(asked_now(&Mark("a").read_only()), ["", ""]);
        assert_eq!(
            asked_now(&Decides.read_only()),
            [" Decides: no", " Decides: no"]
        );
        assert_eq!(
            asked(&DecidesLater.read_only()).await,
            [" DecidesLater: no", " DecidesLater: no"]
        );
        assert_eq!(
            asked(&Registry::new().with(Mark("a")).with(Decides).read_only()).await,
            [" Decides: no", " Decides: no",]
        );
        assert_eq!(
            asked(&hooks![Mark("a"), ..Registry::new().with(plugin("b", 1))].read_only()).await,
            ["", ""]
        );
        assert_eq!(asked(&opaque(MarkLater("a")).read_only()).await, ["", ""]);
    }

    #[test]
    fn a_modification_is_a_change_too() {
        #[hook]
        fn modifies(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
            HookAction::modify(json!({ "path": "/" }))
        }
        let mut call = call("x");
        assert!(
            modifies
                .read_only()
                .intercept_now(&cx(), &mut call)
                .is_continue()
        );
        assert!(call.args.is_null());
    }

    #[test]
    fn hooks_within_see_each_others_changes_and_those_after_do_not() {
        #[hook]
        fn sees(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
            HookAction::respond(ToolOutput::new(call.id.clone()))
        }
        let within = hooks![Mark("a") @ 1, sees].read_only();
        assert_eq!(
            within.intercept_now(&cx(), &mut call("x")),
            HookResult::Respond(ToolOutput::new("a"))
        );
        let after = hooks![Mark("a").read_only() @ 1, sees];
        assert_eq!(
            after.intercept_now(&cx(), &mut call("x")),
            HookResult::Respond(ToolOutput::new(""))
        );
    }
}

mod shadow {
    use super::*;

    #[tokio::test]
    async fn hooks_run_and_nothing_comes_of_it() {
        let notes = Notes::default();
        let guard = || Blocks("x", notes.clone());
        assert_eq!(asked_now(&guard().shadow()), ["", ""]);
        assert_eq!(asked_now(&hooks![Mark("a"), Decides].shadow()), ["", ""]);
        assert_eq!(asked(&DecidesLater.shadow()).await, ["", ""]);
        assert_eq!(
            asked(&Registry::new().with(guard()).shadow()).await,
            ["", ""]
        );
        assert_eq!(
            asked(&hooks![guard(), ..Registry::new().with(Mark("a"))].shadow()).await,
            ["", ""]
        );
        assert_eq!(asked(&opaque(guard()).shadow()).await, ["", ""]);
        assert_eq!(notes.take(), ["x"; 4]);
    }

    #[tokio::test]
    async fn hooks_after_it_run_and_observers_in_it_do() {
        let count = Arc::new(AtomicUsize::new(0));
        let hooks = hooks![Decides.shadow() @ 1, Counts(count.clone()).shadow(), Mark("a")];
        assert_eq!(asked_now(&hooks), ["a", ""]);
        assert_eq!(asked(&hooks).await, ["a", ""]);
        assert_eq!(count.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn within_it_decisions_count_as_ever() {
        let notes = Notes::default();
        let within = hooks![Blocks("x", notes.clone()) @ 1, Log("never", notes.clone())].shadow();
        let hooks = hooks![within @ 0, Log("after", notes.clone()) @ -1];
        assert!(hooks.intercept_now(&cx(), &mut call("x")).is_continue());
        assert_eq!(notes.take(), ["x", "after"]);
    }
}

mod an_event_that_is_not_clone {
    use super::*;

    #[derive(Debug, Default)]
    pub struct Once(pub String);
    #[derive(Debug, Default)]
    pub struct OnceDone(pub String);
    #[derive(Debug, Default)]
    pub struct OnceSeen(pub String);

    #[derive(Debug, HookEvent)]
    pub enum OnceEvent<'a> {
        #[intercept]
        Once(&'a Once),
        #[intercept(no_block)]
        OnceDone(&'a OnceDone),
        #[observe]
        OnceSeen(&'a OnceSeen),
    }

    struct Changes(Arc<AtomicUsize>);
    #[hook]
    impl Changes {
        fn once(&self, event: &mut Once) {
            event.0.push('!');
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        async fn done(&self, event: &mut OnceDone) {
            event.0.push('!');
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn seen(&self, _: &OnceSeen) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What the events come to, and how often the hook ran.
    async fn asked<H: OnceHooks>(hooks: impl FnOnce(Changes) -> H) -> ([String; 2], usize) {
        let count = Arc::new(AtomicUsize::new(0));
        let hooks = hooks(Changes(count.clone()));
        let (mut once, mut done) = (Once::default(), OnceDone::default());
        let asked = hooks.intercept(&(), &mut once).await;
        let finished = hooks.intercept(&(), &mut done).await;
        hooks.observe(&(), &OnceSeen::default()).await;
        let came = [came(&asked, once.0), came(&finished, done.0)];
        (came, count.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn is_not_shown_to_a_hook_that_may_not_change_it() {
        let reason = "the event is not `Clone`, so the hook cannot be given a copy of it";
        let (came, ran) = asked(ReadOnly::new).await;
        assert_eq!(
            (came, ran),
            ([format!(" Changes: {reason}"), String::new()], 1)
        );
        let (came, ran) = asked(|changes| hooks![changes].read_only()).await;
        assert_eq!(
            (came, ran),
            ([format!(" hooks: {reason}"), String::new()], 1)
        );
    }

    #[tokio::test]
    async fn is_not_shown_to_a_shadow() {
        assert_eq!(
            asked(Shadow::new).await,
            ([String::new(), String::new()], 1)
        );
        assert_eq!(asked(|changes| hooks![changes.shadow()]).await.1, 1);
    }

    #[tokio::test]
    async fn is_changed_as_ever_where_nothing_fails() {
        let came = (["!".to_owned(), "!".to_owned()], 3);
        assert_eq!(asked(|changes| changes.on_panic(OnPanic::Skip)).await, came);
        assert_eq!(asked(|changes| changes.timeout(SECOND)).await, came);
        assert_eq!(asked(|changes| changes.when(|(), _| true)).await, came);
    }

    #[tokio::test]
    async fn cannot_be_put_back_so_it_is_blocked_if_it_can_be() {
        #[hook]
        fn panics(event: &mut Once) {
            event.0.push('!');
            panic!("oh no");
        }
        #[hook]
        fn panics_done(event: &mut OnceDone) {
            event.0.push('!');
            panic!("oh no");
        }
        let (came, _) = asked(|_| panics.on_panic(OnPanic::Skip)).await;
        assert_eq!(came[0], "! panics: the hook panicked: oh no");
        let (came, _) = asked(|_| panics_done.on_panic(OnPanic::Skip)).await;
        assert_eq!(came[1], "!");
    }
}

mod all_of_them {
    use super::*;

    #[hook(priority = 7, name = "seven")]
    fn named(call: &mut BeforeToolCall) {
        call.id.push('7');
    }

    #[test]
    fn keep_the_name_the_priority_and_the_plan() {
        let plain = named.plan().to_string();
        assert_eq!(named.shadow().plan().to_string(), plain);
        assert_eq!(named.read_only().plan().to_string(), plain);
        assert_eq!(named.on_panic(OnPanic::Skip).plan().to_string(), plain);
        assert_eq!(named.timeout(SECOND).plan().to_string(), plain);
        assert_eq!(named.when(|_, _| true).plan().to_string(), plain);
        let hooks = hooks![
            Mark("8") @ 8,
            named.on_panic(OnPanic::Skip),
            Mark("6") @ 6,
            hooks![Mark("y"), Mark("x") @ 1].on_panic(OnPanic::Skip) @ 5,
        ];
        assert_eq!(asked_now(&hooks), ["876xy", ""]);
        assert_eq!(format!("{hooks:?}"), "[Mark, seven, Mark, Mark, Mark]");
        assert!(!hooks.handles::<HeartbeatTick>() && hooks.handles::<BeforeToolCall>());
    }

    #[test]
    fn are_structs_that_can_be_made_and_taken_apart() {
        assert_eq!(
            asked_now(&CatchPanic::new(named, OnPanic::Skip).into_inner()),
            ["7", ""]
        );
        assert_eq!(
            asked_now(&Timeout::new(named, SECOND).into_inner()),
            ["7", ""]
        );
        assert_eq!(asked_now(&ReadOnly::new(named).into_inner()), ["7", ""]);
        assert_eq!(asked_now(Shadow::new(named).get_ref()), ["7", ""]);
        let no = |_: &AgentContext, _: AgentEvent<'_>| false;
        assert_eq!(asked_now(&When::new(named, no)), ["", ""]);
        assert_eq!(asked_now(When::new(named, no).get_ref()), ["7", ""]);
    }

    #[tokio::test(start_paused = true)]
    async fn compose() {
        let second = || PanicsLater.shadow().on_panic(OnPanic::Skip).timeout(SECOND);
        assert_eq!(asked(&second()).await, ["", ""]);
        let hooks = hooks![
            second() @ 4,
            Hangs.timeout(SECOND).or_skip().when(|_, _| true) @ 3,
            DecidesLater.read_only().shadow() @ 2,
            Mark("a").on_panic(OnPanic::Block).timeout(SECOND) @ 1,
            hooks![Hangs, MarkLater("b")].timeout(SECOND).shadow() @ 0,
        ];
        assert_eq!(asked(&hooks).await, ["a", ""]);
        let run = tokio::spawn(async move { asked(&hooks.then(second())).await });
        assert_eq!(run.await.unwrap(), ["a", ""]);
    }
}

mod waits {
    use hooks_core::wrap::{Inner, No, ResultOf, Wrapper};
    use hooks_core::{AnyEvent, Vocabulary};

    use super::*;

    /// Lets hooks run while there are permits, and says that it does not wait for one.
    struct AtMost(tokio::sync::Semaphore);

    impl<V: Vocabulary> Wrapper<V> for AtMost {
        type Waits = No;

        async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
            let _permit = self.0.acquire().await;
            hooks.run().await
        }
    }

    #[tokio::test]
    async fn a_wrapper_that_waits_although_it_says_no_fails_closed_and_is_named() {
        let hooks = |permits| hooks![Mark("a").wrap(AtMost(tokio::sync::Semaphore::new(permits)))];
        assert_eq!(asked(&hooks(1)).await, ["a", ""]);
        for asked in [asked(&hooks(0)).await, asked_now(&hooks(0))] {
            let [call, done] = asked;
            assert!(call.starts_with(" Mark: the wrapper `"), "{call}");
            assert!(call.contains("AtMost` had to wait"), "{call}");
            assert!(call.ends_with("write `type Waits = Yes`"), "{call}");
            // This event cannot be blocked.
            assert_eq!(done, "");
        }
    }

    #[tokio::test]
    async fn a_wrapper_that_says_no_may_await_hooks_that_wait() {
        let hooks = hooks![MarkLater("a").wrap(AtMost(tokio::sync::Semaphore::new(1)))];
        assert_eq!(asked(&hooks).await, ["a", ""]);
    }
}
