use hooks_core::HookEvent;

pub struct Cart;

pub struct Parcel;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(Cart),
    #[observe]
    Shipped(&'a Parcel),
}

fn main() {}
