//! Cuts a text into pieces that can be redacted one after another, so that a text may come bit by bit.
//!
//! A piece ends behind a blank, or behind a character of a script without blanks, if no secret can go on there. Whether
//! one can is what the *open* patterns say: they match the beginnings of what the other patterns match.

use std::ops::Range;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

use super::judge::{MOST_OF_LINE, is_border, next_key};
use super::pattern::MOST_OF_CACHE;

/// Compiles a regular expression that matches a text which ends in the middle of one of the patterns, or with it.
pub(super) fn open_at_the_end(patterns: impl Iterator<Item = String>) -> Regex {
    let begun = patterns.map(|pattern| {
        let parsed = syntax::parse(&pattern);
        let parsed =
            parsed.unwrap_or_else(|error| unreachable!("the pattern was compiled: {error}"));
        whole_and_begun(&parsed).1
    });
    let begun = Hir::alternation(begun.collect());
    let open = Hir::concat(vec![begun, Hir::look(Look::End)]);
    Regex::builder()
        .configure(Regex::config().hybrid_cache_capacity(MOST_OF_CACHE))
        .build_from_hir(&open)
        .unwrap_or_else(|error| unreachable!("the patterns were compiled: {error}"))
}

/// Returns what a pattern matches, and the beginnings of that. Neither looks around: what is there is not known yet.
fn whole_and_begun(pattern: &Hir) -> (Hir, Hir) {
    let optional = |sub: Hir| {
        Hir::repetition(Repetition {
            min: 0,
            max: Some(1),
            greedy: true,
            sub: sub.into(),
        })
    };
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => (Hir::empty(), Hir::empty()),
        HirKind::Literal(literal) => {
            let bytes = literal.0.iter().rev();
            let begun = bytes.fold(Hir::empty(), |rest, byte| {
                optional(Hir::concat(vec![Hir::literal([*byte]), rest]))
            });
            (pattern.clone(), begun)
        }
        HirKind::Class(_) => (pattern.clone(), optional(pattern.clone())),
        HirKind::Repetition(repetition) => {
            let (whole, begun) = whole_and_begun(&repetition.sub);
            let before = Repetition {
                min: 0,
                max: repetition.max.map(|max| max.saturating_sub(1)),
                ..repetition.with(whole.clone())
            };
            let begun = Hir::concat(vec![Hir::repetition(before), begun]);
            (Hir::repetition(repetition.with(whole)), begun)
        }
        HirKind::Capture(capture) => whole_and_begun(&capture.sub),
        HirKind::Concat(parts) => {
            let parts = parts.iter().map(whole_and_begun).rev();
            parts.fold(
                (Hir::empty(), Hir::empty()),
                |(rest, rest_begun), (whole, begun)| {
                    let behind = Hir::concat(vec![whole.clone(), rest_begun]);
                    let begun = Hir::alternation(vec![begun, behind]);
                    (Hir::concat(vec![whole, rest]), begun)
                },
            )
        }
        HirKind::Alternation(parts) => {
            let (whole, begun) = parts.iter().map(whole_and_begun).unzip();
            (Hir::alternation(whole), Hir::alternation(begun))
        }
    }
}

/// What is known of the beginning of a text, of which more has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScanProgress {
    /// No piece ends up to here.
    pub(super) ends: usize,
    /// No private key that goes on begins before this place.
    pub(super) keys: usize,
}

/// The ends of the pieces of a text, but for that of the last one.
pub(super) struct Ends<'t> {
    open: &'t Regex,
    text: &'t str,
    /// Where the piece begins.
    from: usize,
    /// Up to where there is no further end.
    known: usize,
    /// Where the next private key may be.
    key: Range<usize>,
}

impl<'t> Ends<'t> {
    pub(super) fn new(open: &'t Regex, text: &'t str, known: ScanProgress) -> Self {
        Ends {
            open,
            text,
            from: 0,
            known: known.ends,
            key: known.keys..known.keys,
        }
    }

    /// Returns what is known when there is no further end, as places behind the last one.
    pub(super) fn known(&self) -> ScanProgress {
        // A key may begin with the last word, unless that is too long for a line of one.
        let last = self.text.len().saturating_sub(2 * MOST_OF_LINE);
        let last = self.text.floor_char_boundary(last);
        let word = self.text[last..].rfind(char::is_whitespace);
        let keys = self.key.start.min(last + word.unwrap_or(0));
        ScanProgress {
            ends: self.text.len() - self.from,
            keys: keys.saturating_sub(self.from),
        }
    }

    fn is_end(&mut self, at: usize) -> bool {
        while self.key.end <= at {
            self.key = next_key(self.text, self.key.end);
        }
        if self.key.start < at {
            return false;
        }
        // Nothing is open at every place.
        let open = self.open.find(&self.text[self.from..at]);
        open.is_none_or(|open| open.is_empty())
    }
}

impl Iterator for Ends<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let known = self.known;
        for (at, c) in self.text[known..].char_indices() {
            let end = known + at + c.len_utf8();
            if is_border(c) && self.is_end(end) {
                self.from = end;
                self.known = end;
                return Some(end);
            }
        }
        self.known = self.text.len();
        None
    }
}
