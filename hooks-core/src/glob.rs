//! Matches what `only("…")` could not turn into a plain comparison.
//!
//! The macro reads a glob when it expands. `"shell"`, `"mcp__*"`, `"*_file"` and `"*edit*"` become
//! `==`, `starts_with`, `ends_with` and `contains`; anything else becomes a constant list of
//! [`Token`]s for [`matches`].

/// A part of a glob.
#[derive(Debug, Clone, Copy)]
pub enum Token {
    /// This text.
    Text(&'static str),
    /// `?`: any one character.
    AnyChar,
    /// `*`: any characters, or none.
    AnyText,
    /// `[a-z]`: one character of these ranges.
    OneOf(&'static [(char, char)]),
    /// `[!a-z]`: one character of none of these ranges.
    NoneOf(&'static [(char, char)]),
}

/// Whether `text` as a whole matches `glob`.
#[must_use]
pub fn matches(glob: &[Token], text: &str) -> bool {
    let Some((&first, rest)) = glob.split_first() else {
        return text.is_empty();
    };
    let one_of = |ranges: &[(char, char)], c| ranges.iter().any(|&(a, z)| a <= c && c <= z);
    let after_char = |is_wanted: &dyn Fn(char) -> bool| {
        let mut chars = text.chars();
        chars.next().is_some_and(is_wanted) && matches(rest, chars.as_str())
    };
    match first {
        Token::Text(prefix) => text
            .strip_prefix(prefix)
            .is_some_and(|text| matches(rest, text)),
        Token::AnyChar => after_char(&|_| true),
        Token::OneOf(ranges) => after_char(&|c| one_of(ranges, c)),
        Token::NoneOf(ranges) => after_char(&|c| !one_of(ranges, c)),
        Token::AnyText => {
            matches(rest, text)
                || text
                    .char_indices()
                    .any(|(at, c)| matches(rest, &text[at + c.len_utf8()..]))
        }
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
    }
}
