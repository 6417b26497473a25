use hooks_core::agent::AfterToolCall;
use hooks_core::hook;

#[hook(timeout = "2s")]
async fn redact(call: &mut AfterToolCall) {
    call.output.content.clear();
}

fn main() {}
