// One message for each trait that both enums implement for the payload. rustc looks for overlaps trait by trait, and
// a trait of ours in the head of an `impl` cannot be made to depend on another one: the orphan rule wants the type
// itself there.
use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

#[derive(HookEvent)]
pub enum StockEvent<'a> {
    #[intercept]
    Returned(&'a Cart),
}

fn main() {}
