//! Parses a glob into the globs without `{…}` that it stands for.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use crate::Token;

/// How many characters a glob may have when its `{…}` are written out, alternative by alternative. This bounds the
/// time and the memory that a glob takes: `{a,b}{a,b}…` doubles with each pair of braces.
pub const LARGEST: usize = 16_384;

/// Why a pattern is not a glob: at which character, and what to write instead.
///
/// ```
/// let error = hooks_glob::Glob::new("[z-a]").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`[z-a]` is not a glob: `z-a` at character 2 is the wrong way round: write `a-z`"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobError {
    pattern: String,
    reason: String,
}

impl core::fmt::Display for GlobError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "`{}` is not a glob: {}", self.pattern, self.reason)
    }
}

impl core::error::Error for GlobError {}

/// Parses a glob into its alternatives.
pub(crate) fn alternatives(pattern: &str) -> Result<Vec<Vec<Token>>, GlobError> {
    Parser::new(pattern).parse().map_err(|reason| GlobError {
        pattern: pattern.into(),
        reason,
    })
}

/// A `{` that is not closed yet.
struct Brace {
    /// Its place.
    at: usize,
    /// The alternatives before it.
    before: Vec<Vec<Token>>,
    /// The choices in it that are complete.
    choices: Vec<Vec<Token>>,
}

/// Reads a pattern once, from its start to its end. Braces are a list and no recursion, so that no pattern is too deep.
struct Parser {
    pattern: Vec<char>,
    /// The index of the next character.
    next: usize,
    open: Vec<Brace>,
    /// The alternatives of what was read since the last `{` or `,`.
    alternatives: Vec<Vec<Token>>,
    /// How many more characters the alternatives may get.
    room: usize,
}

impl Parser {
    fn new(pattern: &str) -> Self {
        Parser {
            pattern: pattern.chars().collect(),
            next: 0,
            open: Vec::new(),
            alternatives: vec![Vec::new()],
            room: LARGEST,
        }
    }

    fn parse(mut self) -> Result<Vec<Vec<Token>>, String> {
        if self.pattern.is_empty() {
            return Err(
                "the pattern is empty, so it matches nothing: write `*` for everything".into(),
            );
        }
        while let Some(c) = self.take() {
            let at = self.next;
            match c {
                '*' => self.star()?,
                '?' => self.push(&Token::AnyChar)?,
                '[' => {
                    let class = self.class(at)?;
                    self.push(&class)?;
                }
                '{' => self.open.push(Brace {
                    at,
                    before: mem::replace(&mut self.alternatives, vec![Vec::new()]),
                    choices: Vec::new(),
                }),
                ',' if !self.open.is_empty() => self.choice(),
                '}' => self.close(at)?,
                '\\' => match self.take() {
                    Some(c) => self.text(c)?,
                    None => {
                        return Err(format!(
                            "`\\` at character {at} escapes nothing: write `\\\\` for the character"
                        ));
                    }
                },
                c if c.is_whitespace() && (at == 1 || at == self.pattern.len()) => {
                    return Err(format!(
                        "the blank at character {at} begins or ends it: leave it out, or write `\\{c}` for the character"
                    ));
                }
                c => self.text(c)?,
            }
        }
        match self.open.pop() {
            None => Ok(self.alternatives),
            Some(Brace { at, .. }) => Err(format!(
                "`{{` at character {at} is not closed: write `{{a,b}}`, or `\\{{` for the character"
            )),
        }
    }

    /// Takes the next character; `next` is then its place, counted from 1.
    fn take(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.next += 1;
        Some(c)
    }

    /// The character that comes so many characters after the next one.
    fn peek(&self, ahead: usize) -> Option<char> {
        self.pattern.get(self.next + ahead).copied()
    }

    /// Makes room for so many characters.
    fn spend(&mut self, characters: usize) -> Result<(), String> {
        match self.room.checked_sub(characters) {
            Some(room) => {
                self.room = room;
                Ok(())
            }
            None => Err(format!(
                "at character {} it is larger than {LARGEST} characters, with each `{{…}}` written out: write several globs",
                self.next
            )),
        }
    }

    /// Appends a token to each alternative.
    fn push(&mut self, token: &Token) -> Result<(), String> {
        self.spend(self.alternatives.len() * width(token))?;
        for alternative in &mut self.alternatives {
            append(alternative, token);
        }
        Ok(())
    }

    /// Appends a character to each alternative.
    fn text(&mut self, c: char) -> Result<(), String> {
        self.push(&Token::Text(Cow::Owned(c.into())))
    }

    /// Reads what follows a `*`.
    fn star(&mut self) -> Result<(), String> {
        let star = self.next - 1;
        let begins_folder = star == 0 || self.pattern[star - 1] == '/';
        while self.peek(0) == Some('*') {
            self.next += 1;
        }
        let is_folders = begins_folder && self.next > star + 1 && self.peek(0) == Some('/');
        if !is_folders {
            return self.push(&Token::AnyText);
        }
        self.next += 1;
        let none = self.alternatives.clone();
        self.spend(size(&none))?;
        self.push(&Token::AnyText)?;
        self.text('/')?;
        self.alternatives.extend(none);
        Ok(())
    }

    /// Ends a choice of the innermost `{`.
    fn choice(&mut self) {
        let choice = mem::replace(&mut self.alternatives, vec![Vec::new()]);
        if let Some(brace) = self.open.last_mut() {
            brace.choices.extend(choice);
        }
    }

    /// Writes the innermost `{…}` out: each choice behind each alternative before it.
    fn close(&mut self, at: usize) -> Result<(), String> {
        self.choice();
        let Some(Brace {
            before, choices, ..
        }) = self.open.pop()
        else {
            return Err(format!(
                "`}}` at character {at} closes nothing: write `\\}}` for the character"
            ));
        };
        self.spend(size(&before) * choices.len() + size(&choices) * before.len())?;
        let all = before.iter().flat_map(|before| {
            choices.iter().map(|choice| {
                let mut all = before.clone();
                for token in choice {
                    append(&mut all, token);
                }
                all
            })
        });
        self.alternatives = all.collect();
        Ok(())
    }

    /// Reads the rest of `[a-z_]` or `[!a-z_]`, whose `[` is at this place. A `]` or `-` that comes first is a character.
    fn class(&mut self, open: usize) -> Result<Token, String> {
        let negated = matches!(self.peek(0), Some('!' | '^'));
        if negated {
            self.next += 1;
        }
        let mut ranges = Vec::new();
        let mut was_range = false;
        loop {
            if self.peek(0) == Some(']') && !ranges.is_empty() {
                self.next += 1;
                return Ok(Token::Class {
                    negated,
                    ranges: ranges.into(),
                });
            }
            let at = self.next + 1;
            if was_range && self.is_dash_within() {
                return Err(format!(
                    "`-` at character {at} follows a range: write it at the end, as in `[a-z-]`"
                ));
            }
            let first = self.member(open)?;
            was_range = self.is_dash_within();
            if !was_range {
                ranges.push((first, first));
                continue;
            }
            self.next += 1;
            let last = self.member(open)?;
            if first > last {
                return Err(format!(
                    "`{first}-{last}` at character {at} is the wrong way round: write `{last}-{first}`"
                ));
            }
            ranges.push((first, last));
        }
    }

    /// Whether a `-` comes that is not the last character of its class.
    fn is_dash_within(&self) -> bool {
        self.peek(0) == Some('-') && self.peek(1) != Some(']')
    }

    /// Reads one character of a class whose `[` is at this place.
    fn member(&mut self, open: usize) -> Result<char, String> {
        let at = self.next + 1;
        let c = match self.take() {
            Some('\\') => self.take(),
            Some('[') if matches!(self.peek(0), Some(':' | '.' | '=')) => {
                return Err(format!(
                    "`[` at character {at} begins a class by name, which globs do not have here: write its characters, as `[a-z0-9]`"
                ));
            }
            c => c,
        };
        c.ok_or_else(|| {
            format!(
                "`[` at character {open} is not closed: write `[a-z]`, or `\\[` for the character"
            )
        })
    }
}

/// Appends a token, and joins texts.
fn append(tokens: &mut Vec<Token>, token: &Token) {
    match (tokens.last_mut(), token) {
        (Some(Token::Text(text)), Token::Text(more)) => text.to_mut().push_str(more),
        _ => tokens.push(token.clone()),
    }
}

/// How many characters alternatives have. An empty one counts as one.
fn size(alternatives: &[Vec<Token>]) -> usize {
    let tokens = alternatives.iter().flatten();
    alternatives.len() + tokens.map(width).sum::<usize>()
}

/// How many characters a token has.
fn width(token: &Token) -> usize {
    match token {
        Token::Text(text) => text.len(),
        Token::Class { ranges, .. } => ranges.len(),
        Token::AnyChar | Token::AnyText => 1,
    }
}
