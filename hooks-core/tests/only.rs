//! Handlers that want only some subjects.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hooks_core::agent::{
    AgentContext, AgentEvent, AgentHandler, BeforeToolCall, LlmDelta, ToolCallStart,
};
use hooks_core::{HookAction, HookRegistry, Mounted, OnPanic, Only, async_trait, hook, hooks};
use serde_json::json;

/// Writes its name into the call, and may rename the tool.
struct Choosy {
    name: &'static str,
    priority: i32,
    tools: &'static [&'static str],
    renames: Option<&'static str>,
    log: Arc<Mutex<Vec<&'static str>>>,
    /// How often it was asked which tools it wants.
    asked: Arc<AtomicUsize>,
}

impl Choosy {
    fn new(name: &'static str, tools: &'static [&'static str]) -> Self {
        Choosy {
            name,
            tools,
            priority: 0,
            renames: None,
            log: Arc::default(),
            asked: Arc::default(),
        }
    }
}

impl Only for Choosy {
    fn wants(&self, tool: &str) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed);
        assert_ne!(tool, "a bug");
        self.tools.contains(&tool)
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

    fn only(&self) -> Option<&dyn Only> {
        Some(self)
    }

    async fn before_tool_call(
        &self,
        _: &AgentContext,
        call: &mut BeforeToolCall,
    ) -> HookAction<BeforeToolCall> {
        call.context.push(self.name.into());
        if let Some(name) = self.renames {
            call.name = name.into();
        }
        HookAction::Continue
    }

    async fn tool_call_start(&self, _: &AgentContext, _: &ToolCallStart<'_>) {
        self.log.lock().unwrap().push(self.name);
    }

    async fn llm_delta(&self, _: &AgentContext, _: &LlmDelta<'_>) {
        self.log.lock().unwrap().push(self.name);
    }
}

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

fn call(name: &str) -> BeforeToolCall {
    BeforeToolCall::new("1", name, json!({}))
}

/// The handlers that a call of this tool comes to: in the registry, and spread between static hooks.
async fn asked(registry: &HookRegistry<AgentEvent<'static>>, tool: &str) -> Vec<String> {
    let mut alone = call(tool);
    assert!(registry.intercept(&cx(), &mut alone).await.is_continue());
    let mut spread = call(tool);
    let hooks = hooks![..registry];
    assert!(hooks.intercept(&cx(), &mut spread).await.is_continue());
    assert_eq!(alone, spread);
    alone.context
}

#[tokio::test]
async fn a_handler_is_asked_only_about_the_subjects_that_it_wants() {
    let registry = HookRegistry::<AgentEvent>::new()
        .with(Choosy::new("reads", &["read"]))
        .with(Choosy::new("both", &["read", "write"]));
    assert_eq!(asked(&registry, "read").await, ["reads", "both"]);
    assert_eq!(asked(&registry, "write").await, ["both"]);
    assert!(asked(&registry, "shell").await.is_empty());
}

#[tokio::test]
async fn it_says_once_which_subjects_it_wants() {
    let handler = Choosy::new("reads", &["read"]);
    let count = Arc::clone(&handler.asked);
    let registry = HookRegistry::<AgentEvent>::new().with(handler);
    for _ in 0..10 {
        asked(&registry, "read").await;
        asked(&registry, "write").await;
    }
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_handler_after_one_that_renames_the_tool_sees_the_new_name() {
    let registry = HookRegistry::<AgentEvent>::new()
        .with(Choosy {
            renames: Some("write"),
            priority: 2,
            ..Choosy::new("renames", &["read"])
        })
        .with(Choosy {
            priority: 1,
            ..Choosy::new("reads", &["read"])
        })
        .with(Choosy::new("writes", &["write"]));
    assert_eq!(asked(&registry, "read").await, ["renames", "writes"]);
}

#[hook(priority = 5)]
fn renames_first(call: &mut BeforeToolCall) {
    call.name = "write".into();
}

#[hook(priority = -5)]
async fn renames_last(call: &mut BeforeToolCall) {
    tokio::task::yield_now().await;
    call.name = "read".into();
}

#[tokio::test]
async fn a_handler_sees_how_static_hooks_before_it_rename_the_tool() {
    let registry = HookRegistry::<AgentEvent>::new()
        .with(Choosy {
            priority: 10,
            ..Choosy::new("before", &["read"])
        })
        .with(Choosy::new("reads", &["read"]))
        .with(Choosy::new("writes", &["write"]))
        .with(Choosy {
            priority: -10,
            ..Choosy::new("after", &["read"])
        });
    let mut sent = call("read");
    let hooks = hooks![renames_first, ..&registry];
    assert!(hooks.intercept(&cx(), &mut sent).await.is_continue());
    assert_eq!(sent.context, ["before", "writes"]);
    let mut sent = call("read");
    let hooks = hooks![renames_first, renames_last, ..&registry];
    assert!(hooks.intercept(&cx(), &mut sent).await.is_continue());
    assert_eq!(sent.context, ["before", "writes", "after"]);
}

#[hook(priority = 3)]
fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.name == "shell" {
        return HookAction::block("no shell here");
    }
    HookAction::Continue
}

#[tokio::test]
async fn a_static_hook_blocks_between_handlers_that_do_not_want_the_tool() {
    let registry = HookRegistry::<AgentEvent>::new()
        .with(Choosy {
            priority: 10,
            ..Choosy::new("before", &["read"])
        })
        .with(Choosy::new("after", &["read"]));
    let hooks = hooks![no_shell, ..&registry];
    let result = hooks.intercept(&cx(), &mut call("shell")).await;
    assert_eq!(result.as_cancel().unwrap().hook, "no_shell");
}

#[tokio::test]
async fn what_handlers_have_said_is_forgotten_when_there_are_others() {
    let mounted =
        Mounted::new(HookRegistry::<AgentEvent>::new().with(Choosy::new("one", &["read"])));
    let asked = async |tool| {
        let mut sent = call(tool);
        let hooks = hooks![..mounted.clone()];
        assert!(hooks.intercept(&cx(), &mut sent).await.is_continue());
        sent.context
    };
    assert_eq!(asked("read").await, ["one"]);
    mounted
        .mount(Choosy {
            priority: 1,
            ..Choosy::new("two", &["write"])
        })
        .unwrap();
    assert_eq!(asked("read").await, ["one"]);
    assert_eq!(asked("write").await, ["two"]);
    assert!(
        mounted
            .replace("one", Choosy::new("x", &["write"]))
            .unwrap()
    );
    assert!(asked("read").await.is_empty());
    assert_eq!(asked("write").await, ["two", "x"]);
    assert!(mounted.unmount("two"));
    assert_eq!(asked("write").await, ["x"]);
}

#[tokio::test]
async fn a_registry_that_has_seen_thousands_of_tools_asks_the_same_handlers() {
    let handler = Choosy::new("reads", &["tool 1", "tool 2999"]);
    let count = Arc::clone(&handler.asked);
    let registry = HookRegistry::<AgentEvent>::new().with(handler);
    for round in 0..2 {
        for nth in 0..3000 {
            let expected = usize::from(matches!(nth, 1 | 2999));
            let name = format!("tool {nth}");
            assert_eq!(
                asked(&registry, &name).await.len(),
                expected,
                "{round} {name}"
            );
        }
    }
    let long = "long".repeat(1000);
    assert!(asked(&registry, &long).await.is_empty());
    // Some are remembered, others not.
    let asked = count.load(Ordering::Relaxed);
    assert!((3000..12_000).contains(&asked), "{asked}");
}

#[tokio::test]
async fn observers_are_chosen_too_and_see_events_without_a_subject() {
    let log: Arc<Mutex<Vec<_>>> = Arc::default();
    let of = |name, tools| Choosy {
        log: Arc::clone(&log),
        ..Choosy::new(name, tools)
    };
    let registry = HookRegistry::<AgentEvent>::new()
        .with(of("reads", &["read"]))
        .with(of("writes", &["write"]));
    let hooks = hooks![..&registry];
    let start = ToolCallStart {
        id: "1",
        name: "write",
        args: &json!({}),
    };
    registry.observe(&cx(), &start).await;
    hooks.observe(&cx(), &start).await;
    assert_eq!(*log.lock().unwrap(), ["writes", "writes"]);
    log.lock().unwrap().clear();
    hooks
        .observe(
            &cx(),
            &LlmDelta {
                text: "a",
                ..LlmDelta::default()
            },
        )
        .await;
    assert_eq!(*log.lock().unwrap(), ["reads", "writes"]);
}

#[tokio::test]
async fn a_handler_that_cannot_say_is_asked_about_the_event() {
    let registry = HookRegistry::<AgentEvent>::new()
        .on_panic(OnPanic::Skip)
        .with(Choosy::new("careless", &[]));
    assert_eq!(asked(&registry, "a bug").await, ["careless"]);
    assert!(asked(&registry, "shell").await.is_empty());
}

#[tokio::test]
async fn nothing_is_allocated_where_no_handler_wants_the_tool() {
    let mut registry = HookRegistry::<AgentEvent>::new();
    for priority in 0..100 {
        registry
            .register_at(priority, Choosy::new("reads", &["read"]))
            .unwrap();
    }
    let hooks = hooks![no_shell, ..Mounted::new(registry)];
    let (cx, mut sent) = (cx(), call("write"));
    // The first call asks the handlers.
    assert!(hooks.intercept(&cx, &mut sent).await.is_continue());
    let mut future = std::pin::pin!(hooks.intercept(&cx, &mut sent));
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    let allocated = allocation_counter::measure(|| {
        assert!(future.as_mut().poll(&mut task).is_ready());
    });
    assert_eq!(allocated.count_total, 0);
}
