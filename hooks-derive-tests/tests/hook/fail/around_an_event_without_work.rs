use hooks_core::agent::MessageSending;
use hooks_core::{Next, hook};

#[hook(around)]
async fn retry(_: &MessageSending, mut next: Next<'_, MessageSending>) {
    next.run().await
}

fn main() {}
