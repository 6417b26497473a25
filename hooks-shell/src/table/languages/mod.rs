//! The small languages in arguments: scripts of sed, awk and jq, and the files that they name.

mod awk;
mod jq;
mod sed;
#[cfg(test)]
mod tests;

pub(crate) use self::{awk::awk, jq::jq, sed::sed};
use super::{Role, is_one_of};
use crate::parse::syntax::is_identifier;

/// The files that a script names, and whether it reads or writes each.
type ScriptFiles<'s> = Vec<(Role, &'s str)>;

/// The files of a script; or why it is refused, and what to write instead.
pub(crate) type ScriptVerdict<'s> = Result<ScriptFiles<'s>, String>;

const BLANKS: [char; 2] = [' ', '\t'];
const ODD: &str = "is not understood, or not by every program: write it in a plainer way";

/// Whether an operand of awk sets a variable, and names no file.
pub(crate) fn is_assignment(operand: &str) -> bool {
    let name = operand.split_once('=').map(|(name, _)| name);
    name.is_some_and(is_identifier)
}

/// Why a script is refused: a part of it, and what is said of that part.
fn refusal(language: &str, part: &str, why: &str) -> String {
    let line = part.lines().next().unwrap_or_default();
    let line = &line[..line.floor_char_boundary(40)];
    format!("`{line}` in a script of {language} {why}")
}

/// Refuses a token that a line of the table begins with, for the reason in the rest of that line.
fn refuse(language: &str, table: &str, token: &str) -> Result<(), String> {
    let mut lines = table.lines().filter_map(|line| line.split_once(' '));
    let line = lines.find(|(tokens, _)| is_one_of(tokens, token));
    line.map_or(Ok(()), |(_, why)| Err(refusal(language, token, why)))
}

/// Returns the letters, digits and `_` at the beginning of a text.
fn word(text: &str) -> &str {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    &text[..text.find(|c| !is_of_word(c)).unwrap_or(text.len())]
}

/// Returns the place of a delimiter without a backslash before it, in the same line. Programs disagree on whether one in
/// the brackets of an expression counts, such as `[^]a-z[:space:]/]`, and on whether `\]` closes them. So nothing is
/// returned if one is there before the last bracket that may close them.
fn end(text: &str, delimiter: char, is_expression: bool) -> Option<usize> {
    // Before these, some programs take a `[` in brackets for the beginning of others.
    const BEFORE: [char; 5] = [':', '.', '=', '^', ']'];
    let (mut is_inside, mut first) = (false, 0);
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            '\\' => {
                let (_, escaped) = rest.next()?;
                let is_odd = is_inside && escaped == '[' && rest.as_str().starts_with(BEFORE);
                if escaped == '\n' || is_odd {
                    return None;
                }
            }
            _ if c == delimiter || c == '\n' => {
                return (c == delimiter && !is_inside).then_some(at);
            }
            '[' if is_inside && rest.as_str().starts_with(BEFORE) => {
                let (class, _) = rest.as_str().strip_prefix(':')?.split_once(":]")?;
                if delimiter == ':' || !class.bytes().all(|byte| byte.is_ascii_lowercase()) {
                    return None;
                }
                rest.nth(class.len() + 2);
            }
            '[' if is_expression && !is_inside => (is_inside, first) = (true, at + 1),
            '^' if is_inside && at == first => first += 1,
            // At the beginning, it is a plain character.
            ']' if at != first => is_inside = false,
            _ => {}
        }
    }
    None
}

/// Whether every program takes the name of a file as it is written. To some, `-` is what they print.
fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "-") && !name.contains(|c: char| c == '\\' || c.is_control())
}
