//! Shows text of a model to people, with invisible characters escaped.

use std::fmt;

/// Displays a text of a model or a file to a person, with escapes instead of characters that move the cursor, change
/// the colour, turn the direction or take no room: `\n`, `\u{202e}`. So a model can forge neither a log line nor a
/// prompt.
#[derive(Clone, Copy, Debug)]
pub struct Visible<'a>(
    /// The text.
    pub &'a str,
);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = 0;
        for (at, character) in self.0.char_indices() {
            if is_hidden(character) {
                f.write_str(&self.0[shown..at])?;
                write!(f, "{}", character.escape_default())?;
                shown = at + character.len_utf8();
            }
        }
        f.write_str(&self.0[shown..])
    }
}

/// Whether a character is invisible, or changes how other characters are shown.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control() || is_invisible(character)
}

/// Whether a character turns the direction of others, or takes no room. Control characters are not included.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_written_out() {
        let shown = Visible("a\n\u{1b}[31mred\u{202e}txt é 日本").to_string();
        assert_eq!(shown, r"a\n\u{1b}[31mred\u{202e}txt é 日本");
    }
}
