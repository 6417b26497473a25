//! Arguments, read by the table: what a program reads, writes, fetches, and what is not known of it.

use std::ops::Range;
use std::sync::Arc;

use crate::effects::{Access, Network};
use crate::evaluate::{Arg, Evaluator, Input, Output, Result};
use crate::languages;
use crate::table::{self, Opt, Program, Role};
use crate::value::{Argument, Field, Names};

/// Added to the number of a word: the argument is not in the word, but appended behind it when the program runs.
pub(crate) const APPENDED: usize = usize::MAX / 2;

/// A program that is run, while its arguments are read.
struct Call<'a> {
    name: &'a str,
    command: Option<&'static str>,
    span: &'a Range<usize>,
    is_handed_on: bool,
    /// What options have said of the operands.
    follows_links: bool,
    writes: bool,
}

pub(crate) fn run(
    this: &mut Evaluator<'_>,
    name: &str,
    args: &[Arg],
    input: &Input,
    span: &Range<usize>,
) -> Result<Output> {
    let rest = &args[1..];
    let Some(program) = table::find(name) else {
        generic(this, name, rest, span);
        return Ok(Output::Unknown);
    };
    if program.uses_network {
        this.trace.network.push(Network {
            address: None,
            span: span.clone(),
        });
    }
    if program.is_inert {
        return Ok(output_of(name, None, rest, input));
    }
    let before = this.state.directories.clone();
    let mut call = Call {
        name,
        command: None,
        span,
        is_handed_on: false,
        follows_links: false,
        writes: false,
    };
    read(this, &mut call, program, rest)?;
    let output = output_of(name, call.command, rest, input);
    this.state.directories = before;
    Ok(output)
}

fn read(
    this: &mut Evaluator<'_>,
    call: &mut Call<'_>,
    program: &'static Program,
    args: &[Arg],
) -> Result<()> {
    let mut ended = false;
    let mut has_first = false;
    let mut found: Vec<&Arg> = Vec::new();
    let mut nth = 0;
    while nth < args.len() {
        let arg = &args[nth];
        nth += 1;
        let text = arg.known();
        if ended && call.is_handed_on {
            if call.command == Some("clippy") {
                lints(this, call, arg, args.get(nth));
                nth += usize::from(matches!(arg.known(), Some("-A" | "-D" | "-F" | "-W")));
            }
            continue;
        }
        match text {
            Some("--") if !ended => {
                ended = true;
                call.is_handed_on = program.hands_on;
            }
            Some(text) if !ended && text.len() > 1 && text.starts_with('-') => {
                has_first |= option(this, call, program, text, args, &mut nth)?;
            }
            _ => {
                if program.has_commands && call.command.is_none() {
                    return command(this, call, arg, &args[nth..]);
                }
                if !ended && arg.field.value.may_be_option() {
                    end_options(this, call, arg, &args[nth..]);
                }
                if found.is_empty()
                    && !program.only.is_empty()
                    && !text.is_some_and(|text| program.only.contains(&text))
                {
                    let shown = text.unwrap_or("…");
                    this.unknown(
                        format!(
                            "`{} {shown}` may run another program, or change what `{}` does",
                            full(call),
                            call.name
                        ),
                        &arg.span,
                    );
                }
                found.push(arg);
            }
        }
    }
    special_first(this, call, &found, args);
    if call.follows_links && found.is_empty() {
        this.touch(&Argument::text("."), Access::Tree, call.span);
    }
    let first = if has_first {
        &program.first[1.min(program.first.len())..]
    } else {
        &program.first[..]
    };
    let last = found.len().wrapping_sub(1);
    for (position, arg) in found.into_iter().enumerate() {
        let is_last = position == last && position > 0;
        let role = match (program.last.filter(|_| is_last), first.get(position)) {
            (Some(role), _) => role,
            (None, Some(role)) => *role,
            (None, None) => program.rest.unwrap_or(Role::Path),
        };
        if position < first.len()
            && !arg.field.value.is_one()
            && (first.len() > 1 || program.rest.is_some())
            && first.get(position) != program.rest.as_ref()
        {
            this.unknown(
                format!(
                    "what `{}` is given is only known when it runs: write it out",
                    full(call)
                ),
                &arg.span,
            );
        }
        let role = match role {
            Role::Read if call.writes => Role::Write,
            Role::Read | Role::List if call.follows_links => Role::Tree,
            role => role,
        };
        apply(this, call, role, &arg.field, &arg.span)?;
    }
    Ok(())
}

fn full(call: &Call<'_>) -> String {
    match call.command {
        Some(command) => format!("{} {command}", call.name),
        None => call.name.to_owned(),
    }
}

/// The command of a program that has many.
fn command(this: &mut Evaluator<'_>, call: &mut Call<'_>, arg: &Arg, rest: &[Arg]) -> Result<()> {
    let name = arg.known().unwrap_or_default();
    if call.name == "cargo" && name.starts_with('+') && !name.contains('/') {
        let table = table::find(call.name);
        return match table {
            Some(program) => read(this, call, program, rest),
            None => Ok(()),
        };
    }
    let Some((known, program)) = table::find_command(call.name, name) else {
        let shown = arg.known().unwrap_or("…").to_owned();
        this.unknown(
            format!(
                "`{} {shown}` may run another program, or change what `{}` does",
                call.name, call.name
            ),
            &arg.span,
        );
        return Ok(());
    };
    if program.uses_network {
        this.trace.network.push(Network {
            address: None,
            span: call.span.clone(),
        });
    }
    call.command = Some(known);
    read(this, call, program, rest)
}

/// Reads an option, and its value; whether it stands for the first operand.
fn option(
    this: &mut Evaluator<'_>,
    call: &mut Call<'_>,
    program: &Program,
    text: &str,
    args: &[Arg],
    nth: &mut usize,
) -> Result<bool> {
    let arg = &args[*nth - 1];
    let (name, command) = (call.name, call.command);
    let unknown = |this: &mut Evaluator<'_>| {
        this.unknown(
            format!("the option `{}` of `{name} {}` may run another program, or touch files that are not looked at: leave it out", shown(text), command.unwrap_or_default()),
            &arg.span,
        );
        Ok(false)
    };
    if arg.field.is_disputed && matches!(call.name, "sed") {
        return unknown(this);
    }
    // npm takes a long option with any number of dashes.
    let long = match text.strip_prefix("--") {
        Some(long) => Some(long),
        None if program
            .long
            .contains_key(text[1..].split('=').next().unwrap_or_default())
            && text.len() > 2 =>
        {
            Some(&text[1..])
        }
        None => None,
    };
    if let Some(long) = long {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let Some(option) = program.long.get(name) else {
            return unknown(this);
        };
        call.follows_links |= option.follows_links;
        call.writes |= option.writes;
        return match (option.role, value) {
            (None, None) => Ok(option.replaces_first),
            (None, Some(_)) => unknown(this),
            (Some(_), None) if option.is_joined => Ok(false),
            (Some(role), Some(value)) => {
                let field = Field {
                    value: Argument::text(value),
                    is_disputed: arg.field.is_disputed,
                };
                apply(this, call, role, &field, &arg.span)?;
                Ok(option.replaces_first)
            }
            (Some(role), None) => value_of(this, call, text, role, *option, args, nth),
        };
    }
    let is_number = text[1..].bytes().all(|byte| byte.is_ascii_digit());
    if is_number && program.takes_numbers {
        return Ok(false);
    }
    for (at, flag) in text.char_indices().skip(1) {
        let Some(option) = program.short.get(&flag) else {
            return unknown(this);
        };
        call.follows_links |= option.follows_links;
        call.writes |= option.writes;
        let Some(role) = option.role else { continue };
        let joined = &text[at + flag.len_utf8()..];
        if joined.is_empty() && !option.is_joined {
            return value_of(this, call, text, role, *option, args, nth);
        }
        if !joined.is_empty() {
            let field = Field {
                value: Argument::text(joined),
                is_disputed: arg.field.is_disputed,
            };
            apply(this, call, role, &field, &arg.span)?;
        }
        return Ok(option.replaces_first);
    }
    Ok(false)
}

/// The value of an option that is the next argument.
fn value_of(
    this: &mut Evaluator<'_>,
    call: &Call<'_>,
    option: &str,
    role: Role,
    of: Opt,
    args: &[Arg],
    nth: &mut usize,
) -> Result<bool> {
    let Some(value) = args.get(*nth) else {
        this.unknown(
            format!(
                "the option `{}` of `{}` has no value",
                shown(option),
                full(call)
            ),
            &args[*nth - 1].span,
        );
        return Ok(false);
    };
    *nth += 1;
    let looks_like_option = value.known().is_some_and(|text| {
        text.starts_with('-')
            && text.len() > 1
            && !text[1..].starts_with(|c: char| c.is_ascii_digit())
    });
    if looks_like_option {
        this.unknown(
            format!(
                "the value of `{}` looks like an option: join it to it",
                shown(option)
            ),
            &value.span,
        );
    } else if !value.field.value.is_one() {
        this.unknown(
            format!(
                "what `{}` is given after `{}` is only known when it runs: write it out",
                full(call),
                shown(option)
            ),
            &value.span,
        );
    } else {
        apply(this, call, role, &value.field, &value.span)?;
    }
    Ok(of.replaces_first)
}

/// What is shown of a text in a reason.
fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(100.min(text.len()))]
}

/// Writes `--` before names of files that might be taken for options.
fn end_options(this: &mut Evaluator<'_>, call: &Call<'_>, arg: &Arg, rest: &[Arg]) {
    let is_operand = |arg: &Arg| !arg.known().is_some_and(|text| text.starts_with('-'));
    let is_names = matches!(arg.field.value, Argument::Names(_) | Argument::Pattern(_));
    if !is_names
        || this.environment.is_as_written
        || !rest.iter().all(is_operand)
        || call.command.is_some_and(|_| call.name != "git")
    {
        let shown = this
            .text
            .get(this.span(&arg.span))
            .unwrap_or_default()
            .to_owned();
        let reason = if is_names {
            format!(
                "a file that `{}` matches would be taken for an option: write `--` before it",
                shown_or(&shown)
            )
        } else {
            format!(
                "what `{}` is given is only known when it runs: write it out",
                full(call)
            )
        };
        this.unknown(reason, &arg.span);
        return;
    }
    this.dispute(
        "names of files may look like options: write `--` before them",
        &arg.span,
    );
    if arg.word >= APPENDED {
        this.change(arg.word - APPENDED).after = " --";
    } else {
        this.change(arg.word).before = "-- ";
    }
}

fn shown_or(text: &str) -> &str {
    if text.is_empty() { "…" } else { text }
}

/// Commands of git's whose first words decide.
fn special_first(this: &mut Evaluator<'_>, call: &Call<'_>, found: &[&Arg], args: &[Arg]) {
    let has = |words: &[&str]| {
        args.iter()
            .filter_map(Arg::known)
            .any(|text| words.contains(&text))
    };
    if call.name == "git" {
        for arg in found {
            if arg
                .known()
                .is_some_and(|text| text.contains("ext::") || text.contains("fd::"))
            {
                this.unknown("an address with `ext::` has git run a program", &arg.span);
            }
        }
    }
    let is_of = |name: &str, command: &str| (call.name, call.command) == (name, Some(command));
    if is_of("git", "config") {
        let is_asked = found
            .first()
            .is_some_and(|arg| matches!(arg.known(), Some("get" | "list")));
        if !(is_asked
            || has(&[
                "--get",
                "--get-all",
                "--get-regexp",
                "--get-urlmatch",
                "--list",
                "-l",
            ]))
        {
            this.unknown("`git config` may have git run another program: only `--get` and `--list` are looked at", call.span);
        }
    }
    if call.command == Some("publish") && !has(&["--dry-run", "-n"]) {
        this.unknown(
            format!("`{} publish` is only looked at with `--dry-run`", call.name),
            call.span,
        );
    }
    if (is_of("npm", "run") || is_of("npm", "run-script"))
        && found.iter().any(|arg| arg.known() == Some("env"))
    {
        this.unknown(
            "`npm run env` shows the environment, and the secrets in it",
            call.span,
        );
    }
    let bundles = |text: &str| text.bytes().all(|flag| b"xctvzjJpf".contains(&flag));
    if call.name == "tar"
        && args
            .first()
            .and_then(Arg::known)
            .is_some_and(|text| !text.starts_with('-') && !bundles(text))
    {
        this.unknown(
            "the options of `tar` are only looked at behind a `-`",
            call.span,
        );
    }
    if call.name == "ln"
        && found
            .iter()
            .any(|arg| arg.known().is_none_or(|text| text.contains("..")))
    {
        this.unknown(
            "where a link leads is only looked at without `..`: write the whole path",
            call.span,
        );
    }
    if call.name == "date"
        && found
            .iter()
            .any(|arg| !arg.known().is_some_and(|text| text.starts_with('+')))
    {
        this.unknown(
            "`date` may set the clock: use a format, as `+%F`, in quotes",
            call.span,
        );
    }
}

/// What stands after `cargo clippy --`: lints, and nothing else that a compiler can be told.
fn lints(this: &mut Evaluator<'_>, call: &Call<'_>, arg: &Arg, next: Option<&Arg>) {
    let is_level = |text: &str| {
        ["-A", "-D", "-F", "-W"]
            .iter()
            .any(|level| text.starts_with(level))
    };
    let is_lint = |arg: &Arg| {
        arg.known().is_some_and(|text| {
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_:-".contains(&byte))
        })
    };
    let is_known = match arg.known() {
        Some("-A" | "-D" | "-F" | "-W") => next.is_some_and(is_lint),
        Some(text) => is_level(text) && is_lint(arg),
        None => false,
    };
    if !is_known {
        this.unknown(
            format!(
                "`{} -- {}` is not looked at: use `-D`, `-W`, `-A` and `-F`",
                full(call),
                arg.field.value
            ),
            &arg.span,
        );
    }
}

/// Does with a value what its role says.
#[expect(clippy::too_many_lines, reason = "one arm a role")]
fn apply(
    this: &mut Evaluator<'_>,
    call: &Call<'_>,
    role: Role,
    field: &Field,
    span: &Range<usize>,
) -> Result<()> {
    let value = &field.value;
    if role == Role::Text {
        return Ok(());
    }
    let is_known = value
        .known()
        .filter(|_| !field.is_disputed || this.environment.dialect == crate::Dialect::Bash);
    let must_be_known = |this: &mut Evaluator<'_>| {
        this.unknown(
            format!(
                "what `{}` is given is only known when it runs: write it out, in single quotes",
                full(call)
            ),
            span,
        );
    };
    match role {
        Role::Text => {}
        Role::Sed | Role::Awk => match is_known {
            Some(script) => {
                let judged = match role {
                    Role::Sed => languages::sed(script),
                    _ => languages::awk(script),
                };
                if let Err(reason) = judged {
                    this.unknown(reason, span);
                }
            }
            None => must_be_known(this),
        },
        Role::Config => match is_known {
            Some(setting) if languages::is_harmless_setting(setting) => {}
            Some(setting) => this.unknown(
                format!(
                    "the setting `{}` may have git run another program: leave it out",
                    shown(setting)
                ),
                span,
            ),
            None => must_be_known(this),
        },
        Role::Suffix => match is_known {
            Some(suffix)
                if suffix
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte)) => {}
            _ => this.unknown(
                format!(
                    "the ending `{value}` may name a file elsewhere: use letters, digits and `.`"
                ),
                span,
            ),
        },
        Role::Strategy => match is_known {
            Some("ort" | "recursive" | "resolve" | "octopus" | "ours" | "subtree" | "theirs") => {}
            _ => this.unknown(
                format!("the strategy `{value}` of `git` may be a program: use `ort` or `ours`"),
                span,
            ),
        },
        Role::Net => match is_known {
            Some(address) if languages::is_address(address) => {
                this.trace.network.push(Network {
                    address: Some(address.into()),
                    span: span.clone(),
                });
            }
            Some(address)
                if address.contains("::")
                    || (call.name == "curl" && address.contains(['{', '['])) =>
            {
                this.unknown(
                    format!(
                        "the address `{}` may be one of a file, or run a program: write it out",
                        shown(address)
                    ),
                    span,
                );
            }
            Some(address) if languages::is_name(address) && call.name != "git" => {}
            Some(address) => {
                let path = languages::without_scheme(address);
                this.touch(&Argument::text(path), Access::Read, span);
            }
            None => must_be_known(this),
        },
        Role::At => match is_known {
            Some(text) => {
                if let Some(at) = text.find(['@', '<']) {
                    let path = text[at + 1..].split(';').next().unwrap_or_default();
                    let is_file = at == 0 || call.name == "curl";
                    if is_file {
                        this.touch(&Argument::text(path), Access::Read, span);
                    }
                }
            }
            None => must_be_known(this),
        },
        Role::Lines => match is_known {
            Some(text) => {
                let file = text.rsplit_once(':').map_or("", |(_, file)| file);
                if !file.is_empty() {
                    this.touch(&Argument::text(file), Access::Read, span);
                }
            }
            None => must_be_known(this),
        },
        Role::Enter => match is_known {
            Some(path) => {
                this.touch(value, Access::Enter, span);
                let entered = this
                    .state
                    .directories
                    .iter()
                    .map(|directory| crate::builtins::within(directory, path));
                let entered: Vec<String> = entered.collect();
                let built: usize = entered.iter().map(String::len).sum();
                this.work.spend(8 + built, span)?;
                this.state.directories = Arc::new(entered);
            }
            None => must_be_known(this),
        },
        Role::Git => git_operand(this, call, field, span),
        Role::Read | Role::Write | Role::Path | Role::List | Role::Tree => {
            let access = match role {
                Role::Read => Access::Read,
                Role::Tree => Access::Tree,
                Role::List => Access::List,
                _ => Access::Write,
            };
            path(this, call, access, value, span);
            if role == Role::Path {
                path(this, call, Access::Read, value, span);
            }
        }
    }
    Ok(())
}

/// A path among the arguments. What is only known to begin somehow is not.
fn path(
    this: &mut Evaluator<'_>,
    call: &Call<'_>,
    access: Access,
    value: &Argument,
    span: &Range<usize>,
) {
    match value {
        Argument::Unknown { .. } | Argument::Several | Argument::Number => {
            this.unknown(
                format!(
                    "what `{}` is given is only known when it runs: write it out",
                    full(call)
                ),
                span,
            );
        }
        Argument::Text(text) if text.as_ref() == "-" => {}
        value => this.touch(value, access, span),
    }
}

/// A revision of git's, or a path; `rev:path` is one in the repository.
fn git_operand(this: &mut Evaluator<'_>, call: &Call<'_>, field: &Field, span: &Range<usize>) {
    let Some(text) = field.value.known() else {
        return path(this, call, Access::Read, &field.value, span);
    };
    let is_revision = ["@~", "@^", "@{"]
        .iter()
        .any(|begin| text.starts_with(begin));
    let rest = match text.split_once(':') {
        // `:/fix`, `:(top)src`, `:!src`
        Some(("", _)) => return,
        Some((revision, file)) if !revision.contains('/') || is_revision => file.to_owned(),
        _ if is_revision && !text.contains('/') => return,
        _ => text.to_owned(),
    };
    if !rest.is_empty() {
        let value = Argument::text(rest);
        let access = if matches!(call.command, Some("checkout" | "switch" | "add" | "stage")) {
            Access::Write
        } else {
            Access::Read
        };
        let access = if call.command == Some("add") {
            Access::Read
        } else {
            access
        };
        this.touch(&value, access, span);
    }
}

/// A program that the table does not know: every argument may be a path, and so may what is joined to an option.
pub(crate) fn generic(this: &mut Evaluator<'_>, name: &str, args: &[Arg], span: &Range<usize>) {
    for arg in args {
        let Some(text) = arg.known().map(str::to_owned) else {
            match &arg.field.value {
                Argument::Names(_) | Argument::Pattern(_) if !arg.field.value.may_be_option() => {
                    this.touch(&arg.field.value, Access::Read, &arg.span);
                    this.touch(&arg.field.value, Access::Write, &arg.span);
                }
                _ => this.unknown(
                    format!("what `{name}` is given is only known when it runs: write it out"),
                    span,
                ),
            }
            continue;
        };
        let is_option = text.starts_with('-') && text.len() > 1;
        let mut pieces = vec![text.as_str()];
        pieces.extend(
            text.match_indices(['=', ':', ',', '@'])
                .take(16)
                .map(|(at, _)| &text[at + 1..]),
        );
        if is_option && !text.starts_with("--") {
            pieces.extend(
                text.char_indices()
                    .skip(2)
                    .take(16)
                    .map(|(at, _)| &text[at..]),
            );
        }
        for piece in pieces {
            let looks = piece.contains('/') || piece.starts_with('~') || piece == "..";
            let is_whole = piece.len() == text.len();
            if languages::is_address(piece) || piece.starts_with("//") && text.contains("://") {
                this.trace.network.push(Network {
                    address: Some(piece.into()),
                    span: span.clone(),
                });
            } else if looks
                || (is_whole && !is_option)
                || (!is_whole && !piece.is_empty() && text.contains('='))
            {
                this.touch(&Argument::text(piece), Access::Read, &arg.span);
                this.touch(&Argument::text(piece), Access::Write, &arg.span);
            }
        }
    }
}

/// What a program prints, where that matters: names of files, and lines of what it reads.
#[expect(clippy::too_many_lines, reason = "one arm a program")]
fn output_of(name: &str, command: Option<&str>, args: &[Arg], input: &Input) -> Output {
    const PRINTS: [&str; 13] = [
        "ls", "git", "rg", "grep", "fd", "seq", "wc", "cat", "head", "tail", "sort", "uniq", "tr",
    ];
    if !PRINTS.contains(&name) {
        return Output::Unknown;
    }
    let texts: Vec<&str> = args.iter().filter_map(Arg::known).collect();
    if texts.len() < args.len() && name != "ls" && name != "git" {
        return Output::Unknown;
    }
    let has = |flags: &str, long: &[&str]| {
        texts.iter().any(|text| {
            long.contains(text)
                || (text.starts_with('-')
                    && !text.starts_with("--")
                    && text[1..].contains(|flag| flags.contains(flag)))
        })
    };
    let only = |flags: &str| {
        texts
            .iter()
            .filter(|text| text.starts_with('-'))
            .all(|text| {
                !text.starts_with("--")
                    && text[1..]
                        .chars()
                        .all(|flag| flags.contains(flag) || flag.is_ascii_digit())
            })
    };
    let below = |may_be_links: bool, may_be_options: bool, is_tracked: bool| {
        let skipped =
            usize::from(matches!(name, "rg" | "grep" | "fd" | "git") && !has("", &["--files"]));
        let operands = args
            .iter()
            .filter(|arg| !arg.known().is_some_and(|text| text.starts_with('-')))
            .skip(skipped);
        let mut folders = Vec::new();
        let mut patterns = Vec::new();
        for operand in operands {
            match &operand.field.value {
                Argument::Text(text) | Argument::Pattern(text) => {
                    // A pattern of git's is one of names below its folder.
                    let plain = text.find(['*', '?', '[']).unwrap_or(text.len());
                    let folder = if plain == text.len() {
                        plain
                    } else {
                        text[..plain].rfind('/').unwrap_or(0)
                    };
                    folders.push(if folder == 0 {
                        ".".to_owned()
                    } else {
                        text[..folder].to_owned()
                    });
                    patterns.push(
                        (plain < text.len())
                            .then(|| text.rsplit('/').next().unwrap_or_default().to_owned()),
                    );
                }
                _ => return Output::Unknown,
            }
        }
        if folders.is_empty() || name == "ls" {
            folders.push(".".into());
        }
        let pattern = match patterns.as_slice() {
            [Some(pattern)] if name == "git" => Some(pattern.clone()),
            _ => None,
        };
        Output::Names(Names {
            folders,
            pattern,
            may_be_links,
            may_be_options,
            is_tracked,
            is_one: false,
            ends_with_nul: false,
            producer: None,
        })
    };
    let passes_on = || match input {
        // Filters read lines; `tr` makes them end with a NUL.
        Input::Names(names) if !names.ends_with_nul => Output::Names(Names {
            ends_with_nul: name == "tr",
            ..names.clone()
        }),
        _ => Output::Unknown,
    };
    match (name, command) {
        ("ls", _) if only("1aArtSpd") => below(true, true, false),
        ("git", Some("ls-files"))
            if !has(
                "stuv",
                &["--stage", "--unmerged", "--format", "--eol", "--full-name"],
            ) =>
        {
            let is_cached = !has("o", &["--others"]);
            match below(true, true, is_cached) {
                Output::Names(names) => Output::Names(Names {
                    ends_with_nul: has("z", &[]),
                    ..names
                }),
                output => output,
            }
        }
        ("git", Some("diff" | "show"))
            if has("", &["--name-only"]) && !texts.contains(&"--no-index") =>
        {
            match below(true, true, true) {
                Output::Names(names) => Output::Names(Names {
                    folders: vec![".".into()],
                    ..names
                }),
                output => output,
            }
        }
        ("rg", _)
            if has("l", &["--files", "--files-with-matches"])
                && !has("c0", &["--count", "--null"]) =>
        {
            below(false, true, false)
        }
        ("grep", _)
            if has("l", &["--files-with-matches"])
                && has("r", &["--recursive"])
                && !has("cZ", &["--count"]) =>
        {
            below(false, true, false)
        }
        ("fd", _) if only("Htfe") => below(true, true, false),
        ("seq", _) => Output::Number,
        ("wc", _)
            if matches!(input, Input::Unknown | Input::Names(_) | Input::Text(_))
                && texts.len() == 1 =>
        {
            Output::Number
        }
        ("cat", _) if args.is_empty() => match input {
            Input::Text(text) => Output::Text(text.clone()),
            _ => passes_on(),
        },
        ("grep", _)
            if !has("onbcHlLAC", &["--count", "--only-matching"])
                && texts.iter().filter(|text| !text.starts_with('-')).count() == 1
                && only("viEFwxP") =>
        {
            passes_on()
        }
        ("head" | "tail", _)
            if only("nq")
                && texts.iter().all(|text| {
                    text.trim_start_matches(['-', 'n', '+'])
                        .bytes()
                        .all(|byte| byte.is_ascii_digit())
                }) =>
        {
            passes_on()
        }
        ("sort", _) if only("urfV") && texts.iter().all(|text| text.starts_with('-')) => {
            passes_on()
        }
        ("uniq", _) if args.is_empty() => passes_on(),
        ("tr", _) if texts == ["\\n", "\\0"] => passes_on(),
        _ => Output::Unknown,
    }
}
