//! Scripts of jq, token by token.

use super::{ODD, ScriptVerdict, refusal, refuse, word};

/// What is refused, and why.
const REFUSED: &str = "\
env,$ENV,$__prog_args shows the environment, and the secrets in it: pass what you need with `--arg name value`, and write a field as `.env`
import,include,modulemeta,get_search_list reads a module from a file: write its definitions out in the script";

/// Accepts a script that reads only its input: no module, and nothing of the environment.
pub(crate) fn jq(script: &str) -> ScriptVerdict<'_> {
    let (mut rest, mut last) = (script, "");
    // The open brackets; `"` is one in a text, and `i` an `if` or a `def` before its end.
    let mut open = Vec::new();
    while let Some(c) = rest.chars().next() {
        let part = rest;
        let odd = || refusal("jq", part, ODD);
        let is_text = c == '"' || (c == ')' && open.last() == Some(&'"'));
        let length = match c {
            _ if is_text => text(&part[1..]).ok_or_else(odd)? + 1,
            '#' => part.find('\n').unwrap_or(part.len()),
            '_' | 'a'..='z' | 'A'..='Z' => word(part).len(),
            // A field, or a format.
            '.' | '@' => 1 + word(&part[1..]).len(),
            _ => c.len_utf8(),
        };
        let token;
        (token, rest) = part.split_at(length);
        match c {
            '#' if token.contains(['\\', '\r']) => return Err(odd()),
            ' ' | '\t' | '\n' | '\r' | '#' => continue,
            '_' | 'a'..='z' | 'A'..='Z' if last == "$" => {
                refuse("jq", REFUSED, &format!("${token}"))?;
            }
            '_' | 'a'..='z' | 'A'..='Z' => {
                let is_key = open.last() == Some(&'{')
                    && matches!(last, "{" | ",")
                    && rest.trim_start().starts_with([':', ',', '}']);
                match token {
                    _ if is_key => {}
                    "if" | "def" => open.push('i'),
                    "end" if open.last() == Some(&'i') => _ = open.pop(),
                    _ => refuse("jq", REFUSED, token)?,
                }
            }
            '(' | '[' | '{' => open.push(c),
            ';' if open.last() == Some(&'i') => _ = open.pop(),
            ')' | ']' | '}' => {
                let opened = open.pop().ok_or_else(odd)?;
                if !is_text && !matches!((opened, c), ('(', ')') | ('[', ']') | ('{', '}')) {
                    return Err(odd());
                }
            }
            _ if !c.is_ascii_graphic() || matches!(c, '\\' | '\'' | '`') => return Err(odd()),
            _ => {}
        }
        if is_text && token.ends_with('(') {
            open.push('"');
        }
        last = token;
    }
    Ok(Vec::new())
}

/// Returns the length of a text up to its end, or to the expression `\(…)` in it.
fn text(rest: &str) -> Option<usize> {
    let mut is_escaped = false;
    let at = rest.find(|c| {
        let ends = if is_escaped { c == '(' } else { c == '"' };
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    Some(at? + 1)
}
