use std::rc::Rc;

use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(respond = Rc<str>)]
    Checkout(&'a Cart),
}

fn main() {}
