//! The tools: a shell, and files in one folder, the workspace.
//!
//! Here is what can be called, and with what; `workspace` does it.

mod workspace;

use hooks_core::agent::ToolDefinition;
use serde::Deserialize;
use serde_json::{Value, json};

pub(crate) use self::workspace::Workspace;

/// A call of a tool that exists, with arguments that fit.
#[derive(Debug)]
pub(crate) enum Tool {
    Shell(Shell),
    Read(Read),
    Write(Write),
    Edit(Edit),
    List(List),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shell {
    pub(super) command: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Read {
    pub(super) path: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    pub(super) path: String,
    pub(super) content: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edit {
    pub(super) path: String,
    pub(super) old: String,
    pub(super) new: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    #[serde(default)]
    pub(super) path: String,
}

impl Tool {
    /// Reads a call.
    ///
    /// # Errors
    ///
    /// The tool does not exist, or the arguments do not fit.
    pub(crate) fn parse(name: &str, args: &Value) -> Result<Self, String> {
        // Serde would also take a list of values for a struct.
        let args = match args {
            Value::Object(_) => args,
            _ => return Err(format!("the arguments of `{name}` are not an object")),
        };
        match name {
            "shell" => Shell::deserialize(args).map(Tool::Shell),
            "read" => Read::deserialize(args).map(Tool::Read),
            "write" => Write::deserialize(args).map(Tool::Write),
            "edit" => Edit::deserialize(args).map(Tool::Edit),
            "list" => List::deserialize(args).map(Tool::List),
            _ => return Err(format!("there is no tool `{name}`")),
        }
        .map_err(|error| format!("the arguments do not fit `{name}`: {error}"))
    }

    /// The tools, as the model sees them.
    pub(crate) fn definitions() -> Vec<ToolDefinition> {
        let path = ("path", "in the workspace");
        [
            (
                "shell",
                "Runs a command with `sh -c` in the workspace.",
                &[("command", "the command")][..],
            ),
            ("read", "Reads a text file.", &[path]),
            (
                "write",
                "Writes a text file, and the folders that it is in.",
                &[path, ("content", "the whole text")],
            ),
            (
                "edit",
                "Replaces a text that is in a file exactly once.",
                &[path, ("old", "the text"), ("new", "what replaces it")],
            ),
            ("list", "Lists a folder.", &[path]),
        ]
        .into_iter()
        .map(|(name, description, args)| ToolDefinition {
            name: name.into(),
            description: description.into(),
            parameters: schema(args),
        })
        .collect()
    }
}

/// The JSON Schema of arguments that are all text.
fn schema(args: &[(&str, &str)]) -> Value {
    let properties: serde_json::Map<_, _> = args
        .iter()
        .map(|&(name, meaning)| {
            let property = json!({ "type": "string", "description": meaning });
            (name.to_owned(), property)
        })
        .collect();
    json!({ "type": "object", "properties": properties })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_does_not_fit_is_no_tool() {
        for (name, args, error) in [
            ("fly", json!({}), "there is no tool `fly`"),
            (
                "read",
                json!({}),
                "the arguments do not fit `read`: missing field `path`",
            ),
            (
                "shell",
                json!(["ls"]),
                "the arguments of `shell` are not an object",
            ),
            (
                "list",
                json!({"folder": "."}),
                "the arguments do not fit `list`: unknown field",
            ),
        ] {
            let wrong = Tool::parse(name, &args).expect_err("the call does not fit");
            assert!(wrong.starts_with(error), "{wrong}");
        }
    }

    #[test]
    fn the_model_is_told_of_every_tool() {
        for tool in Tool::definitions() {
            let args = tool.parameters["properties"]
                .as_object()
                .expect("an object");
            let args = args
                .keys()
                .map(|name| (name.clone(), "text".into()))
                .collect();
            assert!(
                Tool::parse(&tool.name, &Value::Object(args)).is_ok(),
                "{}",
                tool.name
            );
        }
    }
}
