use hooks_core::HookEvent;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[observe]
    Said(&'a String),
}

fn main() {}
