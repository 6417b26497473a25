//! Rules for the input of a tool, such as `Bash(git push *)`, in a compiled rule.

use std::env;

use hooks_core::agent::AgentContext;
use hooks_rules::input::Call;
pub use hooks_rules::input::Rule as InputRule;
use hooks_rules::tools::Aliases;
use serde_json::Value as Json;

/// A rule that the macro has checked. One that is not understood would match every call.
#[must_use]
pub fn input_rule(text: &str) -> InputRule {
    let known = InputRule::of_tool(text, Aliases::claudes());
    known.unwrap_or_else(|| InputRule::parse(text, Aliases::claudes()))
}

/// Whether the rule matches a call. The folders are those of the agent's process, if the agent does not say.
#[must_use]
pub fn is_input(rule: &InputRule, cx: &AgentContext, tool: &str, args: &Json) -> bool {
    rule.matches(&Call {
        tool,
        args,
        cwd: cx.cwd.as_str(),
        project: cx.project_dir.as_str(),
        here: || env::current_dir().ok(),
        home: env::home_dir,
    })
}
