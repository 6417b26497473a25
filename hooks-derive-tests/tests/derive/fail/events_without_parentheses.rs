use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
#[events = "ShopContext"]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

fn main() {}
