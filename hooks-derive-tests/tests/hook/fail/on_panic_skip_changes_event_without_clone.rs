use hooks_core::{HookEvent, hook};

pub struct Cart {
    pub total: u32,
}

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

#[hook(on_panic = skip)]
fn happy_hour(cart: &mut Cart) {
    cart.total /= 2;
}

fn main() {}
