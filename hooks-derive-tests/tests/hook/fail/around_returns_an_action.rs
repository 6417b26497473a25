use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, Next, hook};

#[hook(around)]
async fn retry(
    _: &BeforeToolCall,
    mut next: Next<'_, BeforeToolCall>,
) -> HookAction<BeforeToolCall> {
    HookAction::respond(next.run().await)
}

fn main() {}
