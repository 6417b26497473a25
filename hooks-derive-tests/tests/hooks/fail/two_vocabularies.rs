use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookEvent, hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

pub struct Parcel;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    Shipped(&'a Parcel),
}

#[hook]
fn announce(_: &Parcel) {}

fn main() {
    let _ = hooks![lower, announce];
}
