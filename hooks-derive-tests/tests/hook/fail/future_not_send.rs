use std::rc::Rc;

use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

async fn lookup(name: &str) -> usize {
    name.len()
}

#[hook]
async fn count(call: &BeforeToolCall) {
    let seen = Rc::new(());
    lookup(&call.name).await;
    drop(seen);
}

fn main() {}
