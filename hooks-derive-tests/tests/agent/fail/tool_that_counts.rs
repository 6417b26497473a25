use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput, run_tool_call};
use hooks_core::hooks;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let cx = AgentContext::new("s1");
    let call = BeforeToolCall::default();
    let mut ran = 0;
    let _ = run_tool_call(&hooks![], &cx, call, async |_: &BeforeToolCall| {
        ran += 1;
        ToolOutput::new("")
    })
    .await;
}
