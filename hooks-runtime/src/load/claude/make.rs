//! Converts the settings of a hook's handler.

use std::path::{Path, PathBuf};

use hooks_builtin::__caller as caller;
use serde_json::{Map, Value};

use super::MatcherGroup;
use crate::entry::{CommandEntry, EnvEntry, PromptEntry};
use crate::handler::command::PROJECT;
use crate::handler::{Making, SettingsMistake, http};
use crate::secrets::Replaced;
use crate::system::Dialect;

/// Returns the root of the project that a file belongs to: the parent of `.claude` in `.claude/settings.json`, or of
/// `.grok` in `.grok/hooks/all.json`. Other hidden folders may have whole projects in them.
pub(super) fn project_of(file: Option<&Path>) -> Option<PathBuf> {
    let file = std::path::absolute(file?).ok()?;
    let is_of_system = |folder: &&Path| {
        let name = folder.file_name().and_then(|name| name.to_str());
        let name = name.filter(|name| name.starts_with('.'));
        let systems = Dialect::ALL.iter().map(|dialect| dialect.system());
        let mut files = systems.flat_map(|system| system.files.found());
        name.is_some_and(|name| files.any(|(_, file)| Path::new(file).starts_with(name)))
    };
    let mut folders = file.ancestors().skip(1).take(2);
    let root = folders.find(is_of_system)?.parent()?;
    (caller::home_dir().as_deref() != Some(root)).then(|| root.to_owned())
}

/// Returns the text of the hook's command, under the first of its keys that is there.
pub(super) fn command_in<'h>(
    group: &MatcherGroup<'_>,
    hook: &'h Map<String, Value>,
) -> Option<&'h str> {
    let mut keys = group.policy.rules.files.commands();
    let command = keys.find_map(|key| hook.get(key))?;
    command.as_str()
}

/// Returns a command with the placeholders of its plugin filled in, and the text that is equal for equal commands. The
/// handler knows the project, and fills that in.
pub(super) fn command_of(
    group: &MatcherGroup<'_>,
    hook: &Map<String, Value>,
    making: &Making,
) -> Result<(CommandEntry, String), SettingsMistake> {
    let text = match command_in(group, hook) {
        Some(text) if !text.trim().is_empty() => text,
        _ => {
            return Err(SettingsMistake::new("the command is missing")
                .help("write `\"command\": \"./check.sh\"`"));
        }
    };
    let project = making
        .project_dir
        .as_ref()
        .or(making.project_of_file.as_ref());
    let mut entry = CommandEntry::default();
    let rules = &group.policy.rules.files;
    if let Some(cwd) = hook
        .get("cwd")
        .and_then(Value::as_str)
        .filter(|_| rules.flat)
    {
        entry.cwd = Some(project.map_or_else(|| cwd.into(), |project| project.join(cwd)));
    } else if rules.runs_at_file || rules.user_runs_at_file && making.project_of_file.is_none() {
        entry.cwd = Some(".".into());
    }
    if let Some(Value::Object(set)) = hook.get("env") {
        let set = set
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        entry.env = EnvEntry {
            set: set.collect(),
            ..EnvEntry::default()
        };
    }
    // Files of plugins use paths relative to themselves.
    let file = group
        .document
        .file()
        .and_then(|file| std::path::absolute(file).ok());
    let file = file.as_deref();
    let plugin = file
        .filter(|file| file.ends_with("hooks/hooks.json"))
        .and_then(Path::parent)
        .and_then(Path::parent);
    let plugin = plugin.map(|root| root.display().to_string());
    if let Some(root) = &plugin {
        for name in ["CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT"] {
            entry.env.set.insert(name.to_owned(), root.clone());
        }
    }
    let placed = |text: &str| match &plugin {
        Some(root) => text
            .replace("${CLAUDE_PLUGIN_ROOT}", root)
            .replace("${PLUGIN_ROOT}", root),
        None => text.to_owned(),
    };
    let mut filled = placed(text);
    match hook.get("args") {
        Some(Value::Array(args)) if group.dialect.system().files.args => {
            entry.argv.push(filled.clone());
            for arg in args {
                let Value::String(arg) = arg else {
                    return Err(
                        SettingsMistake::new("the arguments of a command must be strings")
                            .at("args"),
                    );
                };
                entry.argv.push(placed(arg));
            }
            filled = format!("{:?}", entry.argv);
        }
        None if hook.contains_key("exec") && rules.args => entry.argv.push(filled.clone()),
        None if group.dialect.system().files.is_program(text) => {
            let folder = file.and_then(Path::parent).unwrap_or(Path::new(""));
            entry.argv.push(folder.join(text).display().to_string());
        }
        None | Some(Value::Array(_)) => {
            // The shell expands its own text.
            entry.run = Some(text.to_owned());
            match hook.get("shell").and_then(Value::as_str) {
                Some(shell @ ("bash" | "powershell")) => {
                    entry.shell = Some(shell.to_owned());
                    filled.push_str(shell);
                }
                None => {}
                Some(_) => {
                    return Err(
                        SettingsMistake::new("the shell must be `bash` or `powershell`")
                            .at("shell"),
                    );
                }
            }
        }
        Some(_) => return Err(SettingsMistake::new("`args` must be a list of strings").at("args")),
    }
    if let Some(project) = project {
        filled = filled.replace(PROJECT, &project.to_string_lossy());
    }
    Ok((entry, filled))
}

/// Returns an endpoint.
pub(super) fn http_of(
    group: &MatcherGroup<'_>,
    hook: &Map<String, Value>,
) -> Result<http::HttpSettings, SettingsMistake> {
    let Some(Value::String(url)) = hook.get("url") else {
        return Err(SettingsMistake::new("the URL is missing")
            .at("url")
            .help("write `\"url\": \"https://…\"`"));
    };
    let mut settings = http::HttpSettings {
        url: url.clone(),
        retries: Some(0),
        urls: group.policy.urls.clone(),
        ..http::HttpSettings::default()
    };
    // The file names a server on this machine. It may run commands, so this gives it no further power.
    if let Ok(url) = reqwest::Url::parse(url)
        && let Some(host) = url.host_str()
        && (host == "localhost" || host == "[::1]" || host.starts_with("127."))
    {
        let port = url.port_or_known_default().map(|port| format!(":{port}"));
        settings
            .allow_loopback
            .push(format!("{host}{}", port.unwrap_or_default()));
    }
    match hook.get("headers") {
        None | Some(Value::Null) => {}
        Some(Value::Object(headers)) => {
            for (name, value) in headers {
                let Value::String(value) = value else {
                    return Err(
                        SettingsMistake::new("the value of a header must be a string")
                            .at("headers")
                            .at(name),
                    );
                };
                settings.headers.insert(name.clone(), value.clone());
            }
        }
        Some(_) => return Err(SettingsMistake::new("`headers` must be a table").at("headers")),
    }
    let named = hook.get("allowedEnvVars").and_then(Value::as_array);
    let named = named
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned);
    let may = |name: &String| {
        group
            .policy
            .variables
            .as_ref()
            .is_none_or(|known| known.contains(name))
    };
    settings.replaced = Replaced::Only(named.filter(may).collect());
    Ok(settings)
}

/// Returns a prompt.
pub(super) fn prompt_of(hook: &Map<String, Value>) -> Result<PromptEntry, SettingsMistake> {
    let Some(Value::String(text)) = hook.get("prompt") else {
        return Err(SettingsMistake::new("the prompt is missing")
            .at("prompt")
            .help("write `\"prompt\": \"…\"`"));
    };
    Ok(PromptEntry {
        template: text.clone(),
        model: hook.get("model").and_then(Value::as_str).map(str::to_owned),
        ..PromptEntry::default()
    })
}
