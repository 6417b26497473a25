use hooks_core::HookEvent;
use hooks_core::agent::BeforeToolCall;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Tool(&'a BeforeToolCall),
}

fn main() {}
