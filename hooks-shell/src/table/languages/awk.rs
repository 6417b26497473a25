//! Scripts of awk, token by token.

use super::{BLANKS, ODD, ScriptVerdict, end, is_plain, refusal, refuse, word};
use crate::table::{Role, is_one_of};

/// What is refused, and why.
const REFUSED: &str = "\
system runs a program: run it as a command of its own
| runs a program: write the pipe outside of the script, as in `awk … | sort`, or `date | awk …`
@ loads a file, or calls what is not known: write functions out, and call them by their names
ENVIRON shows the environment, and the secrets in it: pass what you need with `-v name=value`
ARGV,ARGC may name more files to read: write files after the script, and values with `-v name=value`
SYMTAB,FUNCTAB reaches every variable and function: write the name of the one that you need
extension,bindtextdomain loads a file: leave it out";
const FILE: &str = "is a file whose name is not a plain text: write `print a > \"b.txt\"` or `(getline a < \"b.txt\")`; to compare, write `print (a > b)` or `(getline a) < 1`";
const SLASH: &str = "may or may not begin a regular expression, or end there: write `(a) / b` to divide, `$0 ~ /…/` to match, and `\\/` for a `/` in it";

/// Accepts a script that computes, prints, and reads and writes files with plain names.
pub(crate) fn awk(script: &str) -> ScriptVerdict<'_> {
    let mut files = Vec::new();
    let (mut rest, mut last) = (script, ";");
    // Whether each open bracket belongs to an `if (…)` or the like.
    let mut open = Vec::new();
    // Whether `>` writes, because of a `print`; and in how many brackets `<` reads, because of a `getline`.
    let (mut prints, mut reads) = (false, None);
    while let Some(c) = rest.chars().next() {
        let part = rest;
        let odd = || refusal("awk", part, if c == '/' { SLASH } else { ODD });
        let token = token(part, last).ok_or_else(odd)?;
        refuse("awk", REFUSED, token)?;
        rest = &part[token.len()..];
        match token {
            "\n" if !open.is_empty() || matches!(last, "," | "&&" | "||" | "?" | ":") => continue,
            _ if matches!(c, ' ' | '\t' | '\\' | '#') => continue,
            "print" | "printf" | "{" | "}" if !open.is_empty() => return Err(odd()),
            "print" | "printf" => prints = true,
            "\n" | ";" | "{" | "}" => (prints, reads) = (false, None),
            "getline" => reads = Some(open.len()),
            "(" => open.push(is_one_of("if,while,for,switch", last)),
            ")" => {
                let is_of_word = open.pop().ok_or_else(odd)?;
                reads = reads.filter(|at| *at <= open.len());
                last = if is_of_word { "if" } else { token };
                continue;
            }
            "<" | ">" | ">>" => {
                let role = match token {
                    "<" if reads.is_some() => Some(Role::Read),
                    ">" if prints && open.is_empty() => Some(Role::Write),
                    ">>" => Some(Role::Write),
                    _ => None,
                };
                if let Some(role) = role {
                    let path = file(&mut rest).ok_or_else(|| refusal("awk", part, FILE))?;
                    files.push((role, path));
                }
            }
            _ => {}
        }
        last = token;
    }
    Ok(files)
}

/// Returns the token at the beginning, or a blank; nothing if there is none that all awks read alike.
fn token<'s>(rest: &'s str, last: &str) -> Option<&'s str> {
    let c = rest.chars().next()?;
    let after = &rest[c.len_utf8()..];
    let length = match c {
        '\\' => 2,
        '#' => rest.find('\n').unwrap_or(rest.len()),
        '"' => 2 + end(after, c, false)?,
        '/' if !divides(last, after)? => 2 + end(after, c, true)?,
        '_' | 'a'..='z' | 'A'..='Z' => word(rest).len(),
        '0'..='9' | '.' => rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_')
            .unwrap_or(rest.len()),
        '<' | '>' if after.starts_with('=') => 2,
        '>' | '|' | '&' | '+' | '-' if after.starts_with(c) => 2,
        _ => 1,
    };
    let token = rest.get(..length)?;
    let is_right = match c {
        '\\' => token == "\\\n",
        '#' => !token.ends_with(['\\', '\r']),
        // A word that follows without a blank is one of its own.
        '0'..='9' | '.' => token
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || b"xX.".contains(&byte)),
        _ => c.is_ascii_alphanumeric() || "\n\t _\"/(){}[];,<>|&@+-*%^!~=?:$".contains(c),
    };
    is_right.then_some(token)
}

/// Whether a `/` divides; nothing if awks disagree on that after this token.
fn divides(last: &str, after: &str) -> Option<bool> {
    const WORDS: &str = "++,--,BEGIN,BEGINFILE,END,ENDFILE,break,case,continue,default,delete,do,else,exit,for,func,function,getline,if,in,length,next,nextfile,switch,while";
    let is_expression = last.len() > 1 && last.starts_with('/');
    if is_expression || is_one_of(WORDS, last) {
        // One that is alone begins nothing.
        return (!after.contains('/')).then_some(true);
    }
    let is_value = last.starts_with(|c: char| c.is_ascii_alphanumeric() || "_.\")]".contains(c));
    Some(is_value && !is_one_of("print,printf,return", last))
}

/// Returns the name of a file behind `>` or `<`, if it is one text, and goes on behind it.
fn file<'s>(rest: &mut &'s str) -> Option<&'s str> {
    let text = rest.trim_start_matches(BLANKS).strip_prefix('"')?;
    let (name, behind) = text.split_once('"')?;
    *rest = behind.trim_start_matches(BLANKS);
    let ends = rest.is_empty() || rest.starts_with([';', '\n', '}', ')', '#']);
    (ends && is_plain(name) && !name.starts_with("/inet")).then_some(name)
}
