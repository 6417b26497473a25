use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

fn is_deep(depth: &u32, _: &BeforeToolCall) -> bool {
    *depth > 0
}

#[hook(when = is_deep)]
fn look(_: &BeforeToolCall) {}

fn main() {}
