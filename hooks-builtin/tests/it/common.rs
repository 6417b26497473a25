//! What the tests share.

use std::path::Path;

/// The lines of a corpus, without comments and empty ones.
pub(crate) fn corpus(name: &str) -> impl Iterator<Item = String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(name);
    let text = std::fs::read_to_string(&path).expect("the corpus is there");
    let lines: Vec<_> = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(String::from)
        .collect();
    lines.into_iter()
}
