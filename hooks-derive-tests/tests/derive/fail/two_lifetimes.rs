use hooks_core::HookEvent;

pub struct Cart;

pub struct Parcel;

#[derive(HookEvent)]
pub enum ShopEvent<'a, 'b> {
    #[intercept]
    Checkout(&'a Cart),
    #[observe]
    Shipped(&'b Parcel),
}

fn main() {}
