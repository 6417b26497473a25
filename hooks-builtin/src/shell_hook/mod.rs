//! A command that runs before or after tool calls.
//!
//! The command decides by its exit status, so a policy can be a script.

mod process;

use std::fmt::Write;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::agent::{AfterToolCall, AgentContext, AgentEvent, BeforeToolCall};
use hooks_core::hook;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::process::ShellRun;
use crate::shared::sandbox::SandboxConfig;
use crate::shared::{BuildError, Glob, GlobError, Globs};

/// Runs a command before or after tool calls.
///
/// The command reads the event as JSON on its standard input, as [`AgentEvent`] serializes it, with the agent's context
/// in the field `cx`. It also gets the variables `HOOK_EVENT`, `HOOK_TOOL`, `HOOK_CALL_ID`, `HOOK_SESSION_ID`, `HOOK_AGENT_ID`,
/// `HOOK_TENANT_ID`, `HOOK_TURN` and `HOOK_CWD`, and the allowed variables of the environment. It runs in the directory
/// of the agent's context.
///
/// If the command exits with 0, the call continues. Before a call, any other exit status blocks the call. The reason is
/// what the command wrote to its standard error, or else to its standard output. A command that cannot be started, is
/// ended by a signal or exceeds its timeout also blocks the call. After a call there is nothing to block: the hook
/// appends the reason to the tool's output, and marks the output as an error.
///
/// When the command ends, the hook ends its process group, and on Linux what still holds its outputs. When it times out or
/// its call is dropped, the group gets TERM, and half a second later KILL. So does what has left the group but descends from
/// the command, on Linux. The same happens when the agent is killed, if the command has run for a tenth of a second. (On
/// Windows, the hook ends the command, but not what the command has started.)
///
/// The priority is 0. The hook needs a tokio runtime with I/O and time. Without one, it blocks.
///
/// It corresponds to mini-claw-code's `ShellHook`.
///
/// ```
/// use hooks_builtin::ShellHook;
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::hooks;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// # if !cfg!(unix) { return }
/// let hook = ShellHook::new("echo no $HOOK_TOOL today >&2; exit 1").for_tool("write*").unwrap();
/// let hooks = hooks![hook];
/// let cx = AgentContext::new("s1");
///
/// let mut write = BeforeToolCall { name: "write_file".into(), ..Default::default() };
/// let result = hooks.intercept(&cx, &mut write).await;
/// assert_eq!(result.as_cancel().unwrap().reason, "no write_file today");
///
/// let mut read = BeforeToolCall { name: "read_file".into(), ..Default::default() };
/// assert!(hooks.intercept(&cx, &mut read).await.is_continue());
/// # }
/// ```
#[doc(alias = "veto")]
#[derive(Clone, Debug)]
pub struct ShellHook(Arc<ShellHookConfig>);

/// The settings of `[hooks.builtin.shell_hook]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShellHookConfig {
    /// The command, for `sh -c` (on Windows, for `cmd /C`).
    pub command: String,
    /// The tools for whose calls the command runs, as globs. The default is all tools.
    #[serde(default = "Globs::all")]
    pub tools: Globs,
    /// Whether the command runs `before` a call (the default) or `after` it.
    #[serde(default)]
    pub when: When,
    /// The environment variables that the command gets. The default is those that programs need to be found and to
    /// use the user's language.
    #[serde(default = "usual_variables")]
    pub env: Vec<String>,
    /// The working directory. The default is the directory of the agent's context, or else the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// How long the command may take. The default is "30s".
    #[serde(default = "half_a_minute", with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub timeout: Duration,
    /// What the command may do at most. A relative path starts at the working directory. By default, there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxConfig>,
    /// How many bytes of its output are kept. The default is 16 KiB. The hook reads the rest and discards it.
    #[serde(default = "sixteen_kibibytes")]
    pub max_output_bytes: u32,
}

/// When a [`ShellHook`] runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Before the tool: it may block the call.
    #[default]
    Before,
    /// After the tool: it may tell the model what is wrong.
    After,
}

fn usual_variables() -> Vec<String> {
    let names = "PATH HOME USER LOGNAME LANG LC_ALL LC_CTYPE TZ TERM TMPDIR SYSTEMROOT COMSPEC PATHEXT TEMP TMP";
    names.split(' ').map(String::from).collect()
}

fn half_a_minute() -> Duration {
    Duration::from_secs(30)
}

fn sixteen_kibibytes() -> u32 {
    16 << 10
}

impl ShellHookConfig {
    /// Creates a configuration with the defaults for a command.
    #[must_use]
    pub fn new(command: impl Into<String>) -> Self {
        ShellHookConfig {
            command: command.into(),
            tools: Globs::all(),
            when: When::Before,
            env: usual_variables(),
            cwd: None,
            timeout: half_a_minute(),
            sandbox: None,
            max_output_bytes: sixteen_kibibytes(),
        }
    }
}

impl ShellHook {
    /// Runs a command before the calls of all tools.
    #[must_use]
    pub fn new(command: impl Into<String>) -> Self {
        ShellHook(Arc::new(ShellHookConfig::new(command)))
    }

    /// Runs the command only for tools whose name matches the glob.
    ///
    /// # Errors
    ///
    /// If the pattern is not a valid glob. (In mini-claw-code, the hook would then run for all tools.)
    pub fn for_tool(self, pattern: &str) -> Result<Self, GlobError> {
        let tools = Globs::from_iter([Glob::new(pattern)?]);
        Ok(self.with(|config| config.tools = tools))
    }

    /// Runs the command after calls.
    #[must_use]
    pub fn after(self) -> Self {
        self.with(|config| config.when = When::After)
    }

    /// Creates the hook from its configuration.
    ///
    /// # Errors
    ///
    /// If there is no command, no tool to run for or no time, if its directory does not exist, or if the name of a
    /// variable is empty or contains a value.
    pub fn from_config(config: &ShellHookConfig) -> Result<Self, BuildError> {
        let wrong = |key, message: String| Err(BuildError::new("shell_hook", key, message));
        if config.command.trim().is_empty() {
            return wrong(
                "command",
                "is empty: write the command to run, as `\"./check.sh\"`".into(),
            );
        }
        if config.command.contains('\0') {
            return wrong(
                "command",
                "contains a NUL character, which no program accepts: remove it".into(),
            );
        }
        if let Some(name) = config
            .env
            .iter()
            .find(|name| name.is_empty() || name.contains(['=', '\0']))
        {
            // What follows the name is a value, and may be a secret.
            let name = match name.split_once('=') {
                Some((name, _)) => format!("{name}=…"),
                None => name.clone(),
            };
            return wrong(
                "env",
                format!(
                    "has {name:?}: list names only, as `[\"PATH\", \"HOME\"]`; each variable keeps the value that it \
                     has in the program's own environment"
                ),
            );
        }
        if config.tools.is_empty() {
            return wrong(
                "tools",
                "is empty: name the tools, or leave it out for all".into(),
            );
        }
        if config.timeout.is_zero() {
            return wrong(
                "timeout",
                "leaves the command no time: write `\"30s\"`".into(),
            );
        }
        if let Some(cwd) = &config.cwd
            && !cwd.is_dir()
        {
            return wrong(
                "cwd",
                format!("must be a folder, but `{}` is not one", cwd.display()),
            );
        }
        Ok(ShellHook(Arc::new(config.clone())))
    }

    fn with(mut self, change: impl FnOnce(&mut ShellHookConfig)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Runs the command for an event on a tool call.
    ///
    /// The future of a process takes about 10 KB. It is boxed because a dispatch moves the futures of all its hooks,
    /// also for calls of other tools.
    fn run<'a>(
        &'a self,
        cx: &'a AgentContext,
        event: AgentEvent<'a>,
        tool: &'a str,
        id: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>> {
        Box::pin(async move {
            let config = &*self.0;
            let mut input = serde_json::to_value(event)
                .map_err(|error| format!("the event cannot be written as JSON: {error}"))?;
            input["cx"] = serde_json::to_value(cx).unwrap_or_default();
            let turn = cx.turn.to_string();
            let variables = [
                ("HOOK_EVENT", event.name()),
                ("HOOK_TOOL", tool),
                ("HOOK_CALL_ID", id),
                ("HOOK_SESSION_ID", &cx.session_id),
                ("HOOK_AGENT_ID", &cx.agent_id),
                (
                    "HOOK_TENANT_ID",
                    cx.tenant_id.as_deref().unwrap_or_default(),
                ),
                ("HOOK_TURN", &turn),
                ("HOOK_CWD", &cx.cwd),
            ];
            let directory = match &config.cwd {
                Some(cwd) => Some(cwd.as_path()),
                None if cx.cwd.is_empty() => None,
                None => Some(cx.cwd.as_ref()),
            };
            let run = ShellRun {
                config,
                directory,
                variables: &variables,
                input: input.to_string(),
            };
            run.run().await
        })
    }
}

#[hook]
impl ShellHook {
    async fn before(&self, cx: &AgentContext, call: &BeforeToolCall) -> Result<(), String> {
        if self.0.when != When::Before || !self.0.tools.matches(&call.name) {
            return Ok(());
        }
        let event = AgentEvent::BeforeToolCall(call);
        self.run(cx, event, &call.name, &call.id).await
    }

    async fn after_call(&self, cx: &AgentContext, call: &mut AfterToolCall) {
        if self.0.when != When::After || !self.0.tools.matches(&call.name) {
            return;
        }
        let event = AgentEvent::AfterToolCall(call);
        if let Err(reason) = self.run(cx, event, &call.name, &call.id).await {
            let output = &mut call.output;
            if !output.content.is_empty() && !output.content.ends_with('\n') {
                output.content.push('\n');
            }
            // Writing to a string cannot fail.
            let _ = write!(output.content, "`{}`: {reason}", self.0.command);
            output.is_error = true;
        }
    }
}
