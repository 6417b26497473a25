use hooks_core::agent::{BeforeToolCall, ToolOutput};
use hooks_core::{Next, hook};

#[hook(around, timeout = "2s")]
async fn limit(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await
}

fn main() {}
