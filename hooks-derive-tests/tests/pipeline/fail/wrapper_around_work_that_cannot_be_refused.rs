use hooks_core::{Hook, HookEvent, Next, OnPanic, hook, wrap_around};

pub struct Order;

#[derive(HookEvent)]
pub enum PrintEvent<'a> {
    #[intercept(around = u32)]
    BeforePrint(&'a Order),
}

#[hook(around)]
async fn again(_: &Order, mut next: Next<'_, Order>) -> u32 {
    next.run().await + next.run().await
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let hooks = again.on_panic(OnPanic::Skip);
    wrap_around(&hooks, &(), &Order, async || 1).await;
}
