//! What programs are told: options that have them run something else, and the paths that they touch.

use std::path::Path;

use super::reader::{Read, Reader};
use super::script::Script;
use super::subcommands;
use super::word::{Known, Value};
use crate::security_policy::guard::LONGEST_PATH;
use crate::shared::Glob;

/// How far into short options that stand together a value may begin.
const MOST_OF_CLUSTER: usize = 16;

/// What it costs to look into a folder for a pattern, compared to a name in it.
const PATTERN_COST: usize = 16;

/// Programs that only print or compute what they are given.
const INERT: [&str; 8] = [
    "basename", "dirname", "expr", "seq", "sleep", "tr", "uname", "whoami",
];

/// Options with which an allowed program runs another, or does what it would not without. An option stands for
/// its longer forms as well: `--exec` for `--exec=x`.
const REFUSED: [(&str, &[&str]); 20] = [
    ("awk", &["-W", "-f", "--file", "-e", "-E", "-i", "-l"]),
    (
        "gawk",
        &[
            "-W",
            "-f",
            "--file",
            "-D",
            "--debug",
            "-i",
            "-l",
            "-e",
            "-E",
            "--include",
            "--load",
            "--exec",
            "--source",
        ],
    ),
    ("mawk", &["-W", "-f", "--file"]),
    ("cargo", &["--config", "-Z", "--open"]),
    ("curl", &["-K", "--config", "--engine", "--proto-default"]),
    ("file", &["-f", "--files-from", "-C", "--compile"]),
    ("diff", &["--to-file", "--from-file"]),
    (
        "git",
        &[
            "-c",
            "--config-env",
            "--exec-path",
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "-x",
            "-u",
            "--ext-diff",
            "--textconv",
            "-O",
            "--open-files-in-pager",
            "--extcmd",
            "--template",
            "--git-dir",
            "--work-tree",
            "--separate-git-dir",
            "--super-prefix",
            "--editor",
            "--unsafe-paths",
            "--bare",
            "--mirror",
        ],
    ),
    ("man", &["-P", "--pager", "-H", "--html", "-C"]),
    (
        "npm",
        &[
            "--script-shell",
            "--shell",
            "--node-options",
            "--userconfig",
            "--globalconfig",
            "-g",
            "--global",
            "--location",
            "--git",
            "--node-gyp",
            "--init-module",
            "--python",
            "--nodedir",
            "--editor",
            "--viewer",
            "--browser",
        ],
    ),
    (
        "rg",
        &[
            "--pre",
            "--hostname-bin",
            "-f",
            "--file",
            "-L",
            "--follow",
            "--ignore-file",
        ],
    ),
    (
        "sort",
        &[
            "--compress-program",
            "-T",
            "--temporary-directory",
            "--files0-from",
        ],
    ),
    (
        "tar",
        &[
            "-I",
            "--use-compress-program",
            "--to-command",
            "--checkpoint-action",
            "--rsh-command",
            "-F",
            "--info-script",
            "--new-volume-script",
            "-T",
            "--files-from",
            "-P",
            "--absolute-names",
            "-h",
            "--dereference",
        ],
    ),
    ("egrep", &["-R", "--dereference-recursive", "-f", "--file"]),
    ("fgrep", &["-R", "--dereference-recursive", "-f", "--file"]),
    ("grep", &["-R", "--dereference-recursive"]),
    ("tree", &["-l", "--fromfile", "-R"]),
    ("wc", &["--files0-from"]),
    ("du", &["--files0-from", "-L", "--dereference"]),
    (
        "wget",
        &[
            "--use-askpass",
            "-e",
            "--execute",
            "--config",
            "-i",
            "--input-file",
        ],
    ),
];

/// Checks the arguments of an allowed program.
pub(super) fn check(
    script: &mut Script<'_>,
    program: &str,
    arguments: &[Value],
) -> Result<(), String> {
    if INERT.contains(&program) {
        return Ok(());
    }
    if let Some(unknown) = arguments
        .iter()
        .find(|argument| argument.known >= Known::Nothing)
    {
        return Err(match unknown.text.as_str() {
            "" => format!("what `{program}` is given is only known when it runs: write it out"),
            text => format!(
                "what `{program}` is given after `{text}` is only known when it runs: write it out"
            ),
        });
    }
    let command = subcommands::command(program, arguments)?;
    // What stands after `--` is no option, whatever it looks like; or `--` is itself the value of one.
    let end_of_options = arguments
        .iter()
        .position(|argument| argument.text == "--")
        .unwrap_or(arguments.len());
    let options = &arguments[..end_of_options];
    let is_handed_on = hands_on(program, command)
        && !options
            .last()
            .is_some_and(|last| last.text.starts_with('-'));
    refused_options(
        program,
        command,
        if is_handed_on { options } else { arguments },
    )?;
    if let ("npm", Some("run" | "run-script")) = (program, command)
        && arguments.iter().any(|argument| argument.text == "env")
    {
        return Err("`npm run env` shows the environment, and the secrets in it".into());
    }
    if program == "date" {
        return date(arguments);
    }
    match (program, command) {
        ("cargo", Some("clippy")) => {
            lints(arguments.get(end_of_options + 1..).unwrap_or_default())?;
        }
        ("git", _) => strategy(command, arguments)?,
        _ => {}
    }
    let mut reader = Reader::new(program, command, arguments, options);
    for (nth, argument) in arguments.iter().enumerate() {
        let is_flag =
            argument.text.starts_with('-') && argument.text.len() > 1 && nth <= end_of_options;
        if matches!(program, "awk" | "gawk" | "mawk") {
            awk(&argument.text)?;
        }
        // What looks like an option is none there.
        if nth > end_of_options && argument.text.starts_with('-') && !is_handed_on {
            script.check_path(&argument.text)?;
        }
        let text = match reader.read(nth, argument, is_flag)? {
            Read::Text => continue,
            Read::Joined => {
                // For a program that takes it for a file.
                if argument.text.contains("/../") || argument.text.ends_with("/..") {
                    script.check_path(&argument.text)?;
                }
                continue;
            }
            Read::Path => argument.text.as_str(),
            Read::PathIn(text) => {
                paths(script, text)?;
                continue;
            }
        };
        if script.harmless.contains(argument) {
            continue;
        }
        match argument.known {
            Known::Pattern | Known::Match => files(script, text)?,
            // Any number may be the name of a file.
            Known::Number => files(script, "[0-9]*")?,
            _ => paths(script, text)?,
        }
        script.harmless.insert(argument.clone());
    }
    Ok(())
}

/// Whether a program gives what stands after `--` to another one, or to a test of the user's.
fn hands_on(program: &str, command: Option<&str>) -> bool {
    match program {
        "cargo" => matches!(
            command,
            Some("bench" | "nextest" | "r" | "run" | "t" | "test")
        ),
        "npm" => matches!(command, Some("run" | "run-script" | "start" | "t" | "test")),
        _ => false,
    }
}

/// What stands after `cargo clippy --`: lints, and nothing else that a compiler can be told.
fn lints(arguments: &[Value]) -> Result<(), String> {
    let mut words = arguments.iter().map(|argument| argument.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-A" | "-D" | "-F" | "-W" => drop(words.next()),
            _ if ["-A", "-D", "-F", "-W"]
                .iter()
                .any(|level| word.starts_with(level)) => {}
            _ => {
                return Err(format!(
                    "`cargo clippy -- {word}` is not looked at: use `-D`, `-W`, `-A` and `-F`"
                ));
            }
        }
    }
    Ok(())
}

/// The strategies of `git merge`: any other name is that of a program.
const STRATEGIES: [&str; 7] = [
    "ort",
    "recursive",
    "resolve",
    "octopus",
    "ours",
    "subtree",
    "theirs",
];

/// Whether git is told to merge with a program that it does not know.
fn strategy(command: Option<&str>, arguments: &[Value]) -> Result<(), String> {
    let is_short = matches!(command, Some("merge" | "pull" | "rebase"));
    for (nth, argument) in arguments.iter().enumerate() {
        let text = argument.text.as_str();
        let is_long = |given: &str| given.starts_with("--st") && "--strategy".starts_with(given);
        let value = match text.split_once('=') {
            Some((given, value)) if is_long(given) => Some(value),
            None if is_long(text) || (is_short && text == "-s") => {
                Some(arguments.get(nth + 1).map_or("", |next| next.text.as_str()))
            }
            _ if is_short && text.starts_with("-s") => Some(&text[2..]),
            _ => None,
        };
        if let Some(value) = value
            && !STRATEGIES.contains(&value)
        {
            return Err(format!(
                "the strategy `{value}` of `git` may be a program: use `ort` or `ours`"
            ));
        }
    }
    Ok(())
}

/// Whether a text is a short option, perhaps among others or with its value: `-e`, `-ne`, `-efoo`.
pub(super) fn is_option(text: &str, option: &str) -> bool {
    text == option
        || (text.starts_with('-') && !text.starts_with("--") && text.contains(&option[1..]))
}

fn refused_options(
    program: &str,
    command: Option<&str>,
    arguments: &[Value],
) -> Result<(), String> {
    let refused = REFUSED
        .iter()
        .find(|(of, _)| *of == program)
        .map_or(&[][..], |(_, refused)| refused);
    for (nth, argument) in arguments.iter().enumerate() {
        let dashed;
        let text = if program == "tar" && nth == 0 && !argument.text.starts_with('-') {
            // `tar xf`, without a dash.
            dashed = format!("-{}", argument.text);
            &dashed
        } else {
            argument.text.as_str()
        };
        if text.starts_with('-') && cluster_of(text) > MOST_OF_CLUSTER {
            return Err(format!(
                "the option `{text}` of `{program}` is too long to be looked at: write shorter ones"
            ));
        }
        let is_refused = |option: &&&str| match option.strip_prefix("--") {
            // An option may be shortened, and may have a value.
            Some(name) => long_option(program, text).is_some_and(|given| {
                let given = given.split_once('=').map_or(given, |(given, _)| given);
                !given.is_empty() && name.starts_with(given)
            }),
            None if program == "git" => match **option {
                // After most commands these have other meanings, which run nothing.
                "-c" | "-u" => {
                    matches!(command, Some("clone" | "ls-remote")) && is_option(text, option)
                }
                "-O" if command == Some("grep") => is_option(text, option),
                "-x" => command == Some("rebase") && is_option(text, option),
                _ => text.starts_with(**option),
            },
            None => is_option(flags_of(program, text), option),
        };
        if let Some(option) = refused.iter().find(is_refused) {
            if FOLLOWS_LINKS.contains(&(program, *option)) {
                return Err(format!(
                    "`{program} {option}` follows links, which may lead elsewhere: leave it out{}",
                    if *option == "-R" {
                        ", or write `-r`"
                    } else {
                        ""
                    }
                ));
            }
            return Err(format!(
                "`{program} {option}` may run another program, or change what this one does"
            ));
        }
    }
    if program == "curl"
        && let Some(odd) = arguments.iter().find(|argument| {
            let scheme = argument.text.split("//").next().unwrap_or_default();
            scheme.len() < argument.text.len() && scheme.contains(['[', '{'])
        })
    {
        return Err(format!(
            "the address `{}` may be one of a file: write it out",
            odd.text
        ));
    }
    if program == "git"
        && arguments
            .iter()
            .any(|argument| argument.text.contains("ext::") || argument.text.contains("fd::"))
    {
        return Err("an address with `ext::` has git run a program".into());
    }
    Ok(())
}

/// Options that follow links.
const FOLLOWS_LINKS: [(&str, &str); 12] = [
    ("du", "-L"),
    ("du", "--dereference"),
    ("egrep", "-R"),
    ("egrep", "--dereference-recursive"),
    ("fgrep", "-R"),
    ("fgrep", "--dereference-recursive"),
    ("grep", "-R"),
    ("grep", "--dereference-recursive"),
    ("rg", "-L"),
    ("rg", "--follow"),
    ("tree", "-l"),
    ("tar", "--dereference"),
];

/// The short options at the beginning of a text, without the value of the last one where it has one.
fn flags_of<'t>(program: &str, text: &'t str) -> &'t str {
    let with_value = match program {
        "rg" => "ABCEMTdegjmrt",
        "tree" => "HILPTo",
        _ => return text,
    };
    if text.starts_with("--") {
        return text;
    }
    let end = text.find(|flag| with_value.contains(flag));
    end.map_or(text, |end| &text[..=end])
}

/// How many letters and digits stand together behind a single dash.
fn cluster_of(text: &str) -> usize {
    let flags = text.trim_start_matches('-');
    if flags.len() + 1 < text.len() {
        return 0;
    }
    let is_flag = |byte: &u8| byte.is_ascii_alphanumeric();
    flags.bytes().take_while(is_flag).count()
}

/// The name and value of a long option; npm takes one with any number of dashes.
fn long_option<'t>(program: &str, text: &'t str) -> Option<&'t str> {
    if program == "npm" {
        let given = text.trim_start_matches('-');
        return (given.len() < text.len() && given.len() > 2).then_some(given);
    }
    text.strip_prefix("--")
}

/// The paths that a word may name: the word, what stands after `=`, `:` and the like, and what is joined to an
/// option.
///
/// A word may be as long as a command, and begin a path at every other character: so each is read once.
fn paths(script: &mut Script<'_>, text: &str) -> Result<(), String> {
    const BEFORE: &[u8] = b"=:,@<>()[]{}|;'\"` \t\n";
    const AFTER: [char; 12] = [
        '\n', '\t', ' ', '\'', '"', ',', ';', '|', '<', '>', '(', ')',
    ];
    // It may be the path of a folder `https:` as well.
    if is_address(text) {
        return if text.len() > LONGEST_PATH && !text.contains("..") {
            Ok(())
        } else {
            script.check_path(text)
        };
    }
    let bytes = text.as_bytes();
    let is_long = text.starts_with("--");
    let is_short = text.starts_with('-') && !is_long;
    let from = |at: usize, found: Option<usize>| found.map_or(text.len(), |found| at + found);
    let mut end = from(0, text.find(AFTER));
    let mut dots = from(0, text.find(".."));
    for at in 0..bytes.len() {
        let looks = match bytes[at] {
            b'/' | b'~' => true,
            b'.' => matches!(bytes.get(at + 1), Some(b'/' | b'.')),
            _ => false,
        };
        // `-I/usr/include`, `-nofile`: what is joined to an option begins anywhere; `--file=x`: after the `=`.
        let joined = at > 1
            && text.is_char_boundary(at)
            && if is_short {
                looks || at <= MOST_OF_CLUSTER
            } else {
                is_long && bytes[at - 1] == b'='
            };
        if !(at == 0 || BEFORE.contains(&bytes[at - 1]) || joined) {
            continue;
        }
        if end < at {
            end = from(at, text[at..].find(AFTER));
        }
        if dots < at {
            dots = from(at, text[at..].find(".."));
        }
        let path = &text[at..end];
        // A name by itself may be a link.
        let is_value = at > 0 && matches!(bytes[at - 1], b'=' | b'@');
        let of_an_address = path.starts_with("//") && follows_scheme(&text[..at], path);
        // The word as a whole may be one even if it looks like an option, as the value of another.
        let is_option = path.starts_with('-') && (at > 0 || !path.contains('/'));
        if path.is_empty() || is_option || of_an_address {
            continue;
        }
        if is_address(path) {
            script.check_path(path)?;
            continue;
        }
        if at == 0 || joined || looks || is_value || dots + 2 <= end {
            script.check_path(path)?;
        }
        // A path may go on after a blank or a comma; a text that is longer than a path is none, unless it leads away.
        if at == 0 && end < text.len() && !text.contains('\n') {
            let leads_away = looks || dots < text.len();
            if text.len() <= LONGEST_PATH || leads_away {
                script.check_path(text)?;
            }
        }
    }
    Ok(())
}

/// Whether what begins with `//` follows the scheme of an address: `--url=https:` before `//example.org`.
fn follows_scheme(before: &str, path: &str) -> bool {
    before.strip_suffix(':').is_some_and(|before| {
        let scheme = before.rsplit(|c: char| !is_of_scheme(c)).next();
        is_scheme(scheme.unwrap_or_default()) && !path.starts_with("///")
    })
}

/// Whether a word is the address of something that is no file here.
fn is_address(text: &str) -> bool {
    let (scheme, rest) = text.split_at(text.find(|c| !is_of_scheme(c)).unwrap_or(text.len()));
    rest.strip_prefix("://")
        .is_some_and(|rest| is_scheme(scheme) && !rest.starts_with('/'))
}

fn is_of_scheme(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.')
}

fn is_scheme(scheme: &str) -> bool {
    let names_files = ["file", "ext", "fd"]
        .iter()
        .any(|of_files| scheme.eq_ignore_ascii_case(of_files));
    !scheme.is_empty() && !names_files
}

/// The files that a pattern matches. What it matches may be a link, so the folders are read.
pub(super) fn files(script: &mut Script<'_>, pattern: &str) -> Result<(), String> {
    let unclear = || format!("which files `{pattern}` matches cannot be told: write them out");
    if let Some((_, path)) = pattern.rsplit_once('=')
        && path.contains(['*', '?', '['])
    {
        files(script, path)?;
    }
    let first = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let (fixed, rest) = match pattern[..first].rfind('/') {
        Some(slash) => pattern.split_at(slash + 1),
        None => ("", pattern),
    };
    let parts: Vec<_> = rest
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    // What a shell may match with `..`, or reads as a class of characters, is matched otherwise here.
    let is_odd = parts
        .iter()
        .any(|part| part.starts_with('.') && part.contains(['*', '?', '[']))
        || pattern.contains("..")
        || ["[[:", "[[.", "[[=", "[:", "[.", "[="]
            .iter()
            .any(|odd| pattern.contains(odd));
    if pattern.len() > LONGEST_PATH || is_odd || pattern.starts_with('-') {
        return Err(unclear());
    }
    // `[!a]` is a shell's `[^a]`, and a backslash hides what follows: the crate has both.
    let globs: Option<Vec<_>> = parts.iter().map(|part| Glob::new(part).ok()).collect();
    let globs = globs.ok_or_else(unclear)?;
    let begins_with_it = fixed.is_empty();
    for directory in script.directories.clone().iter() {
        let start = if fixed.is_empty() { "." } else { fixed };
        let folder = script.guard.enter(start, directory)?;
        matched(script, &folder, &globs, begins_with_it)?;
    }
    Ok(())
}

/// Checks that no file which a pattern matches looks like an option: it may be given to a program elsewhere.
pub(super) fn no_options(script: &mut Script<'_>, pattern: &str) -> Result<(), String> {
    if !pattern.starts_with(['*', '?', '[', '-']) {
        return Ok(());
    }
    for directory in script.directories.clone().iter() {
        let Ok(entries) = directory.read_dir() else {
            continue;
        };
        for entry in entries.flatten() {
            script.spend(1)?;
            if entry.file_name().as_encoded_bytes().starts_with(b"-") {
                return Err(format!(
                    "a file that `{pattern}` matches would be taken for an option: write `./{pattern}`"
                ));
            }
        }
    }
    Ok(())
}

/// Checks what the parts of a pattern match in a folder.
///
/// If the word begins with what is matched, that may not look like an option.
fn matched(
    script: &mut Script<'_>,
    folder: &Path,
    parts: &[Glob],
    begins_with_it: bool,
) -> Result<(), String> {
    let Some((glob, rest)) = parts.split_first() else {
        return Ok(());
    };
    script.spend(PATTERN_COST)?;
    // What is not there is not matched.
    let Ok(entries) = folder.read_dir() else {
        return Ok(());
    };
    for entry in entries.flatten() {
        script.spend(1)?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return Err(format!(
                "a file in `{}` has a name that is no text: write out the files",
                folder.display()
            ));
        };
        if !glob.matches(name) {
            continue;
        }
        if begins_with_it && name.starts_with('-') {
            return Err(format!(
                "the file `{name}` would be taken for an option: write `./` before the pattern"
            ));
        }
        let is_link = !entry
            .file_type()
            .is_ok_and(|found| found.is_file() || found.is_dir());
        let path = if is_link {
            script.guard.enter(name, folder)?
        } else {
            let path = folder.join(name);
            script.guard.judge(name, &path)?;
            path
        };
        matched(script, &path, rest, false)?;
    }
    Ok(())
}

/// `date`, as it shows a time: it may also set the clock, and show what is in a file.
fn date(arguments: &[Value]) -> Result<(), String> {
    if let Some(pattern) = arguments
        .iter()
        .find(|argument| argument.known != Known::All)
    {
        return Err(format!(
            "`{}` is not written out: put it in single quotes",
            pattern.text
        ));
    }
    let mut words = arguments.iter().map(|argument| argument.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-d" | "--date" => {
                words.next();
            }
            "-u" | "--utc" | "-R" | "--rfc-email" | "-I" => {}
            _ if ["+", "-d", "-I", "--date=", "--iso-8601", "--rfc-3339="]
                .iter()
                .any(|known| word.starts_with(known)) => {}
            _ => {
                return Err(format!(
                    "`date {word}` is not looked at: use a format, as `+%F`, and `-d`, `-u`, `-R` or `-I`"
                ));
            }
        }
    }
    Ok(())
}

/// A program for awk that only prints.
fn awk(text: &str) -> Result<(), String> {
    // What fields are cut at.
    if text.starts_with("-F") {
        return Ok(());
    }
    let runs = ["system", "getline", "close", "@", "ENVIRON", "ARGV", "ARGC"];
    // Where something is compared there is no file to write to.
    let writes = text
        .match_indices('>')
        .any(|(at, _)| text[..at].contains("print"));
    if writes || text.replace("||", "").contains('|') || runs.iter().any(|word| text.contains(word))
    {
        return Err(format!(
            "`{text}` may have awk read, write or run something: print only"
        ));
    }
    Ok(())
}
