use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
    #[observe]
    Paid(&'a Cart),
}

fn main() {}
