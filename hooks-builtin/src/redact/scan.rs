//! Scans a text, again and again until there is nothing left to find.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input, Match, PatternID};

use super::NamedPattern;
use super::kind::SecretKind;
use super::pattern::compile;
use crate::shared::BuildError;

/// Finds secrets, and counts what it replaces.
#[derive(Debug)]
pub(super) struct Scanner {
    /// Compiled when it is first used: a program that runs for a single event seldom needs it.
    compiled: OnceLock<Regex>,
    targets: Vec<Target>,
}

/// What one pattern of the automaton is for.
#[derive(Debug)]
struct Target {
    /// The replacement.
    marker: String,
    /// A kind, or a pattern of the user's.
    kind: Option<SecretKind>,
    replaced: AtomicU64,
}

const OPEN: &str = "[REDACTED:";
const CLOSE: &str = "]";

/// How often a text is scanned for what the previous replacements have uncovered.
const MOST_PASSES: u32 = 16;

impl Target {
    fn new(name: &str, kind: Option<SecretKind>) -> Self {
        Target {
            marker: format!("{OPEN}{name}{CLOSE}"),
            kind,
            replaced: AtomicU64::new(0),
        }
    }

    fn name(&self) -> &str {
        &self.marker[OPEN.len()..self.marker.len() - CLOSE.len()]
    }
}

impl Scanner {
    pub(super) fn new(kinds: &[SecretKind], patterns: &[NamedPattern]) -> Result<Self, BuildError> {
        let wrong = |message: String| BuildError::new("redact", "patterns", message);
        if let Some(unnamed) = patterns.iter().find(|pattern| !is_name(&pattern.name)) {
            return Err(wrong(format!(
                "has a pattern named `{}`: a name may only have letters, digits, `_` and `-`",
                unnamed.name
            )));
        }
        let mut named = patterns.iter().enumerate();
        if let Some((_, twice)) = named.find(|(at, pattern)| {
            let mut before = patterns[..*at].iter();
            before.any(|other| other.name == pattern.name)
        }) {
            return Err(wrong(format!(
                "has two patterns named `{}`: give each its own name, or join them, as `first|second`",
                twice.name
            )));
        }
        if let Some(kind) = kinds
            .iter()
            .map(|kind| kind.name())
            .find(|kind| patterns.iter().any(|pattern| pattern.name == *kind))
        {
            return Err(wrong(format!(
                "has a pattern named `{kind}`, which is also one of the `kinds`: give it its own name, or leave that kind out"
            )));
        }
        let kinds: Vec<_> = SecretKind::ALL
            .into_iter()
            .filter(|kind| kinds.contains(kind))
            .collect();
        // The kinds are known to fit into one automaton, and a user's patterns may not.
        let compiled = if patterns.is_empty() {
            OnceLock::new()
        } else {
            let own = patterns.iter().map(|pattern| pattern.regex.as_str());
            let all: Vec<_> = kinds.iter().map(|kind| kind.pattern()).chain(own).collect();
            let automaton = compile(&all).map_err(|reason| wrong(format!("together {reason}")))?;
            automaton.into()
        };
        let own = patterns
            .iter()
            .map(|pattern| Target::new(&pattern.name, None));
        let targets = kinds
            .into_iter()
            .map(|kind| Target::new(kind.name(), Some(kind)))
            .chain(own)
            .collect();
        Ok(Scanner { compiled, targets })
    }

    fn automaton(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            let kinds = self.targets.iter().filter_map(|target| target.kind);
            let patterns: Vec<_> = kinds.map(SecretKind::pattern).collect();
            compile(&patterns)
                .unwrap_or_else(|error| unreachable!("every kind fits into one automaton: {error}"))
        })
    }

    /// Returns how many were replaced, by name.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        self.targets
            .iter()
            .map(|target| (target.name(), target.replaced.load(Ordering::Relaxed)))
    }

    /// Returns the text without secrets.
    ///
    /// A replacement changes the surroundings of other text, so the text is scanned until there is nothing more to
    /// find. Replacements are not scanned again. Every pass replaces something, so the loop ends. If it does not end
    /// soon, the whole text is replaced.
    pub(super) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut redacted = Cow::Borrowed(text);
        let mut replaced = 0;
        for pass in 0.. {
            let Some((next, count)) = self.pass(&redacted) else {
                break;
            };
            redacted = Cow::Owned(next);
            replaced += count;
            // Only a text that is written on purpose, to waste time, has secrets that hide each other so often.
            if pass == MOST_PASSES {
                redacted = Cow::Owned(self.all_of(&redacted));
            }
        }
        if replaced > 0 {
            tracing::info!(target: "hooks_builtin::redact", replaced, "secrets were redacted");
        }
        redacted
    }

    /// Whether there is anything to replace.
    pub(super) fn finds_in(&self, text: &str) -> bool {
        self.first(text).is_some()
    }

    /// Returns the target of the first secret in a text.
    fn first(&self, text: &str) -> Option<&Target> {
        let found = self.unmarked(text).find_map(|open| self.next(text, open));
        found.map(|(_, target)| target)
    }

    /// Returns the replacement of a whole text that still contains a secret.
    fn all_of(&self, text: &str) -> String {
        self.first(text)
            .map_or_else(|| text.to_owned(), |target| target.marker.clone())
    }

    /// Replaces what is found once. Returns the text and the number of replacements; `None` if nothing was found.
    fn pass(&self, text: &str) -> Option<(String, u64)> {
        let mut redacted = String::new();
        // Text after a secret must see the end of the marker before it, as it would in the next pass.
        let mut seen = Cow::Borrowed(text);
        let mut copied = 0;
        let mut count = 0;
        for open in self.unmarked(text) {
            // The block of a key may extend beyond a marker inside it.
            let mut from = open.start.max(copied);
            if from > open.end {
                continue;
            }
            while from < open.end
                && let Some((secret, target)) = self.next(&seen, from..open.end)
            {
                let last = text[secret.clone()]
                    .chars()
                    .next_back()
                    .map_or(0, char::len_utf8);
                let marked = secret.end - last..secret.end;
                seen.to_mut().replace_range(marked, &CLOSE.repeat(last));
                redacted.push_str(&text[copied..secret.start]);
                redacted.push_str(&target.marker);
                target.replaced.fetch_add(1, Ordering::Relaxed);
                count += 1;
                copied = secret.end;
                from = secret.end;
            }
        }
        if count == 0 {
            return None;
        }
        redacted.push_str(&text[copied..]);
        Some((redacted, count))
    }

    fn unmarked<'t>(&'t self, text: &'t str) -> Unmarked<'t> {
        Unmarked {
            scanner: self,
            text,
            from: 0,
        }
    }

    /// Whether a marker may have the name, from this hook or from another one that redacts.
    fn has_name(&self, name: &str) -> bool {
        let mut names = SecretKind::ALL.into_iter().map(SecretKind::name);
        names.any(|known| known == name) || self.targets.iter().any(|target| target.name() == name)
    }

    /// Returns the next secret within the range. Text around the range counts as context.
    fn next(&self, text: &str, mut range: Range<usize>) -> Option<(Range<usize>, &Target)> {
        let floor = range.start;
        loop {
            let found = self
                .automaton()
                .search(&Input::new(text).span(range.clone()))?;
            let start = found.start();
            if let Some(secret) = self.judge(text, floor, &found) {
                return Some(secret);
            }
            // A candidate that is not this kind of secret may be another kind, which begins at the same place or later.
            let others = (found.pattern().as_usize() + 1..self.targets.len()).find_map(|other| {
                let anchored = Anchored::Pattern(PatternID::new(other).ok()?);
                let input = Input::new(text).span(start..range.end).anchored(anchored);
                self.judge(text, floor, &self.automaton().search(&input)?)
            });
            if others.is_some() {
                return others;
            }
            range.start = start + text[start..].chars().next().map_or(1, char::len_utf8);
        }
    }

    /// Returns the match, if it is a secret.
    fn judge(&self, text: &str, floor: usize, found: &Match) -> Option<(Range<usize>, &Target)> {
        let target = &self.targets[found.pattern().as_usize()];
        let secret = match target.kind {
            Some(kind) => kind.secret(text, floor, found.range())?,
            None => found.range(),
        };
        // Replacing an empty match would find it again.
        if secret.is_empty() {
            return None;
        }
        Some((secret, target))
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && length_of_name(name) == name.len()
}

/// Returns the length of the name at the start of a text.
fn length_of_name(text: &str) -> usize {
    text.bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count()
}

/// The parts of a text that are not markers.
struct Unmarked<'t> {
    scanner: &'t Scanner,
    text: &'t str,
    from: usize,
}

impl Iterator for Unmarked<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.from > self.text.len() {
            return None;
        }
        let start = self.from;
        let mut at = start;
        while let Some(open) = self.text[at..].find(OPEN) {
            let open = at + open;
            let name = open + OPEN.len();
            let end = name + length_of_name(&self.text[name..]);
            // An unknown name may be a secret in disguise.
            if self.text[end..].starts_with(CLOSE) && self.scanner.has_name(&self.text[name..end]) {
                self.from = end + CLOSE.len();
                return Some(start..open);
            }
            at = name;
        }
        self.from = self.text.len() + 1;
        Some(start..self.text.len())
    }
}
