use hooks_derive_tests_other::hooks_core::agent::BeforeToolCall;
use hooks_derive_tests_other::hooks_core::hook;

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {}
