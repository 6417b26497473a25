//! What the settings of a policy lack for a call to pass. The policy itself is asked again with each addition.

use std::path::{Path, PathBuf};

use hooks_core::agent::AgentContext;
use hooks_shell::is_predictable;
use serde_json::Value;

use super::{SecurityPolicy, SecurityPolicyConfig, command};
use crate::shared::caller;

/// What must be added to the settings of a [`SecurityPolicy`] so that a call passes. [`SecurityPolicy::missing`] returns
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// More programs for `allowed_commands`.
    pub allowed_commands: Vec<String>,
    /// A wider `workspace`.
    pub workspace: Option<PathBuf>,
}

impl Missing {
    /// Whether the call passes as the settings are.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Missing::default()
    }
}

impl SecurityPolicy {
    /// Returns what the settings lack for a call to pass; `None` if nothing that is harmless to add lets it pass.
    ///
    /// - A program is harmless if the judge [knows all that it does](hooks_shell::is_predictable): no shell, no `sudo`,
    ///   nothing that runs tests or build scripts or uses the network, and no program that the judge does not know.
    /// - A folder is harmless if it contains the workspace, but not the home directory, and does not lie at the root. A
    ///   relative path among `forbidden_paths` would forbid another file in it, so then there is none.
    ///
    /// ```
    /// use hooks_builtin::SecurityPolicy;
    /// use hooks_core::agent::AgentContext;
    /// use serde_json::json;
    ///
    /// let policy = SecurityPolicy::new()?;
    /// let lacks = |command: &str| {
    ///     policy.missing(&AgentContext::new("s1"), "shell", &json!({ "command": command }))
    /// };
    /// assert_eq!(lacks("jq . a.json | head").unwrap().allowed_commands, ["jq"]);
    /// assert!(lacks("cat a.json").unwrap().is_empty());
    /// assert!(lacks("sudo jq . a.json").is_none() && lacks("jq . /etc/passwd").is_none());
    /// # Ok::<_, hooks_builtin::BuildError>(())
    /// ```
    #[must_use]
    pub fn missing(&self, cx: &AgentContext, tool: &str, args: &Value) -> Option<Missing> {
        let form = self.0.form(cx, tool, args);
        let denied = form.map(|(form, guard)| {
            let holds = self.2.holds();
            command::denied(&form, &self.0.programs, guard.workspace(), holds)
        });
        let mut missing = Missing {
            allowed_commands: denied.unwrap_or_default(),
            workspace: None,
        };
        let mut config = self.config().clone();
        for program in &missing.allowed_commands {
            if !is_predictable(program) {
                return None;
            }
            config.allowed_commands.push(program.clone());
        }
        let passes = |config: &SecurityPolicyConfig| {
            SecurityPolicy::from_config(config)
                .is_ok_and(|policy| policy.0.judge(cx, tool, args, &self.2).is_ok())
        };
        if passes(&config) {
            return Some(missing);
        }
        for folder in self.wider(cx) {
            config.workspace = Some(folder);
            if passes(&config) {
                missing.workspace = config.workspace;
                return Some(missing);
            }
        }
        None
    }

    /// Returns the folders around the workspace that may take its place, from the inside out.
    fn wider(&self, cx: &AgentContext) -> Vec<PathBuf> {
        let is_relative = |path: &String| path.contains('/') && !path.starts_with(['/', '~']);
        let Ok(guard) = self.0.guard(&cx.cwd) else {
            return Vec::new();
        };
        if self.config().forbidden_paths.iter().any(is_relative) {
            return Vec::new();
        }
        let home = caller::home_dir().and_then(|home| home.canonicalize().ok());
        let is_narrow = |folder: &&Path| {
            let holds_home = home.as_ref().is_some_and(|home| home.starts_with(folder));
            // Its parent is not the root.
            !holds_home && folder.ancestors().count() > 2
        };
        let around = guard.workspace().ancestors().skip(1);
        around.take_while(is_narrow).map(Path::to_owned).collect()
    }
}
