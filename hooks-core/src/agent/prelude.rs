//! What every agent and every file of hooks imports, in one line.
//!
//! It is all of [`agent`](super), and what hooks are written with: [`hook`](macro@hook), [`hooks!`], [`priority`], what a
//! hook returns, and the traits whose methods you call, such as [`Hook`] for `hooks.then(…)` and `hooks.plan()`. A name
//! that you define, or import by its own name, takes precedence over one of the prelude.
//!
//! ```
//! use hooks_core::agent::prelude::*;
//!
//! #[hook(priority = priority::SECURITY)]
//! fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
//!     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
//! }
//!
//! struct Agent<H> { hooks: H, cx: AgentContext }
//!
//! impl<H: AgentHooks> Agent<H> {
//!     async fn tool_call(&self, call: ToolCall) -> Result<ToolOutput, Cancel> {
//!         // A method of `Hook`, on hooks that the agent only lends.
//!         let hooks = (&self.hooks).on_panic(OnPanic::Block);
//!         let done = run_tool_call(&hooks, &self.cx, call, async |_: &BeforeToolCall| ToolOutput::new("ran"));
//!         Ok(done.await?.output)
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let agent = Agent { hooks: hooks![no_shell], cx: AgentContext::new("s1") };
//! let output = agent.tool_call(ToolCall::new("1", "shell", serde_json::json!({}))).await.unwrap();
//! assert_eq!(output.content, "hook `no_shell` blocked the event: no shell here");
//! # }
//! ```

pub use super::*;
pub use crate::probe::{Probe, Ran};
pub use crate::{
    AnyAction, Cancel, Hook, HookAction, HookResult, Next, OnPanic, Scope, hook, hooks, priority,
};
