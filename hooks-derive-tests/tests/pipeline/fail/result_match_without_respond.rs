use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{HookResult, hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let cx = AgentContext::new("s1");
    let mut call = BeforeToolCall::default();
    match hooks![lower].intercept_now(&cx, &mut call) {
        HookResult::Continue => println!("go on"),
        HookResult::Cancel(cancel) => println!("{cancel}"),
    }
}
