use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
#[events(context = std::cell::Cell<u32>)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

fn main() {}
