//! Makes a new text of old ones.
//!
//! Texts are cut into tokens: words, blanks and single marks. The tokens of the whole corpus are the dictionary, so that a
//! change puts in what means something to the code under test.

use std::iter;
use std::ops::Range;

use fastrand::Rng;

/// As long as a text may become, in bytes.
const LONGEST: usize = 4096;

/// What few corpora have and is often read in the wrong way.
const ODD: [&str; 16] = [
    "\0",
    "\u{1b}",
    "\u{7f}",
    "\u{a0}",
    "\u{ad}",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "\u{fffd}",
    "é",
    "ß",
    "İ",
    "①",
    "．",
    "\u{10ffff}",
    "\r\n",
];

/// A text that is made of one or two of the corpus, with one to five changes.
pub(crate) fn mutate(corpus: &[String], dictionary: &[String], rng: &mut Rng) -> String {
    let pick = |rng: &mut Rng| corpus[rng.usize(..corpus.len())].as_str();
    let mut text = pick(rng).to_owned();
    if rng.u8(..4) == 0 {
        let other = pick(rng);
        let (to, from) = (edge(&text, rng), edge(other, rng));
        text.truncate(to);
        text.push_str(&other[from..]);
    }
    for _ in 0..rng.usize(1..=5) {
        let range = range(&text, rng);
        match rng.u8(..10) {
            0 | 1 => text.insert_str(range.start, token(dictionary, rng)),
            2 | 3 => text.replace_range(range, token(dictionary, rng)),
            4 | 5 => text.replace_range(range, ""),
            6 => {
                let times = if rng.u8(..8) == 0 {
                    rng.usize(2..60)
                } else {
                    1
                };
                let again = text[range.clone()].repeat(times);
                text.insert_str(range.end, &again);
            }
            7 => {
                let moved = text[range.clone()].to_owned();
                text.replace_range(range, "");
                text.insert_str(edge(&text, rng), &moved);
            }
            8 => {
                let at = text.floor_char_boundary(rng.usize(..=text.len()));
                text.insert(at, char::from(rng.u8(b' '..=b'~')));
            }
            _ => text.insert_str(range.start, ODD[rng.usize(..ODD.len())]),
        }
        text.truncate(text.floor_char_boundary(LONGEST));
    }
    text
}

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_like = |c: char| {
            (first.is_alphanumeric() && c.is_alphanumeric())
                || (first.is_whitespace() && c == first)
        };
        let end = rest[first.len_utf8()..]
            .find(|c| !is_like(c))
            .map_or(rest.len(), |end| end + first.len_utf8());
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

/// One to a few tokens of the dictionary.
fn token<'d>(dictionary: &'d [String], rng: &mut Rng) -> &'d str {
    dictionary
        .get(rng.usize(..dictionary.len().max(1)))
        .map_or("", String::as_str)
}

/// A place between two tokens.
fn edge(text: &str, rng: &mut Rng) -> usize {
    let edges: Vec<usize> = tokens(text)
        .map(|token| token.as_ptr().addr() - text.as_ptr().addr())
        .collect();
    let nth = rng.usize(..=edges.len());
    edges.get(nth).copied().unwrap_or(text.len())
}

/// One token, or a few.
fn range(text: &str, rng: &mut Rng) -> Range<usize> {
    let start = edge(text, rng);
    let count = if rng.bool() { 1 } else { rng.usize(1..=12) };
    let length: usize = tokens(&text[start..]).take(count).map(str::len).sum();
    start..start + length
}
