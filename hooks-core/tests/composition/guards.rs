//! `#[hook(guard)]`: what was judged is what takes effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::vocabulary::*;
use hooks_core::probe::Probe;
use hooks_core::{EventInfo, Hook, HookAction, OnPanic, async_trait, hook, hooks};

use crate::common::*;

/// A guard that counts how often it judges, and blocks the tool `rm`.
#[derive(Clone, Default)]
struct Judge(Arc<AtomicUsize>);

#[hook(guard, priority = 1, name = "judge")]
impl Judge {
    fn judge(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        self.0.fetch_add(1, Ordering::Relaxed);
        if call.name == "rm" {
            HookAction::block("no")
        } else {
            HookAction::Continue
        }
    }
}

impl Judge {
    fn times(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }
}

/// The same, asynchronously.
#[derive(Clone, Default)]
struct JudgeLater(Judge);

#[hook(guard, priority = 1, name = "judge")]
impl JudgeLater {
    async fn judge(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        tokio::task::yield_now().await;
        self.0.judge(call)
    }
}

/// The same, in a box.
struct BoxedJudge(Judge);

#[async_trait]
impl AgentHandler for BoxedJudge {
    fn name(&self) -> &str {
        "judge"
    }
    fn priority(&self) -> i32 {
        1
    }
    fn is_guard(&self) -> bool {
        true
    }
    fn wants(&self, event: &EventInfo, _: Option<&str>) -> bool {
        event.name == "BeforeToolCall"
    }
    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        match event {
            AgentEventMut::BeforeToolCall(call) => self.0.judge(call).into(),
            _ => AgentSaid::Continue,
        }
    }
}

#[hook]
fn renames(call: &mut BeforeToolCall) {
    call.name = "rm".into();
}

#[hook]
async fn renames_later(call: &mut BeforeToolCall) {
    tokio::task::yield_now().await;
    call.name = "rm".into();
}

#[hook]
fn modifies(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::modify(ToolCallPatch {
        name: Some("rm".into()),
        args: None,
    })
}

struct BoxedRenames;

#[async_trait]
impl AgentHandler for BoxedRenames {
    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        if let AgentEventMut::BeforeToolCall(call) = event {
            call.name = "rm".into();
        }
        AgentSaid::Continue
    }
}

fn boxed(handler: impl AgentHandler + 'static) -> Box<dyn AgentHandler> {
    Box::new(handler)
}

async fn blocks_the_second_time(way: &str, judge: &Judge, hooks: impl AgentHooks) {
    let result = hooks.intercept(&cx(), &mut call("ls")).await;
    assert_eq!(stopped(&result), Some(("judge", "no")), "{way}");
    assert_eq!(judge.times(), 2, "{way}");
}

/// Each row: a way to put the guard `g`, the changer `c` or both into hooks.
macro_rules! in_every_form {
    ($judge:ident: $($hooks:expr),* $(,)?) => {$(
        blocks_the_second_time(stringify!($hooks), &$judge, $hooks).await;
    )*};
}

#[derive(Default)]
struct Quiet;
impl Probe<AgentEvent<'static>> for Quiet {
    type State = ();
    fn begin(&self, _: &AgentContext, _: AgentEvent<'_>) {}
}

#[tokio::test]
async fn a_changed_event_is_judged_again_wherever_the_guard_and_the_changer_stand() {
    let second = Duration::from_secs(1);
    let (judge, skip) = (Judge::default(), OnPanic::Skip);
    let g = || judge.clone();
    let later = || JudgeLater(judge.clone());
    let in_box = || boxed(BoxedJudge(judge.clone()));
    let guards = || Registry::new().with(g());
    let changers = || Registry::new().with(renames);
    let probe = Quiet;
    in_every_form![judge:
        hooks![g(), renames],
        hooks![g(), modifies],
        hooks![g(), renames_later],
        hooks![later(), renames],
        hooks![later(), renames_later],
        // Nested.
        hooks![hooks![g()] @ 1, renames],
        hooks![g(), hooks![renames]],
        hooks![hooks![g(), renames]],
        hooks![hooks![hooks![g()], Mark("m") @ 2] @ 1, hooks![hooks![modifies]]],
        // After each other.
        g().then(renames),
        g().then(opaque(modifies)),
        opaque(g()).then(opaque(renames_later)),
        opaque(g().then(Mark("m"))).then(renames),
        hooks![g().then(Mark("m")) @ 1, renames],
        hooks![g(), Mark("m").then(renames) @ 0],
        hooks![opaque(g()).then(opaque(renames))],
        // At run time.
        guards().with(renames),
        hooks![guards() @ 1, renames],
        hooks![g(), changers() @ 0],
        hooks![..guards().with(renames_later)],
        hooks![renames, ..guards()],
        hooks![g(), ..changers()],
        hooks![g(), hooks![renames, ..Registry::new()] @ 0],
        guards().then(renames),
        g().then(changers()),
        guards().then(changers()),
        Registry::new().with(hooks![g(), renames]),
        Registry::new().with(hooks![g()] ).with(hooks![Registry::new().with(modifies)].named("c")),
        Registry::new().with(in_box()).with(boxed(BoxedRenames)),
        hooks![boxed(BoxedRenames) @ -1, ..Registry::new().with(in_box())],
        hooks![in_box() @ 1, renames],
        hooks![g(), boxed(BoxedRenames)],
        // In wrappers and holders.
        hooks![g().on_panic(skip), renames.on_panic(skip)],
        hooks![g().timeout(second), renames.timeout(second)],
        hooks![g().when(|_, _| true), renames.when(|_, _| true)],
        hooks![g().read_only(), renames],
        hooks![g().named("judge"), renames.named("c")],
        hooks![Some(g()), Some(renames)],
        hooks![&judge, &renames],
        hooks![Arc::new(g()), Box::new(renames)],
        hooks![g(), renames].on_panic(skip),
        hooks![g(), renames].timeout(second),
        hooks![g(), renames].when(|_, _| true),
        Some(hooks![g(), renames]),
        Arc::new(hooks![g(), modifies]),
        hooks![hooks![g(), Mark("m")].on_panic(skip) @ 1, hooks![renames].on_panic(skip) @ 0],
        opaque(g()).on_panic(skip).then(opaque(renames).timeout(second)),
        // With a probe.
        hooks![g(), renames].with_probe(&probe),
        hooks![g().with_probe(&probe), renames],
        hooks![g(), renames.with_probe(&probe)],
    ];
}

#[test]
fn without_an_executor_it_is_the_same() {
    let judge = Judge::default();
    let asked = |hooks: &dyn Fn(&mut BeforeToolCall) -> bool| {
        let mut call = call("ls");
        assert!(!hooks(&mut call));
        assert_eq!(judge.times(), 2);
    };
    let list = hooks![&judge, renames];
    asked(&|call| list.intercept_now(&cx(), call).is_continue());
    let then = (&judge).then(modifies);
    asked(&|call| then.intercept_now(&cx(), call).is_continue());
    let nested = hooks![hooks![&judge] @ 1, hooks![renames]].on_panic(OnPanic::Skip);
    asked(&|call| nested.intercept_now(&cx(), call).is_continue());
}

#[tokio::test]
async fn it_judges_once_where_no_hook_after_it_may_have_changed_the_event() {
    #[hook(priority = 2)]
    fn before(call: &mut BeforeToolCall) {
        call.id.push('b');
    }
    #[hook]
    fn looks(_: &BeforeToolCall) {}
    #[hook]
    fn decides(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::Continue
    }
    #[hook(only("other"))]
    fn elsewhere(call: &mut BeforeToolCall) {
        call.name.clear();
    }
    let judge = Judge::default();
    let judge = &judge;
    for times in [
        judged(judge, &hooks![judge]).await,
        judged(judge, &hooks![before, judge]).await,
        judged(judge, &hooks![judge, looks]).await,
        judged(judge, &hooks![judge, decides]).await,
        judged(judge, &hooks![judge, elsewhere]).await,
        judged(judge, &hooks![judge, None::<renames>]).await,
        judged(judge, &judge.then(looks)).await,
        judged(judge, &hooks![judge, ..Registry::new().with(looks)]).await,
    ] {
        assert_eq!(times, 1);
    }
    async fn judged(judge: &Judge, hooks: &impl AgentHooks) -> usize {
        let result = hooks.intercept(&cx(), &mut call("ls")).await;
        assert!(result.is_continue());
        judge.times()
    }
}

#[test]
fn it_blocks_in_its_place_and_hooks_after_it_do_not_see_the_event() {
    let judge = Judge::default();
    let mut tool = call("rm");
    let hooks = hooks![Mark("a") @ 2, &judge, Mark("b")];
    let result = hooks.intercept_now(&cx(), &mut tool);
    assert_eq!(stopped(&result), Some(("judge", "no")));
    assert_eq!((&*tool.id, judge.times()), ("a", 1));
}

#[test]
fn hooks_that_are_no_guards_run_once() {
    let notes = Notes::default();
    let hooks = hooks![Judge::default(), Log("log", notes.clone()) @ 2, Mark("m")];
    let mut tool = call("ls");
    assert!(hooks.intercept_now(&cx(), &mut tool).is_continue());
    assert_eq!((&*tool.id, notes.take()), ("m", vec!["log".into()]));
}

#[test]
fn only_and_when_are_asked_afresh() {
    #[hook(guard, only("rm"))]
    fn by_name(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::abort_turn("by name")
    }
    #[hook(guard, when = |call| call.id == "mm")]
    fn by_id(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::abort_run("by id")
    }
    let hooks = hooks![by_name, by_id, renames @ -1];
    let result = hooks.intercept_now(&cx(), &mut call("ls"));
    assert_eq!(stopped(&result), Some(("by_name", "by name")));
    let hooks = hooks![by_name, by_id, Mark("m") @ -1, hooks![Mark("m")] @ -2];
    let result = hooks.intercept_now(&cx(), &mut call("ls"));
    assert_eq!(stopped(&result), Some(("by_id", "by id")));
}

#[test]
fn the_second_verdict_counts() {
    /// Lets pass what has been renamed, whatever it was before.
    #[hook(guard, priority = 1)]
    fn allows(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::Continue
    }
    let hooks = hooks![allows, renames, Judge::default() @ -1];
    let result = hooks.intercept_now(&cx(), &mut call("ls"));
    assert_eq!(stopped(&result), Some(("judge", "no")));
    let result = hooks![Judge::default(), renames, Mark("m") @ -1];
    let mut tool = call("ls");
    assert!(!result.intercept_now(&cx(), &mut tool).is_continue());
    assert_eq!(tool.id, "m", "the hooks before the second round have run");
}

#[test]
fn a_guard_in_a_shadow_blocks_nothing() {
    let judge = Judge::default();
    let hooks = hooks![(&judge).shadow(), renames];
    assert!(hooks.intercept_now(&cx(), &mut call("ls")).is_continue());
}

#[test]
fn the_plan_marks_guards_and_says_which_are_judged_again_and_why() {
    let judge = Judge::default;
    let hooks = hooks![judge(), renames, JudgeLater::default() @ -1];
    let plan = "\
order  hook     priority  event           runs
1      judge           1  BeforeToolCall  sync, guard, judges again after `renames`
2      renames         0  BeforeToolCall  sync
3      judge          -1  BeforeToolCall  async, guard
";
    assert_eq!(hooks.plan().to_string(), plan);
    let source = Registry::new().with(boxed(BoxedRenames).named("boxed"));
    let spread = hooks![judge(), ..source];
    let row = spread.plan().next().unwrap();
    assert!(row.is_guard);
    assert_eq!(row.judges_again_after.as_deref(), Some("boxed"));
}

/// One type changes an event, and judges its final form.
#[tokio::test]
async fn a_guard_beside_a_method_that_changes_the_same_event_judges_the_final_form() {
    #[derive(Clone)]
    struct Policy;
    #[hook(priority = 1)]
    impl Policy {
        fn change(&self, call: &mut BeforeToolCall) {
            call.id.push('c');
        }
        #[hook(guard)]
        fn judge(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
            if call.name == "rm" {
                HookAction::block("no")
            } else {
                HookAction::Continue
            }
        }
    }
    let mut changed = call("ls");
    assert!(
        hooks![Policy]
            .intercept_now(&cx(), &mut changed)
            .is_continue()
    );
    assert_eq!(changed.id, "c");
    async fn blocks(hooks: &impl AgentHooks) {
        let mut call = call("ls");
        let result = hooks.intercept(&cx(), &mut call).await;
        assert_eq!(stopped(&result), Some(("Policy", "no")));
        assert_eq!(call.id, "c", "it changes the event once");
    }
    blocks(&hooks![Policy, renames]).await;
    blocks(&hooks![hooks![Policy] @ 1, renames.on_panic(OnPanic::Skip)]).await;
    blocks(&Policy.then(modifies)).await;
    blocks(&hooks![renames, ..Registry::new().with(Policy)]).await;
    blocks(&Registry::new().with(Policy).with(renames_later)).await;
}
