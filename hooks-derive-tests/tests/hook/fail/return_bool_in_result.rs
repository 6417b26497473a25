use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook]
fn allowed(_: &BeforeToolCall) -> Result<bool, String> {
    Ok(true)
}

fn main() {}
