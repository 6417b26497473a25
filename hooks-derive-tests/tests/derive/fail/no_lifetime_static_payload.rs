use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent {
    #[intercept]
    Checkout(&'static Cart),
}

fn main() {}
