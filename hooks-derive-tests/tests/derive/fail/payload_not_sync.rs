// One message for each trait that asks for `Event`, all at the payload, all with the same cause. A `where` clause on
// each `impl` would not do: where it does not hold, all that uses the event fails as well.
use std::cell::Cell;

use hooks_core::HookEvent;

pub struct Cart(Cell<u32>);

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Checkout(&'a Cart),
}

fn main() {}
