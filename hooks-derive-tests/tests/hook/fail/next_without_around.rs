use hooks_core::agent::{BeforeToolCall, ToolOutput};
use hooks_core::{Next, hook};

#[hook]
async fn retry(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await
}

fn main() {}
