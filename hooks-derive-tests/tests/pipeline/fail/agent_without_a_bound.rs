use hooks_core::agent::{AgentContext, BeforeToolCall};

struct Agent<H> {
    hooks: H,
    cx: AgentContext,
}

impl<H> Agent<H> {
    async fn call(&self, call: &mut BeforeToolCall) {
        let _ = self.hooks.intercept(&self.cx, call).await;
    }
}

fn main() {}
