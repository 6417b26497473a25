//! Environment variables: which ones a script may set, and which ones are unset before it runs.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::addresses::{is_address, pieces_that_lead_out};
use super::{is_one_of, unfolded};
use crate::parse::syntax::is_identifier;
use crate::value::Argument;

#[derive(Debug)]
pub(crate) struct VariableRow {
    rule: &'static str,
    programs: Vec<&'static str>,
    names: Vec<&'static str>,
}

impl VariableRow {
    /// Whether it is about one of these programs.
    pub(crate) fn concerns(&self, names: &[&str]) -> bool {
        let is_meant = |program: &&str| *program == "*" || names.contains(program);
        self.programs.iter().any(is_meant)
    }
}

/// The lines of `variables.txt`.
static LINES: LazyLock<Vec<VariableRow>> = LazyLock::new(|| {
    let text: &'static str = Box::leak(unfolded(include_str!("variables.txt")).into_boxed_str());
    let line = |line: &'static str| {
        let (head, names) = line.split_once(" : ")?;
        let (rule, programs) = head.split_once(' ')?;
        let programs = programs.split_whitespace().collect();
        Some(VariableRow {
            rule,
            programs,
            names: names.split_whitespace().collect(),
        })
    };
    text.lines().filter_map(line).collect()
});

/// The rule of each name. The first line with the name applies.
static RULES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let all = LINES.iter().rev();
    all.flat_map(|line| line.names.iter().map(|name| (*name, line.rule)))
        .collect()
});

/// The rules of names with these prefixes.
static BEGINNINGS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let all = LINES
        .iter()
        .flat_map(|line| line.names.iter().map(|name| (*name, line.rule)));
    all.filter_map(|(name, rule)| Some((name.strip_suffix('*')?, rule)))
        .collect()
});

/// A variable that is unset for the programs of its line.
pub(crate) type Unset = (&'static VariableRow, &'static str);

/// All of them.
pub(crate) static UNSET: LazyLock<Vec<Unset>> = LazyLock::new(|| {
    let lines = LINES.iter().filter(|line| line.rule == "unset");
    let all = lines.flat_map(|line| line.names.iter().map(move |name| (line, *name)));
    all.filter(|(_, name)| is_identifier(name)).collect()
});

/// Returns those that are among these names.
pub(crate) fn unset_of(names: &HashSet<String>) -> Vec<Unset> {
    let is_among = |(_, name): &&Unset| names.contains(*name);
    UNSET.iter().filter(is_among).copied().collect()
}

fn rule_of(name: &str) -> Option<&'static str> {
    RULES.get(name).copied().or_else(|| {
        let (_, rule) = BEGINNINGS
            .iter()
            .find(|(begin, _)| name.starts_with(begin))?;
        Some(*rule)
    })
}

/// Whether the shell itself changes the variable.
pub(crate) fn is_changed_by_the_shell(name: &str) -> bool {
    RULES.get(name) == Some(&"shell")
}

/// Whether a shell calls a function of this name by itself.
pub(crate) fn is_called_by_the_shell(name: &str) -> bool {
    rule_of(name) == Some("called")
}

/// Whether a variable is one of the script's own, of which no program is known to look at it.
pub(crate) fn is_own(name: &str) -> bool {
    rule_of(name).is_none()
}

/// Whether a script may give a variable this value. A variable that is not exported may still be inherited, if the
/// environment already has it.
pub(crate) fn may_be_set(name: &str, held: &Argument, is_exported: bool) -> bool {
    let value = held.known();
    match (rule_of(name), value) {
        (Some("plain" | "shell"), _) => true,
        // In some other encoding, a half of a character is a backslash.
        (Some("word"), Some(text)) if name.starts_with("LC_") || name == "LANG" => {
            let text = text.to_ascii_lowercase();
            matches!(text.as_str(), "" | "c" | "posix")
                || text.ends_with("utf-8")
                || text.ends_with("utf8")
        }
        (Some("word"), Some(text)) => pieces_that_lead_out(text).next().is_none(),
        // An editor for a list of commands could make git run one.
        (Some("command"), Some(command)) => is_harmless_command(command),
        (Some("flags"), Some(flags)) => flags.split_whitespace().all(is_harmless_flag),
        (Some(_), _) => false,
        (None, value) => {
            let is_number = matches!(held, Argument::Number);
            let may_be_run = |value: &str| {
                value.contains('/') && (value.starts_with("./") || names_a_program(name))
            };
            let is_plain = |value| is_plain(value) && (!may_be_run(value) || is_address(value));
            !is_exported || is_number || value.is_some_and(is_plain)
        }
    }
}

/// Whether a variable may hold a program, by its name.
fn names_a_program(name: &str) -> bool {
    const WORDS: &str = "*TOOL*,*CMD*,*COMMAND*,*BIN*,*EXE*,*PAGER*,*EDITOR*,*SHELL*,*PROGRAM*,*HOOK*,*RUNNER*,*WRAPPER*,*LAUNCHER*,*PATH*,*PLUGIN*,*CONFIG*,*RC";
    is_one_of(WORDS, &name.to_ascii_uppercase())
}

/// Whether a value neither leads out of the folder nor contains a command with arguments.
fn is_plain(value: &str) -> bool {
    let is_address = value.contains("://") && is_address(value);
    let is_of_word = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || b"_.,:=+@%-/!#^~".contains(&byte)
            || (is_address && b"?&".contains(&byte))
    };
    value.bytes().all(is_of_word)
        && !value.starts_with('-')
        && (is_address || pieces_that_lead_out(value).next().is_none())
}

fn is_harmless_command(command: &str) -> bool {
    matches!(command, "" | ":" | "cat" | "true")
}

/// Whether a git setting only changes the appearance of something, or an identity.
pub(crate) fn is_harmless_setting(setting: &str) -> bool {
    let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
    match rule_of(&key.to_ascii_lowercase()) {
        Some("plain") => key.contains('.'),
        Some("command") => key.contains('.') && is_harmless_command(value),
        _ => false,
    }
}

/// Whether a setting of git holds no secret.
pub(crate) fn may_be_shown(key: &str) -> bool {
    let rule = rule_of(&key.to_ascii_lowercase());
    key.contains('.') && matches!(rule, Some("plain" | "command" | "shown"))
}

/// Whether a variable holds a list of folders.
pub(crate) fn holds_folders(name: &str) -> bool {
    rule_of(name) == Some("folders")
}

/// Whether a flag of rustc only turns on a lint, or sets the optimisation level.
pub(crate) fn is_harmless_flag(flag: &str) -> bool {
    let is_of_lint = |byte: u8| byte.is_ascii_alphanumeric() || b"_:-".contains(&byte);
    let flag = ["-A", "-D", "-F", "-W", "-C", "--cfg"]
        .iter()
        .find_map(|known| flag.strip_prefix(known))
        .unwrap_or(flag);
    let setting = "target-cpu=*,opt-level=*,debuginfo=*,overflow-checks=*,debug-assertions=*,panic=*,strip=*,lto=*";
    match flag.split_once('=') {
        Some((_, value)) => is_one_of(setting, flag) && value.bytes().all(is_of_lint),
        None => !flag.starts_with('-') && flag.bytes().all(is_of_lint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_run_programs_are_not_harmless() {
        for setting in [
            "user.name=a",
            "color.ui=always",
            "core.pager=cat",
            "Color.UI",
        ] {
            assert!(is_harmless_setting(setting), "{setting}");
        }
        for setting in [
            "core.pager=less",
            "alias.x=!rm",
            "core.sshCommand=x",
            "core.fsmonitor=x",
            "diff.external=x",
            "CI=x",
        ] {
            assert!(!is_harmless_setting(setting), "{setting}");
        }
    }

    #[test]
    fn flags_name_lints_and_no_files() {
        for flag in [
            "-D",
            "-Dwarnings",
            "clippy::all",
            "-C",
            "target-cpu=native",
            "-Copt-level=3",
        ] {
            assert!(is_harmless_flag(flag), "{flag}");
        }
        for flag in [
            "-Clinker=x",
            "linker=./x",
            "-o",
            "../x",
            "--emit=link",
            "-Lx",
            "-Zy",
            "@x",
        ] {
            assert!(!is_harmless_flag(flag), "{flag}");
        }
    }
}
