//! `{a,b}` and `{1..9}`: one word that becomes several.

use std::ops::Range;

use crate::bounds::{Rejected, Work};
use crate::syntax::Part;

/// How many words braces may become.
const MOST_WORDS: usize = 256;
/// How deep they may be nested.
const DEEPEST: usize = 4;

/// The words that a word with braces becomes; itself, with the braces as text, if there is nothing to expand.
pub(crate) fn expand(
    parts: Vec<Part>,
    work: &mut Work,
    span: &Range<usize>,
) -> Result<Vec<Vec<Part>>, Rejected> {
    let mut words = Vec::new();
    expand_into(&parts, Vec::new(), &mut words, 0, work, span)?;
    Ok(words)
}

fn expand_into(
    parts: &[Part],
    mut before: Vec<Part>,
    words: &mut Vec<Vec<Part>>,
    depth: usize,
    work: &mut Work,
    span: &Range<usize>,
) -> Result<(), Rejected> {
    work.spend(8 + 4 * (parts.len() + before.len()), span)?;
    let too_many = || {
        Rejected::new(
            "the braces become too many words: write fewer",
            span.clone(),
        )
    };
    for (at, part) in parts.iter().enumerate() {
        let Part::Brace(brace) = part else {
            before.push(part.clone());
            continue;
        };
        work.spend(parts.len() - at, span)?;
        if *brace == '{'
            && let Some((alternatives, rest)) = alternatives(&parts[at + 1..])
        {
            if alternatives.is_empty() {
                let reason = "this range is not supported: write numbers without leading zeros, or the words themselves";
                return Err(Rejected::new(reason, span.clone()));
            }
            if depth >= DEEPEST || words.len() + alternatives.len() > MOST_WORDS {
                return Err(too_many());
            }
            for alternative in alternatives {
                let tail = [alternative.as_slice(), rest].concat();
                expand_into(&tail, before.clone(), words, depth + 1, work, span)?;
            }
            return Ok(());
        }
        before.push(Part::Text(brace.to_string(), false));
    }
    if words.len() >= MOST_WORDS {
        return Err(too_many());
    }
    words.push(before);
    Ok(())
}

/// What stands between commas up to the closing brace, and what follows on it; nothing of a range that is not supported.
fn alternatives(parts: &[Part]) -> Option<(Vec<Vec<Part>>, &[Part])> {
    let mut depth = 0;
    let mut commas = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Brace('{') => depth += 1,
            Part::Brace('}') if depth > 0 => depth -= 1,
            Part::Brace(',') if depth == 0 => commas.push(at),
            Part::Brace('}') => {
                let rest = &parts[at + 1..];
                if commas.is_empty() {
                    let is_range =
                        matches!(&parts[..at], [Part::Text(text, false)] if text.contains(".."));
                    return is_range.then(|| (range(&parts[..at]).unwrap_or_default(), rest));
                }
                commas.push(at);
                let mut from = 0;
                let mut found = Vec::new();
                for comma in commas {
                    found.push(parts[from..comma].to_vec());
                    from = comma + 1;
                }
                return Some((found, rest));
            }
            _ => {}
        }
    }
    None
}

/// `1..9`; not `01..9`, which shells fill up in their own ways, nor letters.
fn range(parts: &[Part]) -> Option<Vec<Vec<Part>>> {
    let [Part::Text(text, false)] = parts else {
        return None;
    };
    let (first, last) = text.split_once("..")?;
    let number = |text: &str| {
        let is_plain = text == "0" || !text.starts_with('0');
        text.parse::<u16>().ok().filter(|_| is_plain)
    };
    let (first, last) = (number(first)?, number(last)?);
    if first > last || usize::from(last - first) >= MOST_WORDS {
        return None;
    }
    let words = first..=last;
    Some(
        words
            .map(|word| vec![Part::Text(word.to_string(), false)])
            .collect(),
    )
}
