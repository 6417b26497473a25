use hooks_core::HookEvent;

pub struct Cart;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Name(&'a Cart),
}

fn main() {}
