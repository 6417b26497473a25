use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn check(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    let number: u32 = call.name.parse()?;
    println!("{number}");
    HookAction::Continue
}

fn main() {}
