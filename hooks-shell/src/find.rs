//! `find`: what it looks for, what it runs, and what it prints.

use std::ops::Range;
use std::sync::Arc;

use crate::effects::Access;
use crate::evaluate::{Arg, Evaluator, Input, Output, Result};
use crate::special;
use crate::value::{Argument, Field, Names};

/// Tests and actions that stand alone.
const ALONE: [&str; 26] = [
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-depth",
    "-d",
    "-mount",
    "-xdev",
    "-true",
    "-false",
    "-empty",
    "-executable",
    "-readable",
    "-writable",
    "-nouser",
    "-nogroup",
    "-daystart",
    "-noleaf",
    "-warn",
    "-nowarn",
    "-ignore_readdir_race",
    "-a",
    "-and",
    "-H",
    "-P",
];
/// Those whose value is a text.
const WITH_TEXT: [&str; 30] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-lname",
    "-ilname",
    "-printf",
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-inum",
    "-links",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-perm",
    "-regextype",
    "-size",
    "-uid",
    "-used",
    "-user",
];
/// Those whose value is a file that is looked at.
const WITH_FILE: [&str; 4] = ["-anewer", "-cnewer", "-newer", "-samefile"];

/// What is known of the files that come by, for all that stands before.
#[derive(Clone, Default)]
struct Tests {
    are_plain: bool,
    pattern: Option<String>,
    is_negated: bool,
    /// Whether an `-o` stands before.
    is_other_branch: bool,
    /// In how many brackets they stand: there another test may be true instead.
    depth: usize,
}

#[expect(clippy::too_many_lines, reason = "one arm a kind of word")]
pub(crate) fn run(this: &mut Evaluator<'_>, args: &[Arg], span: &Range<usize>) -> Result<Output> {
    let mut folders = Vec::new();
    let mut tests = Tests::default();
    let mut rest = args.iter();
    let mut has_action = false;
    let mut ends_with_nul = false;
    while let Some(arg) = rest.next() {
        let was_negated = std::mem::take(&mut tests.is_negated);
        let Some(text) = arg.known().map(str::to_owned) else {
            let is_path = matches!(&arg.field.value, Argument::Pattern(_) | Argument::Names(_))
                && !arg.field.value.may_be_option();
            if !is_path {
                this.unknown(
                    "what `find` is given is only known when it runs: write it out",
                    &arg.span,
                );
                return Ok(Output::Unknown);
            }
            this.touch(&arg.field.value, Access::Read, &arg.span);
            folders.push(".".to_owned());
            continue;
        };
        let option = text.as_str();
        match option {
            "-exec" | "-ok" => {
                has_action = true;
                executed(this, &mut rest, &folders, &tests, span)?;
            }
            "-delete" => {
                has_action = true;
                this.run(
                    &[called("rm", arg), given(&folders, &tests, arg)],
                    Vec::new(),
                    Input::Inherited,
                    span,
                )?;
            }
            "-type" => {
                let kind = rest.next().and_then(Arg::known).unwrap_or_default();
                tests.are_plain |= matches!(kind, "f" | "d") && tests.depth == 0 && !was_negated;
            }
            "!" | "-not" => tests.is_negated = !was_negated,
            "(" => tests.depth += 1,
            ")" => tests.depth = tests.depth.saturating_sub(1),
            "-o" | "-or" | "," => {
                if tests.depth == 0 {
                    tests = Tests {
                        is_other_branch: true,
                        ..Tests::default()
                    };
                }
            }
            _ if WITH_TEXT.contains(&option) => {
                let Some(value) = rest.next() else { continue };
                if !value.field.value.is_one() {
                    this.unknown(format!("`{option}` needs quotes: the shell puts the names of files in its place"), &value.span);
                }
                if option == "-printf" {
                    has_action = true;
                }
                if matches!(option, "-name" | "-iname") && tests.depth == 0 && !was_negated {
                    tests.pattern = value.known().map(str::to_owned);
                }
            }
            _ if WITH_FILE.contains(&option) => {
                if let Some(value) = rest.next() {
                    this.touch(&value.field.value, Access::List, &value.span);
                }
            }
            _ if ALONE.contains(&option) => {
                has_action |= option == "-ls";
                ends_with_nul |= option == "-print0";
            }
            _ if option.starts_with('-') => {
                let reason = format!(
                    "`find {option}` may write a file, run a program elsewhere or follow links: use `-exec`, and redirect what it prints"
                );
                this.unknown(reason, &arg.span);
                return Ok(Output::Unknown);
            }
            _ => {
                this.touch(&arg.field.value, Access::Read, &arg.span);
                folders.push(text);
            }
        }
    }
    if has_action {
        return Ok(Output::Unknown);
    }
    let Argument::Names(names) = given(
        &folders,
        &tests,
        &called(
            "find",
            &args.first().cloned().unwrap_or_else(|| empty(span)),
        ),
    )
    .field
    .value
    else {
        return Ok(Output::Unknown);
    };
    // Its operands may be links themselves; what is printed begins with them.
    Ok(Output::Names(Names {
        ends_with_nul,
        ..(*names).clone()
    }))
}

fn empty(span: &Range<usize>) -> Arg {
    Arg {
        field: Field::known(""),
        word: usize::MAX,
        span: span.clone(),
    }
}

fn called(name: &str, of: &Arg) -> Arg {
    Arg {
        field: Field::known(name),
        ..of.clone()
    }
}

/// What is found, as an argument.
fn given(folders: &[String], tests: &Tests, of: &Arg) -> Arg {
    let folders = match folders {
        [] => vec![".".to_owned()],
        all => all.to_vec(),
    };
    let names = Names {
        folders,
        pattern: tests.pattern.clone(),
        may_be_links: !tests.are_plain,
        may_be_options: false,
        is_tracked: false,
        is_one: false,
        ends_with_nul: false,
        producer: None,
    };
    Arg {
        field: Field::of(Argument::Names(Arc::new(names))),
        ..of.clone()
    }
}

/// The command after `-exec`, with what is found for `{}`.
fn executed<'a>(
    this: &mut Evaluator<'_>,
    rest: &mut impl Iterator<Item = &'a Arg>,
    folders: &[String],
    tests: &Tests,
    span: &Range<usize>,
) -> Result<()> {
    let mut command: Vec<Arg> = Vec::new();
    loop {
        let Some(word) = rest.next() else {
            this.unknown("`find -exec` has no end: write `\\;`, or `{} +`", span);
            return Ok(());
        };
        match word.known() {
            Some(";") => break,
            // A `+` that does not follow `{}` is a word like others.
            Some("+")
                if command
                    .last()
                    .is_some_and(|last| last.known() == Some("{}")) =>
            {
                break;
            }
            // It might be the end.
            None => {
                this.unknown(
                    "what `find -exec` runs is only known when it does: write it out",
                    &word.span,
                );
                return Ok(());
            }
            _ => command.push(word.clone()),
        }
    }
    let is_told = tests
        .pattern
        .as_deref()
        .is_some_and(|pattern| pattern.contains('.'));
    if tests.is_other_branch && !is_told && command.iter().any(|word| word.known() == Some("{}")) {
        this.unknown("what is found behind `-o` is not told: write `\\( … -o … \\)`, or `-name '*.rs'` behind it", span);
        return Ok(());
    }
    for word in &mut command {
        match word.known() {
            Some("{}") => *word = given(folders, tests, word),
            Some(text) if text.contains("{}") => {
                this.unknown("`{}` is only looked at as a word by itself", &word.span);
                return Ok(());
            }
            _ => {}
        }
    }
    special::inner(this, "find", &command, &Input::Inherited, span)?;
    Ok(())
}
