//! The parser's position in a script, with methods to look ahead and to skip.

use std::ops::Range;

use super::syntax::{Word, WordParts};
use crate::bounds::Work;
use crate::rejected::{RejectReason, Rejected};

pub(crate) type Result<T> = std::result::Result<T, Rejected>;

/// Rejects invisible characters.
pub(crate) fn check_characters(text: &str) -> Result<()> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    // Without an exit within a chunk, the compiler looks at many bytes at once.
    let are_plain = |chunk: &[u8]| chunk.iter().fold(true, |all, byte| all & is_plain(*byte));
    if text.as_bytes().chunks(64).all(are_plain) {
        return Ok(());
    }
    for (at, character) in text.char_indices() {
        let reason = match character {
            '\n' | '\t' | ' ' => continue,
            hidden if is_hidden(hidden) => RejectReason::HiddenCharacter(hidden),
            _ => continue,
        };
        return Err(Rejected::new(reason, at..at + character.len_utf8()));
    }
    Ok(())
}

fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether a byte ends a word.
pub(crate) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
    )
}

pub(crate) struct Parser<'t> {
    /// The script, up to the end of the part that is being parsed.
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    pub(crate) work: &'t mut Work,
    pub(crate) next_word: &'t mut usize,
    /// The end of the line that started here-documents, and the position after their texts, where the script continues.
    pub(crate) document: Option<(usize, usize)>,
}

impl<'t> Parser<'t> {
    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(crate) fn starts_with(&self, text: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(text.as_bytes())
    }

    /// Skips the text, if it is next.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Skips all bytes for which the condition holds, and returns them.
    pub(crate) fn take(&mut self, is_such: impl Fn(u8) -> bool) -> &'t str {
        let from = self.at;
        let rest = &self.text.as_bytes()[from..];
        self.at += rest.iter().take_while(|byte| is_such(**byte)).count();
        &self.text[from..self.at]
    }

    /// Rejects the text between `from` and the current position.
    pub(crate) fn reject<T>(&self, from: usize, reason: RejectReason<'_>) -> Result<T> {
        Err(Rejected::new(reason, from..self.at.max(from + 1)))
    }

    pub(crate) fn unexpected<T>(&self) -> Result<T> {
        let (shown, length) = match (self.rest().chars().next(), self.keyword()) {
            (None, _) => ("the end of the script".into(), 0),
            (Some('\n'), _) => ("the end of the line".into(), 0),
            (Some(found), "") => (format!("`{found}`"), found.len_utf8()),
            (_, word) => (format!("`{word}`"), word.len()),
        };
        let span = self.at..self.at + length;
        Err(Rejected::new(RejectReason::Unexpected(shown), span))
    }

    pub(crate) fn expect_end(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.unexpected(),
        }
    }

    /// Returns the next word, if it is written as keywords are and the next character ends it.
    pub(crate) fn keyword(&self) -> &'t str {
        let rest = self.rest();
        let length = match rest.as_bytes() {
            [b'{' | b'}' | b'!', ..] => 1,
            bytes => {
                let is_of_keyword = |byte: &&u8| byte.is_ascii_lowercase() || b"[]".contains(byte);
                bytes.iter().take(12).take_while(is_of_keyword).count()
            }
        };
        let ends = rest
            .as_bytes()
            .get(length)
            .is_none_or(|next| is_meta(*next));
        if ends { &rest[..length] } else { "" }
    }

    pub(crate) fn eat_keyword(&mut self, word: &str) -> bool {
        let found = self.keyword() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Skips a word that must be next.
    pub(crate) fn expect(&mut self, word: &str) -> Result<()> {
        if self.eat_keyword(word) || (word == ")" && self.eat(word)) {
            return Ok(());
        }
        if self.peek().is_none() {
            return self.reject(self.at, RejectReason::MissingEnd(word));
        }
        self.unexpected()
    }

    /// Skips blanks, comments, and line continuations after a blank.
    pub(crate) fn skip_blanks(&mut self) {
        loop {
            self.take(|byte| matches!(byte, b' ' | b'\t'));
            match self.peek() {
                Some(b'#') => drop(self.take(|byte| byte != b'\n')),
                Some(b'\\') if self.starts_with("\\\n") => {
                    let before = self.text.as_bytes()[..self.at].last();
                    if before.is_some_and(|before| !matches!(before, b' ' | b'\t' | b'\n')) {
                        return;
                    }
                    self.at += 2;
                }
                _ => return,
            }
        }
    }

    /// Also skips line ends, and the here-documents that begin there.
    pub(crate) fn skip_lines(&mut self) -> Result<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            if self.document.is_some_and(|(end, _)| end != self.at) {
                return self.reject(self.at, RejectReason::LineBesideDocument);
            }
            self.at = self
                .document
                .take()
                .map_or(self.at + 1, |(_, resume)| resume);
        }
    }

    /// Parses a part of the script to its end.
    pub(crate) fn within<T>(
        &mut self,
        part: Range<usize>,
        parse: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outer = (self.text, self.at);
        self.text = &self.text[..part.end];
        self.at = part.start;
        let parsed = parse(self)?;
        self.expect_end()?;
        (self.text, self.at) = outer;
        Ok(parsed)
    }

    /// Creates a word that ends at the current position.
    pub(crate) fn word_of(&mut self, parts: WordParts, from: usize, is_disputed: bool) -> Word {
        let id = *self.next_word;
        *self.next_word += 1;
        Word {
            id,
            parts,
            span: from..self.at,
            is_disputed,
        }
    }
}
