use hooks_core::agent::{BeforeToolCall, ToolOutput};
use hooks_core::{Next, hook};

#[hook(around)]
async fn rename(call: &mut BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    call.name.clear();
    next.run().await
}

fn main() {}
