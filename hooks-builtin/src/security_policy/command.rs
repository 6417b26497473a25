//! What a shell command would do, and whether that is allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use hooks_shell::{Effects, Environment, Files, Program, Script, is_predictable};
use serde_json::Value;

use super::SecurityPolicyConfig;
use super::guard::{self, Certainty, PathGuard};
use super::hosts::AllowedHosts;
use super::sandbox::CONFINED;
use crate::shared::caller;
use crate::shared::visible::Visible;

/// The allowed programs.
#[derive(Debug)]
pub(super) struct Programs {
    /// Those that may do whatever they like are marked.
    allowed: BTreeMap<String, bool>,
    /// Those that are allowed in a sandbox only.
    confined: &'static [&'static str],
}

impl Programs {
    pub(super) fn new(config: &SecurityPolicyConfig) -> Self {
        let allowed = config
            .allowed_commands
            .iter()
            .map(|name| (name.clone(), false));
        let trusted = config
            .trusted_commands
            .iter()
            .map(|name| (name.clone(), true));
        // Who writes another list than the default one means that list.
        let usual = SecurityPolicyConfig::default().allowed_commands;
        let is_usual = usual
            .iter()
            .all(|name| config.allowed_commands.contains(name));
        Programs {
            allowed: allowed.chain(trusted).collect(),
            confined: if is_usual { &CONFINED } else { &[] },
        }
    }

    fn has(&self, program: &str, holds: bool) -> bool {
        self.allowed.contains_key(program) || holds && self.confined.contains(&program)
    }

    /// Checks a program. In a sandbox, it needs not be known what it does with its arguments.
    fn check(&self, program: &Program, holds: bool) -> Result<(), String> {
        let is_known = program.is_known || holds;
        let program = program.name.as_str();
        let shown = Visible(program);
        let is_confined = self.confined.contains(&program);
        match self.allowed.get(program) {
            None if is_confined && holds => return Ok(()),
            None if is_confined => {
                return Err(format!(
                    "`{shown}` runs code of the workspace, so it is allowed in a sandbox only: a person may list it in \
                     `allowed_commands`, or let commands run in one"
                ));
            }
            Some(is_trusted) if is_known || *is_trusted => return Ok(()),
            Some(_) => {
                return Err(format!(
                    "the policy does not know what `{shown}` does with its arguments: use another program; a person \
                     may list it in `trusted_commands`"
                ));
            }
            None => {}
        }
        let name = program.rsplit('/').next().unwrap_or(program);
        if self.has(name, holds) {
            // Such a program runs code of the workspace anyway, and the kernel limits what that does.
            let is_below =
                !program.starts_with('/') && !program.split('/').any(|part| part == "..");
            if holds && is_below && !is_predictable(name) {
                return Ok(());
            }
            return Err(if is_below && !is_predictable(name) {
                format!(
                    "`{shown}` is a program of the workspace, which is allowed in a sandbox only: call `{name}` of the system by its name, without `source` before it"
                )
            } else {
                format!(
                    "`{shown}` is not the allowed program, but another file of the same name: call `{name}` by its name"
                )
            });
        }
        let mut listed: BTreeSet<_> = self.allowed.keys().map(String::as_str).collect();
        if holds {
            listed.extend(self.confined);
        }
        let listed: Vec<_> = listed.into_iter().collect();
        Err(match listed.join(", ").as_str() {
            "" => format!("the program `{shown}` is not allowed: the policy allows no program"),
            listed => format!(
                "the program `{shown}` is not allowed: use one of these, or ask the user to write it and all of these into `allowed_commands`: {listed}"
            ),
        })
    }
}

/// The form in which a tool gets its command.
#[derive(Debug)]
pub(super) enum CommandForm {
    /// A script.
    Text(String),
    /// A script, after a shell and its arguments: `["bash", "-lc", "…"]`.
    Shell(Vec<String>, String),
    /// A program and its arguments, without a shell.
    Words(Vec<String>),
}

impl CommandForm {
    fn of(mut words: Vec<String>) -> Self {
        let arguments: Vec<_> = words.iter().skip(1).map(String::as_str).collect();
        let is_script = matches!(*arguments, ["-c" | "-lc" | "-cl", _] | ["-l", "-c", _]);
        match words.pop() {
            Some(script) if is_script && is_shell(&words[0]) => CommandForm::Shell(words, script),
            last => CommandForm::Words(words.into_iter().chain(last).collect()),
        }
    }

    pub(super) fn script(&self) -> String {
        match self {
            CommandForm::Text(text) | CommandForm::Shell(_, text) => text.clone(),
            CommandForm::Words(words) => {
                let quoted: Vec<_> = words.iter().map(|word| in_quotes(word)).collect();
                quoted.join(" ")
            }
        }
    }
}

/// A command as the arguments of a call have it.
pub(super) struct CommandArgument {
    command: CommandForm,
    /// The words beside it; nothing if they are none.
    arguments: Option<Vec<String>>,
}

impl CommandArgument {
    pub(super) fn of(value: &Value) -> Option<Self> {
        let command = match value {
            Value::String(text) => CommandForm::Text(text.clone()),
            words => CommandForm::of(texts(words).filter(|words| !words.is_empty())?),
        };
        let arguments = Some(Vec::new());
        Some(CommandArgument { command, arguments })
    }

    /// Adds the words that stand beside the command.
    pub(super) fn with_arguments(self, value: &Value) -> Self {
        let arguments = if value.is_null() {
            self.arguments
        } else {
            texts(value)
        };
        CommandArgument { arguments, ..self }
    }

    /// Returns the command. The words beside it must mean the same to a shell.
    pub(super) fn form(self) -> Result<CommandForm, String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
        let are_plain = |words: &Vec<String>| words.iter().all(|word| word.chars().all(is_plain));
        match (self.command, self.arguments.filter(are_plain)) {
            (form, Some(words)) if words.is_empty() => Ok(form),
            (CommandForm::Text(program), Some(words)) => {
                Ok(CommandForm::Words([program].into_iter().chain(words).collect()))
            }
            _ => Err("the arguments beside the command are not a list of plain words: write them into the command".into()),
        }
    }
}

/// Returns the texts of a list.
fn texts(value: &Value) -> Option<Vec<String>> {
    let words = value.as_array()?.iter();
    words.map(|word| word.as_str().map(String::from)).collect()
}

/// Quotes a text for a shell, whatever it is.
pub(super) fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns a command that only sets variables; nothing if they are not texts.
pub(super) fn assigning(variables: &Value) -> Option<CommandForm> {
    let set = variables.as_object()?.iter();
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let set = set.map(|(name, value)| {
        let is_name = name.chars().all(is_of_name);
        Some(format!("{name}={}", value.as_str().filter(|_| is_name)?))
    });
    let words = [Some("env".to_owned())].into_iter().chain(set);
    let words = words.chain([Some("true".to_owned())]);
    Some(CommandForm::Words(words.collect::<Option<_>>()?))
}

/// Whether a program is a shell that reads scripts as they are judged.
pub(super) fn is_shell(program: &str) -> bool {
    let folders = ["/bin/", "/usr/bin/"];
    let name = folders
        .iter()
        .find_map(|folder| program.strip_prefix(folder));
    matches!(name.unwrap_or(program), "sh" | "bash" | "dash" | "zsh")
}

/// Returns the programs that a command runs and that are not allowed, each once.
pub(super) fn denied(
    form: &CommandForm,
    programs: &Programs,
    directory: &Path,
    holds: bool,
) -> Vec<String> {
    let Ok(script) = Script::parse(&form.script()) else {
        return Vec::new();
    };
    let effects = script.evaluate(&environment(directory));
    let denied = outside(&effects).filter(|program| !programs.has(&program.name, holds));
    let denied: BTreeSet<_> = denied.map(|program| program.name.clone()).collect();
    denied.into_iter().collect()
}

/// Returns the programs that the policy must allow.
fn outside(effects: &Effects) -> impl Iterator<Item = &Program> {
    let programs = effects.programs();
    programs.filter(|program| !program.is_builtin && !program.is_wrapper)
}

/// Whether the judge knows all that the programs of a command do.
pub(super) fn is_predicted(effects: &Effects) -> bool {
    outside(effects).all(|program| is_predictable(&program.name))
}

/// Describes what a command would do, in one line.
pub(super) fn describe(form: &CommandForm, workspace: &Path) -> String {
    match Script::parse(&form.script()) {
        Ok(script) => script.evaluate(&environment(workspace)).to_string(),
        Err(rejected) => rejected.to_string(),
    }
}

/// What is known about every shell: it starts with the variables of this process.
static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(inherited);

fn inherited() -> Environment {
    let names = caller::names().into_iter();
    let names = names.filter_map(|name| name.into_string().ok());
    let files = Files {
        folders: guard::folders,
        top: |directory| {
            let top = guard::work_tree(Path::new(directory))?;
            top.to_str().map(String::from)
        },
        remote: guard::remote,
    };
    let environment = Environment::default()
        .with_inherited(names)
        .with_files(files);
    match caller::home_dir().as_deref().and_then(Path::to_str) {
        Some(home) => environment.with_home(home),
        None => environment,
    }
}

fn environment(directory: &Path) -> Environment {
    let environment = if caller::other().is_some() {
        inherited()
    } else {
        ENVIRONMENT.clone()
    };
    environment.in_directory(directory.to_string_lossy())
}

/// By what a command is judged.
pub(super) struct Judge<'p> {
    pub(super) programs: &'p Programs,
    pub(super) hosts: &'p AllowedHosts,
    pub(super) guard: &'p PathGuard,
    /// Whether the command runs where the kernel limits which files it uses, and which hosts it reaches.
    pub(super) holds: bool,
}

impl Judge<'_> {
    /// Judges whether a command may run in a directory that is absolute and without links. Returns the script that may run
    /// if it is another one, and what it would do.
    pub(super) fn judge(
        &self,
        form: &CommandForm,
        directory: &Path,
        rewrites: bool,
    ) -> Result<(Option<String>, Effects), String> {
        let text = form.script();
        // Without a shell, exactly what was judged runs.
        let is_exact = matches!(form, CommandForm::Words(_));
        let effects = self.allowed(&text, directory, rewrites && !is_exact)?;
        let rewritten = effects.rewritten().filter(|_| rewrites && !is_exact);
        let Some(rewritten) = rewritten else {
            let is_meant = !is_exact || effects.rewritten().is_none();
            let disputed = effects.disputed().next().filter(|_| is_meant);
            return match disputed.map(|disputed| disputed.reason.clone()) {
                Some(reason) => Err(reason),
                None => Ok((None, effects)),
            };
        };
        let script = match effects.prelude().as_str() {
            "" => rewritten.to_owned(),
            prelude => format!("{prelude}\n{rewritten}"),
        };
        Ok((Some(script), effects))
    }

    /// Judges a command for a shell that goes on afterwards: it enters its folder, and leaves the shell as it was.
    pub(super) fn judge_apart(
        &self,
        form: &CommandForm,
        directory: &Path,
        rewrites: bool,
    ) -> Result<(Option<String>, Effects), String> {
        let (CommandForm::Text(text) | CommandForm::Shell(_, text)) = form else {
            return Err("this tool has a shell that goes on: write the command as a string".into());
        };
        let begin = format!(
            "( cd -P -- {} || exit\n",
            in_quotes(&directory.to_string_lossy())
        );
        let (script, effects) =
            self.judge(&CommandForm::Text(text.clone()), directory, rewrites)?;
        let script = script.as_deref().unwrap_or(text);
        Ok((Some(format!("{begin}{script}\n)")), effects))
    }

    fn allowed(&self, text: &str, directory: &Path, rewrites: bool) -> Result<Effects, String> {
        let script = Script::parse(text).map_err(|rejected| rejected.to_string())?;
        let environment = environment(directory);
        let environment = if rewrites {
            environment
        } else {
            environment.as_written()
        };
        let mut effects = script.evaluate(&environment);
        // What has no other form runs as it is written, and so less is known. Where the kernel holds it, and where it is
        // refused anyway, that makes no difference.
        let is_open = effects.rewritten().is_none() && effects.unknown().next().is_none();
        if rewrites && is_open {
            effects = script.evaluate(&environment.as_written());
        }
        let first = self.wrong(&effects, directory).next();
        match first {
            Some((_, reason)) => Err(reason),
            None => Ok(effects),
        }
    }

    /// Returns everything that is not allowed in a script, each with its place.
    fn wrong<'e>(
        &'e self,
        effects: &'e Effects,
        directory: &'e Path,
    ) -> impl Iterator<Item = (Range<usize>, String)> + 'e {
        let certainty = if self.holds {
            Certainty::Named
        } else {
            Certainty::Found
        };
        let denied = outside(effects).filter_map(|program| {
            let denied = self.programs.check(program, self.holds).err()?;
            Some((program.span.clone(), denied))
        });
        let unknown = effects
            .unknown()
            .filter(|unknown| !(self.holds && unknown.is_argument))
            .map(|unknown| (unknown.span.clone(), unknown.reason.clone()));
        denied
            .chain(unknown)
            .chain(self.hosts.check(effects, self.holds))
            .chain(self.guard.check_all(effects, directory, certainty))
    }
}

/// Judges a script that its shell runs as it is written. Returns everything that is not allowed, each with its place.
pub(super) fn findings(text: &str, judge: &Judge<'_>) -> Vec<(Range<usize>, String)> {
    let script = match Script::parse(text) {
        Ok(script) => script,
        Err(rejected) => return vec![(rejected.span(), rejected.to_string())],
    };
    let directory = judge.guard.workspace();
    let mut environment = environment(directory).as_written();
    if shell_of(text) == Some("bash") {
        environment = environment.in_bash();
    }
    let effects = script.evaluate(&environment);
    let disputed = effects.disputed();
    let disputed = disputed.map(|disputed| (disputed.span.clone(), disputed.reason.clone()));
    judge.wrong(&effects, directory).chain(disputed).collect()
}

/// Returns the shell that the first line of a script names: `sh`, `bash`, `dash` or `zsh`.
pub(super) fn shell_of(text: &str) -> Option<&str> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let words = line.split_whitespace();
    let mut names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
    let name =
        names.find(|name| *name != "env" && !name.starts_with('-') && !name.contains('='))?;
    matches!(name, "sh" | "bash" | "dash" | "zsh").then_some(name)
}
