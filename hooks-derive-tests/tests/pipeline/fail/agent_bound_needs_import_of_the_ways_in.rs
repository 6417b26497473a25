use hooks_core::agent::{AgentContext, AgentHooks, BeforeToolCall};

struct Agent<H> {
    hooks: H,
    cx: AgentContext,
}

impl<H: AgentHooks> Agent<H> {
    fn call(&self, call: &mut BeforeToolCall) {
        let _ = self.hooks.intercept_now(&self.cx, call);
    }
}

fn main() {}
