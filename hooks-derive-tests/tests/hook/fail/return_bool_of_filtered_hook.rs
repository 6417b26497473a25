use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(only("shell"), on_panic = skip)]
fn allowed(call: &BeforeToolCall) -> bool {
    call.name != "shell"
}

fn main() {}
