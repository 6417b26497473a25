use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{Hook, HookEvent, hook, hooks};

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

#[hook]
fn announce(_: &Cart) {}

fn main() {
    let both = hooks![lower].then(announce);
    let _ = both.intercept(&AgentContext::new("s1"), &mut BeforeToolCall::default());
}
