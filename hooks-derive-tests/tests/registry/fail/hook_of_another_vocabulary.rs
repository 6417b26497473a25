use hooks_core::agent::AgentEvent;
use hooks_core::{HookEvent, HookRegistry, hook};

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    Checkout(&'a Cart),
}

#[hook]
fn announce(_: &Cart) {}

fn main() {
    let _ = HookRegistry::<AgentEvent>::new().with(announce);
}
