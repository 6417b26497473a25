#![deny(private_interfaces)]

use hooks_core::HookEvent;

struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

fn main() {}
