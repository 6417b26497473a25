use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe(no_block)]
    Checkout(&'a Cart),
}

fn main() {}
