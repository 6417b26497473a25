use hooks_core::agent::BeforeToolCall;
use hooks_core::{Decision, hook};

#[hook]
fn log(call: &BeforeToolCall, decision: Decision<'_>) {
    println!("{}: {decision:?}", call.name);
}

fn main() {}
