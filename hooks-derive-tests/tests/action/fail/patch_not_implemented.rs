use hooks_core::HookEvent;

pub struct Cart;
pub struct Coupon;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(patch = Coupon)]
    Checkout(&'a Cart),
}

fn main() {}
