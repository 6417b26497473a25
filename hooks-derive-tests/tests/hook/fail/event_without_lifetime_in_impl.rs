use hooks_core::agent::{AgentContext, ApproveToolCall, BeforeToolCall, ToolCallEnd};
use hooks_core::{HookAction, hook};

struct State;

#[hook]
impl State {
    fn before(&self, _: &BeforeToolCall) {}
    async fn end(&self, cx: &AgentContext, done: &ToolCallEnd) {
        println!("{} {}", cx.session_id, done.name);
    }
}

#[hook]
fn deny(_: &ApproveToolCall) -> HookAction<ApproveToolCall> {
    HookAction::Continue
}

fn main() {}
