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
