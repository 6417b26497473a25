//! Hooks that are told what was decided.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use hooks_core::agent::{
    AfterToolCall, AgentContext, AgentEvent, AgentEventMut, AgentHandler, BeforePromptBuild,
    BeforeToolCall, HeartbeatTick, ToolOutput,
};
use hooks_core::{
    Decision, Hook, HookAction, HookRegistry, HookResult, OnPanic, Witness, async_trait, hook,
    hooks, priority,
};

/// Writes down what it is told.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn push(&self, event: AgentEvent<'_>, decision: Decision<'_>) {
        let said = match decision {
            Decision::Continue => "continue".to_owned(),
            Decision::Respond => "respond".to_owned(),
            Decision::Cancel(cancel) => cancel.to_string(),
            other => format!("{other:?}"),
        };
        self.0
            .lock()
            .unwrap()
            .push(format!("{}: {said}", event.name()));
    }

    fn lines(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

#[hook(every, priority = priority::AUDIT)]
impl Log {
    fn write(&self, event: AgentEvent<'_>, decision: Decision<'_>) {
        self.push(event, decision);
    }
}

#[hook]
fn judge(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    match call.name.as_str() {
        "block" => HookAction::block("no"),
        "answer" => HookAction::respond(ToolOutput::new("here")),
        "abort" => HookAction::abort_run("enough"),
        _ => HookAction::Continue,
    }
}

#[hook]
async fn judge_later(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    tokio::task::yield_now().await;
    judge::call(call)
}

fn call(name: &str) -> BeforeToolCall {
    BeforeToolCall {
        name: name.into(),
        ..BeforeToolCall::default()
    }
}

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

#[test]
fn a_log_is_told_of_every_event_once_whatever_was_decided() {
    let log = Log::default();
    let hooks = hooks![&log, judge];
    for name in ["go", "block", "answer", "abort"] {
        let _ = hooks.intercept_now(&cx(), &mut call(name));
    }
    hooks.observe_now(&cx(), &HeartbeatTick);
    assert_eq!(
        log.lines(),
        [
            "BeforeToolCall: continue",
            "BeforeToolCall: hook `judge` blocked the event: no",
            "BeforeToolCall: respond",
            "BeforeToolCall: hook `judge` aborted the run: enough",
            "HeartbeatTick: continue",
        ],
    );
}

#[tokio::test]
async fn it_is_told_by_asynchronous_hooks_as_well() {
    let log = Log::default();
    let hooks = hooks![&log, judge_later];
    assert!(
        !hooks
            .intercept(&cx(), &mut call("block"))
            .await
            .is_continue()
    );
    assert!(hooks.intercept(&cx(), &mut call("go")).await.is_continue());
    assert_eq!(
        log.lines(),
        [
            "BeforeToolCall: hook `judge_later` blocked the event: no",
            "BeforeToolCall: continue",
        ],
    );
}

#[test]
fn what_comes_after_its_place_it_does_not_hear_of() {
    let log = Log::default();
    let hooks = hooks![&log @ priority::FIRST, judge];
    let _ = hooks.intercept_now(&cx(), &mut call("block"));
    assert_eq!(log.lines(), ["BeforeToolCall: continue"]);
}

#[test]
fn it_is_told_wherever_it_is_kept() {
    let [plain, shared, on, nested, far] = [(); 5].map(|()| Log::default());
    #[hook]
    fn other(_: &BeforeToolCall) {}
    let inner = hooks![nested.clone(), other];
    let hooks = hooks![
        judge @ 1,
        other,
        hooks![hooks![other], inner],
        &plain,
        Arc::new(shared.clone()),
        Some(on.clone()),
        None::<Log>,
        hooks![other],
        hooks![],
        hooks![other, far.clone()] @ priority::LAST,
    ];
    let _ = hooks.intercept_now(&cx(), &mut call("block"));
    for log in [plain, shared, on, nested, far] {
        assert_eq!(
            log.lines(),
            ["BeforeToolCall: hook `judge` blocked the event: no"]
        );
    }
}

#[test]
fn the_event_is_seen_as_it_was_left() {
    #[hook(priority = 1)]
    fn rename(call: &mut BeforeToolCall) {
        call.name = "block".into();
    }
    #[derive(Default)]
    struct Names(Mutex<Vec<String>>);
    #[hook(every, priority = priority::AUDIT)]
    impl Names {
        fn see(&self, cx: &AgentContext, event: AgentEvent<'_>, _: Decision<'_>) {
            if let AgentEvent::BeforeToolCall(call) = event {
                self.0
                    .lock()
                    .unwrap()
                    .push(format!("{} {}", cx.session_id, call.name));
            }
        }
    }
    let names = Names::default();
    let _ = hooks![rename, judge, &names].intercept_now(&cx(), &mut call("go"));
    assert_eq!(*names.0.lock().unwrap(), ["s1 block"]);
}

#[test]
fn what_cannot_be_blocked_can_be_aborted_and_it_is_told() {
    #[hook]
    fn stop(_: &AfterToolCall) -> HookAction<AfterToolCall> {
        HookAction::abort_turn("seen enough")
    }
    let log = Log::default();
    let _ = hooks![stop, &log].intercept_now(&cx(), &mut AfterToolCall::default());
    assert_eq!(
        log.lines(),
        ["AfterToolCall: hook `stop` aborted the turn: seen enough"]
    );
}

#[test]
fn its_panic_is_skipped_where_it_says_so() {
    #[hook(every, on_panic = skip, priority = priority::AUDIT)]
    fn broken(_: AgentEvent<'_>, _: Decision<'_>) {
        panic!("the disk is full");
    }
    let log = Log::default();
    let hooks = hooks![judge, broken, &log];
    let result = hooks.intercept_now(&cx(), &mut call("block"));
    assert_eq!(result.as_cancel().unwrap().hook, "judge");
    assert!(hooks.intercept_now(&cx(), &mut call("go")).is_continue());
    assert_eq!(log.lines().len(), 2);
}

/// A handler that only exists at run time.
struct Plugin {
    log: Log,
    blocks: bool,
}

#[async_trait]
impl AgentHandler for Plugin {
    fn name(&self) -> &str {
        "plugin"
    }

    fn decided(&self, _: &AgentContext, event: AgentEvent<'_>, decision: Decision<'_>) {
        self.log.push(event, decision);
    }

    async fn before_tool_call(
        &self,
        _: &AgentContext,
        _: &mut BeforeToolCall,
    ) -> HookAction<BeforeToolCall> {
        if self.blocks {
            return HookAction::block("not here");
        }
        HookAction::Continue
    }
}

#[tokio::test]
async fn handlers_in_a_registry_are_told_too() {
    let [before, after, fixed, last] = [(); 4].map(|()| Log::default());
    let plugin = |log: &Log, blocks| Plugin {
        log: log.clone(),
        blocks,
    };
    let registry = HookRegistry::<AgentEvent>::new()
        .with(plugin(&before, false))
        .with(plugin(&Log::default(), true))
        .with(Box::new(plugin(&after, false)))
        .with(hooks![fixed.clone() @ -1]);
    let hooks = hooks![registry, &last];
    let result = hooks.intercept(&cx(), &mut call("go")).await;
    assert!(matches!(result, HookResult::Cancel(_)));
    let told = ["BeforeToolCall: hook `plugin` blocked the event: not here"];
    assert!(before.lines().is_empty());
    for log in [&after, &fixed, &last] {
        assert_eq!(log.lines(), told);
    }

    // And the whole registry, of what was decided before it.
    let hooks = hooks![judge @ 5, hooks];
    let _ = hooks.intercept(&cx(), &mut call("block")).await;
    for log in [&before, &after, &fixed, &last] {
        assert_eq!(
            log.lines(),
            ["BeforeToolCall: hook `judge` blocked the event: no"]
        );
    }
}

/// The hooks that ran before it, and whether it was used for one dispatch alone.
macro_rules! witnesses {
    ($($Witness:ident)*) => { $(
        #[derive(Default)]
        struct $Witness {
            before: usize,
            after: Vec<String>,
        }

        impl Witness<AgentEvent<'static>> for $Witness {
            fn begin() -> Box<Self> {
                Box::default()
            }

            fn before(&mut self, _: AgentEvent<'_>) {
                self.before += 1;
            }

            fn after(&mut self, hook: &str, event: AgentEvent<'_>) {
                self.after.push(format!("{hook} {}", event.name()));
            }
        }
    )* };
}
witnesses!(One Other);

#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn push(&self, log: &str, seen: Option<(usize, &[String])>) {
        self.0.lock().unwrap().push(match seen {
            None => format!("{log}: nobody saw"),
            Some((before, after)) => format!("{log}: {before} {after:?}"),
        });
    }

    fn lines(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

struct First(Told);

#[hook(every, priority = -1)]
impl First {
    fn write(&self, _: &AgentContext, _: AgentEvent<'_>, _: Decision<'_>, seen: Option<&One>) {
        self.0
            .push("first", seen.map(|one| (one.before, &*one.after)));
    }
}

struct Second(Told);

#[hook(every, priority = -3, on_panic = skip)]
impl Second {
    fn write(&self, _: AgentEvent<'_>, _: Decision<'_>, seen: Option<&Other>) {
        self.0
            .push("second", seen.map(|other| (other.before, &*other.after)));
    }
}

#[hook(priority = -2)]
fn between(_: &mut BeforeToolCall) {}

#[hook(priority = 1)]
fn only_looks(_: &BeforeToolCall) {}

#[hook(every, priority = 1)]
fn only_logs(_: AgentEvent<'_>, _: Decision<'_>) {}

#[hook(every, priority = 1)]
fn only_views(_: AgentEvent<'_>) {}

#[hook(every, priority = -2)]
fn may_do_anything(_: AgentEventMut<'_>) {}

#[test]
fn a_witness_sees_the_hooks_that_can_change_the_event() {
    let told = Told::default();
    let hooks = hooks![
        judge,
        between,
        only_looks,
        only_logs,
        only_views,
        may_do_anything,
        First(told.clone()),
        Second(told.clone())
    ];
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall::default();
    assert!(hooks.intercept_now(&cx, &mut call).is_continue());
    let judged = r#"first: 1 ["judge BeforeToolCall"]"#;
    assert_eq!(
        told.lines(),
        [
            judged,
            r#"second: 3 ["judge BeforeToolCall", "between BeforeToolCall", "may_do_anything BeforeToolCall"]"#
        ]
    );

    call.name = "block".into();
    assert!(!hooks.intercept_now(&cx, &mut call).is_continue());
    assert_eq!(
        told.lines(),
        [judged, r#"second: 1 ["judge BeforeToolCall"]"#]
    );

    // Nothing changes an observed event, and nobody handles this one.
    hooks.observe_now(&cx, &HeartbeatTick);
    assert_eq!(told.lines(), ["first: nobody saw", "second: nobody saw"]);
    assert!(
        hooks
            .intercept_now(&cx, &mut BeforePromptBuild::default())
            .is_continue()
    );
    assert_eq!(
        told.lines(),
        [
            "first: 0 []",
            r#"second: 1 ["may_do_anything BeforePromptBuild"]"#
        ]
    );

    // What runs on a copy is a dispatch of its own.
    let hooks = hooks![judge, First(told.clone()).shadow()];
    let _ = hooks.intercept_now(&cx, &mut BeforeToolCall::default());
    assert_eq!(told.lines(), ["first: 0 []"]);
}

#[tokio::test]
async fn a_dispatch_ends_its_witnesses_even_if_it_is_dropped() {
    static ENDED: AtomicUsize = AtomicUsize::new(0);
    struct Ends;
    impl Witness<AgentEvent<'static>> for Ends {
        fn begin() -> Box<Self> {
            Box::new(Ends)
        }

        fn before(&mut self, _: AgentEvent<'_>) {}

        fn after(&mut self, _: &str, _: AgentEvent<'_>) {}

        fn end(self: Box<Self>) {
            ENDED.fetch_add(1, Ordering::Relaxed);
        }
    }
    #[hook(every, priority = -1)]
    fn log(_: AgentEvent<'_>, _: Decision<'_>, seen: Option<&Ends>) {
        assert!(seen.is_some());
    }
    #[hook]
    async fn hangs(call: &BeforeToolCall) {
        if call.name == "hangs" {
            std::future::pending::<()>().await;
        }
    }
    let hooks = hooks![hangs, log];
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall::default();
    assert!(hooks.intercept(&cx, &mut call).await.is_continue());
    assert_eq!(ENDED.load(Ordering::Relaxed), 1);
    call.name = "hangs".into();
    let mut dispatch = Box::pin(hooks.intercept(&cx, &mut call));
    let mut task = Context::from_waker(Waker::noop());
    assert!(dispatch.as_mut().poll(&mut task).is_pending());
    assert_eq!(ENDED.load(Ordering::Relaxed), 1);
    drop(dispatch);
    assert_eq!(ENDED.load(Ordering::Relaxed), 2);
}

/// A failure in a registry within a registry is the outer one's to judge, and what it undoes is seen.
#[tokio::test]
async fn a_registry_within_a_registry_keeps_its_policies_before_witnesses() {
    #[hook]
    async fn renames(call: &mut BeforeToolCall) {
        call.name = "renamed".into();
    }
    #[hook]
    async fn panics(_: &mut BeforeToolCall) {
        panic!("out of luck");
    }
    let told = Told::default();
    let within = HookRegistry::<AgentEvent>::new()
        .on_panic(OnPanic::Propagate)
        .with(renames)
        .with(panics);
    let outer = HookRegistry::<AgentEvent>::new()
        .on_panic(OnPanic::Block)
        .with(within);
    let hooks = hooks![outer, First(told.clone())];
    let mut call = BeforeToolCall::default();
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    assert_eq!(result.as_cancel().unwrap().hook, "Pipeline");
    assert_eq!(call.name, "");
    assert_eq!(
        told.lines(),
        [r#"first: 2 ["renames BeforeToolCall", "Pipeline BeforeToolCall"]"#]
    );
}
