use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCallEnd};
use hooks_core::hook;

struct State;

#[hook]
impl State {
    fn before(&self, _: &BeforeToolCall) {}
    async fn end(&self, cx: &AgentContext, done: &ToolCallEnd) {
        println!("{} {}", cx.session_id, done.name);
    }
}

fn main() {}
