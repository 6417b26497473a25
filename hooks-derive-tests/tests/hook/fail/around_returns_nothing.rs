use hooks_core::agent::BeforeToolCall;
use hooks_core::{Next, hook};

#[hook(around)]
async fn time(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) {
    next.run().await;
}

fn main() {}
