//! Programs that run others, and those whose arguments are a language of their own.

use std::ops::Range;
use std::sync::Arc;

use crate::evaluate::{Arg, Evaluator, Input, Note, Output, Result};
use crate::value::{Argument, Field, Names};
use crate::{builtins, find, operands};

/// Folders of the system's programs: one that is given by its path there is the program of that name.
const SYSTEM: [&str; 5] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
];

/// The name of a program of the system's that is given by its path; else the program as it is.
pub(crate) fn name_of(program: &str) -> &str {
    let name = SYSTEM
        .iter()
        .find_map(|folder| program.strip_prefix(folder));
    name.filter(|name| !name.contains('/')).unwrap_or(program)
}

/// Shells whose scripts are read as this crate reads them, and others.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "ash", "rbash"];
const OTHER_SHELLS: [&str; 6] = ["zsh", "ksh", "mksh", "fish", "csh", "tcsh"];

/// Programs that run another one: options that stand alone, options with a value, words before the program.
const WRAPPERS: [(&str, &[&str], &[&str], usize); 12] = [
    (
        "env",
        &["-i", "-0", "--ignore-environment", "-v", "--debug"],
        &["-u", "--unset"],
        0,
    ),
    ("nice", &[], &["-n", "--adjustment"], 0),
    ("ionice", &["-t"], &["-c", "-n"], 0),
    ("nohup", &[], &[], 0),
    (
        "stdbuf",
        &[],
        &["-i", "-o", "-e", "--input", "--output", "--error"],
        0,
    ),
    (
        "setsid",
        &["-c", "-f", "-w", "--fork", "--wait", "--ctty"],
        &[],
        0,
    ),
    ("time", &["-p", "-v"], &["-f"], 0),
    (
        "timeout",
        &["-v", "--foreground", "--preserve-status", "--verbose"],
        &["-k", "-s", "--signal", "--kill-after"],
        1,
    ),
    ("sudo", &["-n"], &[], 0),
    ("doas", &["-n"], &[], 0),
    ("caffeinate", &["-d", "-i", "-m", "-s"], &[], 0),
    ("unbuffer", &[], &[], 0),
];

/// Wrappers that are no more than the program which they run: it alone has to be allowed.
const TRANSPARENT: [&str; 9] = [
    "env", "nice", "ionice", "nohup", "stdbuf", "setsid", "time", "timeout", "xargs",
];

/// Whether a program is judged by what it runs, and not by its own name.
pub(crate) fn is_transparent(name: &str) -> bool {
    TRANSPARENT.contains(&name)
}

pub(crate) fn is_known(name: &str) -> bool {
    SHELLS.contains(&name)
        || OTHER_SHELLS.contains(&name)
        || name == "xargs"
        || name == "find"
        || WRAPPERS.iter().any(|(wrapper, ..)| *wrapper == name)
}

pub(crate) fn run(
    this: &mut Evaluator<'_>,
    name: &str,
    args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    let rest = &args[1..];
    if SHELLS.contains(&name) {
        return shell(this, name, args, input, span);
    }
    if OTHER_SHELLS.contains(&name)
        && rest
            .iter()
            .any(|arg| arg.known().is_some_and(|text| text.starts_with('-')))
    {
        this.unknown(
            format!(
                "what `{name}` runs is not looked at, as `sh` would read it otherwise: use `sh`"
            ),
            span,
        );
        return Ok(Output::Unknown);
    }
    if let Some(wrapper) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name) {
        return wrapped(this, wrapper, rest, input, span);
    }
    match name {
        "xargs" => xargs(this, args, input, span),
        "find" => find::run(this, rest, span),
        _ => operands::run(this, name, args, input, span),
    }
}

/// The program that stands among another one's arguments.
pub(crate) fn inner(
    this: &mut Evaluator<'_>,
    of: &str,
    args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    match args.first().map(Arg::known) {
        Some(Some(name))
            if builtins::changes_the_shell(name) || this.functions.contains_key(name) =>
        {
            this.unknown(
                format!(
                    "`{name}` is the shell's own, which `{of}` does not run: write it by itself"
                ),
                span,
            );
        }
        Some(Some(name)) if !name.starts_with('-') => {
            return this.run(args, Vec::new(), input.clone(), span);
        }
        _ => this.unknown(
            format!(
                "which program `{of}` runs is not told: write it out, without options before it"
            ),
            span,
        ),
    }
    Ok(Output::Unknown)
}

fn wrapped(
    this: &mut Evaluator<'_>,
    (name, alone, with_value, words): &(&str, &[&str], &[&str], usize),
    mut args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    let mut words = *words;
    while let Some((first, rest)) = args.split_first() {
        let Some(text) = first.known().map(str::to_owned) else {
            if words > 0 && first.field.value.is_one() {
                words -= 1;
                args = rest;
                continue;
            }
            break;
        };
        let option = text
            .split_once('=')
            .map_or(text.as_str(), |(option, _)| option);
        let short = text.get(..2).unwrap_or_default();
        if alone.contains(&text.as_str()) {
            args = rest;
        } else if with_value.contains(&text.as_str()) {
            args = rest.get(1..).unwrap_or(&[]);
        } else if with_value.contains(&option)
            || (!text.starts_with("--") && with_value.contains(&short))
        {
            args = rest;
        } else if text.starts_with('-') && text.len() > 1 {
            this.unknown(
                format!("the option `{text}` of `{name}` is not looked at: leave it out"),
                span,
            );
            return Ok(Output::Unknown);
        } else if let ("env", Some((variable, value))) = (*name, text.split_once('=')) {
            let before = this.state.clone();
            this.assign(variable, Field::known(value), span, true)?;
            this.state = before;
            args = rest;
        } else if words > 0 {
            words -= 1;
            args = rest;
        } else {
            break;
        }
    }
    if args.is_empty() && *name == "env" {
        this.unknown(
            "`env` alone shows the environment, and the secrets in it",
            span,
        );
        return Ok(Output::Unknown);
    }
    inner(this, name, args, input, span)
}

/// `sh -c '…'`: the script is looked at. One in a file, or one that is read, is not.
fn shell(
    this: &mut Evaluator<'_>,
    name: &str,
    args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    let mut rest = &args[1..];
    let is_login = |arg: &&Arg| matches!(arg.known(), Some("-l" | "--login"));
    while let Some(first) = rest.first()
        && is_login(&first)
    {
        this.note(first.word, Note::Texts(Vec::new()));
        rest = &rest[1..];
    }
    let flags = rest
        .first()
        .and_then(Arg::known)
        .and_then(|text| text.strip_prefix('-'));
    match (flags, rest.get(1)) {
        (Some(flags), Some(script))
            if flags.ends_with('c') && flags.bytes().all(|flag| b"ceuxl".contains(&flag)) =>
        {
            let Some(text) = script
                .known()
                .filter(|_| !script.field.is_disputed)
                .map(str::to_owned)
            else {
                this.unknown(
                    format!(
                        "what `{name} -c` runs is only known when it does: write the command out"
                    ),
                    span,
                );
                return Ok(Output::Unknown);
            };
            if let Some(program) = this.trace.programs.last_mut() {
                program.is_wrapper = true;
            }
            // It begins afresh, and leaves nothing behind.
            let positional = rest
                .get(3..)
                .unwrap_or(&[])
                .iter()
                .map(|arg| arg.field.clone())
                .collect();
            let outer = (
                this.state.clone(),
                this.positional.replace(Arc::new(positional)),
                std::mem::take(&mut this.functions),
            );
            this.state.variables = Arc::default();
            let was_tested = std::mem::replace(&mut this.is_tested, false);
            let rewritten = this.script(&text, span)?;
            this.is_tested = was_tested;
            builtins::replace(this, std::slice::from_ref(script), rewritten);
            (this.state, this.positional, this.functions) = outer;
        }
        (None, _) if !rest.is_empty() && matches!(input, Input::Inherited) => {
            // Who allows a shell by its name allows its scripts.
            operands::generic(this, name, rest, span);
        }
        _ => this.unknown(
            format!("a script that `{name}` reads is not looked at: write its commands out"),
            span,
        ),
    }
    Ok(Output::Unknown)
}

/// `xargs program`: the program gets what is read, as further arguments.
fn xargs(
    this: &mut Evaluator<'_>,
    args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    let mut rest = &args[1..];
    let mut splits_at_nul = false;
    let mut places = None;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    while let Some((option, after)) = rest.split_first() {
        let Some(text) = option
            .known()
            .filter(|text| text.starts_with('-') && text.len() > 1)
        else {
            break;
        };
        match text {
            "-0" | "--null" => splits_at_nul = true,
            "-r" | "-t" | "--no-run-if-empty" => {}
            "-I" => {
                places = after.first().and_then(Arg::known).map(str::to_owned);
                rest = after.get(1..).unwrap_or(&[]);
                continue;
            }
            "-n" | "-P" | "-L" => {
                rest = after.get(1..).unwrap_or(&[]);
                continue;
            }
            _ if text.starts_with("-I") => places = Some(text[2..].to_owned()),
            _ if matches!(&text[..2], "-n" | "-P" | "-L") && is_number(&text[2..]) => {}
            _ => {
                this.unknown(
                    format!("the option `{text}` of `xargs` is not looked at: leave it out"),
                    span,
                );
                return Ok(Output::Unknown);
            }
        }
        rest = after;
    }
    if places.as_deref().is_some_and(|place| place != "{}") {
        this.unknown("`xargs -I` is only looked at with `{}`", span);
        return Ok(Output::Unknown);
    }
    if rest.is_empty() {
        return Ok(Output::Unknown);
    }
    let given = match input {
        Input::Names(names)
            if names.ends_with_nul == splits_at_nul
                && (splits_at_nul || !this.environment.is_as_written) =>
        {
            if !splits_at_nul {
                // Names are split at lines, and not at blanks and quotes.
                let change = this.change(args[0].word);
                change.before = "tr '\\n' '\\0' | ";
                change.instead = Some("xargs -0".into());
            }
            Argument::Names(Arc::new(Names {
                is_one: false,
                ..names.clone()
            }))
        }
        _ => Argument::Several,
    };
    let last = &rest[rest.len() - 1];
    let mut all = Vec::with_capacity(rest.len() + 1);
    for arg in rest {
        let holds = places.is_some() && arg.known().is_some_and(|text| text.contains("{}"));
        let field = match arg.known() {
            Some("{}") if holds => Field::of(one_of(&given)),
            Some(text) if holds => match (text, &given) {
                ("./{}", Argument::Names(names)) => {
                    let names = Names {
                        is_one: true,
                        may_be_options: false,
                        ..(**names).clone()
                    };
                    Field::of(Argument::Names(Arc::new(names)))
                }
                _ => Field::of(Argument::Unknown {
                    begins: text.split("{}").next().unwrap_or_default().into(),
                }),
            },
            _ => arg.field.clone(),
        };
        all.push(Arg {
            field,
            ..arg.clone()
        });
    }
    if places.is_none() {
        all.push(Arg {
            field: Field::of(given),
            word: if last.word < operands::APPENDED {
                operands::APPENDED + last.word
            } else {
                last.word
            },
            span: last.span.clone(),
        });
    }
    inner(this, "xargs", &all, &Input::Unknown, span)?;
    Ok(Output::Unknown)
}

fn one_of(given: &Argument) -> Argument {
    match given {
        Argument::Names(names) => Argument::Names(Arc::new(Names {
            is_one: true,
            ..(**names).clone()
        })),
        _ => Argument::unknown(),
    }
}
