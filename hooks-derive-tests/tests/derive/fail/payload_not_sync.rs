use std::cell::Cell;

use hooks_core::HookEvent;

pub struct Cart(Cell<u32>);

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

fn main() {}
