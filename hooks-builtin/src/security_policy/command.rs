//! What a shell command would do, and whether that is allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use hooks_shell::{Effects, Environment, Files, Program, Script};
use serde_json::Value;

use super::guard::{self, Guard};
use super::sandbox::in_quotes;
use crate::shared::caller;
use crate::shared::visible::Visible;

/// The allowed programs.
#[derive(Debug)]
pub(super) struct Programs {
    /// Those that may do whatever they like are marked.
    allowed: BTreeMap<String, bool>,
}

impl Programs {
    pub(super) fn new(allowed: &[String], trusted: &[String]) -> Self {
        let allowed = allowed.iter().map(|name| (name.clone(), false));
        let trusted = trusted.iter().map(|name| (name.clone(), true));
        Programs {
            allowed: allowed.chain(trusted).collect(),
        }
    }

    fn has(&self, program: &str) -> bool {
        self.allowed.contains_key(program)
    }

    fn check(&self, program: &Program) -> Result<(), String> {
        let is_known = program.is_known;
        let program = program.name.as_str();
        let shown = Visible(program);
        match self.allowed.get(program) {
            Some(is_trusted) if is_known || *is_trusted => return Ok(()),
            Some(_) => {
                return Err(format!(
                    "the policy does not know what `{shown}` does with its arguments: use another program; a person \
                     may list it in `trusted_commands`"
                ));
            }
            None => {}
        }
        if self.has(program.rsplit('/').next().unwrap_or(program)) {
            return Err(format!(
                "`{shown}` is not the allowed program, but another file of the same name: call the program by its name"
            ));
        }
        let listed: Vec<_> = self.allowed.keys().map(String::as_str).collect();
        Err(match listed.join(", ").as_str() {
            "" => format!("the program `{shown}` is not allowed: the policy allows no program"),
            listed => format!("the program `{shown}` is not allowed; allowed are: {listed}"),
        })
    }
}

/// The form in which a tool gets its command.
pub(super) enum Form {
    /// A script.
    Text(String),
    /// A shell and its arguments, one of which is the script: `["bash", "-lc", "…"]`.
    Shell(usize, String),
    /// A program and its arguments, without a shell.
    Words(Vec<String>),
}

impl Form {
    pub(super) fn of(value: &Value) -> Option<Self> {
        if let Value::String(text) = value {
            return Some(Form::Text(text.clone()));
        }
        let words: Option<Vec<String>> = value
            .as_array()?
            .iter()
            .map(|word| word.as_str().map(String::from))
            .collect();
        let words = words.filter(|words| !words.is_empty())?;
        let flags: Vec<_> = words[1..]
            .iter()
            .rev()
            .skip(1)
            .map(String::as_str)
            .collect();
        let is_script = matches!(*flags, ["-c" | "-lc" | "-cl"] | ["-c", "-l"]);
        Some(match words.last() {
            Some(script) if is_script && is_shell(&words[0]) => {
                Form::Shell(words.len() - 1, script.clone())
            }
            _ => Form::Words(words),
        })
    }

    /// Adds arguments that stand beside the command. They must mean the same to a shell.
    pub(super) fn with_arguments(self, value: &Value) -> Result<Self, String> {
        let words = match value {
            Value::Null => Some(Vec::new()),
            words => words
                .as_array()
                .and_then(|words| words.iter().map(Value::as_str).collect()),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
        let are_plain = |words: &Vec<&str>| words.iter().all(|word| word.chars().all(is_plain));
        match (self, words.filter(are_plain)) {
            (form, Some(words)) if words.is_empty() => Ok(form),
            (Form::Text(program), Some(words)) => {
                let words = words.into_iter().map(String::from);
                Ok(Form::Words([program].into_iter().chain(words).collect()))
            }
            _ => Err("the arguments beside the command are not a list of plain words: write them into the command".into()),
        }
    }

    pub(super) fn script_place(&self) -> Option<usize> {
        match self {
            Form::Shell(nth, _) => Some(*nth),
            _ => None,
        }
    }

    pub(super) fn script(&self) -> String {
        match self {
            Form::Text(text) | Form::Shell(_, text) => text.clone(),
            Form::Words(words) => {
                let quoted: Vec<_> = words.iter().map(|word| in_quotes(word)).collect();
                quoted.join(" ")
            }
        }
    }
}

/// Returns a command that only sets variables; nothing if they are not texts.
pub(super) fn assigning(variables: &Value) -> Option<Form> {
    let set = variables.as_object()?.iter();
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let set = set.map(|(name, value)| {
        let is_name = name.chars().all(is_of_name);
        Some(format!("{name}={}", value.as_str().filter(|_| is_name)?))
    });
    let words = [Some("env".to_owned())].into_iter().chain(set);
    let words = words.chain([Some("true".to_owned())]);
    Some(Form::Words(words.collect::<Option<_>>()?))
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
pub(super) fn denied(form: &Form, programs: &Programs, directory: &Path) -> Vec<String> {
    let Ok(script) = Script::parse(&body(&form.script())) else {
        return Vec::new();
    };
    let effects = script.evaluate(&environment(directory));
    let denied = outside(&effects).filter(|program| !programs.has(&program.name));
    let denied: BTreeSet<_> = denied.map(|program| program.name.clone()).collect();
    denied.into_iter().collect()
}

/// Returns the programs that the policy must allow.
fn outside(effects: &Effects) -> impl Iterator<Item = &Program> {
    let programs = effects.programs();
    programs.filter(|program| !program.is_builtin && !program.is_wrapper)
}

/// Describes what a command would do, in one line.
pub(super) fn describe(form: &Form, workspace: &Path) -> String {
    match Script::parse(&body(&form.script())) {
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

/// Returns the text after the prelude that a policy has written.
fn body(text: &str) -> String {
    parts(text).map_or(text, |(_, body)| body).to_owned()
}

fn parts(text: &str) -> Option<(&str, &str)> {
    let begins = ["unset -v ", "export GIT_CONFIG_COUNT="];
    if !begins.iter().any(|begin| text.starts_with(begin)) {
        return None;
    }
    let lines = "; IFS='\n'\n";
    match text.find(lines) {
        Some(at) if text.find('\n') == Some(at + lines.len() - 3) => {
            let (prelude, body) = text.split_at(at + lines.len());
            Some((&prelude[..prelude.len() - 1], body))
        }
        _ => text.split_once('\n'),
    }
}

/// Judges whether a command may run in a directory that is absolute and without links. Returns the form in which it may
/// run.
pub(super) fn judge(
    form: &Form,
    programs: &Programs,
    guard: &Guard,
    directory: &Path,
    rewrites: bool,
) -> Result<Option<String>, String> {
    let text = form.script();
    // Without a shell, exactly what was judged runs.
    let is_exact = matches!(form, Form::Words(_));
    // A rewritten command is judged again when it is approved, without its prelude if the prelude is the expected one.
    if let Some((prelude, body)) = parts(&text)
        && let Ok(effects) = allowed(body, programs, guard, directory, rewrites)
        && effects.prelude() == prelude
    {
        return Ok(Some(text));
    }
    let effects = allowed(&text, programs, guard, directory, rewrites && !is_exact)?;
    if !(rewrites || is_exact) || effects.rewritten().is_none() {
        if let Some(disputed) = effects.disputed().next() {
            return Err(disputed.reason.clone());
        }
        return Ok(None);
    }
    let prelude = effects.prelude();
    Ok(effects.rewritten().map(|script| match prelude.as_str() {
        "" => script.to_owned(),
        prelude => format!("{prelude}\n{script}"),
    }))
}

fn allowed(
    text: &str,
    programs: &Programs,
    guard: &Guard,
    directory: &Path,
    rewrites: bool,
) -> Result<Effects, String> {
    let script = Script::parse(text).map_err(|rejected| rejected.to_string())?;
    let environment = environment(directory);
    let mut effects = script.evaluate(&environment);
    if !rewrites || effects.rewritten().is_none() {
        effects = script.evaluate(&environment.as_written());
    }
    let first = wrong(&effects, programs, guard, directory).next();
    match first {
        Some((_, reason)) => Err(reason),
        None => Ok(effects),
    }
}

/// Returns everything that is not allowed in a script, each with its place.
fn wrong<'e>(
    effects: &'e Effects,
    programs: &'e Programs,
    guard: &'e Guard,
    directory: &'e Path,
) -> impl Iterator<Item = (Range<usize>, String)> + 'e {
    let denied = outside(effects).filter_map(|program| {
        let denied = programs.check(program).err()?;
        Some((program.span.clone(), denied))
    });
    let unknown = effects
        .unknown()
        .map(|unknown| (unknown.span.clone(), unknown.reason.clone()));
    denied
        .chain(unknown)
        .chain(guard.check_all(effects, directory))
}

/// Judges a script that its shell runs as it is written. Returns everything that is not allowed, each with its place.
pub(super) fn findings(
    text: &str,
    programs: &Programs,
    guard: &Guard,
) -> Vec<(Range<usize>, String)> {
    let script = match Script::parse(text) {
        Ok(script) => script,
        Err(rejected) => return vec![(rejected.span(), rejected.to_string())],
    };
    let directory = guard.workspace();
    let mut environment = environment(directory).as_written();
    if shell_of(text) == Some("bash") {
        environment = environment.in_bash();
    }
    let effects = script.evaluate(&environment);
    let disputed = effects.disputed();
    let disputed = disputed.map(|disputed| (disputed.span.clone(), disputed.reason.clone()));
    wrong(&effects, programs, guard, directory)
        .chain(disputed)
        .collect()
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
