use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

fn level() -> i32 {
    10
}

#[hook(priority = level())]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {}
