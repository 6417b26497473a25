//! How a program is run: by the table, and what the table cannot say of shells and of programs that run others.

use std::ops::Range;
use std::sync::Arc;

use crate::evaluate::{Arg, Evaluator, Input, Note, Output, Result};
use crate::operands::{APPENDED, Call, unlisted};
use crate::table::Program;
use crate::value::{Argument, Field, Names};
use crate::{builtins, find, tests, variables};

/// The name of a program of the system's that is given by its path; else the program as it is.
pub(crate) fn name_of(program: &str) -> &str {
    let folders = [
        "/bin/",
        "/usr/bin/",
        "/usr/local/bin/",
        "/sbin/",
        "/usr/sbin/",
    ];
    let name = folders
        .iter()
        .find_map(|folder| program.strip_prefix(folder));
    name.filter(|name| !name.contains('/')).unwrap_or(program)
}

pub(crate) fn run(
    this: &mut Evaluator<'_>,
    name: &str,
    program: Option<&'static Program>,
    args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    let Some(program) = program else {
        unlisted(this, name, &args[1..], span);
        return Ok(Output::Unknown);
    };
    match name {
        "find" => return find::run(this, &args[1..], span),
        "[" | "test" => tests::bracket(this, &args[1..], span),
        "eval" => builtins::eval(this, args, span)?,
        "sh" | "bash" | "dash" | "ash" | "rbash" => {
            return shell(this, name, program, args, input, span);
        }
        _ => {
            let mut call = Call::new(name, program, span);
            let before = this.state.directories.clone();
            call.read(this, &args[1..])?;
            if program.is("builtin") {
                builtins::after(this, &call, args, &before, input)?;
            } else {
                this.state.directories = before;
            }
            return match (name, call.inner) {
                ("pwd", _) => Ok(builtins::pwd(this)),
                ("xargs", Some(rest)) => xargs(this, &call, args[0].word, rest, input),
                (_, Some(rest)) => inner(this, name, rest, input, span),
                ("env", None) => {
                    let reason = "`env` alone shows the environment, and the secrets in it";
                    this.unknown(reason, span);
                    Ok(Output::Unknown)
                }
                _ => Ok(call.output(input)),
            };
        }
    }
    Ok(Output::Unknown)
}

/// The program that stands among another one's arguments.
pub(crate) fn inner(
    this: &mut Evaluator<'_>,
    of: &str,
    mut args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    while of == "env"
        && let Some((first, rest)) = args.split_first()
        && let Some((variable, value)) = first.known().and_then(|text| text.split_once('='))
    {
        variables::check(this, variable, &Field::known(value), span, true);
        args = rest;
    }
    let reason = match args.first().map(Arg::known) {
        None if of == "env" => "`env` alone shows the environment, and the secrets in it".into(),
        Some(Some(name)) if this.is_of_the_shell(name) => {
            format!("`{name}` is the shell's own, which `{of}` does not run: write it by itself")
        }
        Some(Some(name)) if !name.starts_with('-') => {
            return this.run(args, Vec::new(), input.clone(), span);
        }
        _ => format!(
            "which program `{of}` runs is not told: write it out, without options before it"
        ),
    };
    this.unknown(reason, span);
    Ok(Output::Unknown)
}

/// `sh -c '…'`: the script is looked at. One that is read is not; who allows a shell by its name allows one in a file.
fn shell(
    this: &mut Evaluator<'_>,
    name: &str,
    program: &'static Program,
    args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    let is_login = |arg: &&Arg| matches!(arg.known(), Some("-l" | "--login"));
    let logins = args[1..].iter().take_while(is_login).count();
    for arg in &args[1..=logins] {
        this.note(arg.word, Note::Texts(Vec::new()));
    }
    let rest = &args[1 + logins..];
    let flags = rest
        .first()
        .and_then(Arg::known)
        .and_then(|text| text.strip_prefix('-'));
    let is_script =
        |flags: &str| flags.ends_with('c') && flags.bytes().all(|flag| b"ceuxl".contains(&flag));
    match (flags, rest) {
        (Some(flags), [_, script, positional @ ..]) if is_script(flags) => {
            let Some(text) = script.known().filter(|_| !script.field.is_disputed) else {
                let reason = format!(
                    "what `{name} -c` runs is only known when it does: write the command out"
                );
                this.unknown(reason, span);
                return Ok(Output::Unknown);
            };
            if let Some(program) = this.trace.programs.last_mut() {
                program.is_wrapper = true;
            }
            let positional = positional
                .iter()
                .skip(1)
                .map(|arg| arg.field.clone())
                .collect();
            let rewritten = this.afresh(positional, |this| this.script(text, span))?;
            builtins::replace(this, std::slice::from_ref(script), rewritten);
        }
        (None, [_, ..]) if matches!(input, Input::Inherited) => {
            Call::new(name, program, span).read(this, rest)?;
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
    call: &Call<'_>,
    word: usize,
    rest: &[Arg],
    input: &Input,
) -> Result<Output> {
    let splits_at_nul = call.has("0") || call.has("null");
    let names = match input {
        Input::Names(names) if names.ends_with_nul == splits_at_nul => Some(names),
        _ => None,
    };
    let names = names.filter(|_| splits_at_nul || !this.environment.is_as_written);
    if names.is_some() && !splits_at_nul {
        // Names are split at lines, and not at blanks and quotes.
        let change = this.change(word);
        change.before = "tr '\\n' '\\0' | ";
        change.instead = Some("xargs -0".into());
    }
    let given = |is_one: bool, may_be_options: bool| match names {
        Some(names) => Argument::Names(Arc::new(Names {
            is_one,
            may_be_options: names.may_be_options && may_be_options,
            ..names.clone()
        })),
        None if is_one => Argument::unknown(),
        None => Argument::Several,
    };
    let has_places = call.has("I");
    let mut all = Vec::with_capacity(rest.len() + 1);
    for arg in rest {
        let value = match arg.known().and_then(|text| text.split_once("{}")) {
            Some(("", "")) if has_places => given(true, true),
            Some(("./", "")) if has_places && names.is_some() => given(true, false),
            Some((begins, _)) if has_places => Argument::Unknown {
                begins: begins.into(),
            },
            _ => arg.field.value.clone(),
        };
        let field = Field {
            value,
            ..arg.field.clone()
        };
        all.push(Arg {
            field,
            ..arg.clone()
        });
    }
    if !has_places && let Some(last) = rest.last() {
        let field = Field::of(given(false, true));
        // What another `xargs` has appended is behind its word already.
        let word = if last.word < APPENDED {
            APPENDED + last.word
        } else {
            last.word
        };
        all.push(Arg {
            field,
            word,
            ..last.clone()
        });
    }
    inner(this, "xargs", &all, &Input::Unknown, call.span)?;
    Ok(Output::Unknown)
}
