//! Which events hooks want: `only`, `when`, and `wants` of a hook in a box.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_core::agent::*;
use hooks_core::{EventInfo, Hook, HookAction, async_trait, hook, hooks};
use serde_json::json;

use crate::common::{Notes, Registry, cx, stopped};

/// Writes its name into the call, and may rename the tool.
#[derive(Clone)]
struct Choosy {
    name: &'static str,
    priority: i32,
    tools: &'static [&'static str],
    renames: Option<&'static str>,
    notes: Notes,
    /// How often it was asked whether it wants an event.
    asked: Arc<AtomicUsize>,
}

fn choosy(name: &'static str, tools: &'static [&'static str]) -> Choosy {
    Choosy {
        name,
        tools,
        priority: 0,
        renames: None,
        notes: Notes::default(),
        asked: Arc::default(),
    }
}

impl Choosy {
    fn at(self, priority: i32) -> Self {
        Choosy { priority, ..self }
    }

    fn boxed(self) -> Box<dyn AgentHandler> {
        Box::new(self)
    }
}

#[async_trait]
impl AgentHandler for Choosy {
    fn name(&self) -> &str {
        self.name
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn wants(&self, event: &EventInfo, tool: Option<&str>) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let is_here = ["BeforeToolCall", "ToolCallStart", "LlmDelta"].contains(&event.name);
        is_here && tool.is_none_or(|tool| self.tools.contains(&tool))
    }

    async fn handle(&self, _: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        match event {
            AgentEventMut::BeforeToolCall(call) => {
                call.context.push(self.name.into());
                if let Some(name) = self.renames {
                    call.name = name.into();
                }
            }
            _ => self.notes.add(self.name),
        }
        AgentSaid::Continue
    }
}

fn registry(hooks: impl IntoIterator<Item = Choosy>) -> Registry {
    hooks
        .into_iter()
        .fold(Registry::new(), |all, hook| all.with(hook.boxed()))
}

fn call(name: &str) -> BeforeToolCall {
    BeforeToolCall::new("1", name, json!({}))
}

/// The hooks that a call of this tool comes to.
async fn asked(hooks: &impl AgentHooks, tool: &str) -> Vec<String> {
    let mut call = call(tool);
    assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
    call.context
}

#[tokio::test]
async fn a_hook_is_asked_only_about_the_subjects_that_it_wants() {
    let registry = registry([
        choosy("reads", &["read"]),
        choosy("both", &["read", "write"]),
    ]);
    for (tool, expected) in [
        ("read", &["reads", "both"][..]),
        ("write", &["both"]),
        ("shell", &[]),
    ] {
        assert_eq!(asked(&registry, tool).await, expected);
        assert_eq!(asked(&hooks![..registry.clone()], tool).await, expected);
        assert_eq!(asked(&hooks![registry.clone()], tool).await, expected);
    }
    let both = choosy("both", &["read"]).boxed();
    assert_eq!(asked(&hooks![&both], "read").await, ["both"]);
    assert!(asked(&hooks![both], "write").await.is_empty());
}

#[tokio::test]
async fn it_is_never_asked_about_an_event_that_it_does_not_want() {
    let hook = choosy("reads", &["read"]);
    let count = Arc::clone(&hook.asked);
    let registry = registry([hook]);
    assert!(registry.handles::<BeforeToolCall>() && !registry.handles::<BeforeStop>());
    let before = count.load(Ordering::Relaxed);
    let result = registry.intercept(&cx(), &mut BeforeStop::default()).await;
    assert!(result.is_continue());
    assert_eq!(count.load(Ordering::Relaxed), before);
}

#[tokio::test]
async fn a_hook_sees_how_those_before_it_rename_the_tool() {
    #[hook(priority = 5)]
    fn renames_first(call: &mut BeforeToolCall) {
        call.name = "write".into();
    }
    #[hook(priority = -5)]
    async fn renames_last(call: &mut BeforeToolCall) {
        tokio::task::yield_now().await;
        call.name = "read".into();
    }
    let renames = Choosy {
        renames: Some("write"),
        ..choosy("renames", &["read"]).at(2)
    };
    let alone = registry([
        renames,
        choosy("reads", &["read"]).at(1),
        choosy("writes", &["write"]),
    ]);
    assert_eq!(asked(&alone, "read").await, ["renames", "writes"]);
    let source = registry([
        choosy("before", &["read"]).at(10),
        choosy("reads", &["read"]),
        choosy("writes", &["write"]),
        choosy("after", &["read"]).at(-10),
    ]);
    let hooks = hooks![renames_first, ..&source];
    assert_eq!(asked(&hooks, "read").await, ["before", "writes"]);
    let hooks = hooks![renames_first, renames_last, ..&source];
    assert_eq!(asked(&hooks, "read").await, ["before", "writes", "after"]);
}

#[hook(priority = 3)]
fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.name == "shell" {
        return HookAction::block("no shell here");
    }
    HookAction::Continue
}

#[tokio::test]
async fn a_static_hook_blocks_between_hooks_that_do_not_want_the_tool() {
    let source = registry([
        choosy("before", &["read"]).at(10),
        choosy("after", &["read"]),
    ]);
    let hooks = hooks![no_shell, ..source];
    let result = hooks.intercept(&cx(), &mut call("shell")).await;
    assert_eq!(stopped(&result), Some(("no_shell", "no shell here")));
}

#[tokio::test]
async fn observers_are_chosen_too_and_see_events_without_a_subject() {
    let notes = Notes::default();
    let of = |name, tools| Choosy {
        notes: notes.clone(),
        ..choosy(name, tools)
    };
    let source = registry([of("reads", &["read"]), of("writes", &["write"])]);
    let hooks = hooks![..&source];
    let start = ToolCallStart {
        id: "1",
        name: "write",
        args: &json!({}),
        annotations: ToolAnnotations::default(),
    };
    source.observe(&cx(), &start).await;
    hooks.observe(&cx(), &start).await;
    assert_eq!(notes.take(), ["writes", "writes"]);
    hooks.observe(&cx(), &LlmDelta::default()).await;
    assert_eq!(notes.take(), ["reads", "writes"]);
}

/// A source that wants the event costs a box for the whole dispatch, and none for a hook that does not run. With the feature `tracing`, a span is put around each.
#[cfg(not(feature = "tracing"))]
#[test]
fn nothing_is_allocated_for_hooks_that_do_not_want_the_tool() {
    let source = Registry::new();
    for priority in 0..100 {
        let hook = choosy("reads", &["read"]).boxed();
        source
            .register_at(priority, hook.named(format!("{priority}")))
            .unwrap();
    }
    let hooks = hooks![no_shell, ..source];
    let allocations = |tool: &str| {
        let (cx, mut call) = (cx(), call(tool));
        let mut future = std::pin::pin!(hooks.intercept(&cx, &mut call));
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        let count = allocation_counter::measure(|| {
            assert!(future.as_mut().poll(&mut task).is_ready());
        });
        count.count_total
    };
    // The first call of a tool finds the hooks that it concerns.
    assert!(allocations("write") > 1);
    assert_eq!(allocations("write"), 1);
    assert!(allocations("read") >= 100, "the control");
}

/// It is asked before the event is boxed, and before a copy of it is made for a panic.
#[test]
fn a_handler_may_look_at_the_event_before_it_is_asked() {
    struct Odd;
    #[hooks_core::async_trait]
    impl AgentHandler for Odd {
        fn matches(&self, cx: &AgentContext, event: &AgentEvent<'_>) -> bool {
            let AgentEvent::BeforeToolCall(call) = event else {
                return false;
            };
            cx.session_id == "s1" && call.id == "odd"
        }
        async fn handle(&self, _: &AgentContext, _: AgentEventMut<'_>) -> AgentSaid {
            AgentSaid::block("odd")
        }
    }
    let odd: Box<dyn AgentHandler> = Box::new(Odd);
    let alone = hooks![..Registry::new().with(odd)];
    for (id, blocks) in [("even", false), ("odd", true)] {
        let mut call = call("shell");
        call.id = id.into();
        let (cx, mut task) = (
            cx(),
            std::task::Context::from_waker(std::task::Waker::noop()),
        );
        let mut asked = std::pin::pin!(alone.intercept(&cx, &mut call));
        let std::task::Poll::Ready(result) = asked.as_mut().poll(&mut task) else {
            panic!("nobody waits");
        };
        assert_eq!(result.as_cancel().is_some(), blocks, "{id}");
    }
}
