#![deny(unused_must_use)]

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        let cx = AgentContext::new("s1");
        let mut call = BeforeToolCall::default();
        hooks![lower].intercept(&cx, &mut call).await;
    });
}
