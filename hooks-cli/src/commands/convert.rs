//! `hooks convert` turns another system's file into one of ours.
//!
//! Every entry becomes a table `[[hooks.on]]` that names the event in the old way, and speaks the old dialect. What our
//! format cannot express becomes a comment next to its entry.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use hooks_runtime::entry::ImportEntry;
use hooks_runtime::{Dialect, OwnedEvent, tool_rule};
use serde_json::Value;
use toml::Table;

use crate::paint::say;
use crate::{Done, Failure, file};

pub(crate) fn run(path: &Path, from: Option<Dialect>) -> Done {
    let from = from.or_else(|| file::dialect_of(path)).ok_or_else(|| {
        Failure::usage(format!(
            "the file name {} does not say which format the file has: write `--from claude`, or another system's name",
            path.display()
        ))
    })?;
    let text = hooks_runtime::__read_text(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| Failure::found(format!("{}: {error}", path.display())))?;
    let mut out = Converted {
        dialect: from,
        text: format!("# From {}, a file of {from}.\n", path.display()),
        number: 0,
    };
    match from {
        Dialect::Hooks => {
            return Err(Failure::usage(
                "the file already has the format of `hooks`: there is nothing to convert",
            ));
        }
        Dialect::Picoclaw => picoclaw(&mut out, &value),
        Dialect::Goclaw => goclaw(&mut out, &value),
        Dialect::Claude | Dialect::Codex | Dialect::Gemini | Dialect::Goose => {
            nested(&mut out, &value);
        }
        Dialect::Flat => nested(&mut out, &grouped(value)),
        other => {
            let instead = if ImportEntry::KEYS.contains(&other.as_str()) {
                let path = path.display();
                format!("`[[hooks.import]]` and `{other} = \"{path}\"` run them as they are")
            } else {
                format!("`hooks run --as {other}` runs our hooks there")
            };
            return Err(Failure::usage(format!(
                "files of {} cannot be converted: {instead}",
                other.title()
            )));
        }
    }
    say!("{}", out.text.trim_end());
    Ok(ExitCode::SUCCESS)
}

/// Converts a flat file, whose entries are commands, to one whose entries are groups of commands.
fn grouped(mut value: Value) -> Value {
    let events = value["hooks"].as_object_mut().into_iter().flatten();
    for entry in events
        .filter_map(|(_, entries)| entries.as_array_mut())
        .flatten()
    {
        let matcher = entry["matcher"].take();
        let mut command = entry.take();
        if let Some(command) = command.as_object_mut() {
            command.remove("matcher");
            command.insert("type".into(), "command".into());
        }
        *entry = serde_json::json!({ "matcher": matcher, "hooks": [command] });
    }
    value
}

/// The part of the file that is written so far.
struct Converted {
    dialect: Dialect,
    text: String,
    number: usize,
}

impl Converted {
    fn note(&mut self, text: &str) {
        for line in text.lines() {
            // Writing to a string cannot fail.
            let _ = writeln!(self.text, "# {line}");
        }
    }

    /// Writes one entry, with what it has lost.
    fn entry(&mut self, entry: &Table, lost: &[String]) {
        self.number += 1;
        self.text.push_str("\n[[hooks.on]]\n");
        // In the usual order: when, then what, then the rest.
        let first = [
            "name", "event", "tools", "matcher", "if", "scope", "priority",
        ];
        let place = |key: &str| {
            first
                .iter()
                .position(|known| *known == key)
                .unwrap_or(first.len())
        };
        let mut keys: Vec<_> = entry.iter().collect();
        keys.sort_by_key(|(key, _)| place(key));
        for (key, value) in keys {
            // A value is written inline, even if it is a table.
            let _ = writeln!(self.text, "{key} = {value}");
        }
        for lost in lost {
            self.note(&format!("lost: {lost}"));
        }
    }

    /// Writes a comment about an entry that is not converted.
    fn left_out(&mut self, what: &str, why: &str) {
        self.text.push('\n');
        self.note(&format!("lost: {what}: {why}"));
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Writes a matcher, as `tools` or `matcher`.
fn matcher(entry: &mut Table, dialect: Dialect, pattern: &str) {
    let is_word = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '|')
            || (dialect == Dialect::Claude && matches!(c, '-' | ' ' | ','))
    };
    let has_exact = matches!(dialect, Dialect::Claude | Dialect::Codex);
    if pattern.is_empty() || pattern == "*" {
        return;
    }
    if has_exact && pattern.chars().all(is_word) {
        let names = pattern.split(['|', ',']).map(str::trim);
        let names = names.map(|name| toml::Value::from(name.to_owned()));
        entry.insert("tools".into(), toml::Value::Array(names.collect()));
    } else {
        entry.insert("matcher".into(), pattern.into());
    }
}

/// Formats a number of milliseconds as a duration of ours.
fn duration(millis: f64) -> String {
    if millis % 1000.0 == 0.0 {
        format!("{}s", millis / 1000.0)
    } else {
        format!("{millis}ms")
    }
}

/// Converts files with events, groups and handlers, as Claude Code has them.
fn nested(out: &mut Converted, value: &Value) {
    let Some(events) = value.get("hooks").and_then(Value::as_object) else {
        out.note("the file has no key `hooks`");
        return;
    };
    for (event, groups) in events {
        let Some(groups) = groups.as_array() else {
            // Settings next to the events, such as Gemini CLI's `enabled`.
            out.left_out(&format!("`hooks.{event}`"), "not a list of hooks");
            continue;
        };
        if OwnedEvent::name_of(event).is_none() {
            out.left_out(
                &format!("all hooks on `{event}`"),
                "`hooks` never raises this event",
            );
            continue;
        }
        for group in groups {
            // The entries of Cursor and mini-claw-code are flat.
            let flat = std::slice::from_ref(group);
            let handlers = group.get("hooks").and_then(Value::as_array);
            for handler in handlers.map_or(flat, Vec::as_slice) {
                one_nested(out, event, group, handler);
            }
        }
    }
}

/// The keys of a handler that are converted, or that have no meaning here.
const KNOWN: &[&str] = &[
    "type",
    "command",
    "args",
    "url",
    "headers",
    "prompt",
    "timeout",
    "onFailure",
    "on_failure",
    "matcher",
    "hooks",
    "statusMessage",
    "description",
    "name",
];

fn one_nested(out: &mut Converted, event: &str, group: &Value, handler: &Value) {
    let dialect = out.dialect;
    let kind = text(handler, "type").unwrap_or("command");
    let mut entry = Table::new();
    let mut lost = Vec::new();
    entry.insert("event".into(), event.into());
    if let Some(pattern) = text(group, "matcher") {
        matcher(&mut entry, dialect, pattern);
    }
    match kind {
        "command" => {
            let Some(command) = text(handler, "command") else {
                out.left_out(&format!("a hook on `{event}`"), "the hook has no `command`");
                return;
            };
            let args = handler.get("args").and_then(Value::as_array);
            match args {
                None => entry.insert("command".into(), command.into()),
                Some(args) => {
                    let words = args.iter().filter_map(Value::as_str);
                    let words = std::iter::once(command)
                        .chain(words)
                        .map(|word| toml::Value::from(word.to_owned()))
                        .collect();
                    let command =
                        Table::from_iter([("argv".to_owned(), toml::Value::Array(words))]);
                    entry.insert("command".into(), toml::Value::Table(command))
                }
            };
        }
        "http" => {
            let Some(url) = text(handler, "url") else {
                out.left_out(&format!("a hook on `{event}`"), "the hook has no `url`");
                return;
            };
            let headers = handler.get("headers").map(toml::Value::try_from);
            let http = match headers {
                Some(Ok(headers)) => toml::Value::Table(Table::from_iter([
                    ("url".to_owned(), url.into()),
                    ("headers".to_owned(), headers),
                ])),
                _ => url.into(),
            };
            entry.insert("http".into(), http);
        }
        "prompt" => {
            let prompt = text(handler, "prompt").unwrap_or_default();
            entry.insert("prompt".into(), prompt.into());
        }
        other => {
            out.left_out(
                &format!("a hook on `{event}`"),
                &format!("`hooks` does not run handlers of the type `{other}`"),
            );
            return;
        }
    }
    entry.insert("dialect".into(), dialect.as_str().into());
    let unit = if dialect == Dialect::Gemini {
        1.0
    } else {
        1000.0
    };
    let default = match dialect {
        Dialect::Goose => 30.0,
        Dialect::Gemini => 60_000.0,
        _ => 600.0,
    };
    let timeout = handler.get("timeout").and_then(Value::as_f64);
    let timeout = timeout.filter(|timeout| *timeout > 0.0).unwrap_or(default);
    entry.insert("timeout".into(), duration(timeout * unit).into());
    // There, a failure lets the event continue, unless the hook says otherwise.
    let policy = text(handler, "onFailure").or(text(handler, "on_failure"));
    let policy = if policy == Some("block") {
        "block"
    } else {
        "skip"
    };
    entry.insert("on_failure".into(), policy.into());
    for (key, value) in handler.as_object().into_iter().flatten() {
        match key.as_str() {
            "if" => match value.as_str().and_then(tool_rule) {
                Some(rule) => {
                    entry.insert("if".into(), rule.into());
                }
                None => lost.push(format!(
                    "`if`: {value} cannot be converted: write a condition in CEL, or the hook runs on more calls"
                )),
            },
            "allowedEnvVars" => lost.push(format!(
                "`allowedEnvVars` = {value}: `hooks` fills in every variable that a header names"
            )),
            "async" | "asyncRewake" if *value == true => {
                lost.push(format!("`{key}`: the agent waits for a hook that decides, so it cannot run in the background"));
            }
            key if KNOWN.contains(&key) || *value == false => {}
            key => lost.push(format!("`{key}` = {value}")),
        }
    }
    out.entry(&entry, &lost);
}

fn picoclaw(out: &mut Converted, value: &Value) {
    let hooks = value.get("hooks").unwrap_or(value);
    let defaults = &hooks["defaults"];
    if let Some(builtins) = hooks["builtins"].as_object() {
        for name in builtins.keys() {
            out.left_out(
                &format!("`builtins.{name}`"),
                "write it as `[[hooks.chain]]`, or under `[hooks.builtin]`",
            );
        }
    }
    for (name, process) in hooks["processes"].as_object().into_iter().flatten() {
        if process["enabled"] != true {
            out.left_out(&format!("the process `{name}`"), "not enabled");
            continue;
        }
        let mut events: Vec<toml::Value> = Vec::new();
        let mut lost = Vec::new();
        let modes = [
            process["intercept"].as_array(),
            process["observe"].as_array(),
        ];
        for event in modes
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(Value::as_str)
        {
            match event {
                "" | "*" | "all" => events.push("*".into()),
                event if OwnedEvent::name_of(event).is_some() => events.push(event.into()),
                event => lost.push(format!("`{event}`: `hooks` never raises this event")),
            }
        }
        if events.iter().any(|event| event.as_str() == Some("*")) {
            events = vec!["*".into()];
            lost.push(
                "with `*`, the process also decides about events that it only observed".into(),
            );
        }
        if events.is_empty() {
            out.left_out(
                &format!("the process `{name}`"),
                "`hooks` raises none of its events",
            );
            continue;
        }
        let mut server = Table::new();
        let argv = process["command"].as_array().into_iter().flatten();
        let argv = argv.filter_map(|word| word.as_str().map(toml::Value::from));
        server.insert("argv".into(), toml::Value::Array(argv.collect()));
        if let Some(dir) = text(process, "dir") {
            server.insert("dir".into(), dir.into());
        }
        if let Ok(env) = toml::Value::try_from(&process["env"])
            && env.is_table()
        {
            server.insert("env".into(), env);
        }
        let mut entry = Table::new();
        entry.insert("name".into(), name.as_str().into());
        entry.insert("event".into(), toml::Value::Array(events));
        // There, a lower number runs first.
        let priority = process["priority"].as_i64().unwrap_or(0).saturating_neg();
        entry.insert("priority".into(), priority.into());
        let timeout = defaults["interceptor_timeout_ms"]
            .as_f64()
            .unwrap_or(5000.0);
        entry.insert("timeout".into(), duration(timeout).into());
        entry.insert("on_failure".into(), "skip".into());
        entry.insert("dialect".into(), "picoclaw".into());
        entry.insert("process".into(), toml::Value::Table(server));
        lost.push("a process that fails lets everything go on except calls that it must approve: `on_failure = \"block\"` is safer".into());
        out.entry(&entry, &lost);
    }
}

fn goclaw(out: &mut Converted, value: &Value) {
    let alone = std::slice::from_ref(value);
    let hooks = value.as_array().or_else(|| value["hooks"].as_array());
    for hook in hooks.map_or(alone, Vec::as_slice) {
        let named = text(hook, "name").or(text(hook, "id")).unwrap_or("a hook");
        let event = text(hook, "event").unwrap_or_default();
        if OwnedEvent::name_of(event).is_none() {
            out.left_out(named, &format!("there is no event `{event}`"));
            continue;
        }
        let config = &hook["config"];
        let mut entry = Table::new();
        let mut lost = Vec::new();
        if let Some(name) = text(hook, "name") {
            entry.insert("name".into(), name.into());
        }
        entry.insert("event".into(), event.into());
        if let Some(pattern) = text(hook, "matcher").filter(|pattern| !pattern.is_empty()) {
            entry.insert("matcher".into(), pattern.into());
        }
        if let Some(condition) = text(hook, "if_expr").filter(|condition| !condition.is_empty()) {
            let ours = condition
                .replace("tool_input", "args")
                .replace("tool_name", "name");
            lost.push(format!("`if_expr` was {condition}"));
            entry.insert("if".into(), ours.replace("depth", "cx.depth").into());
        }
        let handler = match text(hook, "handler_type").unwrap_or_default() {
            "command" => text(config, "command").map(|command| ("command", command)),
            "http" => text(config, "url").map(|url| ("http", url)),
            "prompt" => text(config, "prompt_template").map(|prompt| ("prompt", prompt)),
            other => {
                out.left_out(
                    named,
                    &format!("`hooks` does not run handlers of the type `{other}`"),
                );
                continue;
            }
        };
        let Some((key, handler)) = handler else {
            out.left_out(named, "its `config` does not say what to run");
            continue;
        };
        entry.insert(key.into(), handler.into());
        for (key, value) in config.as_object().into_iter().flatten() {
            if !["command", "url", "prompt_template"].contains(&key.as_str()) {
                // A value may contain the key of an account.
                let shown = if value.is_object() {
                    "…".to_owned()
                } else {
                    value.to_string()
                };
                lost.push(format!("`config.{key}` = {shown}"));
            }
        }
        let scope: Vec<toml::Value> = hook["agent_ids"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|agent| agent.as_str().map(toml::Value::from))
            .collect();
        let mut scopes = Table::new();
        if !scope.is_empty() {
            scopes.insert("agents".into(), toml::Value::Array(scope));
        }
        if let Some(tenant) = text(hook, "tenant_id")
            && text(hook, "scope") != Some("global")
        {
            scopes.insert("tenants".into(), toml::Value::Array(vec![tenant.into()]));
        }
        let priority = hook["priority"].as_i64().unwrap_or(0);
        entry.insert("priority".into(), priority.into());
        let timeout = hook["timeout_ms"].as_f64().filter(|timeout| *timeout > 0.0);
        entry.insert("timeout".into(), duration(timeout.unwrap_or(5000.0)).into());
        if text(hook, "on_timeout") == Some("allow") {
            entry.insert("on_timeout".into(), "skip".into());
        }
        if hook["enabled"] == false {
            entry.insert("mode".into(), "off".into());
        }
        entry.insert("dialect".into(), "goclaw".into());
        if !scopes.is_empty() {
            entry.insert("scope".into(), toml::Value::Table(scopes));
        }
        out.entry(&entry, &lost);
    }
}
