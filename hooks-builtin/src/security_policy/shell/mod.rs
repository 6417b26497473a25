//! What a shell command would run and touch.
//!
//! The command is parsed as bash would, and its tree is walked as bash would run it. Everything that is not
//! known to be harmless is refused: a construct, a program, an option. Where `sh` reads a text otherwise than
//! bash, it is refused as well, because the tool may use either.

mod arguments;
mod builtins;
mod find;
mod programs;
mod reader;
mod script;
mod sed;
mod subcommands;
mod word;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, Token, TokenizerOptions};

pub(super) use self::programs::Programs;
use self::script::Script;
use super::guard::Guard;
use crate::shared::visible;

/// The longest command that is looked at, in bytes.
const LONGEST: usize = 128 * 1024;
/// How many words and operators a script may have.
const MOST_TOKENS: usize = 16_384;
/// What is said of a command that would take long to judge.
const TOO_MUCH: &str = "the command is too much to look at: put it into smaller ones";
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
    // The parser panics at some texts, as at numbers that are too large for it. Nothing of the script is left then.
    catch_unwind(AssertUnwindSafe(|| {
        Script::new(programs, guard, directories).run(command, 0)
    }))
    .unwrap_or_else(|_| Err("the command cannot be parsed: write it in a plainer way".into()))
}

/// The tokens of a script.
fn tokens(script: &str) -> Result<Vec<Token>, String> {
    if script.len() > LONGEST {
        return Err(format!(
            "the command is longer than {LONGEST} bytes: put it into smaller ones"
        ));
    }
    check_characters(script)?;
    if is_too_much_for_the_parser(script) {
        return Err("the command has a number, or a here-document, where it cannot be read: write it in a plainer way".into());
    }
    let tokens = brush_parser::uncached_tokenize_str(script, &TokenizerOptions::default())
        .map_err(|error| format!("the command cannot be parsed: {error}"))?;
    if tokens.len() > MOST_TOKENS {
        return Err(TOO_MUCH.into());
    }
    check_depth(&tokens)?;
    check_tokens(script, &tokens)?;
    Ok(tokens)
}

/// Refuses what comes out of the tokenizer otherwise than it was written.
///
/// A substitution behind a here-document's `<<` in the same line becomes words of the command, and `${ command; }`, which
/// some shells run, becomes a parameter.
fn check_tokens(script: &str, tokens: &[Token]) -> Result<(), String> {
    let mut texts = Vec::new();
    let mut rest = tokens;
    let mut has_document = false;
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        match token {
            Token::Operator(operator, _) if operator == "<<" || operator == "<<-" => {
                has_document = true;
                // The delimiter, the document, and the delimiter again.
                if let [delimiter, document, _, after @ ..] = rest {
                    if delimiter.to_str().contains('$') {
                        return Err("where a here-document with `$` in its delimiter ends, is not agreed upon: use `EOF`".into());
                    }
                    if delimiter.to_str().starts_with(['\'', '"']) {
                        texts.push(document.to_str());
                    }
                    rest = after;
                }
            }
            Token::Operator(operator, _) if operator == "\n" => has_document = false,
            token => {
                let text = token.to_str();
                let begins = ["$(", "${", "$[", "`", "<(", ">("];
                if has_document && begins.iter().any(|begin| text.contains(begin)) {
                    return Err(
                        "a substitution that stands behind `<<` in the same line is not looked at: write it in another"
                            .into(),
                    );
                }
                if is_single_quoted(text) {
                    texts.push(text);
                }
            }
        }
    }
    if !script.contains("${") {
        return Ok(());
    }
    for command in ["${ ", "${\t", "${\n", "${|"] {
        let quoted: usize = texts.iter().map(|text| text.matches(command).count()).sum();
        if script.matches(command).count() != quoted {
            return Err("`${` with a blank behind it runs a command in some shells: leave the blank out, or use single quotes".into());
        }
    }
    Ok(())
}

fn is_single_quoted(word: &str) -> bool {
    word.strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .is_some_and(|inner| !inner.contains('\''))
}

/// Refuses what shells do not agree about within a word: `$${x`, which is `$$` and `{x`.
fn check_word(word: &str) -> Result<(), String> {
    match ["$${", "$$(", "$$'", "$$["]
        .iter()
        .find(|odd| word.contains(*odd))
    {
        Some(odd) if !is_single_quoted(word) => Err(format!(
            "`{odd}` is read in more than one way: write it otherwise"
        )),
        _ => Ok(()),
    }
}

/// How many digits a number may have where the parser reads one.
const MOST_DIGITS: usize = 9;

/// Whether the parser would have to read a number, of a brace expansion, a parameter, a descriptor or a folder of the
/// shell's stack, that is too large for it; or a here-document in a parameter.
fn is_too_much_for_the_parser(script: &str) -> bool {
    let bytes = script.as_bytes();
    let is_read = |begin: usize, end: usize| {
        let before = &bytes[..begin];
        let before = before.strip_suffix(b"-").unwrap_or(before);
        let before = before.strip_suffix(b"+").unwrap_or(before);
        let introducers: [&[u8]; 4] = [b"{", b"..", b"$", b"~"];
        introducers
            .iter()
            .any(|introducer| before.ends_with(introducer))
            || matches!(bytes.get(end), Some(b'<' | b'>'))
    };
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    // A longer number is met in one of these places.
    for at in (0..bytes.len()).step_by(MOST_DIGITS + 1) {
        if !is_digit(&bytes[at]) {
            continue;
        }
        let before = bytes[..at].iter().rev().take_while(|byte| is_digit(byte));
        let after = bytes[at..].iter().take_while(|byte| is_digit(byte));
        let (begin, end) = (at - before.count(), at + after.count());
        if end - begin > MOST_DIGITS && is_read(begin, end) {
            return true;
        }
    }
    script.contains("<<")
        && script.split("${").skip(1).any(|rest| {
            let inner = rest.split_once('}').map_or(rest, |(inner, _)| inner);
            inner.contains("<<")
        })
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

/// Refuses characters that a reader does not see, lines that go on, and brackets that are nested too deep for a parser.
fn check_characters(script: &str) -> Result<(), String> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if !script.bytes().all(is_plain) {
        script.chars().try_for_each(check_character)?;
    }
    if script.contains("\\\n") && goes_on(script) {
        return Err(
            "a word that goes on in the next line, after `\\`, is not looked at: write it in one"
                .into(),
        );
    }
    let opens = |byte: &u8| matches!(byte, b'(' | b'{' | b'[');
    if script.bytes().filter(opens).count() <= DEEPEST {
        return Ok(());
    }
    let mut depth = 0_usize;
    for byte in script.bytes() {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth > DEEPEST {
            return Err("the command is nested too deep: write it flat".into());
        }
    }
    Ok(())
}

fn check_character(character: char) -> Result<(), String> {
    match character {
        ' '..='~' | '\n' | '\t' => Ok(()),
        hidden if visible::is_hidden(hidden) => Err(format!(
            "the command has a character that is not seen, `{}`: leave it out",
            hidden.escape_default()
        )),
        // Blanks that are none for the shell.
        blank if blank.is_whitespace() => Err(format!(
            "the command has an unusual blank, `{}`: write a space",
            blank.escape_default()
        )),
        _ => Ok(()),
    }
}

/// Whether a word goes on in the next line, or a line of a here-document, whose end may then be elsewhere.
fn goes_on(script: &str) -> bool {
    let is_document_joined = has_open_document(script);
    let [mut last, mut before] = [' '; 2];
    for character in script.chars() {
        if character == '\n'
            && last == '\\'
            && (is_document_joined || !matches!(before, ' ' | '\t'))
        {
            return true;
        }
        before = last;
        last = match (last, character) {
            ('\\', '\\') => 'x',
            _ => character,
        };
    }
    false
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
