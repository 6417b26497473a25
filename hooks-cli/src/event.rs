//! Builds the event of `hooks fire` and `hooks why` from arguments.

use std::io::Read as _;
use std::path::PathBuf;

use hooks_core::agent::AgentContext;
use hooks_runtime::bridge;
use hooks_runtime::{Meaning, OwnedEvent};
use serde_json::{Map, Value};

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
            return Ok((self.context(of_agent)?, event));
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
        let meaning = Meaning::of(self.file.dialect(), &named).map_err(Failure::usage)?;
        let name = meaning.event;
        let known = OwnedEvent::fields_of(name);
        if !known.contains(&"event") && fields.get("event") == Some(&Value::String(named.clone())) {
            fields.remove("event");
        }
        let is_custom = name == "Custom";
        let has_tool = known.contains(&"args") || is_custom;
        if let Some(args) = &self.args {
            let args = object("--args", args)?;
            if has_tool {
                let key = if is_custom { "payload" } else { "args" };
                fields.insert(key.to_owned(), Value::Object(args));
            } else {
                fields.extend(args);
            }
        }
        let subject = if is_custom { "kind" } else { "name" };
        match &self.tool {
            Some(tool) if has_tool => {
                fields.insert(subject.to_owned(), tool.clone().into());
            }
            Some(_) => return Err(Failure::usage(format!("`{named}` is not about a tool"))),
            None if has_tool && !fields.contains_key(subject) => {
                return Err(Failure::usage(format!(
                    "`{named}` is about a tool: write `--tool NAME`"
                )));
            }
            None => {}
        }
        let output = self
            .output
            .as_ref()
            .map(|text| ("content", Value::from(&**text)));
        let failed = meaning.failed.then_some(("is_error", Value::Bool(true)));
        for (key, value) in output.into_iter().chain(failed) {
            if !known.contains(&"output") {
                return Err(Failure::usage(format!("`{named}` has no output of a tool")));
            }
            fields.entry("output").or_insert_with(|| Map::new().into())[key] = value;
        }
        if meaning.nested {
            cx.depth = 1;
        }
        let event = OwnedEvent::from_json(name, Value::Object(fields)).map_err(Failure::usage)?;
        Ok((self.context(cx)?, event))
    }

    /// Returns the context, with the values of `--cx`.
    fn context(&self, cx: AgentContext) -> Result<AgentContext, Failure> {
        let Some(text) = &self.cx else {
            return Ok(cx);
        };
        let given = object("--cx", text)?;
        let mut all = serde_json::to_value(cx).map_err(Failure::usage)?;
        for (key, value) in given {
            if all.get(&key).is_none() {
                let keys = all.as_object().into_iter().flat_map(Map::keys);
                let keys: Vec<_> = keys.map(String::as_str).collect();
                return Err(Failure::usage(format!(
                    "`--cx`: there is no `{key}`; the keys are `{}`",
                    keys.join("`, `")
                )));
            }
            all[&key] = value;
        }
        serde_json::from_value(all).map_err(|error| Failure::usage(format!("`--cx`: {error}")))
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
