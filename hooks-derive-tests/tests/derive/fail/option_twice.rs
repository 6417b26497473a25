use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(respond = String, respond = u32)]
    Checkout(&'a Cart),
}

fn main() {}
