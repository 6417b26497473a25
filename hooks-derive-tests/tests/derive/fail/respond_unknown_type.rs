use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(respond = Receipt)]
    Checkout(&'a Cart),
}

fn main() {}
