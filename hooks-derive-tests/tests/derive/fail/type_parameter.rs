use hooks_core::HookEvent;

#[derive(HookEvent)]
pub enum ShopEvent<'a, T> {
    #[intercept]
    Checkout(&'a T),
}

fn main() {}
