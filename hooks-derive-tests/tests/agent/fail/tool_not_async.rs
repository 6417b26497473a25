use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput, run_tool_call};
use hooks_core::hooks;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let cx = AgentContext::new("s1");
    let call = BeforeToolCall::default();
    let tool = |call: &BeforeToolCall| ToolOutput::new(call.name.clone());
    let _ = run_tool_call(&hooks![], &cx, call, tool).await;
}
