//! The agent's own permission rules, applied to a command as it is written.
//!
//! An agent that judges what a hook has made of a command judges our text, and not the model's: a rule of the user's that
//! denies `cat` would not meet it. So the rules are read where the agent has them, and the answer says what they say.

use std::path::{Path, PathBuf};

use hooks_builtin::__caller as caller;
use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
use hooks_shell::{Argument, Effects, Environment, Script};
use serde_json::{Value, json};

use crate::filter::input::Rule;
use crate::load::discover::managed;
use crate::system::Dialect;
use crate::system::table::{System, Whose, at};
use crate::system::tools::Aliases;

/// What the rules say, with the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Deny(String),
    Ask(String),
    Allow(String),
}

/// The rules of an agent, from all its files.
#[derive(Default)]
struct Rules {
    deny: Vec<Rule>,
    ask: Vec<Rule>,
    allow: Vec<Rule>,
}

/// Returns what the agent's rules say about a command; nothing if none is about it, or the agent has none that are read.
pub(super) fn verdict(
    system: Dialect,
    cx: &AgentContext,
    tool: &str,
    command: &str,
) -> Option<Verdict> {
    let rules = Rules::read(system, cx)?;
    let effects = Script::parse(command).ok();
    let effects = effects.map(|script| script.evaluate(&Environment::new(cx.cwd.as_str())));
    let effects = effects.filter(|effects| effects.unknown().next().is_none());
    let Some(effects) = effects else {
        // A command that is not understood may be what a rule is about.
        let first = rules
            .deny
            .iter()
            .chain(&rules.ask)
            .find(|rule| rule.may_concern(tool));
        return first.map(|rule| Verdict::Ask(format!("`{}` may be about it", rule.text())));
    };
    let calls = calls(tool, &effects);
    let meets = |rule: &&Rule| calls.iter().any(|call| matches(rule, cx, call));
    if let Some(rule) = rules.deny.iter().find(meets) {
        return Some(Verdict::Deny(format!(
            "your rule `{}` denies it",
            rule.text()
        )));
    }
    if let Some(rule) = rules.ask.iter().find(meets) {
        return Some(Verdict::Ask(format!(
            "your rule `{}` asks about it",
            rule.text()
        )));
    }
    // Each command of a script needs a rule.
    let own = calls.iter().filter(|call| call.name == tool);
    let by: Option<Vec<&Rule>> = own
        .map(|call| rules.allow.iter().find(|rule| matches(rule, cx, call)))
        .collect();
    let rule = by?.first().map(|rule| rule.text().to_owned())?;
    Some(Verdict::Allow(format!("your rule `{rule}`")))
}

fn matches(rule: &Rule, cx: &AgentContext, call: &BeforeToolCall) -> bool {
    rule.matches(cx, &AgentEvent::BeforeToolCall(call))
}

/// The calls that a script stands for: one for each command, and one for each file that it reads or changes.
fn calls(tool: &str, effects: &Effects) -> Vec<BeforeToolCall> {
    let commands = effects
        .programs()
        .filter(|program| !matches!(program.name.as_str(), "cd" | "echo" | "true"));
    let commands = commands.map(|program| {
        let words = program
            .arguments
            .iter()
            .map(|argument| format!(" {argument}"));
        let line = program.name.clone() + &words.collect::<String>();
        BeforeToolCall::new("", tool, json!({ "command": line }))
    });
    let files = effects.paths().flat_map(|used| {
        let tool = if used.access.changes() {
            "Edit"
        } else {
            "Read"
        };
        let path = match &used.path {
            Argument::Text(path) | Argument::Pattern(path) => Some(path.to_string()),
            _ => None,
        };
        path.into_iter().flat_map(move |path| {
            let folders = used.directories.iter();
            folders.map(move |folder| {
                let whole = Path::new(folder).join(&path);
                BeforeToolCall::new("", tool, json!({ "file_path": whole }))
            })
        })
    });
    commands.chain(files).collect()
}

impl Rules {
    /// Reads the rules; nothing if the agent's table does not say where they are.
    fn read(dialect: Dialect, cx: &AgentContext) -> Option<Self> {
        let system = dialect.system();
        let keys = system.permissions.as_ref()?;
        let mut rules = Rules::default();
        for file in files(system, cx) {
            let Ok(text) = std::fs::read_to_string(&file) else {
                continue;
            };
            let Ok(settings) = serde_json::from_str::<Value>(&text) else {
                continue;
            };
            for (path, list) in [
                (&keys.deny, &mut rules.deny),
                (&keys.ask, &mut rules.ask),
                (&keys.allow, &mut rules.allow),
            ] {
                let found = at(&settings, path).and_then(Value::as_array);
                let texts = found.into_iter().flatten().filter_map(Value::as_str);
                list.extend(texts.map(|text| Rule::parse(text, Aliases::of(dialect))));
            }
        }
        // A rule that is not understood may deny anything, but allows nothing.
        rules.allow.retain(Rule::is_known);
        Some(rules)
    }
}

/// The files in which an agent has its settings.
fn files(system: &System, cx: &AgentContext) -> impl Iterator<Item = PathBuf> {
    let home = caller::home_dir();
    let project = if cx.project_dir.is_empty() {
        &cx.cwd
    } else {
        &cx.project_dir
    };
    let project = PathBuf::from(project);
    let found = system.files.found().collect::<Vec<_>>().into_iter();
    found.filter_map(move |(whose, name)| match whose {
        Whose::User => Some(home.as_ref()?.join(name)),
        Whose::Project => Some(project.join(name)),
        Whose::Managed => Some(managed().join(name)),
    })
}
