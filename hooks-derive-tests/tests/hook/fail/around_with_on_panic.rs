use hooks_core::agent::{BeforeToolCall, ToolOutput};
use hooks_core::{Next, hook};

#[hook(around, on_panic = skip)]
async fn limit(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    next.run().await
}

fn main() {}
