use hooks_core::agent::{ToolCallEnd, ToolOutput};
use hooks_core::{Next, hook};

#[hook(around)]
async fn retry(_: &ToolCallEnd<'_>, mut next: Next<'_, ToolCallEnd<'_>>) -> ToolOutput {
    next.run().await
}

fn main() {}
