use hooks_core::HookEvent;

pub struct Cart;

pub struct Coupon;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart, &'a Coupon),
}

fn main() {}
