//! `find`: what it looks for, and what it runs.

use super::script::Script;
use super::word::{Known, Value};
use super::{arguments, programs};

/// Options whose value is a pattern, or a format, and no path.
const BEFORE_A_PATTERN: [&str; 10] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-lname",
    "-ilname",
    "-printf",
];

/// Options whose value is something else: it might look like a bracket or an operator.
const BEFORE_A_VALUE: [&str; 23] = [
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-context",
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
    "-samefile",
    "-size",
    "-uid",
    "-used",
    "-user",
];

/// What is known of the files that come by, for all that stands before.
#[derive(Default)]
struct Tests {
    /// Whether only plain files do.
    are_plain: bool,
    /// Whether only files with an extension do, of which none is a setting of git's.
    have_extension: bool,
    /// Whether the next test is to be false.
    is_negated: bool,
    /// In how many brackets they stand: there another test may be true instead.
    depth: usize,
}

/// Checks `find`: what it executes is looked at, with a file's name for `{}`.
pub(super) fn check(
    script: &mut Script<'_>,
    arguments: &[Value],
    depth: usize,
) -> Result<(), String> {
    if arguments
        .iter()
        .any(|argument| argument.known >= Known::Nothing)
    {
        return Err("what `find` is given is only known when it runs: write it out".into());
    }
    let mut paths = Vec::new();
    let mut tests = Tests::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let was_negated = std::mem::take(&mut tests.is_negated);
        match argument.text.as_str() {
            "-execdir" | "-okdir" => {
                return Err(format!(
                    "`find {}` runs a program where the file is, in which its arguments are others: use `-exec`",
                    argument.text
                ));
            }
            "-exec" | "-ok" => {
                let command = executed(&mut rest, &tests)?;
                programs::inner(script, "find", &command, false, depth)?;
            }
            "-delete" => {
                script.programs.allowed("rm").map_err(|_| {
                    "`find -delete` removes files, and `rm` is not allowed".to_owned()
                })?;
            }
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                return Err(format!(
                    "`find {}` writes a file: redirect what it prints",
                    argument.text
                ));
            }
            "-files0-from" | "-follow" | "-L" | "-D" => {
                return Err(format!(
                    "`find {}` leads to files that are not looked at",
                    argument.text
                ));
            }
            "-type" => {
                let is_file = rest.next().and_then(Value::text) == Some("f");
                tests.are_plain |= is_file && tests.depth == 0 && !was_negated;
            }
            "!" | "-not" => tests.is_negated = !was_negated,
            "(" => tests.depth += 1,
            ")" => tests.depth = tests.depth.saturating_sub(1),
            "-o" | "-or" | "," => {
                tests.are_plain &= tests.depth > 0;
                tests.have_extension &= tests.depth > 0;
            }
            option if BEFORE_A_PATTERN.contains(&option) => {
                let Some(pattern) = rest.next() else { continue };
                if matches!(pattern.known, Known::Pattern | Known::Braced) {
                    return Err(pattern.becomes_files());
                }
                let is_by_name = matches!(option, "-name" | "-iname");
                tests.have_extension |=
                    is_by_name && has_extension(&pattern.text) && tests.depth == 0 && !was_negated;
            }
            option if BEFORE_A_VALUE.contains(&option) || option.starts_with("-newer") => {
                paths.extend(rest.next().cloned());
            }
            _ => paths.push(argument.clone()),
        }
    }
    arguments::check(script, "find", &paths)
}

/// The command after `-exec`, with a name for `{}`.
fn executed<'a>(
    rest: &mut impl Iterator<Item = &'a Value>,
    tests: &Tests,
) -> Result<Vec<Value>, String> {
    let mut command: Vec<Value> = Vec::new();
    loop {
        let Some(word) = rest.next() else {
            return Err("`find -exec` has no end: write `\\;`, or `{} +`".into());
        };
        // A `+` that does not follow `{}` is a word like others.
        match word.text() {
            Some(";") => break,
            Some("+") if command.last().is_some_and(|last| last.text == "{}") => break,
            _ => command.push(word.clone()),
        }
    }
    let is_given_files = command.iter().any(|word| word.text == "{}");
    if is_given_files && !tests.have_extension && !only_reads(&command) {
        return Err(
            "what is found may be a setting of git's: write `-name '*.rs'`, or the like, before `-exec`, or a program \
             that only reads"
                .into(),
        );
    }
    if is_given_files && !tests.are_plain {
        return Err(
            "what is found may be a link that leads elsewhere: write `-type f` before `-exec`"
                .into(),
        );
    }
    // The files that are found lie in the folders that are searched, which are looked at.
    for word in &mut command {
        if word.text == "{}" {
            word.text = "./found".into();
        }
    }
    if command.iter().any(|word| word.text.contains("{}")) {
        return Err("`{}` is only looked at as a word by itself".into());
    }
    Ok(command)
}

/// Whether a pattern ends with an extension, as `*.rs`.
fn has_extension(pattern: &str) -> bool {
    pattern.rsplit_once('.').is_some_and(|(_, extension)| {
        let is_plain = extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
        !extension.is_empty() && is_plain && !matches!(extension, "git" | "worktree" | "lock")
    })
}

/// Whether a program only reads the files that it is given.
fn only_reads(command: &[Value]) -> bool {
    let mut words = command.iter().map(|word| word.text.as_str());
    let is_program = matches!(
        words.next(),
        Some(
            "basename"
                | "cat"
                | "cksum"
                | "cut"
                | "diff"
                | "dirname"
                | "du"
                | "echo"
                | "egrep"
                | "fgrep"
                | "file"
                | "grep"
                | "head"
                | "ls"
                | "md5sum"
                | "printf"
                | "rg"
                | "sha1sum"
                | "sha256sum"
                | "stat"
                | "tail"
                | "test"
                | "wc"
        )
    );
    let is_sed = command.first().is_some_and(|program| program.text == "sed");
    is_program
        || (is_sed && words.all(|word| word != "--in-place" && !arguments::is_option(word, "-i")))
}
