//! `hooks check` reports every mistake in files, and every entry of another system's file that cannot be used.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks_builtin::__tools::names;
use hooks_builtin::config::HooksConfig;
use hooks_builtin::{Globs, PolicySandbox, SecurityPolicy};
use hooks_core::agent::AgentContext;
use hooks_runtime::{ConfigError, OwnedEvent, Runtime, Status};
use serde_json::{Value, json};

use super::doctor::{self, Here};
use super::init::agents::{self, Agent};
use crate::Done;
use crate::file::{self, FormatArgs};
use crate::paint::{self, BAD, GOOD, lines, painted, say};

pub(crate) fn run(
    files: Vec<PathBuf>,
    format: FormatArgs,
    agent: Option<Agent>,
    json: bool,
) -> Done {
    let files = if files.is_empty() {
        vec![file::find(None)?.path]
    } else {
        files
    };
    let mut are_fine = true;
    let mut all = Vec::new();
    for file in files {
        let built = file::block_on(
            file::builder_as(&file.clone().into(), format, &mut Vec::new())
                .tests(true)
                .build(),
        )?;
        are_fine &= built.is_ok();
        match built {
            Ok(runtime) => {
                let mut status = runtime.status();
                let idle = agent.map_or_else(Vec::new, |agent| idle(&runtime, agent));
                status.notices.extend(notices(&status, &file, agent));
                status.notices.extend(unusable(&file));
                status.notices.extend(untested(&runtime));
                if let Some((agent, path)) = agent.zip(std::path::absolute(&file).ok()) {
                    let report = Here::with(path, runtime).report(agent);
                    for finding in report.into_iter().flat_map(|report| report.findings) {
                        // The tools are said already.
                        if !status.notices.contains(&finding) {
                            status.notices.push(finding);
                        }
                    }
                }
                let is_fine = status.left_out == 0 && idle.is_empty();
                are_fine &= is_fine;
                if json {
                    all.push(json!({
                        "file": file, "ok": is_fine, "mistakes": [], "idle": idle,
                        "notices": status.notices, "left_out": status.left_out,
                        "definitions": status.hooks.len(),
                    }));
                    continue;
                }
                paint::notices(&status.notices);
                if let Some(agent) = agent.filter(|_| !idle.is_empty()) {
                    for line in &idle {
                        say!("{}", lines(line));
                    }
                    let found = format_args!("{} never run in {}", counted(&idle), agent.title());
                    say!("{}: {}", file.display(), painted(BAD, found));
                    continue;
                }
                if status.left_out > 0 {
                    let entries = if status.left_out == 1 {
                        "entry"
                    } else {
                        "entries"
                    };
                    let found = format_args!("{} {entries} cannot be used", status.left_out);
                    say!("{}: {}", file.display(), painted(BAD, found));
                    continue;
                }
                let fine = match status.notices.len() {
                    0 => "fine".to_owned(),
                    1 => "fine, with 1 notice".to_owned(),
                    many => format!("fine, with {many} notices"),
                };
                say!("{}: {}", file.display(), painted(GOOD, fine));
            }
            Err(error) if json => {
                let mistakes: Vec<Value> = error.mistakes().map(mistake).collect();
                all.push(json!({ "file": file, "ok": false, "mistakes": mistakes, "notices": [] }));
            }
            Err(error) => {
                let count = error.mistakes().count();
                let mistakes = if count == 1 { "mistake" } else { "mistakes" };
                say!("{}\n", lines(&error.to_string()));
                let found = format_args!("{count} {mistakes}");
                say!("{}: {}", file.display(), painted(BAD, found));
            }
        }
    }
    if json {
        paint::json(&Value::Array(all));
    }
    Ok(ExitCode::from(u8::from(!are_fine)))
}

fn counted(hooks: &[String]) -> String {
    match hooks.len() {
        1 => "1 hook can".to_owned(),
        many => format!("{many} hooks can"),
    }
}

/// Returns the hooks that can never run in an agent: it raises none of their events, or has none of their tools.
fn idle(runtime: &Runtime, agent: Agent) -> Vec<String> {
    let raised = agent.raised();
    let cx = AgentContext::new("check");
    let tools: BTreeSet<&str> = agent.tools().collect();
    let meant = |tool: &&str| {
        let fields = json!({ "name": tool });
        let events = raised.iter().filter_map(|name| {
            let has_tool = OwnedEvent::fields_of(name).contains(&"args");
            let fields = if has_tool { fields.clone() } else { json!({}) };
            OwnedEvent::from_json(name, fields).ok()
        });
        let explained = |event: OwnedEvent| file::block_on(runtime.explain(&cx, event.view())).ok();
        let all = events.filter_map(explained).flatten();
        let meant = all.filter(|one| one.is_meant).map(|one| one.hook);
        meant.collect::<Vec<_>>()
    };
    let meant: HashSet<String> = tools.iter().flat_map(meant).collect();
    let mut idle = Vec::new();
    for hook in runtime.status().hooks {
        let (source, name, title) = (&hook.source, &hook.name, agent.title());
        if !hook.events.iter().any(|event| raised.contains(event)) {
            let events = hook.events.join(", ");
            idle.push(format!(
                "{source}: `{name}` never runs: {title} does not raise {events}"
            ));
        } else if !tools.is_empty()
            && !meant.contains(name)
            // The kind of a custom event is the agent's own.
            && !hook.events.contains(&"Custom")
            && !hook.filter.to_lowercase().contains("mcp")
        {
            let (filter, tools) = (
                &hook.filter,
                tools.iter().copied().collect::<Vec<_>>().join(", "),
            );
            idle.push(format!("{source}: `{name}` never runs: it is for {filter}, and the tools of {title} are {tools}"));
        }
    }
    idle
}

/// Returns what is worth knowing about hooks that can only fail, and about tools that the policy denies.
fn notices(status: &Status, file: &Path, agent: Option<Agent>) -> Vec<String> {
    let mut notices = Vec::new();
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let models = ["HOOKS_EVALUATOR", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"];
    if !models.iter().any(is_set) {
        let prompts = status
            .hooks
            .iter()
            .filter(|hook| hook.handler.starts_with("prompt"));
        notices.extend(prompts.map(|hook| {
            let (source, name) = (&hook.source, &hook.name);
            format!(
                "{source}: `{name}` fails: no model is named here; set one of `{}`",
                models.join("`, `")
            )
        }));
    }
    let config = config(file);
    let confined = config.as_ref().and_then(confined);
    notices.extend(confined.and_then(|(policy, _sandbox)| policy.__unguarded()));
    notices.extend(
        config
            .zip(agent)
            .and_then(|(config, agent)| unknown_tools(&config, file, agent)),
    );
    notices
}

/// Says which rules no test makes true, if the file has tests.
fn untested(runtime: &Runtime) -> Option<String> {
    let untested = runtime.untested().join("`, `");
    let more = "`hooks test --coverage` says more";
    (!untested.is_empty()).then(|| format!("no test makes these rules true: `{untested}`; {more}"))
}

/// What cannot run in a file of another system that has that system's name.
fn unusable(file: &Path) -> Vec<String> {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let text = hooks_runtime::__read_text(file).unwrap_or_default();
    let system = file::dialect_of(file);
    system.map_or_else(Vec::new, |system| {
        doctor::unusable_in(system, &absolute, &text)
    })
}

/// The file's sections, if it can be used.
pub(super) fn config(file: &Path) -> Option<HooksConfig> {
    let text = hooks_runtime::__read_text(file).ok()?;
    HooksConfig::of_file(file, text).ok()
}

/// Says which tools of an agent the policy of a file does not know, and so denies.
pub(super) fn unknown_tools(config: &HooksConfig, file: &Path, agent: Agent) -> Option<String> {
    let policy = config.builtin.security_policy.as_on()?;
    // As the policy compares names.
    let normal = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let known = policy.profiles.iter().flat_map(|profile| names(*profile));
    let known: HashSet<_> = known.map(normal).collect();
    let own = Globs::new(policy.tools.keys().map(|name| normal(name))).unwrap_or_default();
    let unknown = |tool: &&str| {
        let is_named = policy.shell_tools.matches(tool) || policy.read_only_tools.matches(tool);
        let normal = normal(tool);
        !(is_named || known.contains(&normal) || own.matches(&normal))
    };
    // The agents that were set up before go on.
    let file = std::path::absolute(file).unwrap_or_default();
    let project = file.parent().unwrap_or(Path::new("."));
    let is_set_up = |other: &Agent| {
        let texts = other.system.settings_files(project).into_iter();
        let mut texts = texts.filter_map(|path| hooks_runtime::__read_text(&path).ok());
        texts.any(|text| text.contains(&*file.to_string_lossy()))
    };
    let all = agents::all().filter(is_set_up).chain([agent]);
    let mut profiles = policy.profiles.clone();
    for profile in all.flat_map(|agent| agent.init.profiles.iter().copied()) {
        let adds = names(profile).any(|tool| unknown(&tool));
        if adds && !profiles.contains(&profile) {
            profiles.push(profile);
        }
    }
    let profiles = json!(profiles);
    let unknown: BTreeSet<_> = agent.tools().filter(unknown).collect();
    let tools = unknown.into_iter().collect::<Vec<_>>().join("`, `");
    (!tools.is_empty()).then(|| {
        format!(
            "the policy denies these tools of {}, because it does not know them: `{tools}`; write `profiles = {profiles}`",
            agent.title()
        )
    })
}

/// Returns the policy of a file with its sandbox, which confines as long as it is there.
pub(super) fn confined(config: &HooksConfig) -> Option<(SecurityPolicy, PolicySandbox)> {
    let policy = config.builtin.security_policy.as_on()?;
    let policy = SecurityPolicy::from_config(policy).ok()?;
    Some(policy.with_sandbox())
}

/// Formats one mistake for programs.
pub(crate) fn mistake(error: &ConfigError) -> Value {
    json!({
        "file": error.file(),
        "line": error.line(),
        "column": error.column(),
        "path": error.path(),
        "message": error.message(),
        "help": error.help(),
    })
}
