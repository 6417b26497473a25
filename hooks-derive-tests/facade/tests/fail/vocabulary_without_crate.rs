use hooks_derive_tests_other::hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    Checkout(&'a Cart),
}

fn main() {}
