// Lifetimes are compared before types, and what `#[async_trait]` writes has lifetimes of its own. rustc shows the line of
// the derive, which says what is missing.
use hooks_core::HookAction;
use hooks_core::agent::{AgentContext, AgentHandler, BeforeToolCall};

struct Plugin;

impl AgentHandler for Plugin {
    async fn before_tool_call(
        &self,
        _: &AgentContext,
        _: &mut BeforeToolCall,
    ) -> HookAction<BeforeToolCall> {
        HookAction::Continue
    }
}

fn main() {}
