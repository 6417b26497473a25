use hooks_core::agent::{AgentEvent, BeforeToolCall, ToolOutput};
use hooks_core::{Next, hook};

#[hook(around, every)]
async fn retry(_: AgentEvent<'_>, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await
}

fn main() {}
