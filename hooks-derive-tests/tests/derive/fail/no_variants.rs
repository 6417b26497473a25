use hooks_core::HookEvent;

#[derive(HookEvent)]
pub enum ShopEvent {}

fn main() {}
