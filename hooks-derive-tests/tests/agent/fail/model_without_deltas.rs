use hooks_core::agent::{
    AgentContext, BeforeToolCall, Conversation, LlmResponse, ToolOutput, run_turn,
};
use hooks_core::hooks;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut conversation = Conversation::default();
    let model = async |_| Ok::<_, String>(LlmResponse::default());
    let tool = async |_: &BeforeToolCall| ToolOutput::new("");
    let _ = run_turn(&hooks![], &AgentContext::new("s1"), &mut conversation, "hello", model, tool).await;
}
