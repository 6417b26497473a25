//! Variables of the environment: which may be set, and which are taken away before a script runs.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use crate::effects::{Access, Effects, PathUse, Program};
use crate::evaluate::Evaluator;
use crate::value::{Argument, Field};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Plain,
    Command,
    Flags,
    Refused,
}

type Line = (Rule, Vec<&'static str>, Vec<&'static str>);

/// The lines of `variables.txt`: rule, programs, names.
static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let mut lines: Vec<Line> = Vec::new();
    for line in include_str!("variables.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let Some((head, names)) = line.split_once(" : ") else {
            if let Some(last) = lines.last_mut() {
                last.2.extend(line.split_whitespace());
            }
            continue;
        };
        let mut programs = head.split_whitespace();
        let rule = match programs.next() {
            Some("plain") => Rule::Plain,
            Some("command") => Rule::Command,
            Some("flags") => Rule::Flags,
            _ => Rule::Refused,
        };
        lines.push((rule, programs.collect(), names.split_whitespace().collect()));
    }
    lines
});

static RULES: LazyLock<HashMap<&str, Rule>> = LazyLock::new(|| {
    let all = LINES.iter().rev();
    all.flat_map(|(rule, _, names)| names.iter().map(|name| (*name, *rule)))
        .collect()
});

fn rule_of(name: &str) -> Option<Rule> {
    if let Some(rule) = RULES.get(name) {
        return Some(*rule);
    }
    let mut begins = LINES
        .iter()
        .flat_map(|(rule, _, names)| names.iter().map(move |name| (rule, name)));
    begins.find_map(|(rule, begin)| name.starts_with(begin.strip_suffix('*')?).then_some(*rule))
}

/// Whether the shell gives the variable other values by itself.
pub(crate) fn is_changed_by_the_shell(name: &str) -> bool {
    const CHANGED: [&str; 22] = [
        "_",
        "BASHPID",
        "COLUMNS",
        "DIRSTACK",
        "EPOCHREALTIME",
        "EPOCHSECONDS",
        "EUID",
        "FUNCNAME",
        "GROUPS",
        "HISTCMD",
        "LINENO",
        "LINES",
        "OPTARG",
        "OPTIND",
        "PIPESTATUS",
        "PPID",
        "RANDOM",
        "REPLY",
        "SECONDS",
        "SRANDOM",
        "UID",
        "status",
    ];
    CHANGED.contains(&name)
}

/// Judges an assignment. One that is not exported may be nevertheless, if the environment has the variable already.
pub(crate) fn check(
    this: &mut Evaluator<'_>,
    name: &str,
    held: &Field,
    span: &Range<usize>,
    is_exported: bool,
) {
    let refused = || {
        format!(
            "the variable `{name}` may change which programs run, or what they do: leave it out"
        )
    };
    // Some shells tie these to `PATH` and its kin, in their own way.
    if matches!(
        name,
        "path" | "cdpath" | "fpath" | "manpath" | "module_path" | "argv"
    ) {
        this.unknown(refused(), span);
        return;
    }
    match (rule_of(name), held.value.known()) {
        // What edits a list of commands could have git run one.
        (Some(Rule::Plain), _) | (Some(Rule::Command), Some("" | ":" | "cat" | "true")) => {}
        (Some(Rule::Flags), Some(flags)) if flags.split_whitespace().all(is_harmless_flag) => {}
        (None, value) => {
            let is_number = matches!(held.value, Argument::Number);
            if is_exported && !is_number && !value.is_some_and(is_plain) {
                this.unknown(refused(), span);
            }
        }
        _ => this.unknown(refused(), span),
    }
}

/// Whether a value neither names a file nor has a command in it.
fn is_plain(value: &str) -> bool {
    let is_address = value.split_once("://").is_some_and(|(scheme, rest)| {
        !scheme.eq_ignore_ascii_case("file")
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && !rest.starts_with('/')
    });
    let is_of_word = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || b"_.,:=+@%-".contains(&byte)
            || (is_address && b"/?&".contains(&byte))
    };
    value.bytes().all(is_of_word) && !value.starts_with('-')
}

/// Whether a flag for rustc neither names a file nor chooses a program.
fn is_harmless_flag(flag: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_:=+,-".contains(&byte);
    let chooses = [
        "linker",
        "link-arg",
        "link-self",
        "codegen-backend",
        "llvm-args",
        "emit",
        "plugin",
        "incremental",
        "profile",
        "out-dir",
        "sysroot",
    ];
    flag.bytes().all(is_plain)
        && !chooses.iter().any(|word| flag.contains(word))
        && !flag.starts_with("-L")
        && !flag.starts_with("-o")
        && !flag.starts_with("--extern")
        && !flag.starts_with("-Z")
}

/// The commands that take away what the programs of a script would take orders from; nothing where there is nothing to do.
pub(crate) fn prelude(effects: &Effects) -> String {
    let names: Vec<&str> = effects.programs().map(Program::name).collect();
    let is_inherited = |name: &str| {
        let all = effects.inherited.as_deref();
        all.is_none_or(|all| all.contains(name))
    };
    let mut commands = Vec::new();
    let mut unset = String::from("unset -v");
    for (rule, programs, variables) in LINES.iter() {
        let concerns = programs
            .iter()
            .any(|program| *program == "*" || names.contains(program));
        if *rule != Rule::Plain && concerns {
            let exact = variables.iter().filter(|name| !name.ends_with('*'));
            exact
                .filter(|name| is_inherited(name))
                .for_each(|name| unset.extend([" ", name]));
        }
    }
    if !unset.ends_with("-v") {
        commands.push(unset.as_str());
    }
    // A repository without a work tree, among the files, is not entered by chance: its settings run programs. Where `git` is
    // begun before anything is made or entered, who judges the script has seen that there is none.
    let changes_folders = |path: &PathUse| matches!(path.access, Access::Write | Access::Enter);
    let runs = names.iter().filter(|name| **name == "git").count();
    if runs > 1 || (runs == 1 && effects.paths().any(changes_folders)) {
        commands.push("export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.bareRepository GIT_CONFIG_VALUE_0=explicit");
    }
    if effects.splits.at_blanks || effects.splits.at_lines {
        commands.extend(["unset -v IFS", "set -f"]);
    }
    if effects.splits.at_lines {
        // A line's end, in quotes that every shell knows.
        commands.push("IFS='\n'");
    }
    commands.join("; ")
}
