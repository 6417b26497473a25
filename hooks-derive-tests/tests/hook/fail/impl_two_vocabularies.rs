use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookEvent, hook};

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

struct Audit;

#[hook]
impl Audit {
    fn call(&self, _: &BeforeToolCall) {}

    fn cart(&self, _: &Cart) {}
}

fn main() {}
