use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

struct Denied;

#[hook]
fn allowed(_: &BeforeToolCall) -> Result<(), Denied> {
    Err(Denied)
}

fn main() {}
