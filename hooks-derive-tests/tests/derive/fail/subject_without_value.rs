use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe(subject)]
    Checkout(&'a Cart),
}

fn main() {}
