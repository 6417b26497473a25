//! Hooks of other systems, kept whole under the key of their system. What is a secret in them is moved out.

use hooks_runtime::Bundle;
use serde_json::{Map, Value, json};

use super::ImportFormat;
use crate::error::StoreError;
use crate::hook::Names;

/// What a text brings.
#[derive(Default)]
pub(super) struct Brought {
    pub(super) hooks: Vec<Value>,
    pub(super) tables: Map<String, Value>,
    pub(super) notes: Vec<String>,
}

/// The keys of Claude's settings that are about hooks. The others may hold secrets, and are nobody's business here.
const CLAUDE: [&str; 5] = [
    "hooks",
    "disableAllHooks",
    "allowManagedHooksOnly",
    "allowedHttpHookUrls",
    "httpHookAllowedEnvVars",
];

impl Brought {
    pub(super) fn of(text: &str, format: ImportFormat) -> Result<Self, StoreError> {
        let bundle = match format {
            ImportFormat::Toml => Bundle::of_toml(text)?,
            ImportFormat::Bundle => Bundle::read(text)?,
            ImportFormat::Goclaw => return goclaw(json_of(text)?),
            ImportFormat::Claude => return claude(json_of(text)?),
        };
        Ok(Brought {
            tables: bundle.tables().clone(),
            hooks: bundle.hooks,
            ..Brought::default()
        })
    }
}

fn json_of(text: &str) -> Result<Value, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::invalid("", format!("it is no JSON: {error}"), ""))
}

fn goclaw(document: Value) -> Result<Brought, StoreError> {
    let (mut brought, mut names) = (Brought::default(), Names::default());
    let gates = document
        .get("quality_gates")
        .or_else(|| document.pointer("/other_config/quality_gates"));
    if let Some(gates) = gates {
        let gates = json!({ "quality_gates": gates });
        names.take("quality-gates");
        brought
            .hooks
            .push(json!({ "name": "quality-gates", "goclaw": gates }));
    }
    let rows = match document {
        Value::Array(rows) => rows,
        Value::Object(mut fields) => match fields.remove("hooks") {
            Some(Value::Array(rows)) => rows,
            Some(_) => return Err(StoreError::invalid("/hooks", "`hooks` must be a list", "")),
            None if brought.hooks.is_empty() => vec![fields.into()],
            None => Vec::new(),
        },
        _ => {
            return Err(StoreError::invalid(
                "",
                "GoClaw's hooks are an object or a list",
                "",
            ));
        }
    };
    for (index, row) in rows.into_iter().enumerate() {
        if !row["event"].is_string() {
            let path = format!("/hooks/{index}/event");
            let help = "write `\"event\": \"pre_tool_use\"`, for example";
            return Err(StoreError::invalid(&path, "the row names no event", help));
        }
        let mut keys = ["name", "id", "event"].into_iter();
        let said = keys.find_map(|key| row[key].as_str().filter(|name| !name.is_empty()));
        let mut name = said.unwrap_or("hook").to_owned();
        if !names.take(&name) {
            name = names.numbered(&format!("{name}#"), 2);
            names.take(&name);
        }
        brought.hooks.push(json!({ "name": name, "goclaw": row }));
    }
    Ok(brought)
}

fn claude(document: Value) -> Result<Brought, StoreError> {
    let Value::Object(mut settings) = document else {
        return Err(StoreError::invalid(
            "",
            "the settings of Claude Code are an object",
            "",
        ));
    };
    let mut brought = Brought::default();
    settings.retain(|key, _| {
        let is_kept = CLAUDE.contains(&key.as_str());
        if !is_kept {
            brought
                .notes
                .push(format!("`{key}` is not about hooks, and is left out"));
        }
        is_kept
    });
    brought
        .hooks
        .push(json!({ "name": "claude", "claude": settings }));
    Ok(brought)
}
