// The message is rustc's own. An `impl` of a trait of ours for a type of another crate is refused by the orphan rule
// before any condition of ours is looked at, and the rule takes no words of ours.
use hooks_core::HookEvent;
use hooks_core::agent::BeforeToolCall;

#[derive(HookEvent)]
pub enum ShopEvent<'a> {
    #[intercept]
    Tool(&'a BeforeToolCall),
}

fn main() {}
