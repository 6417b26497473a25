//! How long a text of a hook may be: a model, a user and a record read it.

/// The maximum length of a text, and of all texts of one kind in one answer together, in characters.
const MOST: usize = 10_000;

/// Cuts a text that is too long, with a mark.
#[must_use]
pub fn cut(text: String) -> String {
    cut_to(MOST, text)
}

/// Cuts texts that are too long together.
pub fn cut_all(texts: &mut Vec<String>) {
    let mut left = MOST;
    for text in texts.iter_mut() {
        *text = cut_to(left, std::mem::take(text));
        left = left.saturating_sub(text.chars().count());
    }
    // What is cut away whole leaves one mark.
    texts.dedup();
}

fn cut_to(most: usize, mut text: String) -> String {
    if text.len() > most
        && let Some((at, _)) = text.char_indices().nth(most)
    {
        text.truncate(at);
        text.push_str(" … (cut)");
    }
    text
}
