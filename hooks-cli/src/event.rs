//! Builds the event of `hooks fire` and `hooks why` from arguments.

use std::io::Read as _;
use std::path::PathBuf;

use hooks_core::agent::AgentContext;
use hooks_runtime::bridge;
use hooks_runtime::entry::TestEntry;
use hooks_runtime::{OwnedEvent, TestError};
use serde_json::{Map, Value, json};

use crate::Failure;
use crate::file::FileArgs;

/// An event, from arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct EventArgs {
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// The event: `BeforeToolCall`, or another system's name of it, such as `PreToolUse`.
    #[arg(long, required_unless_present = "event_json")]
    event: Option<String>,
    /// The tool; of a custom event, its kind.
    #[arg(long)]
    tool: Option<String>,
    /// The arguments of the tool; of an event without a tool, its fields.
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// The text that the tool has returned, for events after a call.
    #[arg(long, value_name = "TEXT")]
    output: Option<String>,
    /// A file with the event's fields, or with an event as Claude Code, Codex, Gemini CLI or Cursor hands it to a hook; `-`
    /// is standard input.
    #[arg(long, value_name = "FILE")]
    event_json: Option<PathBuf>,
    /// Where the event happens, as JSON: `{"session_id": "s1", "agent_id": "coder", "tenant_id": "acme", "cwd": "/work"}`.
    #[arg(long, value_name = "JSON")]
    cx: Option<String>,
}

impl EventArgs {
    /// Returns the event and its context.
    pub(crate) fn build(&self) -> Result<(AgentContext, OwnedEvent), Failure> {
        let given = match &self.event_json {
            Some(file) => Some(object("--event-json", &read(file)?)?),
            None => None,
        };
        let mut cx = AgentContext::new("hooks");
        if let Ok(folder) = std::env::current_dir() {
            cx.cwd = folder.to_string_lossy().into_owned();
            cx.project_dir.clone_from(&cx.cwd);
        }
        if let Some(fields) = &given
            && let Some((of_agent, event)) = of_agent(fields)?
        {
            let options = [&self.tool, &self.args, &self.event, &self.output];
            if options.iter().any(|option| option.is_some()) {
                return Err(Failure::usage(
                    "the event of `--event-json` is complete: leave out `--event`, `--tool`, `--args` and `--output`",
                ));
            }
            let cx = self.test()?.context(of_agent);
            return Ok((cx.map_err(|wrong| self.usage(&wrong))?, event));
        }
        let mut fields = given.unwrap_or_default();
        let named = match (&self.event, fields.get("event")) {
            (Some(event), _) | (None, Some(Value::String(event))) => event.clone(),
            (None, _) => {
                return Err(Failure::usage(
                    "no event is named: write `--event`, or the key `event` in the file",
                ));
            }
        };
        if fields.get("event") == Some(&Value::String(named.clone())) {
            fields.remove("event");
        }
        if let Some(text) = &self.output {
            let output = fields.entry("output").or_insert_with(|| json!({}));
            output["content"] = (&**text).into();
        }
        let args = self.args.as_ref().map(|args| object("--args", args));
        let test = TestEntry {
            event: named,
            tool: self.tool.clone(),
            args: args.transpose()?,
            body: fields.into(),
            ..self.test()?
        };
        let raised = test.raised_as(self.file.dialect(), cx);
        raised.map_err(|wrong| self.usage(&wrong))
    }

    /// Returns what `--cx` says, as a test.
    fn test(&self) -> Result<TestEntry, Failure> {
        let cx = self.cx.as_ref().map(|text| object("--cx", text));
        Ok(TestEntry {
            cx: cx.transpose()?.map_or(Value::Null, Value::Object),
            ..TestEntry::default()
        })
    }

    /// Says what is wrong in the words of the options.
    fn usage(&self, wrong: &TestError) -> Failure {
        match wrong.key {
            "tool" if self.tool.is_none() => {
                Failure::usage(format!("{wrong}: write `--tool NAME`"))
            }
            "cx" => Failure::usage(format!("`--cx`: {wrong}")),
            _ => Failure::usage(wrong),
        }
    }
}

/// Returns an event in the format that an agent passes to a hook, if it has one.
fn of_agent(fields: &Map<String, Value>) -> Result<Option<(AgentContext, OwnedEvent)>, Failure> {
    if !fields.contains_key("hook_event_name") {
        return Ok(None);
    }
    let text = Value::Object(fields.clone()).to_string();
    bridge::event_of(text.as_bytes())
        .map(Some)
        .map_err(Failure::usage)
}

fn read(file: &PathBuf) -> Result<String, Failure> {
    let shown = file.display();
    if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(Failure::usage)?;
        return Ok(text);
    }
    std::fs::read_to_string(file).map_err(|error| Failure::usage(format!("{shown}: {error}")))
}

fn object(option: &str, text: &str) -> Result<Map<String, Value>, Failure> {
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Failure::usage(format!("`{option}` is not a JSON object"))),
        Err(error) => Err(Failure::usage(format!("`{option}` is not JSON: {error}"))),
    }
}
