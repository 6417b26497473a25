//! Hooks that only exist at run time, alone and in a static pipeline.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hooks_core::agent::{
    AgentContext, AgentEvent, AgentHandler, AgentHooks, Approval, ApproveToolCall, BeforeToolCall,
    HeartbeatTick, ToolCallEnd, ToolOutcome, ToolOutput,
};
use hooks_core::{HookAction, HookRegistry, HookResult, async_trait, hook, hooks};
use serde_json::json;

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

fn call(name: &str) -> BeforeToolCall {
    BeforeToolCall {
        name: name.into(),
        ..BeforeToolCall::default()
    }
}

/// Appends its name to the call's id, and blocks the tool that it is told to.
struct Plugin {
    name: String,
    priority: i32,
    blocks: &'static str,
}

impl Plugin {
    fn new(name: &str, priority: i32) -> Self {
        Plugin {
            name: name.into(),
            priority,
            blocks: "",
        }
    }
}

#[async_trait]
impl AgentHandler for Plugin {
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    async fn before_tool_call(
        &self,
        cx: &AgentContext,
        call: &mut BeforeToolCall,
    ) -> HookAction<BeforeToolCall> {
        tokio::task::yield_now().await;
        assert_eq!(cx.session_id, "s1");
        call.id.push_str(&self.name);
        if call.name == self.blocks {
            return HookAction::block(format!("{} is not for {}", call.name, self.name));
        }
        HookAction::Continue
    }
}

#[tokio::test]
async fn handlers_run_by_priority_and_equal_ones_in_the_order_of_registration() {
    let mut registry = HookRegistry::<AgentEvent>::new();
    assert!(registry.is_empty());
    for (name, priority) in [("d", -5), ("b", 10), ("c", 10), ("a", 11), ("e", -5)] {
        registry.register(Plugin::new(name, priority)).unwrap();
    }
    assert_eq!(registry.len(), 5);
    let mut tool = call("x");
    assert_eq!(
        registry.intercept(&cx(), &mut tool).await,
        HookResult::Continue
    );
    assert_eq!(tool.id, "abcde");
    assert_eq!(format!("{registry:?}"), "[a, b, c, d, e]");
}

#[tokio::test]
async fn the_first_handler_that_blocks_ends_it_and_is_named() {
    let registry = HookRegistry::<AgentEvent>::new()
        .with(Plugin::new("last", -1))
        .with(Box::new(Plugin {
            blocks: "shell",
            ..Plugin::new("strict", 5)
        }));
    let mut tool = call("shell");
    let result = registry.intercept(&cx(), &mut tool).await;
    let cancel = result.as_cancel().unwrap();
    assert_eq!(
        (&*cancel.hook, &*cancel.reason),
        ("strict", "shell is not for strict")
    );
    assert_eq!(tool.id, "strict");
}

#[tokio::test]
async fn a_modification_is_what_later_handlers_see() {
    struct Modifies;
    #[async_trait]
    impl AgentHandler for Modifies {
        fn priority(&self) -> i32 {
            1
        }
        async fn before_tool_call(
            &self,
            _cx: &AgentContext,
            _call: &mut BeforeToolCall,
        ) -> HookAction<BeforeToolCall> {
            HookAction::modify(json!({ "path": "/" }))
        }
    }
    struct Answers;
    #[async_trait]
    impl AgentHandler for Answers {
        async fn before_tool_call(
            &self,
            _cx: &AgentContext,
            call: &mut BeforeToolCall,
        ) -> HookAction<BeforeToolCall> {
            HookAction::respond(ToolOutput::new(call.args["path"].to_string()))
        }
    }
    let registry = HookRegistry::<AgentEvent>::new()
        .with(Answers)
        .with(Modifies);
    let result = registry.intercept(&cx(), &mut call("x")).await;
    assert_eq!(result, HookResult::Respond(ToolOutput::new("\"/\"")));
}

#[tokio::test]
async fn handlers_of_an_observed_event_run_concurrently() {
    struct Waits(Arc<tokio::sync::Barrier>, Arc<AtomicUsize>);
    #[async_trait]
    impl AgentHandler for Waits {
        async fn heartbeat_tick(&self, _cx: &AgentContext, _event: &HeartbeatTick) {
            self.0.wait().await;
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }
    let barrier = Arc::new(tokio::sync::Barrier::new(3));
    let ran = Arc::new(AtomicUsize::new(0));
    let waits = || Waits(barrier.clone(), ran.clone());
    let registry = HookRegistry::<AgentEvent>::new()
        .with(waits())
        .with(Plugin::new("bystander", 0))
        .with(waits())
        .with(waits());
    registry.observe(&cx(), &HeartbeatTick).await;
    assert_eq!(ran.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_handler_is_named_by_its_type_and_does_nothing_by_default() {
    struct Silent;
    #[async_trait]
    impl AgentHandler for Silent {}
    let args = json!({});
    let registry = HookRegistry::<AgentEvent>::new().with(Silent);
    assert!(format!("{registry:?}").ends_with("::Silent]"));
    let mut tool = call("x");
    assert!(registry.intercept(&cx(), &mut tool).await.is_continue());
    let mut approve = ApproveToolCall {
        id: "1",
        name: "x",
        args: &args,
        approval: &Approval::Usual,
    };
    assert!(registry.intercept(&cx(), &mut approve).await.is_continue());
    registry.observe(&cx(), &HeartbeatTick).await;
}

#[tokio::test]
async fn a_registry_stands_in_a_static_pipeline_at_its_place() {
    #[hook(priority = 100)]
    fn first(call: &mut BeforeToolCall) {
        call.id.push('1');
    }
    #[hook(priority = -100)]
    fn last(call: &mut BeforeToolCall) {
        call.id.push('3');
    }
    let plugins = HookRegistry::<AgentEvent>::new().with(Plugin::new("2", 1_000));
    let hooks = hooks![last, plugins @ -10, first];
    let mut tool = call("x");
    assert!(hooks.intercept(&cx(), &mut tool).await.is_continue());
    assert_eq!(tool.id, "123");
}

#[tokio::test]
async fn a_pipeline_is_a_handler_under_its_hooks_name() {
    #[hook(priority = 7)]
    fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if call.name == "shell" {
            return HookAction::block("no shell");
        }
        HookAction::Continue
    }
    #[hook]
    async fn seen(done: &ToolCallEnd<'_>) {
        assert_eq!(done.name, "x");
    }
    let registry = HookRegistry::<AgentEvent>::new()
        .with(Plugin::new("before", 8))
        .with(Plugin::new("after", 6))
        .with(hooks![no_shell])
        .with(hooks![seen, no_shell]);
    assert_eq!(
        format!("{registry:?}"),
        "[before, no_shell, after, Pipeline]"
    );
    let mut tool = call("shell");
    let result = registry.intercept(&cx(), &mut tool).await;
    assert_eq!(result.as_cancel().unwrap().hook, "no_shell");
    assert_eq!(tool.id, "before");

    // Among several hooks, too, the one that decided is named.
    let registry = HookRegistry::<AgentEvent>::new().with(hooks![seen, no_shell]);
    let result = registry.intercept(&cx(), &mut call("shell")).await;
    assert_eq!(result.as_cancel().unwrap().hook, "no_shell");
    let (args, output) = (json!({}), ToolOutput::default());
    let end = ToolCallEnd {
        id: "1",
        name: "x",
        args: &args,
        output: &output,
        duration: std::time::Duration::ZERO,
        outcome: ToolOutcome::Ran,
    };
    registry.observe(&cx(), &end).await;
}

#[tokio::test]
async fn a_shared_handler_can_be_read_while_it_is_registered() {
    #[derive(Default)]
    struct Log(Mutex<Vec<String>>);
    #[async_trait]
    impl AgentHandler for Log {
        async fn tool_call_end(&self, _cx: &AgentContext, done: &ToolCallEnd<'_>) {
            self.0.lock().unwrap().push(done.name.into());
        }
    }
    async fn through_the_bound(hooks: impl AgentHooks) {
        let (args, output) = (json!({}), ToolOutput::default());
        let end = ToolCallEnd {
            id: "1",
            name: "list",
            args: &args,
            output: &output,
            duration: std::time::Duration::ZERO,
            outcome: ToolOutcome::Ran,
        };
        hooks.observe(&AgentContext::new("s1"), &end).await;
    }
    let log = Arc::new(Log::default());
    through_the_bound(HookRegistry::<AgentEvent>::new().with(log.clone())).await;
    assert_eq!(*log.0.lock().unwrap(), ["list"]);
}

#[tokio::test]
async fn a_future_that_makes_a_registry_can_be_spawned() {
    let run = tokio::spawn(async {
        let registry = HookRegistry::<AgentEvent>::new().with(Plugin::new("a", 0));
        registry.observe(&cx(), &HeartbeatTick).await;
        let mut tool = call("x");
        registry.intercept(&cx(), &mut tool).await.is_continue()
    });
    assert!(run.await.unwrap());
}
