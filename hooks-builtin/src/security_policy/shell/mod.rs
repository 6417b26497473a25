//! What a shell command would run and touch.
//!
//! The command is parsed as bash would, and its tree is walked as bash would run it. Everything that is not
//! known to be harmless is refused: a construct, a program, an option. Where `sh` reads a text otherwise than
//! bash, it is refused as well, because the tool may use either.

mod arguments;
mod programs;
mod script;
mod subcommands;
mod word;

use std::path::PathBuf;

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, Token, TokenizerOptions};

pub(super) use self::programs::Programs;
use self::script::Script;
use super::guard::Guard;
use crate::visible;

/// The longest command that is looked at, in bytes.
const LONGEST: usize = 128 * 1024;
/// How deep brackets, compound commands and scripts within scripts may be nested.
const DEEPEST: usize = 16;

/// Whether a command may run; if not, why.
///
/// It begins in one of the directories, which are absolute and without links.
pub(super) fn check(
    command: &str,
    programs: &Programs,
    guard: &Guard,
    directories: Vec<PathBuf>,
) -> Result<(), String> {
    Script::new(programs, guard, directories).run(command, 0)
}

/// The tokens of a script.
fn tokens(script: &str) -> Result<Vec<Token>, String> {
    if script.len() > LONGEST {
        return Err(format!(
            "the command is longer than {LONGEST} bytes: put it into smaller ones"
        ));
    }
    check_characters(script)?;
    let tokens = brush_parser::uncached_tokenize_str(script, &TokenizerOptions::default())
        .map_err(|error| format!("the command cannot be parsed: {error}"))?;
    check_depth(&tokens)?;
    Ok(tokens)
}

fn parse(tokens: &[Token]) -> Result<Program, String> {
    brush_parser::parse_tokens(tokens, &ParserOptions::default())
        .map_err(|error| format!("the command cannot be parsed: {error}"))
}

/// The tokens up to a `;` or the end of a line that seems to end a statement, and those after it.
///
/// If the first part parses, then it is a statement for a shell as well, which reads from left to right and has all
/// that it needs; if not, the separator stood within one.
fn split_statement(tokens: &[Token]) -> (&[Token], &[Token]) {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        depth = depth_after(depth, token);
        let is_separator =
            matches!(token, Token::Operator(operator, _) if operator == ";" || operator == "\n");
        if is_separator && depth == 0 && at > 0 {
            return (&tokens[..at], &tokens[at + 1..]);
        }
    }
    (tokens, &[])
}

/// Refuses characters that a reader does not see, and brackets that are nested too deep for a parser.
fn check_characters(script: &str) -> Result<(), String> {
    let mut depth = 0_usize;
    let [mut last, mut before] = [' '; 2];
    let is_document_joined = has_open_document(script);
    for character in script.chars() {
        match character {
            '\n' if last == '\\' && (is_document_joined || !matches!(before, ' ' | '\t')) => {
                return Err("a word that goes on in the next line, after `\\`, is not looked at: write it in one".into());
            }
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ' '..='~' | '\n' | '\t' => {}
            hidden if visible::is_hidden(hidden) => {
                return Err(format!(
                    "the command has a character that is not seen, `{}`: leave it out",
                    hidden.escape_default()
                ));
            }
            // Blanks that are none for the shell.
            blank if blank.is_whitespace() => {
                return Err(format!(
                    "the command has an unusual blank, `{}`: write a space",
                    blank.escape_default()
                ));
            }
            _ => {}
        }
        if depth > DEEPEST {
            return Err("the command is nested too deep: write it flat".into());
        }
        before = last;
        last = if last == '\\' && character == '\\' {
            'x'
        } else {
            character
        };
    }
    Ok(())
}

/// Whether there may be a here-document whose delimiter is not quoted: in one the shell joins lines before it looks for
/// the end.
fn has_open_document(script: &str) -> bool {
    let mut rest = script;
    while let Some(at) = rest.find("<<") {
        rest = &rest[at + 2..];
        if let Some(after) = rest.strip_prefix('<') {
            // `<<<` takes a word.
            rest = after;
            continue;
        }
        let delimiter = rest
            .strip_prefix('-')
            .unwrap_or(rest)
            .trim_start_matches([' ', '\t']);
        if !delimiter.starts_with(['\'', '"']) {
            return true;
        }
    }
    false
}

/// Refuses compound commands that are nested too deep for a parser.
fn check_depth(tokens: &[Token]) -> Result<(), String> {
    let mut depth = 0;
    let mut negations = 0;
    for token in tokens {
        depth = depth_after(depth, token);
        negations = if token.to_str() == "!" {
            negations + 1
        } else {
            0
        };
        // What looks like a keyword may be a word, so there is some room.
        if depth + negations > 2 * DEEPEST {
            return Err("the command is nested too deep: write it flat".into());
        }
    }
    Ok(())
}

/// In how many compound commands a token leaves the reader, if what looks like a keyword is one.
fn depth_after(depth: usize, token: &Token) -> usize {
    match token.to_str() {
        "if" | "while" | "until" | "for" | "case" | "select" | "{" | "(" => depth + 1,
        "fi" | "done" | "esac" | "}" | ")" => depth.saturating_sub(1),
        _ => depth,
    }
}
