use hooks_core::agent::{BeforeToolCall, ToolOutput};
use hooks_core::{Next, hook};

#[hook(around)]
fn retry(_: &BeforeToolCall, _: Next<'_, BeforeToolCall>) -> ToolOutput {
    ToolOutput::new("")
}

fn main() {}
