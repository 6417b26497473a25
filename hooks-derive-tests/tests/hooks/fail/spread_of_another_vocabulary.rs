use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookEvent, HookRegistry, hook, hooks};

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    Checkout(&'a Cart),
}

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let plugins = HookRegistry::<ShopEvent>::new();
    let _ = hooks![lower, ..plugins];
}
