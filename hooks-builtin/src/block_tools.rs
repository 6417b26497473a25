//! Blocks tools by name.

use std::sync::Arc;

use hooks_core::agent::{ApproveToolCall, BeforeToolCall};
use hooks_core::{Blockable, HookAction, hook, priority};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::{BuildError, GlobError, Globs};

/// Blocks calls of the listed tools.
///
/// It checks a call before the tool runs, and again when the call is approved, because later hooks may have renamed it.
/// Case does not matter: if you block `Shell`, you also block `shell`. Its priority is [`priority::SECURITY`].
///
/// It corresponds to mini-claw-code's `BlockingHook`.
///
/// ```
/// use hooks_builtin::BlockTools;
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::hooks;
///
/// let hooks = hooks![BlockTools::new(["write", "edit", "mcp__*"], "this workspace is read-only").unwrap()];
///
/// let cx = AgentContext::new("s1");
/// let mut call = BeforeToolCall { name: "mcp__deploy".into(), ..Default::default() };
/// let result = hooks.intercept_now(&cx, &mut call);
/// assert_eq!(result.as_cancel().unwrap().reason, "this workspace is read-only");
///
/// let mut call = BeforeToolCall { name: "read".into(), ..Default::default() };
/// assert!(hooks.intercept_now(&cx, &mut call).is_continue());
/// ```
#[doc(alias("deny", "veto", "guardrail"))]
#[derive(Clone, Debug)]
pub struct BlockTools(Arc<BlockToolsConfig>);

/// The settings of `[hooks.builtin.block_tools]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockToolsConfig {
    /// The tools to block, as globs. Case does not matter.
    pub tools: Globs,
    /// The reason that the model reads. By default, it says that the tool is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl BlockTools {
    /// Creates a hook that blocks the tools that match one of the globs, for this reason.
    ///
    /// # Errors
    ///
    /// If a pattern is not a valid glob.
    pub fn new<P: AsRef<str>>(
        tools: impl IntoIterator<Item = P>,
        reason: impl Into<String>,
    ) -> Result<Self, GlobError> {
        Ok(BlockTools(Arc::new(BlockToolsConfig {
            tools: Globs::new(tools)?.ignoring_case(),
            reason: Some(reason.into()),
        })))
    }

    /// Creates the hook from its configuration.
    ///
    /// # Errors
    ///
    /// If the configuration names no tool.
    pub fn from_config(config: &BlockToolsConfig) -> Result<Self, BuildError> {
        if config.tools.is_empty() {
            return Err(BuildError::new(
                "block_tools",
                "tools",
                "is empty: name the tools to block, as `[\"deploy\", \"mcp__*\"]`",
            ));
        }
        Ok(BlockTools(Arc::new(BlockToolsConfig {
            tools: config.tools.ignoring_case(),
            reason: config.reason.clone(),
        })))
    }
}

#[hook(priority = priority::SECURITY)]
impl BlockTools {
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        judge(&self.0, &call.name)
    }

    fn check_again<'a>(&self, call: &ApproveToolCall<'a>) -> HookAction<ApproveToolCall<'a>> {
        judge(&self.0, call.name)
    }
}

fn judge<E: Blockable>(config: &BlockToolsConfig, tool: &str) -> HookAction<E> {
    if !config.tools.matches(tool) {
        return HookAction::Continue;
    }
    HookAction::block(match &config.reason {
        Some(reason) => reason.clone(),
        None => format!("the tool `{tool}` is blocked"),
    })
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::AgentContext;
    use hooks_core::hooks;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_that_was_renamed_is_blocked_when_it_is_approved() {
        let hooks = hooks![BlockTools::new(["deploy"], "no").unwrap()];
        let call = BeforeToolCall {
            name: "deploy".into(),
            ..BeforeToolCall::default()
        };
        let mut approve = ApproveToolCall::from(&call);
        let result = hooks.intercept_now(&AgentContext::new("s1"), &mut approve);
        assert_eq!(result.as_cancel().unwrap().reason, "no");
    }

    #[test]
    fn the_case_of_a_name_lets_nothing_through() {
        let config = json!({ "tools": ["Shell", "mcp__*", "{write,edit}"] });
        let config = BlockToolsConfig::deserialize(config).unwrap();
        let tools = ["Shell", "mcp__*", "{write,edit}"];
        for made in [
            BlockTools::from_config(&config).unwrap(),
            BlockTools::new(tools, "no").unwrap(),
        ] {
            let hooks = hooks![made];
            let goes_on = |name: &str| {
                let mut call = BeforeToolCall {
                    name: name.into(),
                    ..BeforeToolCall::default()
                };
                hooks
                    .intercept_now(&AgentContext::new("s1"), &mut call)
                    .is_continue()
            };
            for name in ["shell", "SHELL", "Shell", "MCP__x", "Write", "EDIT"] {
                assert!(!goes_on(name), "{name}");
            }
            for name in ["shel", "mcp_x", "read", "m"] {
                assert!(goes_on(name), "{name}");
            }
        }
    }

    #[test]
    fn without_a_reason_the_tool_is_named() {
        let config = BlockToolsConfig::deserialize(json!({ "tools": ["dep*"] })).unwrap();
        let hooks = hooks![BlockTools::from_config(&config).unwrap()];
        let mut call = BeforeToolCall {
            name: "deploy".into(),
            ..BeforeToolCall::default()
        };
        let result = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
        assert_eq!(
            result.as_cancel().unwrap().reason,
            "the tool `deploy` is blocked"
        );
    }

    #[test]
    fn to_block_nothing_is_an_error() {
        let error = BlockTools::from_config(&BlockToolsConfig::default()).unwrap_err();
        assert_eq!((error.hook(), error.key()), ("block_tools", "tools"));
    }
}
