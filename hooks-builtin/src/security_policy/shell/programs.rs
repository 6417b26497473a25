//! Which programs may run, and what they may be told to.
//!
//! A builtin of the shell's, or a program that runs another, is known here by name: what it would run is looked
//! at. Everything else has to be in the list of the configuration.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::script::Script;
use super::word::Value;
use super::{DEEPEST, arguments, builtins, find};

/// The programs of the configuration.
#[derive(Debug)]
pub(crate) struct Programs {
    allowed: HashSet<String>,
    /// As reasons name them.
    listed: String,
}

/// Where a program's path may lead for it to be the program of that name.
const SYSTEM: [&str; 5] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
];

impl Programs {
    pub(crate) fn new(allowed: &[String]) -> Self {
        let mut listed = allowed.to_vec();
        listed.sort_unstable();
        listed.dedup();
        Programs {
            listed: listed.join(", "),
            allowed: listed.into_iter().collect(),
        }
    }

    /// The name by which a program is known, if it may run.
    pub(super) fn allowed<'n>(&self, program: &'n str) -> Result<&'n str, String> {
        if self.allowed.contains(program) {
            return Ok(program);
        }
        let name = name_of(program);
        if self.allowed.contains(name) && name != program {
            return Ok(name);
        }
        let shown = crate::shared::visible::Visible(program);
        if self
            .allowed
            .contains(program.rsplit('/').next().unwrap_or(program))
        {
            return Err(format!(
                "`{shown}` is not the program of the system that is allowed: call it by its name"
            ));
        }
        Err(match self.listed.as_str() {
            "" => format!("the program `{shown}` is not allowed, and no other is"),
            listed => format!("the program `{shown}` is not allowed; these are: {listed}"),
        })
    }
}

/// The name of a program of the system's that is given by its path; else the program as it is.
fn name_of(program: &str) -> &str {
    SYSTEM
        .iter()
        .find_map(|folder| program.strip_prefix(folder))
        .filter(|name| !name.contains('/'))
        .unwrap_or(program)
}

/// Builtins and keywords that run or change what cannot be followed here.
const REFUSED: [(&str, &str); 33] = [
    (".", "runs a script that is not looked at"),
    ("source", "runs a script that is not looked at"),
    ("builtin", "is not known to `sh`: leave it out"),
    ("alias", "gives a program another name"),
    ("unalias", "gives a program another name"),
    ("trap", "runs a command later"),
    ("exec", "takes the shell's place"),
    ("enable", "changes what the shell's builtins are"),
    ("hash", "changes where programs are"),
    ("shopt", "changes how the shell reads a command"),
    (
        "mapfile",
        "sets a variable to what is only known when it runs",
    ),
    (
        "readarray",
        "sets a variable to what is only known when it runs",
    ),
    (
        "getopts",
        "sets a variable to what is only known when it runs",
    ),
    ("let", "runs what is in an index"),
    ("declare", "may run what is in an index"),
    ("typeset", "may run what is in an index"),
    ("local", "may run what is in an index"),
    ("readonly", "may run what is in an index"),
    ("bind", "runs a command later"),
    ("complete", "runs a command later"),
    ("compgen", "runs a command"),
    ("compopt", "changes the shell"),
    ("fc", "runs a command again"),
    ("history", "shows and changes the shell's history"),
    (
        "pushd",
        "changes the directory in a way that is not followed: use `cd`",
    ),
    (
        "popd",
        "changes the directory in a way that is not followed: use `cd`",
    ),
    (
        "dirs",
        "changes the directory in a way that is not followed: use `cd`",
    ),
    ("coproc", "runs a program beside the script"),
    ("function", "may take a program's name"),
    ("select", "waits for a person"),
    ("caller", "looks into the shell"),
    ("ulimit", "changes what the shell may use"),
    ("umask", "changes what others may read"),
];

/// Builtins after which a script goes on otherwise than before.
const CHANGES_THE_SHELL: [&str; 5] = ["cd", "eval", "export", "set", "unset"];

pub(super) fn changes_the_shell(name: &str) -> bool {
    CHANGES_THE_SHELL.contains(&name)
}

/// Shells: what they run is looked at if it is written out.
const SHELLS: [&str; 9] = [
    "sh", "bash", "dash", "zsh", "ksh", "ash", "rbash", "mksh", "fish",
];
/// Those that read a script otherwise.
const OTHER_SHELLS: [&str; 4] = ["zsh", "ksh", "mksh", "fish"];

/// Programs that run another one, with their options: those that stand alone, and those that take a value.
const WRAPPERS: [(&str, &[&str], &[&str]); 8] = [
    (
        "env",
        &["-i", "-0", "--ignore-environment", "-v", "--debug"],
        &["-u", "--unset"],
    ),
    ("nice", &[], &["-n", "--adjustment"]),
    ("ionice", &["-t"], &["-c", "-n"]),
    ("nohup", &[], &[]),
    (
        "stdbuf",
        &[],
        &["-i", "-o", "-e", "--input", "--output", "--error"],
    ),
    (
        "setsid",
        &["-c", "-f", "-w", "--fork", "--wait", "--ctty"],
        &[],
    ),
    ("time", &["-p", "-v"], &["-f"]),
    (
        "timeout",
        &["-v", "--foreground", "--preserve-status", "--verbose"],
        &["-k", "-s", "--signal", "--kill-after"],
    ),
];

/// Checks a command: its program, which is known, and its arguments.
///
/// `has_input` tells whether it reads something else than the terminal.
pub(super) fn check(
    script: &mut Script<'_>,
    program: &str,
    arguments: &[Value],
    has_input: bool,
    depth: usize,
) -> Result<(), String> {
    // One program that runs another, which runs another: to follow them takes the stack.
    if depth > DEEPEST {
        return Err("programs run programs too deep: write it flat".into());
    }
    let name = name_of(program);
    static BY_NAME: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| REFUSED.into_iter().collect());
    if let Some(does) = BY_NAME.get(name) {
        return Err(format!("`{name}` {does}"));
    }
    if SHELLS.contains(&name) {
        return shell(script, name, arguments, has_input, depth);
    }
    if let Some((_, alone, with_value)) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name) {
        return wrapper(
            script,
            name,
            arguments,
            (alone, with_value),
            has_input,
            depth,
        );
    }
    if let Some(judged) = builtins::check(script, name, arguments, depth) {
        return judged;
    }
    match name {
        "command" | "type" => match arguments {
            [flag, ..] if matches!(flag.text(), Some("-v" | "-V")) => Ok(()),
            _ if name == "type" => Ok(()),
            rest => inner(script, name, rest, has_input, depth),
        },
        "xargs" => xargs(script, arguments, depth),
        _ => {
            let name = script.programs.allowed(program)?;
            if name == "find" {
                return find::check(script, arguments, depth);
            }
            if matches!(name, "sudo" | "doas") {
                return sudo(script, name, arguments, has_input, depth);
            }
            arguments::check(script, name, arguments)
        }
    }
}

/// The program that stands among another one's arguments.
pub(super) fn inner(
    script: &mut Script<'_>,
    of: &str,
    arguments: &[Value],
    has_input: bool,
    depth: usize,
) -> Result<(), String> {
    let Some((program, rest)) = arguments.split_first() else {
        return Err(format!("`{of}` needs a program to run"));
    };
    match program.text() {
        Some(program) if CHANGES_THE_SHELL.contains(&program) && of != "command" => Err(format!(
            "`{program}` is the shell's own, which `{of}` does not run: write it by itself"
        )),
        Some(program) if !program.starts_with('-') => {
            check(script, program, rest, has_input, depth + 1)
        }
        _ => Err(format!(
            "which program `{of}` runs is not told: write it out, without options before it"
        )),
    }
}

fn wrapper(
    script: &mut Script<'_>,
    name: &str,
    mut arguments: &[Value],
    (alone, with_value): (&[&str], &[&str]),
    has_input: bool,
    depth: usize,
) -> Result<(), String> {
    let takes_duration = name == "timeout";
    let mut duration = !takes_duration;
    while let Some((first, rest)) = arguments.split_first() {
        let Some(text) = first.text() else {
            return Err(format!(
                "which program `{name}` runs is only known when it does: write it out"
            ));
        };
        if alone.contains(&text) {
            arguments = rest;
        } else if with_value.contains(&text) {
            arguments = rest.get(1..).unwrap_or(&[]);
        } else if text.starts_with('-') && text.len() > 1 {
            // `-oL`, `--signal=KILL`, `-n10`
            let (option, _) = text.split_once('=').unwrap_or((text, ""));
            let short = text.get(..2).unwrap_or_default();
            let joined = with_value.contains(&option)
                || (!text.starts_with("--") && with_value.contains(&short));
            if !joined {
                return Err(format!(
                    "the option `{text}` of `{name}` is not looked at: leave it out"
                ));
            }
            arguments = rest;
        } else if name == "env" && text.contains('=') {
            let (variable, _) = text.split_once('=').unwrap_or((text, ""));
            check_environment(variable)?;
            arguments = rest;
        } else if !duration {
            duration = true;
            arguments = rest;
        } else {
            return inner(script, name, arguments, has_input, depth);
        }
    }
    match name {
        "env" => Err("`env` alone shows the environment, and the secrets in it".into()),
        _ => Err(format!("`{name}` needs a program to run")),
    }
}

fn sudo(
    script: &mut Script<'_>,
    name: &str,
    arguments: &[Value],
    has_input: bool,
    depth: usize,
) -> Result<(), String> {
    let arguments = match arguments {
        [option, rest @ ..] if option.text() == Some("-n") => rest,
        all => all,
    };
    inner(script, name, arguments, has_input, depth)
}

/// `sh -c '…'`: the script is looked at. A script in a file, or one that is read, is not.
fn shell(
    script: &mut Script<'_>,
    name: &str,
    arguments: &[Value],
    has_input: bool,
    depth: usize,
) -> Result<(), String> {
    if OTHER_SHELLS.contains(&name) {
        script.programs.allowed(name).map_err(|reason| {
            format!(
                "{reason}; what `{name}` runs is not looked at, as `sh` would read it otherwise"
            )
        })?;
        return arguments::check(script, name, arguments);
    }
    let mut rest = arguments;
    while let Some((option, after)) = rest.split_first() {
        let Some(text) = option.text() else { break };
        match text.strip_prefix('-') {
            // `-ec`, `-lc` and the like; `l` and `i` read the user's settings.
            Some(flags)
                if flags.ends_with('c') && flags.bytes().all(|flag| b"ceux".contains(&flag)) =>
            {
                return match after.first().and_then(Value::text) {
                    Some(text) => script.run_afresh(text, depth + 1),
                    None => Err(format!(
                        "what `{name} -c` runs is only known when it does: write the command out"
                    )),
                };
            }
            Some(flags)
                if !flags.is_empty() && flags.bytes().all(|flag| b"eux".contains(&flag)) =>
            {
                rest = after;
            }
            _ => break,
        }
    }
    if rest.is_empty() || has_input {
        return Err(format!(
            "a script that `{name}` reads is not looked at: write its commands out"
        ));
    }
    // Who allows a shell by its name allows its scripts.
    let allowed = script.programs.allowed(name)?;
    if rest[0].text.starts_with('-') {
        return Err(format!(
            "the option `{}` of `{name}` is not looked at: leave it out",
            rest[0].text
        ));
    }
    arguments::check(script, allowed, rest)
}

/// `xargs program`: the program gets arguments that are only known when it runs.
fn xargs(script: &mut Script<'_>, arguments: &[Value], depth: usize) -> Result<(), String> {
    let mut rest = arguments;
    while let Some((option, after)) = rest.split_first() {
        match option.text() {
            Some("-0" | "-r" | "-t" | "--null" | "--no-run-if-empty" | "-I{}") => rest = after,
            Some("-I") if after.first().and_then(Value::text) != Some("{}") => {
                return Err("`xargs -I` is only looked at with `{}`".into());
            }
            Some("-n" | "-P" | "-L" | "-I" | "-d") => rest = after.get(1..).unwrap_or(&[]),
            Some(joined)
                if ["-n", "-P", "-L"].iter().any(|option| {
                    joined.strip_prefix(option).is_some_and(|number| {
                        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
                    })
                }) =>
            {
                rest = after;
            }
            _ => break,
        }
    }
    if rest.is_empty() {
        return Ok(());
    }
    let unknown = Value::unknown_in(false);
    let all: Vec<_> = rest
        .iter()
        .map(|word| {
            if word.text.contains("{}") {
                &unknown
            } else {
                word
            }
        })
        .chain([&unknown])
        .cloned()
        .collect();
    inner(script, "xargs", &all, true, depth)
}

pub(super) fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Variables that no program takes an order from.
const HARMLESS_VARIABLES: [&str; 32] = [
    "CARGO_BUILD_JOBS",
    "CARGO_INCREMENTAL",
    "CARGO_NET_OFFLINE",
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "GIT_TERMINAL_PROMPT",
    "INSTA_UPDATE",
    "LANG",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PORT",
    "PROPTEST_CASES",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_THREADS",
    "TERM",
    "TZ",
];

/// Whether a program may be given the variable.
pub(super) fn check_environment(name: &str) -> Result<(), String> {
    if HARMLESS_VARIABLES.contains(&name) {
        return Ok(());
    }
    Err(format!(
        "the variable `{name}` may change which programs run, or what they do: leave it out"
    ))
}

/// Whether the shell gives the variable other values by itself, so that what it was set to says nothing.
pub(super) fn is_changed_by_the_shell(name: &str) -> bool {
    matches!(
        name,
        "_" | "BASHPID"
            | "COLUMNS"
            | "DIRSTACK"
            | "EPOCHREALTIME"
            | "EPOCHSECONDS"
            | "EUID"
            | "FUNCNAME"
            | "GROUPS"
            | "HISTCMD"
            | "LINENO"
            | "LINES"
            | "OPTARG"
            | "OPTIND"
            | "PIPESTATUS"
            | "PPID"
            | "RANDOM"
            | "REPLY"
            | "SECONDS"
            | "SRANDOM"
            | "UID"
    )
}

/// Whether the script may set the variable for itself. One that the environment has is given to every program.
pub(super) fn check_variable(name: &str) -> Result<(), String> {
    const OF_THE_SHELL: [&str; 18] = [
        "BASHOPTS",
        "BASH_ENV",
        "CDPATH",
        "ENV",
        "EXECIGNORE",
        "FIGNORE",
        "FUNCNEST",
        "GLOBIGNORE",
        "HOME",
        "IFS",
        "OLDPWD",
        "PATH",
        "POSIXLY_CORRECT",
        "PROMPT_COMMAND",
        "PS4",
        "PWD",
        "SHELLOPTS",
        "TMPDIR",
    ];
    let belongs_to_others =
        name.starts_with("LD_") || name.starts_with("BASH_") || name.starts_with("DYLD_");
    if is_changed_by_the_shell(name) {
        return Ok(());
    }
    if OF_THE_SHELL.contains(&name) || belongs_to_others || std::env::var_os(name).is_some() {
        return check_environment(name);
    }
    Ok(())
}
