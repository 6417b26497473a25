use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hooks_core::agent::{
    AgentContext, AgentHooks, BeforeToolCall, ToolAnnotations, ToolCallEnd, ToolOutcome, ToolOutput,
};
use hooks_core::{hook, hooks};

#[derive(Default)]
struct Count {
    calls: AtomicU32,
}

#[hook]
impl Count {
    async fn call(&self, _: &BeforeToolCall) {
        tokio::task::yield_now().await;
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    async fn end(&self, _: &ToolCallEnd<'_>) {
        self.calls.fetch_add(10, Ordering::Relaxed);
    }
}

#[hook(priority = 10)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

struct Agent<H> {
    hooks: H,
    cx: AgentContext,
}

impl<H: AgentHooks> Agent<H> {
    async fn call(&self, name: &str) -> String {
        let mut call = BeforeToolCall {
            name: name.into(),
            ..Default::default()
        };
        assert!(
            self.hooks
                .intercept(&self.cx, &mut call)
                .await
                .is_continue()
        );
        let output = ToolOutput::new("done");
        let end = ToolCallEnd {
            id: &call.id,
            name: &call.name,
            args: &call.args,
            annotations: ToolAnnotations::default(),
            output: &output,
            duration: Default::default(),
            outcome: ToolOutcome::Ran,
        };
        self.hooks.observe(&self.cx, &end).await;
        call.name
    }
}

fn hooks(count: Arc<Count>) -> impl AgentHooks + Clone + 'static {
    hooks![count, lower]
}

#[tokio::main]
async fn main() {
    let count = Arc::new(Count::default());
    let cx = AgentContext::new("s1");
    // Behind `impl AgentHooks`.
    let agent = Agent {
        hooks: hooks(count.clone()),
        cx: cx.clone(),
    };
    assert_eq!(
        tokio::spawn(async move { agent.call("LIST").await })
            .await
            .unwrap(),
        "list"
    );
    // In an `Arc`.
    let shared = Arc::new(hooks![count.clone(), lower]);
    let agent = Arc::new(Agent {
        hooks: shared.clone(),
        cx,
    });
    let tasks = ["List", "Read", "Shell"].map(|name| {
        let agent = agent.clone();
        tokio::spawn(async move { agent.call(name).await })
    });
    for (task, name) in tasks.into_iter().zip(["list", "read", "shell"]) {
        assert_eq!(task.await.unwrap(), name);
    }
    assert_eq!(count.calls.load(Ordering::Relaxed), 44);
    assert_eq!(shared.plan().count(), 3);
    // The context, too.
    let (cx, mut call) = (Arc::new(AgentContext::new("s1")), BeforeToolCall::default());
    assert!(shared.intercept(&cx, &mut call).await.is_continue());
    assert!(hooks![lower].intercept_now(&cx, &mut call).is_continue());
}
