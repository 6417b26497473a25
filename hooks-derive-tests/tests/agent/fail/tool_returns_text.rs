use hooks_core::agent::{AgentContext, BeforeToolCall, run_tool_call};
use hooks_core::hooks;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let cx = AgentContext::new("s1");
    let call = BeforeToolCall::default();
    let _ = run_tool_call(&hooks![], &cx, call, async |call: &BeforeToolCall| call.name.clone()).await;
}
