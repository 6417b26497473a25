// `priority::SECURITY` is meant. A name that is not found takes no message of ours. The attribute cannot look for it in
// `priority` either: a glob import beside the expression would hide a constant `SECURITY` of the user's.
use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(priority = SECURITY)]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {}
