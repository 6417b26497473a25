use hooks_core::agent::{BeforeLlmCall, BeforeToolCall, ToolOutput};
use hooks_core::{Next, hook};

#[hook(around)]
async fn retry(_: &BeforeToolCall, mut next: Next<'_, BeforeLlmCall>) -> ToolOutput {
    next.run().await;
    ToolOutput::new("")
}

fn main() {}
