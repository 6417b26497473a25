use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(no_block = 3)]
    Checkout(&'a Cart),
}

fn main() {}
