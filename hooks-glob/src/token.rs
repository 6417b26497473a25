//! The parts of a glob, and how a name is compared with them.

use alloc::borrow::Cow;

/// A part of a glob without alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// This text.
    Text(Cow<'static, str>),
    /// `?`: any one character.
    AnyChar,
    /// `*`: any characters, or none.
    AnyText,
    /// `[a-z]`, or `[!a-z]` if it is negated: one character.
    Class {
        /// Whether the character is in none of the ranges.
        negated: bool,
        /// The first and the last character of each range.
        ranges: Cow<'static, [(char, char)]>,
    },
}

impl Token {
    /// A text, as a constant.
    ///
    /// ```
    /// use hooks_glob::{Token, matches};
    ///
    /// const GLOB: &[Token] = &[Token::text("mcp__"), Token::AnyText];
    /// assert!(matches(GLOB, "mcp__git"));
    /// ```
    #[must_use]
    pub const fn text(text: &'static str) -> Self {
        Token::Text(Cow::Borrowed(text))
    }

    /// A class of characters, as a constant.
    ///
    /// ```
    /// use hooks_glob::{Token, matches};
    ///
    /// const GLOB: &[Token] = &[Token::class(true, &[('0', '9')])];
    /// assert!(matches(GLOB, "x") && !matches(GLOB, "7"));
    /// ```
    #[must_use]
    pub const fn class(negated: bool, ranges: &'static [(char, char)]) -> Self {
        Token::Class {
            negated,
            ranges: Cow::Borrowed(ranges),
        }
    }

    /// The rest of `text` after this token, which is not a `*`.
    fn strip<'t>(&self, text: &'t str, ignores_case: bool) -> Option<&'t str> {
        if let Token::Text(prefix) = self {
            let (start, rest) = text.split_at_checked(prefix.len())?;
            return is_same(start, prefix, ignores_case).then_some(rest);
        }
        let mut chars = text.chars();
        let c = chars.next()?;
        let is_in = |ranges: &[(char, char)], c| ranges.iter().any(|&(a, z)| a <= c && c <= z);
        let is_wanted = match self {
            Token::Class { negated, ranges } => {
                let is_in_other_case = || {
                    is_in(ranges, c.to_ascii_lowercase()) || is_in(ranges, c.to_ascii_uppercase())
                };
                *negated != (is_in(ranges, c) || (ignores_case && is_in_other_case()))
            }
            Token::AnyChar | Token::AnyText | Token::Text(_) => true,
        };
        is_wanted.then_some(chars.as_str())
    }
}

fn is_same(one: &str, other: &str, ignores_case: bool) -> bool {
    if ignores_case {
        one.eq_ignore_ascii_case(other)
    } else {
        one == other
    }
}

/// Whether `text` as a whole matches `glob`. It allocates nothing.
///
/// ```
/// use hooks_glob::{Token, matches};
///
/// let glob = [Token::text("file_"), Token::AnyChar];
/// assert!(matches(&glob, "file_1") && !matches(&glob, "file_12"));
/// ```
#[must_use]
pub fn matches(glob: &[Token], text: &str) -> bool {
    matches_in(glob, text, false)
}

/// A `*` first matches nothing, and one more character each time the rest does not match. Only the last `*` is
/// retried: a longer match for an earlier one leaves less text for the later ones, never more. So the time is at most
/// the length of the glob times the length of the text, whatever a model names its tools.
pub(crate) fn matches_in(glob: &[Token], text: &str, ignores_case: bool) -> bool {
    let (mut glob, mut text) = (glob, text);
    let mut last_star = None;
    loop {
        let matched = match glob.split_first() {
            Some((Token::AnyText, [])) => return true,
            Some((Token::AnyText, [Token::Text(end)])) => {
                let at = text.len().checked_sub(end.len());
                let last = at.and_then(|at| text.get(at..));
                return last.is_some_and(|last| is_same(last, end, ignores_case));
            }
            Some((Token::AnyText, rest)) => {
                last_star = Some((rest, text));
                glob = rest;
                continue;
            }
            Some((token, rest)) => token.strip(text, ignores_case).map(|text| (rest, text)),
            None if text.is_empty() => return true,
            None => None,
        };
        (glob, text) = match (matched, last_star) {
            (Some(next), _) => next,
            (None, Some((after_star, from))) => {
                let Some(from) = Token::AnyChar.strip(from, ignores_case) else {
                    return false;
                };
                last_star = Some((after_star, from));
                (after_star, from)
            }
            (None, None) => return false,
        };
    }
}
