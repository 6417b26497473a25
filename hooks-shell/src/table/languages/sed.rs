//! Scripts of sed, command by command.

use super::{BLANKS, ScriptFiles, ScriptVerdict, end, is_plain, refusal};
use crate::table::Role;

const RUNS: &str = "runs a program: run it as a command of its own";
const FILE: &str =
    "does not end with the plain name of a file: write one, and nothing behind it in the line";
const ODD: &str = "is not the same to every `sed`, or may do more than change text: use `p`, `d`, `q`, `n`, `s/…/…/`, or `a`, `i` and `c` with one line";

/// Accepts a script that prints, deletes, inserts and replaces, and reads and writes files with plain names.
pub(crate) fn sed(script: &str) -> ScriptVerdict<'_> {
    let mut files = Vec::new();
    let mut rest = script.trim_start();
    while !rest.is_empty() {
        rest = command(rest, &mut files).map_err(|why| refusal("sed", rest, why))?;
    }
    Ok(files)
}

/// Returns the text after the first command of a script.
fn command<'s>(script: &'s str, files: &mut ScriptFiles<'s>) -> Result<&'s str, &'static str> {
    let rest = skip_addresses(script).ok_or(ODD)?;
    let command = rest.chars().next().ok_or(ODD)?;
    let rest = &rest[command.len_utf8()..];
    let rest = match command {
        '{' | '}' => return Ok(rest.trim_start_matches([' ', '\t', ';', '\n'])),
        'a' | 'i' | 'c' => {
            // The text may begin on the next line. Implementations disagree on where further lines end.
            let text = rest.trim_start_matches(BLANKS);
            let text = text.strip_prefix("\\\n").unwrap_or(text);
            let is_whole = !text.contains('\n') && !text.ends_with('\\');
            return is_whole.then_some("").ok_or(ODD);
        }
        '#' => {
            return Ok(rest
                .split_once('\n')
                .map_or("", |(_, next)| next.trim_start()));
        }
        'r' | 'R' => return file(Role::Read, rest, files),
        'w' | 'W' => return file(Role::Write, rest, files),
        'e' => return Err(RUNS),
        'q' | 'Q' | 'l' => rest
            .trim_start_matches(BLANKS)
            .trim_start_matches(|c: char| c.is_ascii_digit()),
        ':' | 'b' | 't' | 'T' => rest
            .trim_start_matches(BLANKS)
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
        's' | 'y' => {
            let after = skip_delimited(rest, 2).ok_or(ODD)?;
            let after = after
                .trim_start_matches(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'M' | 'm' | '0'..='9'));
            match after.chars().next() {
                Some('w') if command == 's' => return file(Role::Write, &after[1..], files),
                Some('e') => return Err(RUNS),
                _ => after,
            }
        }
        _ if "pd=PDnNgGhHxzF".contains(command) => rest,
        _ => return Err(ODD),
    };
    let rest = rest.trim_start_matches(BLANKS);
    match rest.chars().next() {
        None | Some('}') => Ok(rest),
        Some(';' | '\n') => Ok(rest[1..].trim_start()),
        Some(_) => Err(ODD),
    }
}

/// Records the file of a command, whose name is the rest of the line, and returns the next line.
fn file<'s>(role: Role, rest: &'s str, to: &mut ScriptFiles<'s>) -> Result<&'s str, &'static str> {
    let (name, next) = rest.split_once('\n').unwrap_or((rest, ""));
    let name = name.trim_start_matches(BLANKS);
    if !is_plain(name) {
        return Err(FILE);
    }
    to.push((role, name));
    Ok(next.trim_start())
}

/// Returns the text after the addresses of a sed command: `1`, `$`, `/x/`, `1,/x/`, `!`.
fn skip_addresses(mut rest: &str) -> Option<&str> {
    loop {
        let is_plain = |c: char| c.is_ascii_digit() || " \t,!$~+;".contains(c);
        rest = rest.trim_start_matches(is_plain);
        if !rest.starts_with('/') {
            return Some(rest);
        }
        rest = skip_delimited(rest, 1)?.trim_start_matches('I');
    }
}

/// Returns the text after that many parts of a text that begins with a delimiter: `/a/b/`.
fn skip_delimited(text: &str, parts: usize) -> Option<&str> {
    let is_delimiter = |c: &char| c.is_ascii_punctuation() && *c != '\\';
    let delimiter = text.chars().next().filter(is_delimiter)?;
    let mut rest = &text[1..];
    for nth in 0..parts {
        let end = end(rest, delimiter, nth == 0)?;
        rest = &rest[end + 1..];
    }
    Some(rest)
}
