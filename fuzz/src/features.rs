//! What the code under test did with a text.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// What the code under test did with a text, as a list of hashes: one for each message, answer or shape of a result.
#[derive(Clone, Debug, Default)]
pub struct Features(Vec<u64>);

impl Features {
    /// Notes a fact of a kind.
    pub fn add(&mut self, kind: &str, fact: impl Hash) {
        let mut hasher = DefaultHasher::new();
        (kind, fact).hash(&mut hasher);
        self.0.push(hasher.finish());
    }

    /// Notes a message, without what it quotes and without its numbers: those are different each time.
    pub fn add_message(&mut self, kind: &str, message: &str) {
        let quoted = message.find('`').zip(message.rfind('`'));
        let (before, after) = quoted.map_or((message, ""), |(first, last)| {
            (&message[..first], &message[last..])
        });
        let letters = before
            .chars()
            .chain(after.chars())
            .filter(|c| c.is_alphabetic());
        self.add(kind, letters.collect::<String>());
    }

    /// Notes about how many there are of something: 0, 1, 2, 3 to 4, 5 to 8, …
    pub fn add_count(&mut self, kind: &str, count: usize) {
        self.add(kind, count.checked_next_power_of_two());
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}
