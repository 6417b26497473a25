use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
fn reason(call: &BeforeToolCall) -> &str {
    &call.name
}

fn main() {}
