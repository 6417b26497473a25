//! Wrappers around hooks with `#[hook(around)]`, and probes that see them.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hooks_core::probe::{Probe, Step};
use hooks_core::wrap::{Inner, No, ResultOf, Saved, Wrapper, Yes};
use hooks_core::{
    AnyEvent, Cancel, EventInfo, HookAction, HookEvent, HookResult, Next, OnPanic, Refused,
    Vocabulary, hook, hooks, wrap_around,
};
use tokio::sync::Semaphore;
use tokio::task::yield_now;

use crate::common::*;
use crate::vocabulary::*;

const SECOND: Duration = Duration::from_secs(1);

/// Puts its name around the output.
#[derive(Clone, Copy)]
struct Brackets(&'static str);

#[hook(around)]
impl Brackets {
    async fn put(&self, _: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        yield_now().await;
        let output = next.run().await;
        yield_now().await;
        ToolOutput::new(format!("{}({})", self.0, output.content))
    }
}

/// Runs the work twice.
#[hook(around)]
async fn twice(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await;
    next.run().await
}

/// Panics, or hangs, before the work, beside it, or after it, as the call says.
#[hook(around)]
async fn fails(call: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    let at = |place: &str| {
        assert!(call.name != format!("panics {place}"), "oh no");
        call.name == format!("hangs {place}")
    };
    if at("before") {
        pending::<()>().await;
    }
    let output = {
        let mut work = std::pin::pin!(next.run());
        std::future::poll_fn(|task| {
            let poll = work.as_mut().poll(task);
            at("beside");
            poll
        })
        .await
    };
    if at("after") {
        pending::<()>().await;
    }
    output
}

/// What a call of a tool comes to, and how often the tool ran.
async fn called(hooks: &impl AgentHooks, name: &str) -> (String, usize) {
    let (mut call, runs) = (call(name), AtomicUsize::new(0));
    assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
    let tool = async || {
        if name == "slow" {
            tokio::time::sleep(2 * SECOND).await;
        }
        assert_ne!(name, "panics");
        yield_now().await;
        let run = runs.fetch_add(1, Ordering::Relaxed);
        ToolOutput::new(format!("{}{run}", call.name))
    };
    let output = wrap_around(hooks, &cx(), &call, tool).await;
    (output.content, runs.into_inner())
}

fn came(output: &str, runs: usize) -> (String, usize) {
    (output.to_owned(), runs)
}

fn no(_: &AgentContext, _: AgentEvent<'_>) -> bool {
    false
}

fn yes(_: &AgentContext, _: AgentEvent<'_>) -> bool {
    true
}

mod when {
    use super::*;

    #[tokio::test]
    async fn the_hooks_run_only_where_the_predicate_holds_and_the_work_in_any_case() {
        assert_eq!(called(&twice.when(yes), "x").await, came("x1", 2));
        assert_eq!(called(&twice.when(no), "x").await, came("x0", 1));
        let both = hooks![Brackets("a").when(no) @ 1, Brackets("b")];
        assert_eq!(called(&both, "x").await, came("b(x0)", 1));
    }

    #[tokio::test]
    async fn the_predicate_sees_the_context_and_the_event_as_the_hooks_left_it() {
        #[hook]
        fn rename(call: &mut BeforeToolCall) {
            call.name = "y".into();
        }
        let on_y = |cx: &AgentContext, event: AgentEvent<'_>| {
            assert_eq!(cx.session_id, "s1");
            matches!(event, AgentEvent::BeforeToolCall(call) if call.name == "y")
        };
        assert_eq!(called(&twice.when(on_y), "x").await, came("x0", 1));
        let hooks = hooks![rename, twice.when(on_y)];
        assert_eq!(called(&hooks, "x").await, came("y1", 2));
    }

    #[tokio::test]
    async fn hooks_that_wrap_nothing_are_not_asked_about_the_work() {
        let times = AtomicUsize::new(0);
        let counted = |_: &AgentContext, _: AgentEvent<'_>| {
            times.fetch_add(1, Ordering::Relaxed);
            true
        };
        let hooks = opaque(Mark("a")).when(counted).then(Brackets("b"));
        assert_eq!(called(&hooks, "x").await, came("b(x0)", 1));
        assert_eq!(times.load(Ordering::Relaxed), 1);
        let off = hooks![None::<Brackets>, Mark("a")].when(counted);
        assert_eq!(called(&off, "x").await, came("x0", 1));
        assert_eq!(times.load(Ordering::Relaxed), 2);
    }
}

mod copies {
    use super::*;

    #[tokio::test]
    async fn a_shadow_has_no_effect_at_all() {
        #[hook]
        fn stop(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
            HookAction::block("no")
        }
        let hooks = hooks![twice, Mark("a"), stop].shadow();
        assert_eq!(called(&hooks, "x").await, came("x0", 1));
        let hooks = hooks![hooks![twice @ 1, Brackets("a")].shadow() @ 1, Brackets("b")];
        assert_eq!(called(&hooks, "x").await, came("b(x0)", 1));
        let hooks = twice.read_only().on_panic(OnPanic::Skip).shadow().when(yes);
        assert_eq!(called(&hooks, "x").await, came("x0", 1));
    }

    #[tokio::test]
    async fn what_is_read_only_decides_about_the_output() {
        assert_eq!(called(&twice.read_only(), "x").await, came("x1", 2));
        let hooks = hooks![Brackets("a"), Mark("m")].read_only();
        assert_eq!(called(&hooks, "x").await, came("a(x0)", 1));
    }
}

mod timeout {
    use super::*;

    const LATE: &str =
        "hook `fails` blocked the event: the hook took longer than its timeout of 1s";

    #[tokio::test(start_paused = true)]
    async fn the_hook_and_its_work_are_dropped_and_the_output_says_so() {
        let hooks = fails.timeout(SECOND);
        assert_eq!(called(&hooks, "hangs before").await, came(LATE, 0));
        assert_eq!(called(&hooks, "slow").await, came(LATE, 0));
        assert_eq!(called(&hooks, "hangs after").await, came(LATE, 1));
        assert_eq!(called(&hooks, "x").await, came("x0", 1));
        let list = hooks![Brackets("a") @ 1, fails, Brackets("b")];
        let late = came(&LATE.replace("fails", "Brackets"), 0);
        assert_eq!(called(&list.timeout(SECOND), "slow").await, late);
    }

    #[tokio::test(start_paused = true)]
    async fn or_skip_runs_the_work_unless_it_has_begun() {
        let hooks = fails.timeout(SECOND).or_skip();
        let plain = came("hangs before0", 1);
        assert_eq!(called(&hooks, "hangs before").await, plain);
        let output = came("hangs after0", 1);
        assert_eq!(called(&hooks, "hangs after").await, output);
        let lost = format!("{LATE}; the work had begun, and its output is lost");
        assert_eq!(called(&hooks, "slow").await, came(&lost, 0));
    }

    #[tokio::test]
    async fn one_that_is_shorter_than_the_tick_of_the_clock_holds() {
        let late = "hook `twice` blocked the event: the hook took longer than its timeout of 1ns";
        let hooks = twice.timeout(Duration::from_nanos(1));
        assert_eq!(called(&hooks, "x").await, came(late, 0));
    }
}

mod on_panic {
    use super::*;

    #[tokio::test]
    async fn skip_keeps_the_output_or_runs_the_work_or_says_that_it_is_lost() {
        let hooks = fails.on_panic(OnPanic::Skip);
        let plain = came("panics before0", 1);
        assert_eq!(called(&hooks, "panics before").await, plain);
        let output = came("panics after0", 1);
        assert_eq!(called(&hooks, "panics after").await, output);
        let (said, runs) = called(&hooks, "panics beside").await;
        assert!(said.starts_with("panics beside") && runs == 1, "{said}");
        let hooks = hooks![twice @ 1, fails].on_panic(OnPanic::Skip);
        assert_eq!(called(&hooks, "panics after").await, output);
    }

    #[tokio::test]
    async fn skip_refuses_what_has_half_run() {
        #[hook(around)]
        async fn panics(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
            tokio::join!(next.run(), async {
                yield_now().await;
                panic!("oh no")
            })
            .0
        }
        let hooks = panics.on_panic(OnPanic::Skip);
        let output = wrap_around(&hooks, &cx(), &call("x"), pending::<ToolOutput>).await;
        assert_eq!(
            output.content,
            "hook `panics` blocked the event: the hook panicked: oh no; the work had begun, and its output is lost"
        );
    }

    #[tokio::test]
    async fn block_is_the_output_and_names_the_hook() {
        let hooks = hooks![Brackets("a") @ 1, fails].on_panic(OnPanic::Block);
        for place in ["panics before", "panics after"] {
            let (said, _) = called(&hooks, place).await;
            assert_eq!(
                said,
                "hook `fails` blocked the event: the hook panicked: oh no"
            );
        }
        assert_eq!(called(&hooks, "x").await, came("a(x0)", 1));
    }

    #[tokio::test]
    async fn propagate_unwinds_and_so_does_the_work_in_any_case() {
        let panics = |name: &'static str, policy| async move {
            let run = async move { called(&fails.on_panic(policy), name).await };
            tokio::spawn(run).await.is_err_and(|error| error.is_panic())
        };
        assert!(panics("panics before", OnPanic::Propagate).await);
        assert!(panics("panics", OnPanic::Skip).await);
        assert!(panics("panics", OnPanic::Block).await);
        assert!(!panics("panics before", OnPanic::Skip).await);
    }
}

mod of_ones_own {
    use super::*;

    /// Lets so many run at once.
    struct AtMost(Arc<Semaphore>);
    impl<V: Vocabulary> Wrapper<V> for AtMost {
        type Waits = Yes;

        async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
            let _permit = self.0.acquire().await;
            hooks.run().await
        }
    }

    #[tokio::test]
    async fn a_wrapper_holds_what_it_holds_while_the_work_runs() {
        let permits = Arc::new(Semaphore::new(1));
        let free = async || ToolOutput::new(permits.available_permits().to_string());
        let hooks = hooks![Brackets("a").wrap(AtMost(permits.clone()))];
        let output = wrap_around(&hooks, &cx(), &call("x"), free).await;
        assert_eq!(output.content, "a(0)");
        let hooks = hooks![MarkLater("a").wrap(AtMost(permits.clone()))];
        let output = wrap_around(&hooks, &cx(), &call("x"), free).await;
        assert_eq!(output.content, "1");
    }

    /// Does with the hooks what its name says.
    struct Does(&'static str);
    impl Wrapper<AgentEvent<'static>> for Does {
        type Waits = No;

        async fn run<E: AnyEvent<Vocabulary = AgentEvent<'static>>>(
            &self,
            mut hooks: impl Inner<E>,
        ) -> ResultOf<E> {
            assert_eq!((hooks.is_now(), hooks.judges()), (false, false));
            assert!(hooks.is_around() && hooks.cx().session_id == "s1");
            match self.0 {
                "leaves out" => hooks.go_on(),
                "runs again" => {
                    let _ = hooks.run().await;
                    hooks.run().await
                }
                "gives a copy" => match hooks.saved() {
                    Saved::Copy(mut copy) => hooks.run_on(&mut copy).await,
                    Saved::Unchanged => hooks.run().await,
                    Saved::Lost => hooks.go_on(),
                },
                "refuses" => {
                    let _ = hooks.run().await;
                    let name = hooks.hook();
                    hooks.fail(Saved::Lost, true, format!("`{name}` is too much"))
                }
                _ => {
                    let mut run = std::pin::pin!(hooks.run());
                    std::future::poll_fn(|task| {
                        for _ in 0..3 {
                            let _ = run.as_mut().poll(task);
                        }
                        std::task::Poll::Ready(())
                    })
                    .await;
                    yield_now().await;
                    std::future::poll_fn(|task| {
                        assert!(run.as_mut().poll(task).is_pending());
                        std::task::Poll::Ready(())
                    })
                    .await;
                    HookResult::Continue
                }
            }
        }
    }

    #[tokio::test]
    async fn it_says_what_happens_to_the_hooks_and_their_work() {
        let does = |what| twice.wrap(Does(what));
        assert_eq!(called(&does("leaves out"), "x").await, came("x0", 1));
        assert_eq!(called(&does("runs again"), "x").await, came("x3", 4));
        assert_eq!(called(&does("gives a copy"), "x").await, came("x0", 1));
        let refused = "hook `twice` blocked the event: `twice` is too much";
        assert_eq!(called(&does("refuses"), "x").await, came(refused, 2));
        let dropped = "hook `twice` blocked the event: the work had begun, and its output is lost";
        assert_eq!(called(&does("drops"), "x").await, came(dropped, 0));
    }
}

mod wherever_they_stand {
    use super::*;

    /// A list where a wrapper holds, or where it does not.
    macro_rules! in_every_form {
        ($on:expr, $($hooks:expr),* $(,)?) => {$(
            let name = stringify!($hooks);
            for (is_on, output) in [(false, "x0"), (true, $on)] {
                let when = move |_: &AgentContext, _: AgentEvent<'_>| is_on;
                assert_eq!(called(&$hooks.when(when), "x").await, came(output, 1), "{name}");
            }
            assert_eq!(called(&$hooks.shadow(), "x").await, came("x0", 1), "{name}");
            assert_eq!(called(&$hooks.on_panic(OnPanic::Skip), "x").await, came($on, 1), "{name}");
        )*};
    }

    #[tokio::test]
    async fn one_hook() {
        let a = Brackets("a");
        in_every_form![
            "a(x0)",
            a,
            &a,
            Some(a),
            Some(&&a),
            Box::new(a),
            Arc::new(a),
            a.named("b"),
            a.read_only(),
            a.when(yes).timeout(SECOND),
            a.then(hooks![]),
            opaque(a),
            hooks![a],
            hooks![a @ 7],
            hooks![hooks![a] @ 1],
            hooks![Some(hooks![a.named("c")]) @ 1],
            hooks![a, ..Registry::new()],
            hooks![a.when(yes)],
        ];
    }

    #[tokio::test]
    async fn several_hooks() {
        let (a, b) = (Brackets("a"), Brackets("b"));
        in_every_form![
            "a(b(x0))",
            hooks![b, a @ 1],
            a.then(b),
            opaque(a).then(opaque(hooks![b])),
            hooks![hooks![b] @ 1, a @ 2],
            hooks![a.on_panic(OnPanic::Block), b],
            hooks![a, b, ..Registry::new().with(Log("l", Notes::default()))],
            hooks![a, hooks![b].timeout(SECOND) @ -1].named("all"),
        ];
    }
}

mod outputs {
    use super::*;

    #[derive(Debug)]
    pub struct Order;
    #[derive(Debug)]
    pub struct Letter;
    #[derive(Debug)]
    pub struct Parcel;

    #[derive(Debug, PartialEq)]
    pub enum Delivered {
        Here,
        Lost(String),
    }

    impl Refused for Delivered {
        fn refused(cancel: Cancel) -> Self {
            Delivered::Lost(cancel.to_string())
        }
    }

    #[derive(Debug, HookEvent)]
    pub enum PostEvent<'a> {
        #[intercept(around = Result<u32, Box<dyn std::error::Error + Send + Sync>>)]
        Ordered(&'a Order),
        #[intercept(no_block, around = Delivered)]
        Sent(&'a Letter),
        /// Its output cannot say that the work was refused.
        #[intercept(around = u32)]
        Packed(&'a Parcel),
    }

    struct Panics;
    #[hook(around)]
    impl Panics {
        async fn order(
            &self,
            _: &Order,
            _: Next<'_, Order>,
        ) -> Result<u32, Box<dyn std::error::Error + Send + Sync>> {
            panic!("oh no")
        }
        async fn send(&self, _: &Letter, mut next: Next<'_, Letter>) -> Delivered {
            next.run().await;
            panic!("oh no")
        }
    }

    const OH_NO: &str = "hook `Panics` blocked the event: the hook panicked: oh no";

    #[tokio::test]
    async fn a_result_and_a_type_of_ones_own_say_that_the_work_was_refused() {
        let hooks = Panics.on_panic(OnPanic::Block);
        let ordered = wrap_around(&hooks, &(), &Order, async || Ok(7)).await;
        assert_eq!(ordered.unwrap_err().to_string(), OH_NO);
        let sent = wrap_around(&hooks, &(), &Letter, async || Delivered::Here).await;
        assert_eq!(sent, Delivered::Lost(OH_NO.into()));
        let hooks = Panics.on_panic(OnPanic::Skip);
        let ordered = wrap_around(&hooks, &(), &Order, async || Ok(7)).await;
        assert_eq!(ordered.unwrap(), 7);
        // It is not `Clone`, so that its output is gone with the hook that had it.
        let sent = wrap_around(&hooks, &(), &Letter, async || Delivered::Here).await;
        let lost = format!("{OH_NO}; the work had begun, and its output is lost");
        assert_eq!(sent, Delivered::Lost(lost));
    }

    #[tokio::test]
    async fn one_that_cannot_say_so_goes_with_wrappers_that_never_fail_and_with_other_hooks() {
        #[hook(around)]
        async fn double(_: &Parcel, mut next: Next<'_, Parcel>) -> u32 {
            2 * next.run().await
        }
        #[hook]
        async fn looks(_: &Parcel) {}
        let work = async || 3;
        let hooks = hooks![
            double.when(|(), _: PostEvent<'_>| true),
            double.shadow() @ 1,
            double.read_only() @ 2,
            looks.timeout(SECOND).on_panic(OnPanic::Block),
            hooks![&Panics, Some(looks)].timeout(SECOND) @ -1,
        ];
        assert_eq!(wrap_around(&hooks, &(), &Parcel, work).await, 12);
    }
}

mod probes {
    use super::*;

    /// Writes down the steps of around hooks.
    #[derive(Clone, Default)]
    struct Steps(Notes);

    impl Probe<AgentEvent<'static>> for Steps {
        type State = ();

        fn wants(&self, event: &EventInfo) -> bool {
            event.name == "BeforeToolCall"
        }

        fn begin(&self, _: &AgentContext, event: AgentEvent<'_>) {
            assert_eq!(event.name(), "BeforeToolCall");
        }

        fn around(&self, cx: &AgentContext, hook: &str, step: Step<'_>, event: AgentEvent<'_>) {
            assert_eq!((&*cx.session_id, event.name()), ("s1", "BeforeToolCall"));
            let AgentEvent::BeforeToolCall(call) = event else {
                unreachable!()
            };
            self.0.add(format!("{hook} {step:?} {}", call.id));
        }
    }

    async fn steps(steps: &Steps, hooks: &impl AgentHooks, name: &str) -> Vec<String> {
        let _ = called(hooks, name).await;
        steps.0.take()
    }

    #[tokio::test]
    async fn a_probe_sees_each_step_in_order_with_the_event_as_it_is() {
        let probe = Steps::default();
        let hooks = hooks![Mark("m"), twice @ 1, Brackets("b")].with_probe(&probe);
        assert_eq!(
            steps(&probe, &hooks, "x").await,
            [
                "twice begins m",
                "twice hands on m",
                "Brackets begins m",
                "Brackets hands on m",
                "Brackets ends m",
                "twice hands on m",
                "Brackets begins m",
                "Brackets hands on m",
                "Brackets ends m",
                "twice ends m",
            ]
        );
    }

    #[tokio::test]
    async fn it_sees_them_wherever_they_stand_and_under_the_names_that_they_have() {
        let probe = Steps::default();
        let expected = |name| ["begins", "hands on", "ends"].map(|step| format!("{name} {step} "));
        let a = Brackets("a");
        macro_rules! sees {
            ($name:literal: $($hooks:expr),* $(,)?) => {$(
                let hooks = $hooks.with_probe(&probe);
                let all = expected($name);
                assert_eq!(steps(&probe, &hooks, "x").await, all, stringify!($hooks));
                let hooks = $hooks.with_probe((&probe, &None::<Steps>)).then(hooks![]);
                assert_eq!(steps(&probe, &hooks, "x").await, all, stringify!($hooks));
            )*};
        }
        sees!["Brackets":
            a,
            hooks![a],
            hooks![hooks![Some(a)] @ 1],
            Arc::new(a).then(hooks![]),
            opaque(a),
            a.read_only().when(yes).on_panic(OnPanic::Skip).timeout(SECOND),
            hooks![a, ..Registry::new()],
            hooks![a, twice.shadow(), twice.when(no)],
            hooks![a].named("list"),
            a.named("b").named("Brackets"),
        ];
        sees!["b": a.named("b"), hooks![a.named("b").when(yes)], hooks![a.when(yes).named("b")]];
        assert_eq!(
            steps(&probe, &hooks![a.with_probe(&probe), twice], "x")
                .await
                .len(),
            3
        );
    }

    #[tokio::test]
    async fn probes_of_a_source_see_those_of_the_list() {
        let (own, of_source) = (Steps::default(), Steps::default());
        let source = Registry::new();
        source.attach(Arc::new(of_source.clone()));
        let hooks = hooks![Brackets("a"), ..source].with_probe(&own);
        assert_eq!(steps(&own, &hooks, "x").await, of_source.0.take());
        assert_eq!(steps(&own, &hooks, "x").await.len(), 3);
    }

    #[tokio::test]
    async fn a_hook_that_does_not_run_for_the_event_takes_no_step() {
        #[hook(around, only("other"))]
        async fn other(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
            next.run().await
        }
        let probe = Steps::default();
        let hooks = hooks![other, None::<Brackets>].with_probe(&probe);
        assert!(steps(&probe, &hooks, "x").await.is_empty());
        assert_eq!(steps(&probe, &hooks, "other").await.len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_told_of_failures_and_of_hooks_that_are_dropped() {
        let probe = Steps::default();
        let hooks = hooks![fails.timeout(SECOND)].with_probe(&probe);
        assert_eq!(
            steps(&probe, &hooks, "slow").await,
            [
                "fails begins ",
                "fails hands on ",
                "fails is dropped ",
                "fails fails: the hook took longer than its timeout of 1s ",
            ]
        );
        let hooks = hooks![Brackets("a") @ 1, fails].on_panic(OnPanic::Skip);
        let told = steps(&probe, &hooks.with_probe(&probe), "panics before").await;
        assert_eq!(
            told[3..],
            [
                "fails is dropped ",
                "Brackets is dropped ",
                "fails fails: the hook panicked: oh no ",
            ]
        );
    }

    #[tokio::test]
    async fn a_probe_of_a_source_that_panics_does_not_reach_the_agent() {
        struct Panics;
        impl Probe<AgentEvent<'static>> for Panics {
            type State = ();
            fn begin(&self, _: &AgentContext, _: AgentEvent<'_>) {}
            fn around(&self, _: &AgentContext, _: &str, step: Step<'_>, _: AgentEvent<'_>) {
                panic!("{step:?}");
            }
        }
        let source = Registry::new();
        source.attach(Arc::new(Panics));
        assert_eq!(called(&hooks![twice, ..source], "x").await, came("x1", 2));
    }
}
