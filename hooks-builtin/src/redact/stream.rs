//! Redacts a text that comes bit by bit.

use std::fmt;

use super::Redact;
use super::judge::is_border;
use super::piece::ScanProgress;
use super::scan::CONTEXT;

/// Takes the place of a text that is too long to be held.
const TOO_LONG: &str = "[REDACTED:long]";

/// Rewrites a text that comes in pieces, as a model's deltas do. [`Redact::stream`] makes one.
///
/// Put together, what it returns is what [`Redact::redact`] makes of the whole text, however the text is cut.
///
/// It holds back the last word, and what may be the beginning of a secret: `password: `, the digits of a card, a private
/// key. It seldom holds more than a line, and never more than [`MOST_HELD`](Self::MOST_HELD) bytes: a longer word
/// becomes `[REDACTED:long]`. With your own patterns it holds what they may match, so a pattern such as `(?s)begin.*end`
/// holds all text after `begin`.
///
/// ```
/// use hooks_builtin::Redact;
///
/// let mut stream = Redact::new().stream();
/// let mut shown = Vec::new();
/// for delta in ["Ask ada@exa", "mple.org, or", " others", "."] {
///     shown.push(stream.push(delta));
/// }
/// shown.push(stream.finish());
/// assert_eq!(shown, ["Ask ", "[REDACTED:email], ", "or ", "", "others."]);
/// ```
#[must_use = "a stream shows nothing by itself"]
pub struct RedactStream {
    redact: Redact,
    /// What was not returned yet.
    held: String,
    /// The end of what was returned.
    returned: String,
    /// What is known of what is held.
    known: ScanProgress,
    /// Whether the rest of a word that is too long is to come.
    hides: bool,
}

impl RedactStream {
    /// The maximum number of bytes that a stream holds back.
    pub const MOST_HELD: usize = 64 * 1024;

    pub(super) fn new(redact: Redact) -> Self {
        RedactStream {
            redact,
            held: String::new(),
            returned: String::new(),
            known: ScanProgress::default(),
            hides: false,
        }
    }

    /// Takes the next piece of the text, and returns what may be shown now. That may be nothing.
    #[must_use = "the result is what may be shown"]
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        // While it hides, it holds nothing.
        if self.hides {
            let Some(end) = self.held.find(is_border) else {
                self.held.clear();
                return String::new();
            };
            self.held.drain(..end);
            self.hides = false;
        }
        let mut ends = self.redact.0.scanner.ends(&self.held, self.known);
        let all: Vec<_> = ends.by_ref().collect();
        self.known = ends.known();
        let mut shown = self.take(&all);
        if self.held.len() > Self::MOST_HELD {
            self.held.clear();
            self.known = ScanProgress::default();
            self.hides = true;
            shown.push_str(TOO_LONG);
            self.returned.push_str(TOO_LONG);
        }
        shown
    }

    /// Returns the rest. Nothing follows.
    #[must_use = "the result is the end of the text"]
    pub fn finish(mut self) -> String {
        self.take(&[self.held.len()])
    }

    /// Returns the pieces that end there, redacted.
    fn take(&mut self, ends: &[usize]) -> String {
        let returned = self.returned.len();
        let scanner = &self.redact.0.scanner;
        let ends = ends.iter().copied();
        let end = scanner.redact_pieces(&self.held, ends, &mut self.returned);
        self.held.drain(..end);
        let shown = self.returned[returned..].to_owned();
        let context = self.returned.len().saturating_sub(CONTEXT);
        self.returned
            .drain(..self.returned.floor_char_boundary(context));
        shown
    }
}

/// Shows how much is held, and not what: it may be a secret.
impl fmt::Debug for RedactStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedactStream")
            .field("held", &self.held.len())
            .finish_non_exhaustive()
    }
}
