use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
async fn allowed(call: &BeforeToolCall) -> bool {
    call.name != "shell"
}

fn main() {}
