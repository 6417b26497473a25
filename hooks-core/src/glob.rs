//! Matches the globs of `only("…")` that are not a plain comparison.
//!
//! The macro reads a glob when it expands. `"shell"`, `"mcp__*"`, `"*_file"` and `"*edit*"` become
//! `==`, `starts_with`, `ends_with` and `contains`; anything else becomes a constant list of
//! [`Token`]s for [`matches`].

/// A part of a glob.
#[derive(Debug, Clone, Copy)]
pub enum Token<'a> {
    /// This text.
    Text(&'a str),
    /// `?`: any one character.
    AnyChar,
    /// `*`: any characters, or none.
    AnyText,
    /// `[a-z]`: one character of these ranges.
    OneOf(&'a [(char, char)]),
    /// `[!a-z]`: one character of none of these ranges.
    NoneOf(&'a [(char, char)]),
}

/// Whether `text` as a whole matches `glob`.
///
/// A `*` first matches nothing, and one more character each time the rest does not match. Only the last `*` is
/// retried: a longer match for an earlier one leaves less text for the later ones, never more. So the time is at most
/// the length of the glob times the length of the text, whatever a model names its tools.
#[must_use]
pub fn matches(glob: &[Token<'_>], text: &str) -> bool {
    let (mut glob, mut text) = (glob, text);
    let mut last_star = None;
    loop {
        let matched = match glob.split_first() {
            Some((Token::AnyText, rest)) => {
                last_star = Some((rest, text));
                glob = rest;
                continue;
            }
            Some((token, rest)) => token.strip(text).map(|text| (rest, text)),
            None if text.is_empty() => return true,
            None => None,
        };
        (glob, text) = match (matched, last_star) {
            (Some(next), _) => next,
            (None, Some((after_star, from))) => {
                let Some(from) = Token::AnyChar.strip(from) else {
                    return false;
                };
                last_star = Some((after_star, from));
                (after_star, from)
            }
            (None, None) => return false,
        };
    }
}

impl Token<'_> {
    /// The rest of `text` after this token, which is not a `*`.
    fn strip<'t>(&self, text: &'t str) -> Option<&'t str> {
        if let Token::Text(prefix) = self {
            return text.strip_prefix(prefix);
        }
        let mut chars = text.chars();
        let c = chars.next()?;
        let is_in = |ranges: &[(char, char)]| ranges.iter().any(|&(a, z)| a <= c && c <= z);
        let is_wanted = match self {
            Token::OneOf(ranges) => is_in(ranges),
            Token::NoneOf(ranges) => !is_in(ranges),
            Token::AnyChar | Token::AnyText | Token::Text(_) => true,
        };
        is_wanted.then_some(chars.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Token::{AnyChar, AnyText, NoneOf, OneOf, Text};
    use super::*;

    #[test]
    fn each_token_takes_what_it_says() {
        assert!(matches(&[], ""));
        assert!(!matches(&[], "a"));
        assert!(matches(&[Text("a"), AnyChar, Text("c")], "aéc"));
        assert!(!matches(&[Text("a"), AnyChar, Text("c")], "ac"));
        assert!(matches(&[OneOf(&[('a', 'c'), ('x', 'x')])], "x"));
        assert!(!matches(&[OneOf(&[('a', 'c')])], "d"));
        assert!(matches(&[NoneOf(&[('a', 'c')])], "d"));
        assert!(!matches(&[NoneOf(&[('a', 'c')])], ""));
    }

    #[test]
    fn stars_try_every_split() {
        let glob = [AnyText, Text("ab"), AnyText, Text("b")];
        assert!(matches(&glob, "abb"));
        assert!(matches(&glob, "xaababxb"));
        assert!(!matches(&glob, "ab"));
        assert!(matches(&[AnyText], ""));
        assert!(matches(&[AnyText, AnyText, OneOf(&[('b', 'b')])], "aab"));
    }

    #[test]
    fn a_text_of_near_misses_is_read_once_for_each_star() {
        let glob = [Text("mcp__"), AnyText, Text("__"), AnyText, Text("_file")];
        let name = alloc::format!("mcp{}", "__".repeat(50_000));
        assert!(!matches(&glob, &name));
        assert!(matches(&glob, &alloc::format!("{name}_file")));
        let glob = [
            AnyText,
            Text("a"),
            AnyText,
            Text("a"),
            AnyText,
            Text("a"),
            AnyText,
            Text("b"),
        ];
        assert!(!matches(&glob, &"a".repeat(50_000)));
    }
}
