use hooks_core::agent::AfterToolCall;
use hooks_core::hook;

#[hook]
fn redact(_: &mut AfterToolCall) -> Result<(), String> {
    Ok(())
}

fn main() {}
