use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
#[events(contxt = u32)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

fn main() {}
