use hooks_core::agent::AfterToolCall;
use hooks_core::hook;

#[hook(on_panic = block)]
fn redact(call: &mut AfterToolCall) {
    call.output.content.clear();
}

fn main() {}
