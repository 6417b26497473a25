use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput, run_tool_call};
use hooks_core::{Cancel, hooks};

async fn call<H>(hooks: &H) -> Result<String, Cancel> {
    let (cx, call) = (AgentContext::new("s1"), BeforeToolCall::default());
    let tool = async |_: &BeforeToolCall| ToolOutput::new("");
    let done = run_tool_call(hooks, &cx, call, tool).await?;
    Ok(done.output.content)
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let _ = call(&hooks![]).await;
}
