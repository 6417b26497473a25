use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(reply = String)]
    Checkout(&'a Cart),
}

fn main() {}
