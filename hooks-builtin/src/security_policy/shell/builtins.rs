//! The shell's own commands.

use super::programs::{check_environment, check_variable, is_identifier};
use super::script::Script;
use super::word::{Known, Value};

/// Builtins that touch nothing, whatever they are given.
const HARMLESS: [&str; 10] = [
    ":", "break", "continue", "echo", "exit", "false", "pwd", "return", "shift", "true",
];

/// Checks a builtin of the shell's; nothing if it is none that is known here.
pub(super) fn check(
    script: &mut Script<'_>,
    name: &str,
    arguments: &[Value],
    depth: usize,
) -> Option<Result<(), String>> {
    Some(match name {
        "printf" => printf(arguments),
        name if HARMLESS.contains(&name) => Ok(()),
        "[" | "test" => test(script, arguments),
        "cd" => cd(script, arguments),
        "eval" => eval(script, arguments, depth),
        "export" => export(script, arguments),
        "read" => read(script, arguments),
        "set" => set(arguments),
        "unset" => unset(script, arguments),
        "wait" => wait(arguments),
        _ => return None,
    })
}

fn printf(arguments: &[Value]) -> Result<(), String> {
    let sets = |first: &Value| first.text.starts_with("-v") || first.text().is_none();
    if arguments.first().is_some_and(sets) {
        return Err("`printf -v` sets a variable in passing: use `name=$(printf …)`".into());
    }
    if counts_into_a_variable(arguments) {
        return Err("`%n` of `printf` sets a variable in passing: leave it out".into());
    }
    Ok(())
}

fn cd(script: &mut Script<'_>, arguments: &[Value]) -> Result<(), String> {
    match arguments {
        [to] if !to.text.starts_with('-') => match to.text() {
            Some(path) => script.enter(path),
            None => Err(format!(
                "where `cd {}` leads, is only known when it runs",
                to.text
            )),
        },
        _ => Err("`cd` takes one folder, which is written out".into()),
    }
}

fn eval(script: &mut Script<'_>, arguments: &[Value], depth: usize) -> Result<(), String> {
    let words: Option<Vec<_>> = arguments.iter().map(Value::text).collect();
    match words {
        Some(words) => script.run(&words.join(" "), depth + 1),
        None => Err("what `eval` runs is only known when it does: write the command out".into()),
    }
}

fn export(script: &mut Script<'_>, arguments: &[Value]) -> Result<(), String> {
    arguments.iter().try_for_each(|argument| {
        let known = argument.text().and_then(|text| text.split_once('='));
        match known {
            Some((name, value)) if is_identifier(name) => {
                check_environment(name)?;
                script.set(name, Value::literal(value))
            }
            _ => Err(
                "`export` is only looked at as `export NAME=value`, with a value that is written out".into(),
            ),
        }
    })
}

/// `read -r line`: what it holds then is only known when it runs.
fn read(script: &mut Script<'_>, arguments: &[Value]) -> Result<(), String> {
    let is_flag = |argument: &Value| matches!(argument.text(), Some("-r" | "-s" | "-rs"));
    let flags = arguments.iter().take_while(|argument| is_flag(argument));
    let names = &arguments[flags.count()..];
    let is_name = |name: &Value| name.text().is_some_and(is_identifier);
    if !names.iter().all(is_name) {
        return Err("`read` is only looked at as `read -r name`".into());
    }
    forget(script, names)
}

fn set(arguments: &[Value]) -> Result<(), String> {
    let is_flag = |argument: &Value| match argument.text() {
        Some("pipefail" | "errexit" | "nounset" | "xtrace" | "-o" | "+o") => true,
        Some(text) => text.strip_prefix(['-', '+']).is_some_and(|flags| {
            !flags.is_empty() && flags.bytes().all(|flag| b"euxo".contains(&flag))
        }),
        None => false,
    };
    if !arguments.is_empty() && arguments.iter().all(is_flag) {
        return Ok(());
    }
    Err("`set` is only looked at with the flags `-e`, `-u`, `-x` and `-o pipefail`".into())
}

fn unset(script: &mut Script<'_>, arguments: &[Value]) -> Result<(), String> {
    let names = match arguments {
        [first, rest @ ..] if first.text() == Some("-v") => rest,
        all => all,
    };
    if !names
        .iter()
        .all(|name| name.text().is_some_and(is_identifier))
    {
        return Err("`unset` takes names of variables".into());
    }
    forget(script, names)
}

/// What the variables hold is not known any more.
fn forget(script: &mut Script<'_>, names: &[Value]) -> Result<(), String> {
    names.iter().try_for_each(|name| {
        check_variable(&name.text)?;
        script.set(&name.text, Value::unknown_in(true))
    })
}

fn wait(arguments: &[Value]) -> Result<(), String> {
    let is_job = |argument: &Value| {
        argument
            .text()
            .is_some_and(|text| matches!(text, "-n" | "-f") || !text.starts_with('-'))
    };
    if arguments.iter().all(is_job) {
        return Ok(());
    }
    Err("`wait` takes numbers and names of jobs, and `-n`".into())
}

/// Whether `printf` may write into a variable how much it has written: `%n`.
fn counts_into_a_variable(arguments: &[Value]) -> bool {
    let arguments = match arguments {
        [first, rest @ ..] if first.text() == Some("--") => rest,
        all => all,
    };
    let Some((format, values)) = arguments.split_first() else {
        return false;
    };
    let Some(format) = format.text() else {
        return !values.is_empty();
    };
    format.split('%').skip(1).any(|rest| {
        let is_of_size = |c: char| c.is_ascii_digit() || "-+ #'.*hlqjztL".contains(c);
        rest.trim_start_matches(is_of_size).starts_with('n')
    })
}

/// Whether a test with this operator asks for a file.
fn asks_for_a_file(operator: &str) -> bool {
    operator
        .strip_prefix('-')
        .is_some_and(|letter| letter.len() == 1 && "abcdefghkprsuwxGLNOS".contains(letter))
}

/// `[ … ]`: `-v` runs what is in an index, so it has to be known where it does not stand.
fn test(script: &mut Script<'_>, arguments: &[Value]) -> Result<(), String> {
    let arguments = match arguments {
        [all @ .., last] if last.text() == Some("]") => all,
        all => all,
    };
    if arguments
        .iter()
        .any(|argument| argument.known == Known::Several || argument.known == Known::Pattern)
    {
        return Err(
            "a test needs quotes around what is only known when it runs: write `[ -n \"$name\" ]`"
                .into(),
        );
    }
    if arguments
        .iter()
        .any(|argument| matches!(argument.text(), Some("-v" | "-R")))
    {
        return Err("`-v` runs what is in an index: write `[ -n \"$name\" ]`".into());
    }
    for pair in arguments.windows(2) {
        if let [operator, operand] = pair
            && operator.text().is_some_and(asks_for_a_file)
            && let Some(path) = operand.text()
        {
            script.check_path(path)?;
        }
    }
    if let [left, operator, right] = arguments
        && matches!(operator.text(), Some("-nt" | "-ot" | "-ef"))
    {
        for path in [left, right].into_iter().filter_map(Value::text) {
            script.check_path(path)?;
        }
    }
    let mut rest = arguments;
    while let [first, after @ ..] = rest
        && first.text() == Some("!")
    {
        rest = after;
    }
    let operators_are_known = match rest {
        [] | [_] => true,
        [operator, _] | [_, operator, _] => operator.text().is_some(),
        all => all.iter().all(|argument| argument.text().is_some()),
    };
    // Three words may be a test of two with `!` or brackets around it.
    let is_binary = |operator: &Value| !operator.text.starts_with('-') || operator.text.len() == 3;
    if operators_are_known && (rest.len() != 3 || is_binary(&rest[1])) {
        return Ok(());
    }
    Err("which test this is, is only known when it runs: write `[ … ] && [ … ]`, with one operator in each".into())
}
