use hooks_core::agent::{AgentEvent, BeforeToolCall};
use hooks_core::{HookAction, hook};

#[hook(every)]
fn trace(_: AgentEvent<'_>) -> HookAction<BeforeToolCall> {
    HookAction::Continue
}

fn main() {}
