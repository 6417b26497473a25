//! The agent of the tutorial: one tool, a shell, and hooks that judge each command before it runs.

use std::process::Command;

use hooks_core::agent::prelude::*;
use serde_json::json;

/// One bound makes an agent generic over its hooks.
pub(crate) struct Agent<H> {
    hooks: H,
    cx: AgentContext,
}

impl<H: AgentHooks> Agent<H> {
    pub(crate) fn new(hooks: H) -> Self {
        Agent {
            hooks,
            cx: AgentContext::new("session 1"),
        }
    }

    /// Does what a model would ask for, and prints what the model would read.
    pub(crate) async fn work(&self, commands: &[&str]) -> Result<(), Cancel> {
        for command in commands {
            let call = ToolCall::new("1", "shell", json!({ "command": command }));
            let done = run_tool_call(&self.hooks, &self.cx, call, shell).await?;
            println!("> {command}\n{}", done.output.content);
        }
        Ok(())
    }
}

/// The tool.
async fn shell(call: &BeforeToolCall) -> ToolOutput {
    let command = call.args["command"].as_str().unwrap_or_default();
    match Command::new("sh").args(["-c", command]).output() {
        Ok(output) => ToolOutput::new(String::from_utf8_lossy(&output.stdout).trim_end()),
        Err(error) => ToolOutput::error(error.to_string()),
    }
}
