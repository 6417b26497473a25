//! Brace expansion, `{a,b}` and `{1..9}`: one word becomes several.

use std::ops::Range;
use std::sync::Arc;

use super::syntax::{WordPart, WordParts};
use super::words::Building;
use crate::bounds::Work;
use crate::rejected::{RejectReason, Rejected};

/// The maximum number of words that braces may expand to.
pub(crate) const MOST_WORDS: usize = 256;

/// Returns the words that a word with braces expands to. If there is nothing to expand, returns the word itself, with
/// the braces as text.
pub(crate) fn expand(
    parts: &[WordPart],
    work: &mut Work,
    span: &Range<usize>,
) -> Result<Vec<WordParts>, Rejected> {
    let mut words = vec![Vec::new()];
    let mut rest = parts;
    while let Some((first, behind)) = rest.split_first() {
        work.spend(8 * words.len() + rest.len(), span)?;
        rest = behind;
        let choices = match first {
            WordPart::Range(words) => {
                let text = |text: &Arc<str>| vec![WordPart::Text(text.clone())];
                words.iter().map(text).collect()
            }
            WordPart::Brace('{') => alternatives(behind, &mut rest, span)?,
            _ => Vec::new(),
        };
        if choices.is_empty() {
            let part = match first {
                WordPart::Brace(brace) => WordPart::Text(brace.to_string().into()),
                part => part.clone(),
            };
            for word in &mut words {
                word.push(part.clone());
            }
            continue;
        }
        if words.len() * choices.len() > MOST_WORDS {
            return Err(Rejected::new(RejectReason::ManyWords, span.clone()));
        }
        let length: usize = words.iter().map(Vec::len).sum();
        work.spend(4 * (length + words.len()) * choices.len(), span)?;
        let with = |word: &Vec<WordPart>| {
            choices
                .iter()
                .map(|choice| [&word[..], choice].concat())
                .collect::<Vec<_>>()
        };
        words = words.iter().flat_map(with).collect();
    }
    Ok(words.into_iter().map(joined).collect())
}

/// Joins adjacent texts, as the parser would read them.
fn joined(parts: Vec<WordPart>) -> WordParts {
    let mut joined = Building::default();
    for part in &parts {
        match part {
            WordPart::Text(text) => joined.text(&**text),
            part => joined.push(part.clone()),
        }
    }
    joined.finish()
}

/// Returns the alternatives between the commas up to the closing brace; nothing if there is no comma. `rest` gets what
/// follows the brace.
fn alternatives<'p>(
    parts: &'p [WordPart],
    rest: &mut &'p [WordPart],
    span: &Range<usize>,
) -> Result<Vec<Vec<WordPart>>, Rejected> {
    let mut depth = 0;
    let mut is_nested = false;
    let mut found = Vec::new();
    let mut from = 0;
    for (at, part) in parts.iter().enumerate() {
        match part {
            WordPart::Range(_) => is_nested = true,
            WordPart::Brace('{') => {
                is_nested = true;
                depth += 1;
            }
            WordPart::Brace('}') if depth > 0 => depth -= 1,
            WordPart::Brace('}') if found.is_empty() => return Ok(found),
            WordPart::Brace(brace) if depth == 0 => {
                found.push(parts[from..at].to_vec());
                from = at + 1;
                if *brace == '}' && is_nested {
                    return Err(Rejected::new(RejectReason::NestedBraces, span.clone()));
                }
                if *brace == '}' {
                    *rest = &parts[from..];
                    return Ok(found);
                }
            }
            _ => {}
        }
    }
    Ok(Vec::new())
}
