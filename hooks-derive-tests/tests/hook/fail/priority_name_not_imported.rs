use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(priority = SECURITY)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {}
