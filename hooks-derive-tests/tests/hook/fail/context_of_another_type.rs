use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct ShopContext;

#[hook]
fn look(_: &ShopContext, _: &BeforeToolCall) {}

fn main() {}
