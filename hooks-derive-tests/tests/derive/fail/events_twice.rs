use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
#[events(context = u32)]
#[events(context = u64)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

fn main() {}
