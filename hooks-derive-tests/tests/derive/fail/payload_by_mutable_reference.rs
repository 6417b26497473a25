use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a mut Cart),
}

fn main() {}
