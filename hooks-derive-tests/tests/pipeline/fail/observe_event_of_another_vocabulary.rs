use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookEvent, hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

pub struct Cart;
pub struct Parcel;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
    #[observe]
    Shipped(&'a Parcel),
}

fn main() {
    let _ = hooks![lower].observe(&(), &Parcel);
}
