//! Hooks on every event that may change it and decide, handlers on every event, and what can be built of both.

mod common;

use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use allocation_counter::measure;
use common::{Mark, Notes, call, cx};
use hooks_core::agent::*;
use hooks_core::{
    Decision, HookAction, HookEvent, HookRegistry, HookResult, OnPanic, Scope, async_trait, hook,
    hooks,
};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

type Registry = HookRegistry<AgentEvent<'static>>;

fn approve(args: &serde_json::Value) -> ApproveToolCall<'_> {
    ApproveToolCall {
        id: "1",
        name: "shell",
        args,
        approval: &Approval::Usual,
    }
}

mod wrappers_of_ones_own {
    use super::*;

    /// Lets hooks change the arguments of a tool call, and nothing else of it.
    struct ArgsOnly<H>(H);

    #[hook(every)]
    impl<H: AgentHooks> ArgsOnly<H> {
        async fn ask(&self, cx: &AgentContext, mut event: AgentEventMut<'_>) -> AgentSaid {
            let before = match &event {
                AgentEventMut::BeforeToolCall(call) => BeforeToolCall::clone(call),
                _ => return event.dispatch(&self.0, cx).await,
            };
            let said = event.reborrow().dispatch(&self.0, cx).await;
            if let AgentEventMut::BeforeToolCall(call) = event {
                let args = std::mem::take(&mut call.args);
                *call = BeforeToolCall { args, ..before };
            }
            said
        }
    }

    #[tokio::test]
    async fn a_field_allow_list() {
        #[hook]
        fn meddles(call: &mut BeforeToolCall) {
            call.name = "rm".into();
            call.args = json!({ "path": "/tmp" });
        }
        #[hook]
        fn signs(message: &mut MessageSending) {
            message.content.push('!');
        }
        let hooks = hooks![ArgsOnly(hooks![meddles, signs])];
        let mut call = call("ls");
        assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
        assert_eq!((&*call.name, call.args), ("ls", json!({ "path": "/tmp" })));
        let mut message = MessageSending::new("irc", "you", "Hello");
        assert!(hooks.intercept(&cx(), &mut message).await.is_continue());
        assert_eq!(message.content, "Hello!");
    }

    /// Gives hooks so much time for all events together. When it is used up, what can be blocked is blocked.
    struct ChainBudget<H> {
        hooks: H,
        left: Mutex<Duration>,
    }

    #[hook(every)]
    impl<H: AgentHooks> ChainBudget<H> {
        async fn ask(&self, cx: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            let (start, left) = (Instant::now(), *self.left.lock().unwrap());
            let said = timeout(left, event.dispatch(&self.hooks, cx)).await;
            *self.left.lock().unwrap() = left.saturating_sub(start.elapsed());
            said.unwrap_or_else(|_| AgentSaid::block("the hooks have used up their time"))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_chain_budget() {
        #[hook]
        async fn slow(_: &BeforeToolCall) {
            sleep(Duration::from_secs(4)).await;
        }
        #[hook]
        async fn slow_too(_: &HeartbeatTick) {
            sleep(Duration::from_secs(4)).await;
        }
        let left = Mutex::new(Duration::from_secs(10));
        let hooks = hooks![ChainBudget {
            hooks: hooks![slow, slow_too],
            left
        }];
        assert!(hooks.intercept(&cx(), &mut call("x")).await.is_continue());
        hooks.observe(&cx(), &HeartbeatTick).await;
        let result = hooks.intercept(&cx(), &mut call("x")).await;
        let cancel = result.as_cancel().unwrap();
        assert_eq!(cancel.hook, "ChainBudget");
        assert_eq!(cancel.reason, "the hooks have used up their time");
    }

    /// Leaves a hook out that was too slow three times in a row.
    struct CircuitBreaker<H> {
        hook: H,
        failures: AtomicU32,
    }

    #[hook(every)]
    impl<H: AgentHooks> CircuitBreaker<H> {
        async fn ask(&self, cx: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            if self.failures.load(Ordering::Relaxed) >= 3 {
                return AgentSaid::Continue;
            }
            if let Ok(said) = timeout(Duration::from_secs(1), event.dispatch(&self.hook, cx)).await
            {
                self.failures.store(0, Ordering::Relaxed);
                return said;
            }
            self.failures.fetch_add(1, Ordering::Relaxed);
            AgentSaid::block("the hook is too slow")
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
        let breaker = CircuitBreaker {
            hook: slow_on_x,
            failures: AtomicU32::new(0),
        };
        let hooks = hooks![breaker];
        let ask = async |name: &str| {
            let result = hooks.intercept(&cx(), &mut call(name)).await;
            result.as_cancel().map(|cancel| cancel.reason.to_string())
        };
        let slow = Some("the hook is too slow".to_owned());
        for _ in 0..2 {
            assert_eq!(ask("x").await, slow);
        }
        assert_eq!(ask("no").await.as_deref(), Some("no"), "it counts in a row");
        for _ in 0..3 {
            assert_eq!(ask("x").await, slow);
        }
        assert_eq!(ask("x").await, None);
        assert_eq!(ask("no").await, None, "it is left out");
    }

    #[tokio::test]
    async fn they_nest_around_any_hooks_and_can_be_spawned() {
        async fn agent<H: AgentHooks + 'static>(hooks: H) -> HookResult<BeforeToolCall> {
            let breaker = CircuitBreaker {
                hook: ArgsOnly(hooks),
                failures: AtomicU32::new(0),
            };
            let run = async move { breaker.intercept(&cx(), &mut call("p")).await };
            tokio::spawn(run).await.unwrap()
        }
        let registry = Registry::new().with(common::plugin("p", 0));
        for result in [
            agent(registry.clone()).await,
            agent(hooks![Mark("a"), ..registry.clone()]).await,
            agent(Mark("a").then(registry)).await,
        ] {
            assert_eq!(
                result.as_cancel().unwrap().hook,
                "p",
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
    struct SaysAsHandler;
    #[async_trait]
    impl AgentHandler for SaysAsHandler {
        fn name(&self) -> &str {
            "says"
        }
        async fn handle_any(&self, cx: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            assert_eq!(cx.session_id, "s1");
            tokio::task::yield_now().await;
            say(event)
        }
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
        assert_eq!(now, with!(Registry::new().with(SaysAsHandler)));
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
            "it was asked about `BeforeToolCall` and answered with an action on `BeforeLlmCall`"
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
        let registry = Registry::new().with(SaysAsHandler);
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
            [blocked("it panicked: oh no"), went_on()]
        );
        let run = tokio::spawn(async { asked(&hooks![propagates]).await });
        assert!(run.await.unwrap_err().is_panic());
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_blocks_what_can_be_blocked_unless_it_is_skipped() {
        let reason = "it took longer than its timeout of 1s";
        assert_eq!(asked(&hooks![late]).await, [blocked(reason), went_on()]);
        assert_eq!(
            asked(&hooks![late_and_skipped]).await,
            [went_on(), went_on()]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_same_by_a_wrapper() {
        let second = Duration::from_secs(1);
        let reason = "it took longer than its timeout of 60s";
        let minute = propagates.on_panic(OnPanic::Block).timeout(second);
        assert_eq!(
            asked(&minute).await,
            [blocked("it panicked: oh no"), went_on()]
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

    /// Hands every event on.
    struct Around<H>(H, Notes);
    #[hook(every)]
    impl<H: PostHooks> Around<H> {
        async fn ask(&self, cx: &u8, mut event: PostEventMut<'_>) -> PostSaid {
            self.1.add(format!("{event:?} {}", event.can_block()));
            let first = event.reborrow().dispatch(&hooks![], cx).await;
            assert!(first.is_continue() && first.event().is_none());
            event.dispatch(&self.0, cx).await
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

    #[tokio::test]
    async fn dispatch_asks_the_hooks_and_says_what_they_decided() {
        let notes = Notes::default();
        let around = Around(post, notes.clone());
        let mut letter = Letter { text: "Hi".into() };
        assert!(around.intercept(&7, &mut letter).await.is_continue());
        assert_eq!(letter.text, "Hi.");
        around.observe(&7, &Sent("x")).await;
        let result = around.intercept(&7, &mut Ticket { from: "A" }).await;
        let cancel = result.as_cancel().unwrap();
        assert_eq!((&*cancel.hook, cancel.scope), ("post", Scope::Run));
        assert_eq!(notes.take(), ["Letter false", "Sent false", "Ticket true"]);
        // A payload that borrows and is not `Clone` cannot be lent to other hooks that want it.
        let result = around.intercept(&7, &mut Parcel { to: "you" }).await;
        let cancel = result.as_cancel().unwrap();
        assert_eq!(cancel.hook, "Around");
        assert_eq!(
            cancel.reason,
            "the hooks cannot be asked about `Parcel`, which is not `Clone`"
        );
    }

    /// Falls back for some of the events.
    struct Clerk(Notes);
    #[async_trait]
    impl PostHandler for Clerk {
        async fn handle_any(&self, cx: &u8, event: PostEventMut<'_>) -> PostSaid {
            self.0.add(event.view().name());
            post::call(cx, event)
        }
        async fn ticket<'t>(&self, _: &u8, _: &mut Ticket<'t>) -> HookAction<Ticket<'t>> {
            self.0.add("own ticket");
            HookAction::Continue
        }
    }

    #[tokio::test]
    async fn each_method_of_a_handler_falls_back_unless_it_is_overridden() {
        let notes = Notes::default();
        let registry = HookRegistry::<PostEvent>::new().with(Clerk(notes.clone()));
        let result = registry.intercept(&9, &mut Parcel { to: "me" }).await;
        assert_eq!(result, HookResult::Respond("kept 9".into()));
        assert!(
            registry
                .intercept(&9, &mut Letter { text: "Hi".into() })
                .await
                .is_continue()
        );
        registry.observe(&9, &Sent("x")).await;
        assert!(
            registry
                .intercept(&9, &mut Ticket { from: "A" })
                .await
                .is_continue()
        );
        assert_eq!(notes.take(), ["Parcel", "Letter", "Sent", "own ticket"]);
    }
}

mod a_handler {
    use super::*;

    struct Counts(AtomicUsize);
    #[async_trait]
    impl AgentHandler for Counts {
        async fn handle_any(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            assert_eq!(event.name(), event.view().name());
            self.0.fetch_add(1, Ordering::Relaxed);
            AgentSaid::Continue
        }
    }

    #[tokio::test]
    async fn is_asked_about_every_event_by_one_method() {
        let counts = std::sync::Arc::new(Counts(AtomicUsize::new(0)));
        let hooks = Registry::new().with(counts.clone());
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
                args: &args
            },
            ToolCallEnd {
                id: "1",
                name: "x",
                args: &args,
                output: &output,
                duration: Duration::ZERO,
                outcome: ToolOutcome::Ran,
            },
            ToolCallSkipped {
                id: "1",
                name: "x",
                args: &args,
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

    struct Silent;
    #[async_trait]
    impl AgentHandler for Silent {}

    struct Busy;
    #[async_trait]
    impl AgentHandler for Busy {
        async fn handle_any(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
            let _ = event.name();
            AgentSaid::Continue
        }
    }

    #[test]
    fn that_overrides_nothing_allocates_nothing() {
        if cfg!(feature = "tracing") {
            // It puts a span around each handler's future, in a box.
            return;
        }
        let mut registry = Registry::new().on_panic(OnPanic::Propagate);
        for _ in 0..4 {
            registry.register(Silent).unwrap();
        }
        let (cx, mut call) = (cx(), call("x"));
        assert_eq!(allocations(|| registry.intercept(&cx, &mut call)), 0);
        assert_eq!(allocations(|| registry.observe(&cx, &HeartbeatTick)), 0);
        registry.register(Busy).unwrap();
        assert_ne!(
            allocations(|| registry.intercept(&cx, &mut call)),
            0,
            "the control"
        );
    }

    #[tokio::test]
    async fn that_is_told_of_a_decision_is_not_asked() {
        struct Told(Notes);
        #[async_trait]
        impl AgentHandler for Told {
            async fn handle_any(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
                unreachable!()
            }
            fn decided(&self, _: &AgentContext, event: AgentEvent<'_>, decision: Decision<'_>) {
                self.0
                    .add(format!("{}: {}", event.name(), common::word(decision)));
            }
        }
        let notes = Notes::default();
        let registry = Registry::new()
            .with(common::plugin("p", 1))
            .with(Told(notes.clone()));
        assert!(
            !registry
                .intercept(&cx(), &mut call("p"))
                .await
                .is_continue()
        );
        assert_eq!(notes.take(), ["BeforeToolCall: stopped by p"]);
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
