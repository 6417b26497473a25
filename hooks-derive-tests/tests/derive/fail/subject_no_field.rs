use hooks_core::HookEvent;

pub struct Cart {
    pub name: String,
}

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept(subject = title)]
    Checkout(&'a Cart),
}

fn main() {}
