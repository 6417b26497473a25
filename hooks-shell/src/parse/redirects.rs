//! Parses redirections, and the texts of here-documents.

use smallvec::smallvec;

use super::cursor::{Parser, Result, is_meta};
use super::syntax::{REDIRECTIONS, Redirect, Redirection, Word, WordPart};
use super::words::Building;
use crate::rejected::RejectReason;

impl Parser<'_> {
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>> {
        if !matches!(self.peek(), Some(b'<' | b'>' | b'&' | b'0'..=b'9')) {
            return Ok(None);
        }
        let from = self.at;
        let digits = self.take(|byte| byte.is_ascii_digit());
        let rest = self.rest();
        let found = REDIRECTIONS.iter().find(|(text, _)| rest.starts_with(text));
        let Some((operator, kind)) = found
            .filter(|(text, _)| digits.is_empty() || !text.starts_with('&'))
            .filter(|_| !digits.is_empty() || !self.is_at_process())
        else {
            self.at = from;
            return Ok(None);
        };
        if digits.len() > 1 {
            return self.reject(from, RejectReason::LongDescriptor);
        }
        self.at += operator.len();
        let descriptor = digits.bytes().next().map(|digit| digit - b'0');
        if *kind == Redirection::Document {
            let text = self.document(from)?;
            return Ok(Some(Redirect::new(descriptor, *kind, text)));
        }
        if self.eat("!") {
            return self.reject(from, RejectReason::ForcedWrite(operator));
        }
        self.skip_blanks();
        let target = self.one_word()?;
        let is_copy = matches!(kind, Redirection::CopyIn | Redirection::CopyOut);
        let is_descriptor = |text: &str| matches!(text.as_bytes(), [b'-' | b'0'..=b'9']);
        if is_copy && !target.literal().is_some_and(is_descriptor) {
            return self.reject(from, RejectReason::CopyToFile(operator));
        }
        Ok(Some(Redirect::new(descriptor, *kind, target)))
    }

    /// Parses a here-document: its delimiter is here, and its text follows the end of the line, where it is read at
    /// once.
    fn document(&mut self, from: usize) -> Result<Word> {
        let strips = self.eat("-");
        self.skip_blanks();
        let quote = ["'", "\"", "\\"].into_iter().find(|quote| self.eat(quote));
        let delimiter = self.take(|byte| byte.is_ascii_alphanumeric() || b"_-.!%".contains(&byte));
        let is_closed = quote.is_none_or(|quote| quote == "\\" || self.eat(quote));
        if delimiter.is_empty() || !is_closed || self.peek().is_some_and(|byte| !is_meta(byte)) {
            return self.reject(from, RejectReason::OddDelimiter);
        }
        let (line_end, begin) = self.document.unwrap_or_else(|| {
            let line_end = self.at + self.rest().find('\n').unwrap_or(self.rest().len());
            (line_end, line_end + 1)
        });
        let mut end = begin;
        let mut text = String::new();
        loop {
            let rest = self.text.get(end..).unwrap_or_default();
            let Some(line) = rest.split_inclusive('\n').next() else {
                return self.reject(from, RejectReason::UnendedDocument(delimiter));
            };
            let mut plain = line.trim_end_matches('\n');
            if strips {
                plain = plain.trim_start_matches('\t');
            }
            if plain == delimiter {
                self.document = Some((line_end, end + line.len()));
                break;
            }
            if quote.is_none() && plain.ends_with('\\') {
                return self.reject(from, RejectReason::JoinedDocument);
            }
            text.extend([plain, "\n"]);
            end += line.len();
        }
        if quote.is_some() || !text.contains(['$', '`', '\\']) {
            return Ok(self.word_of(smallvec![WordPart::Text(text.into())], from, false));
        }
        if strips {
            return self.reject(from, RejectReason::StrippedDocument);
        }
        self.work.spend(text.len(), &(from..self.at))?;
        let mut parts = Building::default();
        self.within(begin..end, |parser| parser.quoted(&mut parts, None))?;
        Ok(self.word_of(parts.finish(), from, false))
    }
}

impl Redirect {
    pub(super) fn new(descriptor: Option<u8>, kind: Redirection, target: Word) -> Self {
        Redirect {
            descriptor,
            kind,
            target,
        }
    }
}
