use hooks_core::HookEvent;

pub struct Cart {
    pub total: u32,
}

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(subject = total)]
    Checkout(&'a Cart),
}

fn main() {}
