//! Makes the hooks of a file available to an agent that is not written in Rust, as one of its own command hooks.
//!
//! Such an agent runs a program for each event: the event is JSON on standard input, and the answer is JSON on standard
//! output and an exit code. [`Client::read`] turns the input into one of our events, and [`Client::answer`] turns the
//! hooks' decision into an answer that the agent understands. [`run`] does both, with the pipeline in between.
//!
//! | our decision | Claude Code | Codex | Gemini CLI | goose | Cursor |
//! | --- | --- | --- | --- | --- | --- |
//! | block a tool call | `permissionDecision: deny` | exit code 2 | `decision: deny` | `decision: block`, exit code 2 | `permission: deny` |
//! | ask somebody | `permissionDecision: ask` | denied | denied | denied | `permission: ask` before commands and MCP calls, otherwise denied |
//! | change the arguments | `updatedInput` | `updatedInput` | `tool_input` | denied | `updated_input` |
//! | answer in the tool's place | denied, with the answer as the reason | the same | the same | the same | the same |
//! | change the output | `updatedToolOutput` | `decision: block` | `decision: deny` | not possible | `updated_mcp_tool_output`, for MCP calls |
//! | add context | `additionalContext` | `additionalContext` | `additionalContext` | not possible | `additional_context` |
//! | make it continue | `decision: block` | exit code 2 | `decision: deny` | `decision: block`, exit code 2 | `followup_message` |
//!
//! If an agent cannot be told a decision about a tool call that has not run yet, the call is denied. For other events,
//! the decision is lost, and the answer says so.

mod answer;
mod read;
mod tables;

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use hooks_builtin::{ApprovalRequest, Approver, Verdict};
use hooks_core::agent::{AgentContext, Approval, ToolOutput};
use serde_json::Value;

use self::tables::Kind;
use crate::{Decided, Outcome, OwnedEvent, Runtime};

/// An agent that runs commands as hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Client {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// goose.
    Goose,
    /// Cursor.
    Cursor,
}

impl Client {
    /// All clients.
    pub const ALL: [Client; 5] = [
        Client::Claude,
        Client::Codex,
        Client::Gemini,
        Client::Goose,
        Client::Cursor,
    ];

    /// Returns its name, as in `hooks run --as claude`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Client::Claude => "claude",
            Client::Codex => "codex",
            Client::Gemini => "gemini",
            Client::Goose => "goose",
            Client::Cursor => "cursor",
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Client {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Client::ALL
            .into_iter()
            .find(|client| client.as_str() == name)
            .ok_or_else(|| {
                let names = Client::ALL.map(Client::as_str).join("`, `");
                format!("unknown agent `{name}`: write one of `{names}`")
            })
    }
}

/// An event of an agent, converted to ours.
#[derive(Debug)]
pub struct Incoming {
    /// The event; none if our vocabulary has no such event.
    pub event: Option<OwnedEvent>,
    /// The context of the event.
    pub cx: AgentContext,
    /// The agent's name for the event.
    pub named: String,
    kind: Kind,
    /// The agent's input.
    input: Value,
}

/// The reply to the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The exit code of the program.
    pub exit_code: u8,
    /// The text for standard output.
    pub stdout: String,
    /// The text for standard error.
    pub stderr: String,
}

impl Reply {
    /// Creates the reply for an input that cannot be read, or for hooks that cannot be loaded. Every agent treats it as
    /// a block.
    ///
    /// ```
    /// let reply = hooks_runtime::bridge::Reply::refused("the input is no JSON");
    /// assert_eq!((reply.exit_code, &*reply.stderr), (2, "the input is no JSON\n"));
    /// ```
    #[must_use]
    pub fn refused(why: impl fmt::Display) -> Self {
        Reply {
            exit_code: 2,
            stdout: String::new(),
            stderr: format!("{why}\n"),
        }
    }
}

/// The decision of hooks about an event, in a form that is independent of the agent.
#[derive(Debug, Default)]
pub struct Said {
    deny: Option<String>,
    /// The turn ends too.
    stop: Option<String>,
    ask: Option<String>,
    allow: Option<String>,
    /// The new arguments of the tool.
    input: Option<Value>,
    /// The original arguments.
    input_before: Value,
    /// The new output of the tool.
    output: Option<ToolOutput>,
    /// The new text of a message, or of a model's answer.
    text: Option<String>,
    /// The model's request after the hooks.
    request: Option<Value>,
    /// An answer in the model's place.
    response: Option<Value>,
    context: Vec<String>,
    /// What the agent cannot be told.
    lost: Vec<String>,
}

/// Leaves the question whether a tool may run to the agent, which asks its own user.
///
/// Give it to [`RuntimeBuilder::approver`](crate::RuntimeBuilder::approver), and to [`run`].
#[derive(Clone, Debug, Default)]
pub struct LeftToAgent(Arc<Mutex<Option<String>>>);

impl LeftToAgent {
    /// Creates an approver that has not been asked yet.
    #[must_use]
    pub fn new() -> Self {
        LeftToAgent::default()
    }

    /// Returns and clears the last question.
    fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[async_trait]
impl Approver for LeftToAgent {
    async fn ask(&self, request: &ApprovalRequest) -> Verdict {
        let reason = request
            .reason
            .clone()
            .or_else(|| request.effects.clone())
            .unwrap_or_else(|| format!("`{}` needs approval", request.tool));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
        Verdict::No("the agent asks instead".into())
    }
}

/// Runs the hooks of a runtime on one event of an agent: takes the agent's input, and returns the reply.
///
/// `asked` is the approver with which the runtime was built. `project_dir` is the root of the project, if the agent
/// names it outside of the input, as Claude Code does in `CLAUDE_PROJECT_DIR`.
///
/// Hooks on `ApproveToolCall` also run when a tool call is about to run, because none of these agents has an event for
/// everything that needs an approval.
///
/// ```
/// use hooks_runtime::Runtime;
/// use hooks_runtime::bridge::{self, Client, LeftToAgent};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let asked = LeftToAgent::new();
/// let runtime = Runtime::builder()
///     .text("[[hooks.on]]\nname = 'no-sudo'\nevent = 'PreToolUse'\nif = 'args.command.contains(\"sudo\")'\nblock = 'no sudo'")
///     .approver(asked.clone())
///     .build()
///     .await?;
/// let input = br#"{ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash",
///                   "tool_input": { "command": "sudo ls" }, "tool_use_id": "1" }"#;
/// let reply = bridge::run(Client::Codex, &runtime, &asked, None, input).await;
/// assert_eq!((reply.exit_code, &*reply.stderr), (2, "no sudo (hook: no-sudo)\n"));
/// # Ok(())
/// # }
/// ```
pub async fn run(
    client: Client,
    runtime: &Runtime,
    asked: &LeftToAgent,
    project_dir: Option<&str>,
    input: &[u8],
) -> Reply {
    let mut incoming = match client.read(input, project_dir) {
        Ok(incoming) => incoming,
        Err(error) => return Reply::refused(error),
    };
    let said = incoming.decide(runtime, asked).await;
    client.answer(&incoming, said)
}

impl Incoming {
    /// Runs the hooks.
    async fn decide(&mut self, runtime: &Runtime, asked: &LeftToAgent) -> Said {
        let Some(event) = &mut self.event else {
            return Said::default();
        };
        let before = event.to_json();
        let outcome = runtime.fire(&self.cx, event).await;
        let after = event.to_json();
        let mut said = Said::of(&outcome, &before, &after);
        if let Some(approval) = asked.take()
            && outcome.decision == Decided::Block
        {
            said.deny = None;
            // Without a decision, the agent asks its user.
            if self.kind != Kind::Permission {
                said.ask = Some(approval);
            }
        }
        if self.kind.is_tool_call() && outcome.decision == Decided::Continue {
            self.approve(runtime, asked, &after, &mut said).await;
        }
        said
    }

    /// Runs the hooks that approve a tool call, after the other hooks let it continue.
    async fn approve(&self, runtime: &Runtime, asked: &LeftToAgent, call: &Value, said: &mut Said) {
        let approval: Approval =
            serde_json::from_value(call["approval"].clone()).unwrap_or_default();
        let mut fields =
            serde_json::json!({ "id": call["id"], "name": call["name"], "args": call["args"] });
        if !approval.is_usual() {
            fields["approval"] = call["approval"].clone();
        }
        let outcome = match OwnedEvent::from_json("ApproveToolCall", fields) {
            Ok(mut event) => runtime.fire(&self.cx, &mut event).await,
            Err(error) => {
                said.deny = Some(error.to_string());
                return;
            }
        };
        let left = asked.take();
        let of_hook = outcome.hook.as_deref();
        match (outcome.decision, left, approval) {
            (Decided::Block, None, _) => {
                said.deny = Some(named(outcome.reason.as_deref(), of_hook));
            }
            (Decided::AbortTurn | Decided::AbortRun, ..) => {
                said.stop = Some(named(outcome.reason.as_deref(), of_hook));
            }
            (Decided::Respond, ..) => {
                let by = outcome
                    .output
                    .as_ref()
                    .and_then(|output| output["by"].as_str());
                said.allow = Some(by.unwrap_or("a hook approved it").to_owned());
            }
            (Decided::Block, Some(reason), _) | (_, _, Approval::Ask { reason }) => {
                said.ask = Some(reason);
            }
            (_, _, Approval::Granted { by }) => said.allow = Some(by),
            _ => {}
        }
    }
}

/// Returns a reason, with the hook that gave it.
fn named(reason: Option<&str>, hook: Option<&str>) -> String {
    let reason = reason
        .filter(|reason| !reason.is_empty())
        .unwrap_or("a hook blocked it");
    match hook {
        Some(hook) => format!("{reason} (hook: {hook})"),
        None => reason.to_owned(),
    }
}

impl Said {
    fn of(outcome: &Outcome, before: &Value, after: &Value) -> Self {
        let mut said = Said {
            input_before: before["args"].clone(),
            ..Said::default()
        };
        let reason = || named(outcome.reason.as_deref(), outcome.hook.as_deref());
        match outcome.decision {
            Decided::Continue => {}
            Decided::Block => said.deny = Some(reason()),
            Decided::AbortTurn | Decided::AbortRun => said.stop = Some(reason()),
            Decided::Respond => {
                let output = outcome.output.clone().unwrap_or_default();
                match outcome.event {
                    "ApproveToolCall" => {
                        let by = output["by"].as_str().unwrap_or("a hook approved it");
                        said.allow = Some(by.to_owned());
                    }
                    "BeforeLlmCall" => said.response = Some(output),
                    "AfterLlmCall" | "LlmFailed" => {
                        said.lost.push("to ask the model again".into());
                    }
                    _ => {
                        let content = output["content"].as_str().unwrap_or_default();
                        said.deny = Some(format!("a hook answered in the tool's place: {content}"));
                    }
                }
            }
        }
        let changed = |key: &str| (before.get(key) != after.get(key)).then(|| after[key].clone());
        let is_call = before.get("args").is_some();
        if is_call && let Some(name) = changed("name") {
            said.deny.get_or_insert(format!(
                "a hook replaced the tool by {name}, which this agent does not support"
            ));
        }
        if is_call && before.get("output").is_none() {
            said.input = changed("args");
        }
        said.output = changed("output").and_then(|output| serde_json::from_value(output).ok());
        said.text = ["content", "prompt", "instructions"]
            .into_iter()
            .find_map(changed)
            .and_then(|text| text.as_str().map(str::to_owned));
        if outcome.event == "BeforeLlmCall" && before != after {
            said.request = Some(after.clone());
        }
        if outcome.event == "AfterLlmCall" {
            said.text = changed("response")
                .and_then(|response| response["content"].as_str().map(str::to_owned));
        }
        let texts = after["context"].as_array().into_iter().flatten();
        said.context = texts
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect();
        said
    }

    /// Returns the text that the model reads in addition to the event.
    fn context(&self) -> Option<String> {
        (!self.context.is_empty()).then(|| self.context.join("\n"))
    }
}
