use hooks_core::agent::{BeforeLlmCall, ToolOutput};
use hooks_core::{HookAction, hook};

#[hook]
fn answer(_: &BeforeLlmCall) -> HookAction<BeforeLlmCall> {
    HookAction::respond(ToolOutput::new("Monday"))
}

fn main() {}
