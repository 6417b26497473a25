//! Hooks of other systems, kept whole under the key of their system. What is a secret in them is moved out.

use hooks_runtime::Bundle;
use serde_json::{Map, Value, json};

use super::ImportFormat;
use crate::error::{Result, StoreError};
use crate::hook::TakenNames;

/// The keys of Claude's settings that are about hooks. The others may hold secrets, and are left alone.
const CLAUDE: [&str; 5] = [
    "hooks",
    "disableAllHooks",
    "allowManagedHooksOnly",
    "allowedHttpHookUrls",
    "httpHookAllowedEnvVars",
];

/// The set that a text brings, and what there is to tell of it.
pub(super) fn read(text: &str, format: ImportFormat) -> Result<(Bundle, Vec<String>)> {
    let (hooks, notes) = match format {
        ImportFormat::Toml => return Ok((Bundle::of_toml(text)?, Vec::new())),
        ImportFormat::Bundle => return Ok((Bundle::read(text)?, Vec::new())),
        ImportFormat::Goclaw => (goclaw(json_of(text)?)?, Vec::new()),
        ImportFormat::Claude => claude(json_of(text)?)?,
    };
    Ok((Bundle::new(hooks, Map::new())?, notes))
}

fn json_of(text: &str) -> Result<Value> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::invalid("", format!("the text is not JSON: {error}"), ""))
}

fn goclaw(document: Value) -> Result<Vec<Value>> {
    let (mut hooks, mut names) = (Vec::new(), TakenNames::default());
    let gates = document
        .get("quality_gates")
        .or_else(|| document.pointer("/other_config/quality_gates"));
    if let Some(gates) = gates {
        let gates = json!({ "quality_gates": gates });
        names.take("quality-gates");
        hooks.push(json!({ "name": "quality-gates", "goclaw": gates }));
    }
    let rows = match document {
        Value::Array(rows) => rows,
        Value::Object(mut fields) => match fields.remove("hooks") {
            Some(Value::Array(rows)) => rows,
            Some(_) => return Err(StoreError::invalid("/hooks", "`hooks` must be a list", "")),
            None if hooks.is_empty() => vec![fields.into()],
            None => Vec::new(),
        },
        _ => {
            let message = "GoClaw's hooks are an object or a list";
            return Err(StoreError::invalid("", message, ""));
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
        hooks.push(json!({ "name": name, "goclaw": row }));
    }
    Ok(hooks)
}

fn claude(document: Value) -> Result<(Vec<Value>, Vec<String>)> {
    let Value::Object(mut settings) = document else {
        let message = "the settings of Claude Code are an object";
        return Err(StoreError::invalid("", message, ""));
    };
    let mut notes = Vec::new();
    settings.retain(|key, _| {
        let is_kept = CLAUDE.contains(&key.as_str());
        if !is_kept {
            notes.push(format!("`{key}` is not about hooks, and is left out"));
        }
        is_kept
    });
    let hook = json!({ "name": "claude", "claude": settings });
    Ok((vec![hook], notes))
}
