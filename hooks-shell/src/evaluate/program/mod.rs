//! Runs a program: by the table, and by code for programs that run others.
//!
//! | file | |
//! | --- | --- |
//! | `operands`, `roles` | reads the arguments by the table, and applies what each of them is |
//! | `transfers`, `network` | what is created, copied or moved, and which hosts are reached |
//! | `builtins`, `conditions` | the shell's own programs, and among them `test` and `[[ … ]]` |
//! | `find`, `patch` | `find`, and `patch` of a text |

pub(super) mod builtins;
pub(super) mod conditions;
mod find;
mod network;
pub(super) mod operands;
mod patch;
mod roles;
mod transfers;

use std::sync::Arc;

use self::operands::{APPENDED, ProgramCall};
use crate::evaluate::{Access, CommandArg, Input, OutputStream, Result, ScriptEvaluator};
use crate::value::{Argument, Names};

/// Returns the name of a system program that is given by its path; otherwise the program unchanged.
pub(crate) fn name_of(program: &str) -> &str {
    match program.rsplit_once('/') {
        Some(("/bin" | "/usr/bin" | "/usr/local/bin" | "/sbin" | "/usr/sbin", name)) => name,
        _ => program,
    }
}

pub(crate) fn run(
    this: &mut ScriptEvaluator<'_>,
    mut call: ProgramCall<'_>,
) -> Result<OutputStream> {
    match call.name {
        "find" => return find::run(this, &call.args[1..]),
        "[" | "test" => conditions::bracket(this, &call.args[1..]),
        "eval" => builtins::eval(this, "eval", &call.args[1..])?,
        "." | "source" if let Some(folder) = builtins::activated(&call) => {
            let python = format!("{folder}/python");
            this.touch(&Argument::text(folder), Access::Read);
            builtins::activate(this, python);
        }
        "trap" => builtins::trap(this, call.args),
        "sh" | "bash" | "dash" | "ash" | "rbash" => shell(this, call)?,
        _ => {
            let before = this.state.directories.clone();
            call.read(this, call.args[1..].iter())?;
            this.look_at(&call.args[0].span);
            if call.program.is("builtin") {
                builtins::after(this, &call, &before)?;
            } else {
                this.state.directories = before;
            }
            return match (call.name, call.inner) {
                ("pwd", _) => Ok(builtins::pwd(this)),
                ("patch", _) => patch::run(this, &call),
                ("git", _) if patch::reads_input(&call) => patch::run(this, &call),
                ("xargs", Some(rest)) => xargs(this, &call, rest),
                ("fd", Some(rest)) => fd(this, &call, rest),
                ("env", rest) => environment(this, rest.unwrap_or_default(), call.input),
                // To a shell, it is a word before a command, which may begin with a variable.
                ("time", Some(rest)) => {
                    let rest = this.assigned(rest);
                    inner(this, "time", rest, call.input)
                }
                (name, Some(rest)) => inner(this, name, rest, call.input),
                _ => Ok(call.output(this)),
            };
        }
    }
    Ok(OutputStream::Unknown)
}

/// Runs the program among the arguments of another one.
pub(crate) fn inner(
    this: &mut ScriptEvaluator<'_>,
    of: &str,
    args: &[CommandArg],
    input: &Input,
) -> Result<OutputStream> {
    let reason = match args.first().map(CommandArg::known) {
        Some(Some(name)) if this.is_of_the_shell(name) => {
            format!(
                "`{name}` is part of the shell, so `{of}` cannot run it: write it as a command of its own"
            )
        }
        Some(Some(name)) if !name.starts_with('-') => {
            return this.run(args, Vec::new(), input.clone());
        }
        _ => format!(
            "cannot tell which program `{of}` runs: write it out, without options before it"
        ),
    };
    this.unknown(reason);
    Ok(OutputStream::Unknown)
}

impl ScriptEvaluator<'_> {
    /// Judges the variables that are set before a program, and returns the program with its arguments.
    fn assigned<'a>(&mut self, mut args: &'a [CommandArg]) -> &'a [CommandArg] {
        while let Some((first, rest)) = args.split_first()
            && let Some((name, value)) = first.known().and_then(|text| text.split_once('='))
        {
            self.check_variable(name, &Argument::text(value), true);
            args = rest;
        }
        args
    }
}

/// Runs `env NAME=value program`.
fn environment(
    this: &mut ScriptEvaluator<'_>,
    mut args: &[CommandArg],
    input: &Input,
) -> Result<OutputStream> {
    args = this.assigned(args);
    if args.is_empty() {
        this.unknown(
            "`env` alone shows the environment, and the secrets in it: write `echo \"$NAME\"`",
        );
        return Ok(OutputStream::Unknown);
    }
    inner(this, "env", args, input)
}

/// Runs `sh -c '…'`: the script is evaluated. A script in a file is not: a user who allows a shell by its name allows
/// that too.
fn shell(this: &mut ScriptEvaluator<'_>, mut call: ProgramCall<'_>) -> Result<()> {
    let is_login = |arg: &&CommandArg| matches!(arg.known(), Some("-l" | "--login"));
    let logins = call.args[1..].iter().take_while(is_login).count();
    for arg in &call.args[1..=logins] {
        this.leave_out(arg.word);
    }
    let rest = &call.args[1 + logins..];
    let flags = rest
        .first()
        .and_then(CommandArg::known)
        .and_then(|text| text.strip_prefix('-'));
    let is_script = |flags: &str| flags.ends_with('c') && !flags.contains(|c| !"ceuxl".contains(c));
    let name = call.name;
    match (flags, rest) {
        (Some(flags), [_, script, positional @ ..]) if is_script(flags) => {
            let Some(text) = script.agreed() else {
                this.unknown(format!(
                    "the command of `{name} -c` is only known at run time: write it out"
                ));
                return Ok(());
            };
            if let Some(program) = this.trace.effects.programs.last_mut() {
                program.is_wrapper = true;
            }
            let positional = positional
                .iter()
                .skip(1)
                .map(|arg| arg.value.clone())
                .collect();
            let rewritten = this.afresh(positional, |this| this.script(text))?;
            builtins::replace(this, std::slice::from_ref(script), rewritten);
        }
        (None, [_, ..]) | (Some("-"), [_, _, ..]) if matches!(call.input, Input::Inherited) => {
            call.read(this, rest.iter())?;
        }
        _ => this.unknown(format!(
            "a script that `{name}` reads is not analysed: write its commands out"
        )),
    }
    Ok(())
}

/// Runs `xargs program`: the program gets its input as further arguments.
fn xargs(
    this: &mut ScriptEvaluator<'_>,
    call: &ProgramCall<'_>,
    rest: &[CommandArg],
) -> Result<OutputStream> {
    let splits_at_nul = call.has("0") || call.has("null");
    let splits_at_lines = call.has("d") || call.has("delimiter");
    let names = match call.input {
        Input::Names(names) if names.ends_with_nul == splits_at_nul => Some(names),
        _ => None,
    };
    let splits_names = splits_at_nul || splits_at_lines;
    let names = names.filter(|_| splits_names || !this.environment.is_as_written);
    if names.is_some() && !splits_names {
        // Names are split at lines, and not at blanks and quotes.
        this.change(this.head).before = "tr '\\n' '\\0' | ";
        this.change(call.args[0].word).instead = Some("xargs -0".into());
    }
    let given = |is_one: bool| match (names, call.input) {
        (Some(names), _) => Argument::Names(Arc::new(Names {
            is_one,
            ..names.clone()
        })),
        (None, Input::Revisions) => Argument::Revisions { is_one },
        (None, Input::Number) => Argument::Number,
        (None, _) if is_one => Argument::unknown(),
        (None, _) => Argument::Several,
    };
    let all = with_given(rest, call.has("I"), given);
    inner(this, "xargs", &all, &Input::Unknown)?;
    Ok(OutputStream::Unknown)
}

/// Runs `fd -x program`: the program gets the names that `fd` finds, in place of `{}` or as the last argument.
fn fd(
    this: &mut ScriptEvaluator<'_>,
    call: &ProgramCall<'_>,
    rest: &[CommandArg],
) -> Result<OutputStream> {
    let is_odd = |arg: &CommandArg| {
        arg.known()
            .is_none_or(|text| text == ";" || (text != "{}" && text.contains('{')))
    };
    let OutputStream::Names(mut names) = call.names(this, false) else {
        return Ok(OutputStream::Unknown);
    };
    if rest.iter().any(is_odd) {
        this.unknown(
            "`fd -x` is only supported with known words: write them out, and `{}` as a word of its own",
        );
        return Ok(OutputStream::Unknown);
    }
    for (name, value) in &call.values {
        match (*name, &**value) {
            ("t" | "type", "f") => names.may_be_links = false,
            ("t" | "type", _) => names.may_be_links = true,
            // If there are several endings, a file may have any of them.
            ("e" | "extension", _) if names.pattern.is_some() => names.pattern = Some("*".into()),
            ("e" | "extension", ending) => names.pattern = Some(format!("*.{ending}")),
            _ => {}
        }
    }
    let has_places = rest.iter().any(|arg| arg.known() == Some("{}"));
    let all = with_given(rest, has_places, |is_one| {
        Argument::Names(Arc::new(Names {
            is_one,
            ..names.clone()
        }))
    });
    inner(this, "fd", &all, &Input::Unknown)?;
    Ok(OutputStream::Unknown)
}

/// A program with the names that it gets: in place of `{}`, or appended.
fn with_given(
    rest: &[CommandArg],
    has_places: bool,
    given: impl Fn(bool) -> Argument,
) -> Vec<CommandArg> {
    let mut all = Vec::with_capacity(rest.len() + 1);
    for arg in rest {
        let value = match arg.known().and_then(|text| text.split_once("{}")) {
            Some(("", "")) if has_places => given(true),
            Some((begins, _)) if has_places => Argument::Unknown {
                begins: begins.into(),
            },
            _ => arg.value.clone(),
        };
        all.push(CommandArg {
            value,
            ..arg.clone()
        });
    }
    if !has_places && let Some(last) = rest.last() {
        let value = given(false);
        // The text that another `xargs` appended is already after its word.
        let word = if last.word < APPENDED {
            APPENDED + last.word
        } else {
            last.word
        };
        all.push(CommandArg {
            value,
            word,
            ..last.clone()
        });
    }
    all
}
