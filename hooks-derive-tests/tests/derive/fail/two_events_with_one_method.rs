use hooks_core::HookEvent;

pub struct Cart;

pub struct Parcel;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    CheckOut(&'a Cart),
    #[observe]
    Check_Out(&'a Parcel),
}

fn main() {}
