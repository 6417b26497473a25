//! What programs are told: options that have them run something else, and the paths that they touch.

use std::path::Path;

use super::script::Script;
use super::word::{Known, Value};
use crate::Glob;
use crate::security_policy::guard::LONGEST_PATH;

/// What it costs to look into a folder for a pattern, compared to a name in it.
const PATTERN_COST: usize = 16;

/// Programs that only print or compute what they are given.
const INERT: [&str; 8] = [
    "basename", "date", "dirname", "expr", "seq", "sleep", "uname", "whoami",
];

/// Options with which an allowed program runs another, or does what it would not without. An option stands for
/// its longer forms as well: `--exec` for `--exec=x`.
const REFUSED: [(&str, &[&str]); 13] = [
    (
        "cargo",
        &[
            "--config", "-Z", "install", "login", "publish", "owner", "yank",
        ],
    ),
    ("curl", &["-K", "--config", "--engine"]),
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
            "bisect",
            "config",
            "credential",
            "daemon",
            "difftool",
            "filter-branch",
            "for-each-repo",
            "gui",
            "hook",
            "instaweb",
            "maintenance",
            "mergetool",
            "p4",
            "send-email",
            "shell",
            "svn",
            "submodule",
            "upload-pack",
            "receive-pack",
            "web--browse",
            "fast-import",
            "citool",
            "gitk",
            "cvsserver",
            "remote-ext",
            "remote-fd",
        ],
    ),
    ("man", &["-P", "--pager", "-H", "--html", "-C"]),
    (
        "npm",
        &[
            "exec",
            "x",
            "init",
            "create",
            "explore",
            "config",
            "set",
            "edit",
            "publish",
            "login",
            "adduser",
            "token",
            "--script-shell",
            "--shell",
            "--node-options",
            "--userconfig",
            "--globalconfig",
            "-g",
            "--global",
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
        ],
    ),
    ("tree", &["-l", "--fromfile"]),
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

/// Programs whose first argument that is no option is a pattern, not a path.
const PATTERN_FIRST: [&str; 5] = ["egrep", "fgrep", "grep", "rg", "tr"];

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
        .find(|argument| argument.known == Known::Nothing)
    {
        return Err(format!(
            "what `{program}` is given after `{}` is only known when it runs: write it out",
            unknown.text
        ));
    }
    refused_options(program, arguments)?;
    let mut pattern = PATTERN_FIRST.contains(&program)
        && !arguments.iter().any(|argument| {
            let text = argument.text.as_str();
            is_option(text, "-e")
                || is_option(text, "-f")
                || text.starts_with("--regexp")
                || text.starts_with("--file")
        });
    let mut message = false;
    let mut of_sed = program == "sed"
        && !arguments
            .iter()
            .any(|argument| is_option(&argument.text, "-e"));
    for (nth, argument) in arguments.iter().enumerate() {
        let text = argument.text.as_str();
        if std::mem::take(&mut message) {
            continue;
        }
        let is_flag = text.starts_with('-') && text.len() > 1;
        match program {
            "git" => {
                message = matches!(
                    text,
                    "-m" | "--message" | "-am" | "--author" | "--grep" | "--format"
                );
            }
            "grep" | "rg" | "egrep" | "fgrep" => message = matches!(text, "-e" | "--regexp"),
            "sed" if text == "-e" || text == "--expression" => {
                sed_script(arguments.get(nth + 1).map_or("", |next| &next.text))?;
                message = true;
            }
            "sed" if is_flag => sed_option(text)?,
            "awk" | "gawk" | "mawk" => awk(text)?,
            _ => {}
        }
        if !is_flag && std::mem::take(&mut pattern) {
            continue;
        }
        if !is_flag && std::mem::take(&mut of_sed) {
            sed_script(text)?;
            continue;
        }
        if script.harmless.contains(argument) {
            continue;
        }
        match argument.known {
            Known::Pattern => files(script, text)?,
            _ => paths(script, text)?,
        }
        script.harmless.insert(argument.clone());
    }
    Ok(())
}

/// Whether a text is a short option, perhaps among others or with its value: `-e`, `-ne`, `-efoo`.
fn is_option(text: &str, option: &str) -> bool {
    text == option
        || (text.starts_with('-') && !text.starts_with("--") && text.contains(&option[1..]))
}

fn refused_options(program: &str, arguments: &[Value]) -> Result<(), String> {
    let Some((_, refused)) = REFUSED.iter().find(|(of, _)| *of == program) else {
        return Ok(());
    };
    let mut is_subcommand = true;
    for argument in arguments {
        let text = argument.text.as_str();
        let is_refused = |option: &&&str| match option.strip_prefix("--") {
            // An option may be shortened, and may have a value.
            Some(name) => text.strip_prefix("--").is_some_and(|given| {
                let given = given.split_once('=').map_or(given, |(given, _)| given);
                given.len() >= 2 && (name.starts_with(given) || given == name)
            }),
            None if option.starts_with('-') => {
                text.starts_with(**option) || (program != "git" && is_option(text, option))
            }
            None => is_subcommand && text == **option,
        };
        if let Some(option) = refused.iter().find(is_refused) {
            // After `git commit` and the like `-c`, `-u` and `-x` have other meanings, which run nothing.
            let is_other = program == "git" && !is_subcommand && matches!(*option, "-c" | "-u");
            if !is_other {
                return Err(format!(
                    "`{program} {option}` may run another program, or change what this one does"
                ));
            }
        }
        if !text.starts_with('-') {
            is_subcommand = false;
        }
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

/// The paths that a word may name: the word, what stands after `=`, `:` and the like, and what is joined to an
/// option.
///
/// A word may be as long as a command, and begin a path at every other character: so each is read once.
fn paths(script: &mut Script<'_>, text: &str) -> Result<(), String> {
    const BEFORE: &[u8] = b"=:,@<>()[]{}|;'\"` \t\n";
    const AFTER: [char; 12] = [
        '\n', '\t', ' ', '\'', '"', ',', ';', '|', '<', '>', '(', ')',
    ];
    if is_address(text) {
        return Ok(());
    }
    let bytes = text.as_bytes();
    let from = |at: usize, found: Option<usize>| found.map_or(text.len(), |found| at + found);
    let mut end = from(0, text.find(AFTER));
    let mut dots = from(0, text.find(".."));
    for at in 0..bytes.len() {
        let looks = match bytes[at] {
            b'/' | b'~' => true,
            b'.' => matches!(bytes.get(at + 1), Some(b'/' | b'.')),
            _ => false,
        };
        // `-I/usr/include`: what is joined to an option begins anywhere.
        let joined = bytes[0] == b'-' && looks && at <= 3;
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
        let of_an_address = path.starts_with("//") && follows_scheme(&text[..at], path);
        if path.is_empty() || path.starts_with('-') || of_an_address || is_address(path) {
            continue;
        }
        if at == 0 || looks || dots + 2 <= end {
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
fn files(script: &mut Script<'_>, pattern: &str) -> Result<(), String> {
    let unclear = || format!("which files `{pattern}` matches cannot be told: write them out");
    let path = pattern.rsplit('=').next().unwrap_or(pattern);
    let first = path.find(['*', '?', '[']).unwrap_or(path.len());
    let (fixed, rest) = match path[..first].rfind('/') {
        Some(slash) => path.split_at(slash + 1),
        None => ("", path),
    };
    let parts: Vec<_> = rest
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let joined = pattern.starts_with('-') && pattern != path;
    if pattern.len() > LONGEST_PATH || parts.contains(&"..") || joined {
        return Err(unclear());
    }
    // `[!a]` is a shell's `[^a]`, and a backslash hides what follows: the crate has both.
    let globs: Option<Vec<_>> = parts.iter().map(|part| Glob::new(part).ok()).collect();
    let globs = globs.ok_or_else(unclear)?;
    for directory in script.directories.clone().iter() {
        let start = if fixed.is_empty() { "." } else { fixed };
        let folder = script.guard.enter(start, directory)?;
        matched(script, &folder, &globs)?;
    }
    Ok(())
}

/// Checks what the parts of a pattern match in a folder.
fn matched(script: &mut Script<'_>, folder: &Path, parts: &[Glob]) -> Result<(), String> {
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
        matched(script, &path, rest)?;
    }
    Ok(())
}

fn sed_option(option: &str) -> Result<(), String> {
    let harmless = matches!(
        option,
        "--quiet" | "--silent" | "--regexp-extended" | "--in-place" | "--null-data" | "--sandbox"
    ) || option
        .strip_prefix('-')
        .is_some_and(|flags| flags.bytes().all(|flag| b"nErisz".contains(&flag)))
        || option.starts_with("-i.");
    if harmless {
        return Ok(());
    }
    Err(format!(
        "the option `{option}` of `sed` is not looked at: leave it out"
    ))
}

/// A script for sed that prints, deletes or replaces, and neither reads, writes nor runs anything.
fn sed_script(script: &str) -> Result<(), String> {
    let wrong = || {
        Err(format!(
            "the script `{script}` for `sed` is not looked at: use `p`, `d`, `q`, `=` and `s/…/…/`, one after another with `;`"
        ))
    };
    let mut rest = script.trim();
    while !rest.is_empty() {
        rest = skip_addresses(rest);
        let Some(command) = rest.chars().next() else {
            return wrong();
        };
        rest = &rest[command.len_utf8()..];
        match command {
            'p' | 'd' | 'q' | '=' | 'P' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' => {}
            's' | 'y' => {
                let Some(end) = delimited(rest, 2) else {
                    return wrong();
                };
                rest = &rest[end..];
                let flags = rest
                    .find(|c: char| !matches!(c, 'g' | 'p' | 'i' | 'I' | '0'..='9'))
                    .unwrap_or(rest.len());
                rest = &rest[flags..];
            }
            _ => return wrong(),
        }
        rest = rest.trim_start_matches([' ', '\t']);
        match rest.chars().next() {
            None => {}
            Some(';' | '\n') => rest = rest[1..].trim_start(),
            Some(_) => return wrong(),
        }
    }
    Ok(())
}

/// What follows the addresses that a command of sed's begins with: `1`, `$`, `/x/`, `1,/x/`, `!`.
fn skip_addresses(mut rest: &str) -> &str {
    loop {
        rest = rest.trim_start_matches([' ', ',', '!', '$', '~', '+']);
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        match rest.strip_prefix('/').and_then(|_| delimited(rest, 1)) {
            Some(end) => rest = rest[end..].trim_start_matches('I'),
            None if rest.starts_with([' ', ',', '!', '$', '~', '+']) => {}
            None => return rest,
        }
    }
}

/// Where a text ends that begins with a delimiter and has so many parts: `/a/b/`.
fn delimited(text: &str, parts: usize) -> Option<usize> {
    let delimiter = text
        .chars()
        .next()
        .filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
    let mut left = parts;
    let mut characters = text.char_indices().skip(1);
    let mut in_brackets = false;
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '\n' => return None,
            // A delimiter in brackets ends a part for some seds and does not for others.
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ if character == delimiter && in_brackets => return None,
            _ if character == delimiter => {
                left -= 1;
                if left == 0 {
                    return Some(at + character.len_utf8());
                }
            }
            _ => {}
        }
    }
    None
}

/// A program for awk that only prints.
fn awk(text: &str) -> Result<(), String> {
    let runs = [
        "system", "getline", "|", ">", "close", "@", "-f", "ENVIRON", "-i", "-l", "-e", "-E",
    ];
    if runs.iter().any(|word| text.contains(word)) {
        return Err(format!(
            "`{text}` may have awk read, write or run something: print only"
        ));
    }
    Ok(())
}
