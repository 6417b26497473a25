use hooks_core::HookEvent;

pub struct Cart;

pub struct Parcel;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    CheckOut(&'a Cart),
    #[allow(non_camel_case_types)]
    #[observe]
    Check_Out(&'a Parcel),
}

fn main() {}
