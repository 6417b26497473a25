use hooks_core::agent::{BeforeToolCall, ToolOutput};
use hooks_core::hook;

#[hook(around)]
async fn retry(_: &BeforeToolCall) -> ToolOutput {
    ToolOutput::new("")
}

fn main() {}
