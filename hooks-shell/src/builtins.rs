//! The shell's own commands.

use std::ops::Range;
use std::sync::Arc;

use crate::effects::Access;
use crate::evaluate::{Arg, Evaluator, Input, Output, Result};
use crate::syntax::{Word, is_identifier};
use crate::value::{Argument, Field, Names};

/// Builtins that run or change what cannot be followed, and why.
const REFUSED: [(&str, &str); 31] = [
    (".", "runs a script that is not looked at"),
    ("source", "runs a script that is not looked at"),
    ("alias", "gives a program another name"),
    ("unalias", "gives a program another name"),
    ("bind", "runs a command later"),
    ("builtin", "is not known to `sh`: leave it out"),
    ("caller", "looks into the shell"),
    ("compgen", "runs a command"),
    ("complete", "runs a command later"),
    ("declare", "may run what is in an index: write `name=value`"),
    ("dirs", "follows folders in its own way: use `cd`"),
    ("enable", "changes what the shell's builtins are"),
    ("exec", "takes the shell's place: leave it out"),
    ("fc", "runs a command again"),
    (
        "getopts",
        "sets a variable to what is only known when it runs",
    ),
    ("hash", "changes where programs are"),
    ("history", "shows and changes the shell's history"),
    ("let", "runs what is in an index: write `$((…))`"),
    (
        "mapfile",
        "sets a variable to what is only known when it runs",
    ),
    ("popd", "follows folders in its own way: use `cd`"),
    ("pushd", "follows folders in its own way: use `cd`"),
    (
        "readarray",
        "sets a variable to what is only known when it runs",
    ),
    (
        "readonly",
        "may run what is in an index: write `name=value`",
    ),
    ("setopt", "changes how the shell reads a command"),
    ("shopt", "changes how the shell reads a command"),
    ("trap", "runs a command later"),
    ("typeset", "may run what is in an index: write `name=value`"),
    ("ulimit", "changes what the shell may use"),
    ("umask", "changes what others may read"),
    ("unsetopt", "changes how the shell reads a command"),
    ("zmodload", "loads code"),
];

const KNOWN: [&str; 25] = [
    ":", "[", "break", "cd", "command", "continue", "echo", "eval", "exit", "export", "false",
    "local", "printf", "pwd", "read", "return", "set", "shift", "test", "times", "true", "type",
    "unset", "wait", "[[",
];

pub(crate) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || REFUSED.iter().any(|(refused, _)| *refused == name)
}

/// Whether the script goes on otherwise after it than before.
pub(crate) fn changes_the_shell(name: &str) -> bool {
    matches!(
        name,
        "cd" | "eval"
            | "export"
            | "local"
            | "read"
            | "set"
            | "shift"
            | "unset"
            | "break"
            | "continue"
            | "return"
            | "exit"
    )
}

pub(crate) fn run(
    this: &mut Evaluator<'_>,
    name: &str,
    args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    if let Some((_, does)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
        this.unknown(format!("`{name}` {does}"), span);
        return Ok(Output::Unknown);
    }
    let rest = &args[1..];
    match name {
        "cd" => cd(this, args, span)?,
        "eval" => eval(this, args, span)?,
        "export" | "local" => export(this, rest, name == "export")?,
        "printf" => printf(this, rest, span),
        "read" => read(this, args, input, span)?,
        "set" => set(this, rest, span),
        "unset" => {
            let names = match rest {
                [first, names @ ..] if first.known() == Some("-v") => names,
                names => names,
            };
            for name in names {
                match name.known().filter(|name| is_identifier(name)) {
                    Some(name) => {
                        let name = name.to_owned();
                        this.assign(&name, Field::known(""), &name_span(names), false)?;
                        this.forget(&name)?;
                    }
                    None => this.unknown("`unset` takes names of variables", span),
                }
            }
        }
        "[" | "test" => test(this, rest, span),
        "wait" => {
            let is_job = |arg: &Arg| {
                arg.known()
                    .is_some_and(|text| matches!(text, "-n" | "-f") || !text.starts_with('-'))
            };
            if !rest.iter().all(is_job) {
                this.unknown("`wait` takes numbers and names of jobs, and `-n`", span);
            }
        }
        "command" | "type" => match rest {
            [flag, ..] if matches!(flag.known(), Some("-v" | "-V")) && name == "command" => {}
            _ if name == "type" => {}
            [first, ..] if first.known().is_some_and(|name| !name.starts_with('-')) => {
                return this.run(rest, Vec::new(), input.clone(), span);
            }
            _ => this.unknown(
                "which program `command` runs is not told: write it out",
                span,
            ),
        },
        "break" | "continue" | "return" | "exit" | "shift" => {
            let is_number = |arg: &Arg| match &arg.field.value {
                Argument::Number => true,
                Argument::Text(text) => text.bytes().all(|byte| byte.is_ascii_digit()),
                _ => false,
            };
            if !rest.iter().all(is_number) {
                this.unknown(format!("`{name}` takes a number"), span);
            }
            match name {
                "shift" => this.positional = None,
                // Nothing is run after it.
                "exit" => this.state.directories = Arc::default(),
                _ => this.escape()?,
            }
        }
        "pwd" => {
            if let [only] = this.state.directories.as_slice() {
                return Ok(Output::Text(only.as_str().into()));
            }
        }
        _ => {}
    }
    Ok(Output::Unknown)
}

fn name_span(args: &[Arg]) -> Range<usize> {
    args.first().map_or(0..0, |arg| arg.span.clone())
}

fn cd(this: &mut Evaluator<'_>, args: &[Arg], span: &Range<usize>) -> Result<()> {
    let rest = match &args[1..] {
        [dashes, rest @ ..] if matches!(dashes.known(), Some("--" | "-P")) => rest,
        rest => rest,
    };
    let [to] = rest else {
        this.unknown("`cd` takes one folder, which is written out", span);
        return Ok(());
    };
    let Some(path) = to
        .known()
        .filter(|path| !path.starts_with('-') && !path.is_empty())
    else {
        let shown = this.text.get(this.span(&to.span)).unwrap_or_default();
        this.unknown(
            format!("where `cd {shown}` leads, is only known when it runs"),
            span,
        );
        return Ok(());
    };
    let path = path.to_owned();
    this.touch(&to.field.value, Access::Enter, span);
    let before = this.state.directories.clone();
    let entered = before.iter().map(|directory| within(directory, &path));
    let mut entered: Vec<String> = entered.collect();
    entered.sort_unstable();
    entered.dedup();
    let built: usize = entered.iter().map(String::len).sum();
    // A path is taken apart and put together again.
    this.work.spend(8 + built, span)?;
    this.state.directories = Arc::new(entered);
    let is_tested = this.is_tested || this.environment.is_as_written;
    let change = this.change(args[0].word);
    change.instead = Some("cd -P".into());
    if is_tested {
        change.is_fatal = false;
        this.state.failed = Some(before);
    } else {
        change.is_fatal = true;
    }
    Ok(())
}

/// A path from a folder, without `.` and `..`. Who judges it makes sure that no link is on its way.
pub(crate) fn within(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let start = if path.starts_with('/') { "" } else { directory };
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => drop(parts.pop()),
                _ if directory.starts_with('/') => {}
                _ => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match directory.starts_with('/') || path.starts_with('/') {
        true => format!("/{joined}"),
        false if joined.is_empty() => ".".into(),
        false => joined,
    }
}

fn eval(this: &mut Evaluator<'_>, args: &[Arg], span: &Range<usize>) -> Result<()> {
    let is_plain = |arg: &&Arg| arg.known().is_some() && !arg.field.is_disputed;
    let texts: Vec<&str> = args[1..]
        .iter()
        .filter(is_plain)
        .filter_map(Arg::known)
        .collect();
    if texts.len() + 1 < args.len() {
        this.unknown(
            "what `eval` runs is only known when it does: write the command out",
            span,
        );
        return Ok(());
    }
    let rewritten = this.script(&texts.join(" "), span)?;
    replace(this, &args[1..], rewritten);
    Ok(())
}

/// Writes a rewritten script in the place of the words that held it.
pub(crate) fn replace(this: &mut Evaluator<'_>, args: &[Arg], rewritten: Option<String>) {
    let mut rewritten = rewritten.map(|text| crate::print::quoted(&text));
    for arg in args {
        let text: Arc<str> = rewritten.take().unwrap_or_default().into();
        let change = this.change(arg.word);
        if change
            .instead
            .as_ref()
            .is_some_and(|before| *before != text)
        {
            this.note(arg.word, crate::evaluate::Note::Never);
            return;
        }
        change.instead = Some(text);
    }
}

fn export(this: &mut Evaluator<'_>, args: &[Arg], is_exported: bool) -> Result<()> {
    for arg in args {
        let known = arg.known().map(str::to_owned);
        let known = known
            .as_deref()
            .map(|text| text.split_once('=').unwrap_or((text, "\0")));
        match known {
            Some((name, "\0")) if is_identifier(name) => {
                let value = match this.state.variables.get(name) {
                    Some(value) => value.clone(),
                    None => Field::of(Argument::unknown()),
                };
                this.assign(name, value, &arg.span, is_exported)?;
            }
            Some((name, value)) if is_identifier(name) => {
                this.assign(name, Field::known(value), &arg.span, is_exported)?;
            }
            _ => this.unknown("`export` is only looked at as `export NAME=value`, with a value that is written out", &arg.span),
        }
    }
    Ok(())
}

fn printf(this: &mut Evaluator<'_>, args: &[Arg], span: &Range<usize>) {
    let args = match args {
        [first, rest @ ..] if first.known() == Some("--") => rest,
        all => all,
    };
    let Some((format, values)) = args.split_first() else {
        return;
    };
    let is_odd = match format.known() {
        Some(text) => text.starts_with('-') || counts(text),
        None => !values.is_empty() || format.field.value.may_be_option(),
    };
    if is_odd {
        this.unknown("`printf` may set a variable in passing, by `-v` or `%n`: write the format out, without them", span);
    }
}

/// Whether a format has `%n` in it.
fn counts(format: &str) -> bool {
    format.replace("%%", "").split('%').skip(1).any(|rest| {
        let is_of_size = |c: char| c.is_ascii_digit() || "-+ #'.*hlqjztL".contains(c);
        rest.trim_start_matches(is_of_size).starts_with('n')
    })
}

fn read(this: &mut Evaluator<'_>, args: &[Arg], input: &Input, span: &Range<usize>) -> Result<()> {
    let is_flag = |arg: &&Arg| matches!(arg.known(), Some("-r" | "-s" | "-rs" | "-sr"));
    let flags = args[1..].iter().take_while(is_flag).count();
    let names = &args[1 + flags..];
    if names
        .iter()
        .any(|name| !name.known().is_some_and(is_identifier))
    {
        this.unknown("`read` is only looked at as `read -r name`", span);
    }
    for name in names {
        let Some(name) = name
            .known()
            .filter(|name| is_identifier(name))
            .map(str::to_owned)
        else {
            continue;
        };
        this.assign(&name, Field::known(""), span, false)?;
        match input {
            Input::Names(found)
                if names.len() == 1 && !found.ends_with_nul && !this.environment.is_as_written =>
            {
                let value = Names {
                    is_one: true,
                    ..found.clone()
                };
                this.set(&name, Field::of(Argument::Names(Arc::new(value))))?;
                this.change(args[0].word).instead = Some("IFS= read -r".into());
            }
            _ => this.forget(&name)?,
        }
    }
    Ok(())
}

fn set(this: &mut Evaluator<'_>, args: &[Arg], span: &Range<usize>) {
    let is_flag = |arg: &Arg| match arg.known() {
        Some("pipefail" | "errexit" | "nounset" | "xtrace" | "-o" | "+o") => true,
        Some(text) => text.strip_prefix(['-', '+']).is_some_and(|flags| {
            !flags.is_empty() && flags.bytes().all(|flag| b"euxo".contains(&flag))
        }),
        None => false,
    };
    if args.is_empty() || !args.iter().all(is_flag) {
        this.unknown(
            "`set` is only looked at with the flags `-e`, `-u`, `-x` and `-o pipefail`",
            span,
        );
    }
}

/// A test asks for a file: which one, need not be known.
fn ask(this: &mut Evaluator<'_>, path: &Argument, span: &Range<usize>) {
    if !matches!(path, Argument::Unknown { .. } | Argument::Number) {
        this.touch(path, Access::List, span);
    }
}

/// Whether a test with this operator asks for a file.
fn asks_for_file(operator: &str) -> bool {
    operator
        .strip_prefix('-')
        .is_some_and(|letter| letter.len() == 1 && "abcdefghkprsuwxGLNOS".contains(letter))
}

/// `[ … ]`: what asks for a file reads it; what may run a command in an index is refused.
fn test(this: &mut Evaluator<'_>, args: &[Arg], span: &Range<usize>) {
    let args = match args {
        [all @ .., last] if last.known() == Some("]") => all,
        all => all,
    };
    if args.iter().any(|arg| !arg.field.value.is_one()) {
        this.unknown(
            "a test needs quotes around what is only known when it runs: write `[ -n \"$name\" ]`",
            span,
        );
        return;
    }
    let is_indexed = |arg: &Arg| matches!(arg.known(), Some("-v" | "-R"));
    let mut rest = args;
    while let [first, after @ ..] = rest
        && first.known() == Some("!")
    {
        rest = after;
    }
    let is_binary = |arg: &Arg| {
        arg.known()
            .is_some_and(|text| !text.starts_with('-') || text.len() == 3)
    };
    let is_known = match rest {
        [] | [_] => true,
        [operator, _] => operator.known().is_some(),
        [_, operator, _] => is_binary(operator),
        all => all.iter().all(|arg| arg.known().is_some()),
    };
    if !is_known || args.iter().any(is_indexed) {
        this.unknown("which test this is, is only known when it runs, or it runs what is in an index: write `[ … ] && [ … ]`, with one operator in each", span);
        return;
    }
    for pair in args.windows(2) {
        if pair[0].known().is_some_and(asks_for_file) {
            ask(this, &pair[1].field.value, span);
        }
    }
    if let [left, operator, right] = rest
        && matches!(operator.known(), Some("-nt" | "-ot" | "-ef"))
    {
        ask(this, &left.field.value, span);
        ask(this, &right.field.value, span);
    }
}

/// One test of `[[ … ]]`.
pub(crate) fn double_bracket(this: &mut Evaluator<'_>, words: &[Word]) -> Result<()> {
    let span = &words[0].span.clone();
    let operator = |nth: usize| {
        words
            .get(nth)
            .and_then(Word::literal)
            .unwrap_or_default()
            .to_owned()
    };
    match words.len() {
        1 => drop(this.one(&words[0])?),
        2 => {
            let asked = this.one(&words[1])?;
            let operator = operator(0);
            this.one(&words[0])?;
            if asks_for_file(&operator) {
                ask(this, &asked.value, span);
            } else if !matches!(operator.as_str(), "-n" | "-z" | "!") {
                this.unknown(
                    format!("the test `{operator}` is not looked at: write `[ … ]`"),
                    span,
                );
            }
        }
        _ => {
            let left = this.one(&words[0])?;
            let operator = operator(1);
            this.one(&words[1])?;
            match operator.as_str() {
                "=" | "==" | "!=" => this.pattern(&words[2])?,
                "=~" => {
                    // Quotes change what an expression means, so it is written again as it is.
                    let text = this
                        .text
                        .get(this.span(&words[2].span))
                        .unwrap_or_default()
                        .to_owned();
                    let is_plain = |byte: u8| {
                        byte.is_ascii_alphanumeric() || b"^$.+*?[]{},:/_-@=%".contains(&byte)
                    };
                    let names = text
                        .as_bytes()
                        .windows(2)
                        .any(|pair| pair[0] == b'$' && pair[1] != b'$');
                    if !text.bytes().all(is_plain) || names {
                        this.unknown("this expression is not looked at: use letters, digits and `^$.+*?[]{}`", span);
                    }
                    this.pattern(&words[2])?;
                    this.change(words[2].id).instead = Some(text.into());
                }
                "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                    let right = this.one(&words[2])?;
                    for side in [left, right] {
                        let is_number = match side.value {
                            Argument::Number => true,
                            Argument::Text(text) => text
                                .bytes()
                                .all(|byte| byte.is_ascii_digit() || byte == b'-'),
                            _ => false,
                        };
                        if !is_number {
                            this.unknown("what stands beside a comparison of numbers is evaluated: write `[ … ]`", span);
                        }
                    }
                }
                "-nt" | "-ot" | "-ef" => {
                    let right = this.one(&words[2])?;
                    ask(this, &left.value, span);
                    ask(this, &right.value, span);
                }
                _ => this.unknown(
                    format!("the test `{operator}` is not looked at: write `[ … ]`"),
                    span,
                ),
            }
        }
    }
    this.dispute(
        "`[[ … ]]` is a program for some shells: write `[ … ]`",
        span,
    );
    Ok(())
}
