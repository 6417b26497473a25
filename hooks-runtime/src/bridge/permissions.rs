//! The agent's own permission rules, applied to a command as it is written.
//!
//! An agent that judges what a hook has made of a command judges our text, and not the model's: a rule of the user's that
//! denies `cat` would not meet it. So the rules are read where the agent has them, and the answer says what they say.

use std::io::ErrorKind;
use std::iter;
use std::path::{Path, PathBuf};

use hooks_builtin::__Visible as Visible;
use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
use hooks_rules::input::Rule;
use hooks_shell::{Argument, Effects, Environment, PathUse, Script};
use serde_json::{Value, json};

use crate::filter;
use crate::load::RuntimeSettings;
use crate::system::Dialect;
use crate::system::table::at;
use crate::system::tools::aliases_of;

/// What the rules say, with the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PermissionVerdict {
    Deny(String),
    Ask(String),
    Allow(String),
}

/// The rules of an agent, from all its files.
#[derive(Default)]
pub(super) struct PermissionRules {
    deny: Vec<Rule>,
    ask: Vec<Rule>,
    allow: Vec<Rule>,
    /// The first file that cannot be read: what it denies is not known.
    unread: Option<PathBuf>,
}

impl PermissionRules {
    /// Reads the rules; nothing if the agent's table does not say where they are.
    pub(super) fn read(
        plan: &RuntimeSettings,
        dialect: Dialect,
        cx: &AgentContext,
    ) -> Option<Self> {
        let system = dialect.system();
        let keys = system.permissions.as_ref()?;
        let project = match cx.project_dir.as_str() {
            "" => &cx.cwd,
            project => project,
        };
        let mut rules = PermissionRules::default();
        for (whose, name) in system.files.found() {
            let Some(file) = plan.place(dialect, whose, name, Some(Path::new(project))) else {
                continue;
            };
            let text = match std::fs::read(&file) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(_) => None,
                Ok(bytes) => serde_json::from_slice::<Value>(&bytes).ok(),
            };
            let Some(settings) = text else {
                rules.unread.get_or_insert(file);
                continue;
            };
            for (path, list) in [
                (&keys.deny, &mut rules.deny),
                (&keys.ask, &mut rules.ask),
                (&keys.allow, &mut rules.allow),
            ] {
                let found = at(&settings, path).and_then(Value::as_array);
                let texts = found.into_iter().flatten().filter_map(Value::as_str);
                list.extend(texts.map(|text| Rule::parse(text, aliases_of(dialect))));
            }
        }
        // A rule that is not understood may deny anything, but allows nothing.
        rules.allow.retain(Rule::is_known);
        Some(rules)
    }

    /// Returns what the rules say about a command; nothing if none is about it.
    pub(super) fn verdict(
        &self,
        cx: &AgentContext,
        tool: &str,
        command: &str,
    ) -> Option<PermissionVerdict> {
        let effects = Script::parse(command).ok();
        let effects = effects.map(|script| script.evaluate(&Environment::new(cx.cwd.as_str())));
        let effects = effects.filter(|effects| effects.unknown().next().is_none());
        let said = |list: &[Rule]| {
            let mut may_be = None;
            for rule in list {
                let is_about = match &effects {
                    Some(effects) => about(rule, cx, tool, command, effects),
                    // A command that is not understood may be what a rule is about.
                    None if rule.may_concern(tool) => None,
                    None => Some(false),
                };
                match is_about {
                    Some(true) => return Some((rule.text().to_owned(), true)),
                    Some(false) => {}
                    None => {
                        may_be.get_or_insert(rule.text().to_owned());
                    }
                }
            }
            may_be.map(|rule| (rule, false))
        };
        let unsure = |rule: &str| {
            PermissionVerdict::Ask(format!("your rule `{rule}` may be about this command"))
        };
        let denied = said(&self.deny);
        if let Some((rule, true)) = &denied {
            return Some(PermissionVerdict::Deny(format!(
                "your rule `{rule}` denies this command"
            )));
        }
        if let Some(file) = &self.unread {
            let shown = file.to_string_lossy();
            let shown = Visible(&shown);
            return Some(PermissionVerdict::Ask(format!(
                "your settings in `{shown}` cannot be read, so what they deny is not known: mend the file"
            )));
        }
        match said(&self.ask).or(denied) {
            Some((rule, true)) => {
                return Some(PermissionVerdict::Ask(format!(
                    "your rule `{rule}` asks about this command"
                )));
            }
            Some((rule, false)) => return Some(unsure(&rule)),
            None => {}
        }
        self.allowed(cx, tool, &effects?)
    }

    /// Returns the rule that allows a command: each of its programs needs one, and each file that it changes.
    fn allowed(
        &self,
        cx: &AgentContext,
        tool: &str,
        effects: &Effects,
    ) -> Option<PermissionVerdict> {
        let mut first = None;
        let is_silent = |name: &str| matches!(name, "cd" | "echo" | "true");
        for program in effects
            .programs()
            .filter(|program| !is_silent(&program.name))
        {
            let line = program.line();
            let allows =
                |rule: &&Rule| rule.is_about(tool, &program.name, line.as_deref()) == Some(true);
            let rule = self.allow.iter().find(allows)?;
            first.get_or_insert(rule.text());
        }
        let changed = effects.paths().filter(|used| used.access.changes());
        for call in changed.flat_map(file_calls) {
            let call = call?;
            self.allow.iter().find(|rule| matches(rule, cx, &call))?;
        }
        first.map(|rule| PermissionVerdict::Allow(format!("your rule `{rule}`")))
    }
}

/// Whether a rule is about a command: one of its programs, the text of it, or a file that it reads or changes. Nothing if
/// that cannot be told.
fn about(
    rule: &Rule,
    cx: &AgentContext,
    tool: &str,
    command: &str,
    effects: &Effects,
) -> Option<bool> {
    let programs = effects.programs().map(|program| {
        let line = program.line();
        rule.is_about(tool, &program.name, line.as_deref())
    });
    let whole = iter::once_with(|| rule.is_about(tool, "", Some(command.trim())));
    let files = effects.paths().flat_map(file_calls);
    // A path that is not known is among what is unknown.
    let files = files
        .flatten()
        .map(|call| Some(rule.is_known() && matches(rule, cx, &call)));
    let mut answer = Some(false);
    for said in programs.chain(whole).chain(files) {
        match said {
            Some(true) => return said,
            Some(false) => {}
            None => answer = None,
        }
    }
    answer
}

fn matches(rule: &Rule, cx: &AgentContext, call: &BeforeToolCall) -> bool {
    filter::matches(rule, cx, &AgentEvent::BeforeToolCall(call))
}

/// The calls of file tools that a use of a path is like, one for each folder that it may be in; nothing if the path is not
/// known.
fn file_calls(used: &PathUse) -> Vec<Option<BeforeToolCall>> {
    let tool = if used.access.changes() {
        "Edit"
    } else {
        "Read"
    };
    let (Argument::Text(path) | Argument::Pattern(path)) = &used.path else {
        return vec![None];
    };
    let folders = used.directories.iter();
    folders
        .map(|folder| {
            let whole = Path::new(folder).join(path.to_string());
            Some(BeforeToolCall::new("", tool, json!({ "file_path": whole })))
        })
        .collect()
}
