//! Hooks on every event, wrappers of one's own, and hooks in a box.

use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use allocation_counter::measure;
use hooks_core::agent::*;
use hooks_core::wrap::{Inner, No, ResultOf, Wrapper, Yes};
use hooks_core::{
    AnyEvent, EventInfo, Hook, HookAction, HookEvent, HookRegistry, HookResult, OnPanic, Scope,
    async_trait, hook, hooks,
};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use crate::common::*;

fn approve(args: &serde_json::Value) -> ApproveToolCall<'_> {
    ApproveToolCall {
        id: "1",
        name: "shell",
        args,
        annotations: ToolAnnotations::default(),
        approval: &Approval::Usual,
    }
}

mod wrappers_of_ones_own {
    use super::*;

    /// Gives hooks so much time for all events together. When it is used up, what can be blocked is blocked.
    struct ChainBudget(Mutex<Duration>);

    impl Wrapper<AgentEvent<'static>> for ChainBudget {
        type Waits = Yes;

        async fn run<E: AnyEvent<Vocabulary = AgentEvent<'static>>>(
            &self,
            mut hooks: impl Inner<E>,
        ) -> ResultOf<E> {
            let (start, left, before) = (Instant::now(), *self.0.lock().unwrap(), hooks.saved());
            let result = timeout(left, hooks.run()).await;
            *self.0.lock().unwrap() = left.saturating_sub(start.elapsed());
            result.unwrap_or_else(|_| hooks.fail(before, true, "the hooks have used up their time"))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_chain_budget() {
        #[hook]
        async fn slow(call: &mut BeforeToolCall) {
            call.id.push('!');
            sleep(Duration::from_secs(4)).await;
        }
        #[hook]
        async fn slow_too(_: &HeartbeatTick) {
            sleep(Duration::from_secs(4)).await;
        }
        let budget = ChainBudget(Mutex::new(Duration::from_secs(10)));
        let hooks = hooks![hooks![slow, slow_too].wrap(budget)];
        assert_eq!(order(&hooks).await, "!");
        hooks.observe(&cx(), &HeartbeatTick).await;
        let mut call = call("x");
        let result = hooks.intercept(&cx(), &mut call).await;
        let expected = ("slow", "the hooks have used up their time");
        assert_eq!(stopped(&result), Some(expected));
        assert_eq!(call.id, "", "the event is as it was");
    }

    /// Leaves hooks out that were too slow three times in a row.
    #[derive(Default)]
    struct CircuitBreaker(AtomicU32);

    impl<V: hooks_core::Vocabulary> Wrapper<V> for CircuitBreaker {
        type Waits = Yes;

        async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
            if self.0.load(Ordering::Relaxed) >= 3 {
                return hooks.go_on();
            }
            let before = hooks.saved();
            if let Ok(result) = timeout(Duration::from_secs(1), hooks.run()).await {
                self.0.store(0, Ordering::Relaxed);
                return result;
            }
            self.0.fetch_add(1, Ordering::Relaxed);
            hooks.fail(before, true, "the hook is too slow")
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_circuit_breaker() {
        #[hook]
        async fn slow_on_x(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
            if call.name == "x" {
                sleep(Duration::from_secs(2)).await;
            }
            if call.name == "no" {
                HookAction::block("no")
            } else {
                HookAction::Continue
            }
        }
        let hooks = hooks![slow_on_x.wrap(CircuitBreaker::default())];
        for (name, expected) in [
            ("x", Some("the hook is too slow")),
            ("x", Some("the hook is too slow")),
            // It counts in a row.
            ("no", Some("no")),
            ("x", Some("the hook is too slow")),
            ("x", Some("the hook is too slow")),
            ("x", Some("the hook is too slow")),
            // It is left out.
            ("x", None),
            ("no", None),
        ] {
            let result = hooks.intercept(&cx(), &mut call(name)).await;
            assert_eq!(stopped(&result).map(|(_, reason)| reason), expected);
        }
    }

    /// Does nothing, and says so of what it sees.
    struct Looks(Notes);

    impl Wrapper<AgentEvent<'static>> for Looks {
        type Waits = No;

        async fn run<E: AnyEvent<Vocabulary = AgentEvent<'static>>>(
            &self,
            mut hooks: impl Inner<E>,
        ) -> ResultOf<E> {
            let name = hooks.event().view().name();
            let result = hooks.run().await;
            let (cx, hook) = (&hooks.cx().session_id, hooks.hook());
            self.0.add(format!("{cx}: {name} by {hook}"));
            result
        }
    }

    #[test]
    fn one_that_does_not_wait_needs_no_executor_and_sees_only_what_its_hooks_handle() {
        let notes = Notes::default();
        let hooks = hooks![Mark("a"), Mark("b").named("b") @ -1].wrap(Looks(notes.clone()));
        assert_eq!(order_now(&hooks), "ab");
        hooks.observe_now(&cx(), &HeartbeatTick);
        assert_eq!(notes.take(), ["s1: BeforeToolCall by b"]);
        assert_eq!(format!("{hooks:?}"), "[Mark, b]");
    }

    #[tokio::test]
    async fn they_nest_around_any_hooks_and_can_be_spawned() {
        async fn agent<H: AgentHooks + 'static>(hooks: H) -> HookResult<BeforeToolCall> {
            let hooks = hooks
                .wrap(Looks(Notes::default()))
                .wrap(CircuitBreaker::default());
            let run = async move { hooks.intercept(&cx(), &mut call("p")).await };
            tokio::spawn(run).await.unwrap()
        }
        let registry = || Registry::new().with(plugin("p", 0));
        for result in [
            agent(registry()).await,
            agent(hooks![Mark("a"), ..registry()]).await,
            agent(Mark("a").then(registry())).await,
        ] {
            assert_eq!(
                stopped(&result),
                Some(("p", "no")),
                "who decides stays named"
            );
        }
    }
}

mod a_hook {
    use super::*;

    /// Says what the name of the event, or of its tool, asks it to.
    fn say(event: AgentEventMut<'_>) -> AgentSaid {
        match event {
            AgentEventMut::BeforeToolCall(call) => {
                call.id.push('+');
                match &*call.name {
                    "block" => AgentSaid::block("no"),
                    "turn" => AgentSaid::abort_turn("enough"),
                    "run" => AgentSaid::abort_run("stop"),
                    "answer" => {
                        HookAction::<BeforeToolCall>::respond(ToolOutput::new("cached")).into()
                    }
                    "modify" => HookAction::<BeforeToolCall>::modify(json!({ "k": 1 })).into(),
                    "misfit" => HookAction::<MessageSending>::block("another event").into(),
                    "misfit respond" => {
                        HookAction::<BeforeLlmCall>::respond(LlmResponse::new("?")).into()
                    }
                    _ => AgentSaid::Continue,
                }
            }
            AgentEventMut::ApproveToolCall(ask) if ask.name == "shell" => {
                AgentSaid::block("no shell")
            }
            AgentEventMut::AfterToolCall(done) => {
                done.output.content.push('+');
                match &*done.name {
                    "block" => AgentSaid::block("too late"),
                    "turn" => AgentSaid::abort_turn("enough"),
                    "misfit" => HookAction::<BeforeLlmCall>::respond(LlmResponse::new("?")).into(),
                    _ => AgentSaid::Continue,
                }
            }
            AgentEventMut::HeartbeatTick(_) => AgentSaid::block("ignored"),
            _ => AgentSaid::default(),
        }
    }

    #[hook(every)]
    fn says(event: AgentEventMut<'_>) -> AgentSaid {
        say(event)
    }
    #[hook(every)]
    async fn says_later(cx: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        assert_eq!(cx.session_id, "s1");
        tokio::task::yield_now().await;
        say(event)
    }
    struct Boxed;
    #[async_trait]
    impl AgentHandler for Boxed {
        fn name(&self) -> &str {
            "says"
        }
        async fn handle(&self, cx: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            assert_eq!(cx.session_id, "s1");
            tokio::task::yield_now().await;
            say(event)
        }
    }

    fn boxed() -> Box<dyn AgentHandler> {
        Box::new(Boxed)
    }

    /// What a call and a finished call come to, with each of the ways to write the same hook.
    async fn asked(
        name: &str,
    ) -> (
        HookResult<BeforeToolCall>,
        BeforeToolCall,
        HookResult<AfterToolCall>,
        String,
    ) {
        macro_rules! with {
            ($hooks:expr) => {{
                let hooks = $hooks;
                let mut call = call(name);
                let asked = hooks.intercept(&cx(), &mut call).await;
                let mut done = AfterToolCall {
                    name: name.into(),
                    ..Default::default()
                };
                let finished = hooks.intercept(&cx(), &mut done).await;
                (asked, call, finished, done.output.content)
            }};
        }
        let now = with!(hooks![says]);
        let mut later = with!(hooks![says_later]);
        for cancel in [&mut later.0].into_iter().filter_map(cancel) {
            assert_eq!(std::mem::take(&mut cancel.hook), "says_later");
            cancel.hook = "says".into();
        }
        for cancel in [&mut later.2].into_iter().filter_map(cancel) {
            assert_eq!(std::mem::take(&mut cancel.hook), "says_later");
            cancel.hook = "says".into();
        }
        assert_eq!(now, later);
        assert_eq!(now, with!(boxed()));
        assert_eq!(now, with!(Registry::new().with(boxed())));
        assert_eq!(now, with!(hooks![..Registry::new().with(says)]));
        assert_eq!(
            now,
            with!(hooks![Mark(""), ..Registry::new().with(hooks![says])])
        );
        now
    }

    fn cancel<E: hooks_core::Event>(result: &mut HookResult<E>) -> Option<&mut hooks_core::Cancel> {
        match result {
            HookResult::Cancel(cancel) => Some(cancel),
            _ => None,
        }
    }

    #[tokio::test]
    async fn goes_on_and_changes_the_event() {
        let (result, call, after, output) = asked("x").await;
        assert!(result.is_continue() && after.is_continue());
        assert_eq!((&*call.id, &*output), ("+", "+"));
    }

    #[tokio::test]
    async fn blocks_and_ends_more_than_the_event() {
        for (name, scope, reason) in [
            ("block", Scope::Event, "no"),
            ("turn", Scope::Turn, "enough"),
            ("run", Scope::Run, "stop"),
        ] {
            let (result, ..) = asked(name).await;
            let cancel = result.as_cancel().unwrap();
            assert_eq!(
                (&*cancel.hook, &*cancel.reason, cancel.scope),
                ("says", reason, scope)
            );
        }
    }

    #[tokio::test]
    async fn answers_and_modifies_its_own_event() {
        assert_eq!(
            asked("answer").await.0,
            HookResult::Respond(ToolOutput::new("cached"))
        );
        let (result, call, ..) = asked("modify").await;
        assert!(result.is_continue());
        assert_eq!(call.args, json!({ "k": 1 }));
    }

    #[tokio::test]
    async fn fails_closed_with_an_action_on_another_event() {
        let (result, _, after, _) = asked("misfit respond").await;
        assert_eq!(
            result.as_cancel().unwrap().reason,
            "the hook was asked about `BeforeToolCall` and answered with an action on `BeforeLlmCall`"
        );
        assert!(after.is_continue());
        // To block is to block, whatever event the action was made for.
        let (result, _, after, _) = asked("misfit").await;
        assert_eq!(result.as_cancel().unwrap().reason, "another event");
        assert!(after.is_continue(), "what cannot be blocked goes on");
    }

    #[tokio::test]
    async fn cannot_block_what_cannot_be_blocked_but_can_end_the_turn() {
        let (_, _, after, output) = asked("block").await;
        assert!(after.is_continue());
        assert_eq!(output, "+");
        assert_eq!(
            asked("turn").await.2.as_cancel().unwrap().scope,
            Scope::Turn
        );
        hooks![says].observe_now(&cx(), &HeartbeatTick);
        hooks![says_later].observe(&cx(), &HeartbeatTick).await;
    }

    #[tokio::test]
    async fn decides_about_an_event_that_borrows_what_it_holds() {
        let args = json!({});
        assert!(
            !hooks![says]
                .intercept_now(&cx(), &mut approve(&args))
                .is_continue()
        );
        let registry = Registry::new().with(boxed());
        let result = registry.intercept(&cx(), &mut approve(&args)).await;
        assert_eq!(result.as_cancel().unwrap().reason, "no shell");
    }

    #[test]
    fn needs_no_executor_where_it_is_a_plain_function() {
        fn agent(hooks: &impl AgentHooksNow) -> bool {
            hooks.intercept_now(&cx(), &mut call("block")).is_continue()
        }
        assert!(!agent(&says));
        assert!(!agent(&hooks![says, Mark("a")]));
    }

    #[test]
    fn handles_every_event() {
        assert!(hooks![says].handles::<LlmDelta>() && says.handles::<Custom>());
        let plan = "\
order  hook  priority  event        runs
1      says         0  every event  sync
";
        assert_eq!(hooks![says].plan().to_string(), plan);
    }
}

mod what_it_returns {
    use super::*;

    #[hook(every, priority = 1)]
    fn fails(event: AgentEventMut<'_>) -> Result<(), String> {
        Err(format!("{} failed", event.name()))
    }
    #[hook(every)]
    async fn may_fail(event: AgentEventMut<'_>) -> Result<AgentSaid, std::num::ParseIntError> {
        if let AgentEventMut::BeforeToolCall(call) = event {
            let _: u32 = call.name.parse()?;
        }
        Ok(AgentSaid::abort_turn("a number"))
    }
    #[hook(every)]
    fn nothing(event: AgentEventMut<'_>) {
        if let AgentEventMut::BeforeToolCall(call) = event {
            call.id.push('n');
        }
    }

    #[tokio::test]
    async fn an_error_blocks_what_can_be_blocked() {
        let result = hooks![fails].intercept_now(&cx(), &mut call("x"));
        let cancel = result.as_cancel().unwrap();
        assert_eq!(
            (&*cancel.hook, &*cancel.reason),
            ("fails", "BeforeToolCall failed")
        );
        let mut done = AfterToolCall::default();
        assert!(hooks![fails].intercept_now(&cx(), &mut done).is_continue());
        hooks![fails].observe_now(&cx(), &HeartbeatTick);
        let result = hooks![may_fail].intercept(&cx(), &mut call("x")).await;
        assert_eq!(
            result.as_cancel().unwrap().reason,
            "invalid digit found in string"
        );
        let result = hooks![may_fail].intercept(&cx(), &mut call("7")).await;
        assert_eq!(result.as_cancel().unwrap().scope, Scope::Turn);
    }

    #[test]
    fn nothing_goes_on() {
        let mut call = call("x");
        assert!(
            hooks![nothing]
                .intercept_now(&cx(), &mut call)
                .is_continue()
        );
        assert_eq!(call.id, "n");
    }
}

mod policies {
    use super::*;

    macro_rules! careless {
        ($($name:ident($($option:tt)*);)*) => { $(
            #[hook(every, $($option)*)]
            async fn $name(event: AgentEventMut<'_>) -> AgentSaid {
                match event {
                    AgentEventMut::BeforeToolCall(call) => call.name.clear(),
                    AgentEventMut::AfterToolCall(done) => done.name.clear(),
                    _ => {}
                }
                tokio::task::yield_now().await;
                panic!("oh no")
            }
        )* };
    }
    careless! {
        skips(on_panic = skip);
        blocks(on_panic = block);
        propagates(on_panic = propagate);
    }

    #[hook(every, timeout = "1s")]
    async fn late(event: AgentEventMut<'_>) -> AgentSaid {
        match event {
            AgentEventMut::BeforeToolCall(call) => call.name.clear(),
            AgentEventMut::AfterToolCall(done) => done.name.clear(),
            _ => {}
        }
        std::future::pending().await
    }
    #[hook(every, timeout = "1s", on_timeout = skip)]
    async fn late_and_skipped(event: AgentEventMut<'_>) {
        if let AgentEventMut::BeforeToolCall(call) = event {
            call.name.clear();
        }
        std::future::pending::<()>().await;
    }

    /// What a call and a finished call come to: the reason, if it is blocked, and the name.
    async fn asked(hooks: &impl AgentHooks) -> [(Option<String>, String); 2] {
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
        [
            (
                asked.as_cancel().map(|cancel| cancel.reason.to_string()),
                call.name,
            ),
            (
                finished.as_cancel().map(|cancel| cancel.reason.to_string()),
                done.name,
            ),
        ]
    }

    fn went_on() -> (Option<String>, String) {
        (None, "x".into())
    }

    fn blocked(reason: &str) -> (Option<String>, String) {
        (Some(reason.into()), "x".into())
    }

    #[tokio::test]
    async fn a_panic_is_skipped_or_blocks_what_can_be_blocked_and_the_event_is_as_it_was() {
        assert_eq!(asked(&hooks![skips]).await, [went_on(), went_on()]);
        assert_eq!(
            asked(&hooks![blocks]).await,
            [blocked("the hook panicked: oh no"), went_on()]
        );
        let run = tokio::spawn(async { asked(&hooks![propagates]).await });
        assert!(run.await.unwrap_err().is_panic());
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_blocks_what_can_be_blocked_unless_it_is_skipped() {
        let reason = "the hook took longer than its timeout of 1s";
        assert_eq!(asked(&hooks![late]).await, [blocked(reason), went_on()]);
        assert_eq!(
            asked(&hooks![late_and_skipped]).await,
            [went_on(), went_on()]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_same_by_a_wrapper() {
        let second = Duration::from_secs(1);
        let reason = "the hook took longer than its timeout of 60s";
        let minute = propagates.on_panic(OnPanic::Block).timeout(second);
        assert_eq!(
            asked(&minute).await,
            [blocked("the hook panicked: oh no"), went_on()]
        );
        #[hook(every)]
        async fn hangs(_: AgentEventMut<'_>) -> AgentSaid {
            std::future::pending().await
        }
        assert_eq!(
            asked(&hangs.timeout(60 * second)).await,
            [blocked(reason), went_on()]
        );
        assert_eq!(
            asked(&hangs.timeout(second).or_skip()).await,
            [went_on(), went_on()]
        );
    }
}

mod a_vocabulary_of_ones_own {
    use super::*;

    #[derive(Debug)]
    pub struct Parcel<'a> {
        pub to: &'a str,
    }
    #[derive(Debug, PartialEq)]
    pub struct Letter {
        pub text: String,
    }
    #[derive(Debug)]
    pub struct Sent<'a>(pub &'a str);
    #[derive(Clone, Debug)]
    pub struct Ticket<'a> {
        pub from: &'a str,
    }

    #[derive(Debug, HookEvent)]
    #[events(context = u8)]
    pub enum PostEvent<'a> {
        #[intercept(respond = String)]
        Parcel(&'a Parcel<'a>),
        #[intercept(no_block)]
        Letter(&'a Letter),
        #[observe]
        Sent(&'a Sent<'a>),
        #[intercept]
        Ticket(&'a Ticket<'a>),
    }

    #[hook(every)]
    fn post(cx: &u8, event: PostEventMut<'_>) -> PostSaid {
        match event {
            PostEventMut::Parcel(parcel) if parcel.to == "me" => {
                HookAction::<Parcel<'static>>::respond(format!("kept {cx}")).into()
            }
            PostEventMut::Parcel(parcel) if parcel.to.is_empty() => PostSaid::block("to nobody"),
            PostEventMut::Letter(letter) => {
                letter.text.push('.');
                PostSaid::block("too late")
            }
            PostEventMut::Ticket(_) => PostSaid::abort_run("no tickets"),
            _ => PostSaid::Continue,
        }
    }

    #[tokio::test]
    async fn payloads_that_borrow_can_be_blocked_and_answered() {
        let hooks = hooks![post];
        let result = hooks.intercept_now(&7, &mut Parcel { to: "me" });
        assert_eq!(result, HookResult::Respond("kept 7".into()));
        let to = String::new();
        let result = hooks.intercept_now(&7, &mut Parcel { to: &to });
        assert_eq!(result.as_cancel().unwrap().reason, "to nobody");
        assert!(
            hooks
                .intercept_now(&7, &mut Parcel { to: "you" })
                .is_continue()
        );
        let mut letter = Letter { text: "Hi".into() };
        assert!(hooks.intercept_now(&7, &mut letter).is_continue());
        assert_eq!(letter.text, "Hi.");
        hooks.observe_now(&7, &Sent("x"));
    }

    /// The same, in a box.
    struct Clerk(Notes);
    #[async_trait]
    impl PostHandler for Clerk {
        async fn handle(&self, cx: &u8, event: PostEventMut<'_>) -> PostSaid {
            self.0.add(format!("{event:?} {}", event.can_block()));
            post::call(cx, event)
        }
    }

    #[tokio::test]
    async fn a_hook_in_a_box_gets_payloads_that_borrow_if_they_are_clone() {
        let notes = Notes::default();
        let clerk: Box<dyn PostHandler> = Box::new(Clerk(notes.clone()));
        let registry = HookRegistry::<PostEvent>::new().with(clerk);
        let to = String::from("me");
        let mut letter = Letter { text: "Hi".into() };
        assert!(registry.intercept(&9, &mut letter).await.is_continue());
        assert_eq!(letter.text, "Hi.");
        registry.observe(&9, &Sent("x")).await;
        let result = registry.intercept(&9, &mut Ticket { from: &to }).await;
        assert_eq!(result.as_cancel().unwrap().scope, Scope::Run);
        assert_eq!(notes.take(), ["Letter false", "Sent false", "Ticket true"]);
        // It fails closed where it cannot be asked.
        let result = registry.intercept(&9, &mut Parcel { to: &to }).await;
        assert_eq!(
            result.as_cancel().unwrap().reason,
            "the event is not `Clone`, so hooks behind a box cannot be asked about it"
        );
    }
}

mod a_hook_in_a_box {
    use super::*;

    struct Counts(AtomicUsize);
    #[async_trait]
    impl AgentHandler for Counts {
        async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            assert_eq!(event.name(), event.view().name());
            self.0.fetch_add(1, Ordering::Relaxed);
            AgentSaid::Continue
        }
    }

    #[tokio::test]
    async fn is_asked_about_every_event_by_one_method() {
        let counts = std::sync::Arc::new(Counts(AtomicUsize::new(0)));
        let shared: std::sync::Arc<dyn AgentHandler> = counts.clone();
        let hooks = Registry::new().with(shared);
        let cx = cx();
        let (args, output) = (json!({}), ToolOutput::default());
        let (response, messages) = (LlmResponse::default(), []);
        macro_rules! intercept {
            ($($event:expr),* $(,)?) => { $(assert!(hooks.intercept(&cx, &mut $event).await.is_continue());)* };
        }
        macro_rules! observe {
            ($($event:expr),* $(,)?) => { $(hooks.observe(&cx, &$event).await;)* };
        }
        intercept![
            SessionStart::new("s1", "cli"),
            MessageReceived::default(),
            BeforeModelResolve::default(),
            BeforePromptBuild::default(),
            BeforeLlmCall::default(),
            LlmFailed::new("p", "m", "busy", 1),
            AfterLlmCall::new("m", response.clone(), 1),
            InvalidToolCall::default(),
            BeforeToolCall::default(),
            approve(&args),
            AfterToolCall::default(),
            SubagentStart::new("1", "a", "p"),
            BeforeStop::default(),
            MessageSending::default(),
            BeforeCompact::default(),
        ];
        assert_eq!(counts.0.load(Ordering::Relaxed), 15);
        let sending = MessageSending::default();
        observe![
            GatewayStop,
            HeartbeatTick,
            AgentStart { prompt: "p" },
            LlmInput {
                provider: "p",
                model: "m",
                messages: &messages
            },
            LlmDelta::default(),
            ToolCallStart {
                id: "1",
                name: "x",
                args: &args,
                annotations: ToolAnnotations::default(),
            },
            ToolCallEnd {
                id: "1",
                name: "x",
                args: &args,
                annotations: ToolAnnotations::default(),
                output: &output,
                duration: Duration::ZERO,
                outcome: ToolOutcome::Ran,
            },
            ToolCallSkipped {
                id: "1",
                name: "x",
                args: &args,
                annotations: ToolAnnotations::default(),
                by: "h",
                reason: "r"
            },
            MessageSent::from(&sending),
            MessageFailed::of(&sending, "e"),
        ];
        assert_eq!(counts.0.load(Ordering::Relaxed), 25);
    }

    /// Counts the allocations of a dispatch that does not wait.
    fn allocations<F: Future>(dispatch: impl FnOnce() -> F) -> u64 {
        let count = measure(|| {
            let mut task = Context::from_waker(Waker::noop());
            assert!(matches!(pin!(dispatch()).poll(&mut task), Poll::Ready(_)));
        });
        count.count_total
    }

    struct Wants(&'static [&'static str]);
    #[async_trait]
    impl AgentHandler for Wants {
        fn wants(&self, event: &EventInfo, _: Option<&str>) -> bool {
            self.0.contains(&event.name)
        }
        async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            assert!(self.0.contains(&event.name()));
            AgentSaid::Continue
        }
    }

    #[test]
    fn that_wants_nothing_allocates_nothing() {
        if cfg!(feature = "tracing") {
            // It puts a span around each hook's future, in a box.
            return;
        }
        let wants = |events| -> Box<dyn AgentHandler> { Box::new(Wants(events)) };
        let registry = Registry::new();
        for name in ["a", "b", "c"] {
            registry.register(wants(&[]).named(name)).unwrap();
        }
        let (cx, mut call) = (cx(), call("x"));
        assert_eq!(allocations(|| registry.intercept(&cx, &mut call)), 0);
        assert_eq!(allocations(|| registry.observe(&cx, &HeartbeatTick)), 0);
        registry.register(wants(&["BeforeToolCall"])).unwrap();
        assert_eq!(allocations(|| registry.observe(&cx, &HeartbeatTick)), 0);
        assert_ne!(
            allocations(|| registry.intercept(&cx, &mut call)),
            0,
            "the control"
        );
    }
}

mod the_view {
    use super::*;

    #[test]
    fn knows_its_event_and_what_may_be_done_to_it() {
        let mut call = call("x");
        let mut event = AgentEventMut::BeforeToolCall(&mut call);
        assert_eq!((event.name(), event.can_block()), ("BeforeToolCall", true));
        assert!(matches!(event.view(), AgentEvent::BeforeToolCall(call) if call.name == "x"));
        if let AgentEventMut::BeforeToolCall(call) = event.reborrow() {
            call.name.push('y');
        }
        assert!(matches!(event.view(), AgentEvent::BeforeToolCall(call) if call.name == "xy"));
        assert_eq!(format!("{event:?}"), "BeforeToolCall");
        let mut done = AfterToolCall::default();
        assert!(!AgentEventMut::AfterToolCall(&mut done).can_block());
        assert!(!AgentEventMut::HeartbeatTick(&HeartbeatTick).can_block());
    }

    #[test]
    fn what_is_said_knows_on_which_event_it_is_an_action() {
        let said = AgentSaid::from(HookAction::<BeforeToolCall>::respond(ToolOutput::new("x")));
        assert_eq!(
            (said.event(), said.is_continue()),
            (Some("BeforeToolCall"), false)
        );
        let said = AgentSaid::from(HookAction::<BeforeToolCall>::Continue);
        assert!(said.is_continue() && said.event().is_none());
        let said = AgentSaid::from(HookAction::<BeforeToolCall>::block("no"));
        assert_eq!(said.event(), None);
        assert_eq!(format!("{said:?}"), "Cancel(Event, \"no\")");
    }
}
