use hooks_core::agent::{AgentContext, AgentHandler, BeforeToolCall};
use hooks_core::{HookAction, async_trait};

struct Plugin;

#[async_trait]
impl AgentHandler for Plugin {
    fn before_tool_call(&self, _: &AgentContext, _: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        HookAction::Continue
    }
}

fn main() {}
