//! Scans a text piece by piece, and each piece again and again until there is nothing left to find.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input, Match, PatternID};

use super::NamedPattern;
use super::judge::{HIDDEN, is_border, is_hidden};
use super::kind::SecretKind;
use super::pattern::{Pattern, compile};
use super::piece::{Ends, ScanProgress, open_at_the_end};
use crate::shared::BuildError;

/// Finds secrets, and counts what it replaces.
#[derive(Debug)]
pub(super) struct Scanner {
    /// Compiled when it is first used: a program that runs for a single event seldom needs it.
    compiled: OnceLock<Regex>,
    /// Matches a text that ends in the middle of a secret with blanks. Compiled when there is something to redact.
    open: OnceLock<Regex>,
    own: Vec<Pattern>,
    /// The first kinds are tokens, and own patterns come last. One more pattern finds characters that hide a secret.
    targets: Vec<Target>,
    /// How many of the kinds are tokens.
    tokens: usize,
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

/// How many bytes before a piece its secrets may depend on.
pub(super) const CONTEXT: usize = 64;

/// How many bytes of a secret are searched on both sides of a character that hides it.
const NEAR: usize = 200;

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
            let kinds = kinds.iter().map(|kind| kind.pattern());
            let own = own.chain([HIDDEN]).map(String::from);
            let all: Vec<_> = kinds.chain(own).collect();
            let automaton = compile(&all).map_err(|reason| wrong(format!("together {reason}")))?;
            automaton.into()
        };
        let tokens = kinds.iter().filter(|kind| kind.is_token()).count();
        let own = patterns
            .iter()
            .map(|pattern| Target::new(&pattern.name, None));
        let targets = kinds
            .into_iter()
            .map(|kind| Target::new(kind.name(), Some(kind)))
            .chain(own)
            .collect();
        Ok(Scanner {
            compiled,
            open: OnceLock::new(),
            own: patterns
                .iter()
                .map(|pattern| pattern.regex.clone())
                .collect(),
            tokens,
            targets,
        })
    }

    fn automaton(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            let kinds = self.targets.iter().filter_map(|target| target.kind);
            let hidden = [HIDDEN.to_owned()];
            let patterns: Vec<_> = kinds.map(SecretKind::pattern).chain(hidden).collect();
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
    pub(super) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.first(text, 0).is_none() {
            return Cow::Borrowed(text);
        }
        let mut redacted = String::with_capacity(text.len());
        let ends = self.ends(text, ScanProgress::default()).chain([text.len()]);
        self.redact_pieces(text, ends, &mut redacted);
        Cow::Owned(redacted)
    }

    /// Returns where the pieces of a text end. What follows such a place changes nothing before it.
    pub(super) fn ends<'t>(&'t self, text: &'t str, known: ScanProgress) -> Ends<'t> {
        let open = self.open.get_or_init(|| {
            let kinds = self.targets.iter().filter_map(|target| target.kind);
            let kinds = kinds.filter(|kind| kind.has_blanks());
            let kinds = kinds.map(SecretKind::pattern);
            let own = self.own.iter().map(|own| own.as_str().to_owned());
            open_at_the_end(kinds.chain(own))
        });
        Ends::new(open, text, known)
    }

    /// Appends pieces without their secrets to what was redacted before, and returns the end of the last one.
    ///
    /// A replacement changes the surroundings of the text after it, for which `redacted` counts.
    pub(super) fn redact_pieces(
        &self,
        text: &str,
        ends: impl Iterator<Item = usize>,
        redacted: &mut String,
    ) -> usize {
        let mut from = 0;
        let mut replaced = 0;
        // Up to here, the surroundings are not those in `text`.
        let mut changed = if redacted.is_empty() { 0 } else { CONTEXT };
        let mut next = 0;
        for end in ends {
            if from >= changed && next <= from {
                let secret = self.first(text, from);
                next = secret.map_or(usize::MAX, |(secret, _)| secret.start);
            }
            let piece = &text[from..end];
            if from >= changed && next >= end {
                redacted.push_str(piece);
            } else {
                let context = redacted.len().saturating_sub(CONTEXT);
                let context = redacted.floor_char_boundary(context);
                let surrounded = [&redacted[context..], piece].concat();
                let (surrounded, count) = self.settle(surrounded, redacted.len() - context);
                if count > 0 {
                    changed = end + CONTEXT;
                }
                redacted.truncate(context);
                redacted.push_str(&surrounded);
                replaced += count;
            }
            from = end;
        }
        if replaced > 0 {
            tracing::info!(target: "hooks_builtin::redact", replaced, "secrets were redacted");
        }
        from
    }

    /// Returns the text without the secrets from a position on, and how many were replaced.
    ///
    /// A replacement changes the surroundings of other text, so the text is scanned until there is nothing more to
    /// find. Replacements are not scanned again. Every pass replaces something, so the loop ends. If it does not end
    /// soon, the whole text is replaced.
    fn settle(&self, mut text: String, from: usize) -> (String, u64) {
        let mut replaced = 0;
        for pass in 0.. {
            let Some((next, count)) = self.pass(&text, from) else {
                break;
            };
            text = next;
            replaced += count;
            // Only a text that is written on purpose, to waste time, has secrets that hide each other so often.
            if pass == MOST_PASSES
                && let Some((_, target)) = self.first(&text, from)
            {
                text.truncate(from);
                text.push_str(&target.marker);
            }
        }
        (text, replaced)
    }

    /// Whether there is anything to replace.
    pub(super) fn finds_in(&self, text: &str) -> bool {
        self.first(text, 0).is_some()
    }

    /// Returns the first secret from a position on.
    fn first(&self, text: &str, from: usize) -> Option<(Range<usize>, &Target)> {
        self.unmarked(text, from)
            .find_map(|open| self.next(text, open))
    }

    /// Replaces what is found once, from a position on. Returns the text and the number of replacements; `None` if
    /// nothing was found.
    fn pass(&self, text: &str, from: usize) -> Option<(String, u64)> {
        let mut redacted = String::new();
        // Text after a secret must see the end of the marker before it, as it would in the next pass.
        let mut seen = Cow::Borrowed(text);
        let mut copied = 0;
        let mut count = 0;
        for open in self.unmarked(text, from) {
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

    fn unmarked<'t>(&'t self, text: &'t str, from: usize) -> Unmarked<'t> {
        Unmarked {
            scanner: self,
            text,
            from,
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
            let secret = if found.pattern().as_usize() == self.targets.len() {
                self.behind(text, floor..range.end, found.range())
            } else {
                self.judge(text, floor, &found)
            };
            if secret.is_some() {
                return secret;
            }
            // A candidate that is not this kind of secret may be another kind, which begins at the same place or later.
            // What is not a token of one vendor is not one of another.
            let first = self.tokens.max(found.pattern().as_usize() + 1);
            let others = (first..self.targets.len()).find_map(|other| {
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

    /// Returns the secret that is cut by a character without a width.
    fn behind(
        &self,
        text: &str,
        within: Range<usize>,
        hidden: Range<usize>,
    ) -> Option<(Range<usize>, &Target)> {
        let start = text.ceil_char_boundary(within.start.max(hidden.start.saturating_sub(NEAR)));
        let end = text.floor_char_boundary(within.end.min(hidden.end + NEAR));
        let start = hidden.start - text[start..hidden.start].rsplit(is_border).next()?.len();
        let end = hidden.end + text[hidden.end..end].split(is_border).next()?.len();
        let (mut bare, mut places) = (String::new(), Vec::new());
        for (at, c) in text[start..end].char_indices() {
            if !is_hidden(c) {
                bare.push(c);
                places.resize(bare.len(), start + at);
            }
        }
        let (secret, target) = self.next(&bare, 0..bare.len())?;
        let last = places[secret.end - 1];
        let last = last + text[last..].chars().next().map_or(0, char::len_utf8);
        let secret = places[secret.start]..last;
        secret.contains(&hidden.start).then_some((secret, target))
    }

    /// Returns the match, if it is a secret. A character without a width is not one by itself.
    fn judge(&self, text: &str, floor: usize, found: &Match) -> Option<(Range<usize>, &Target)> {
        let target = self.targets.get(found.pattern().as_usize())?;
        let secret = match target.kind {
            Some(kind) => {
                let secret = kind.secret(text, floor, found.range())?;
                // A private key behind it is another secret.
                let key = text[secret.clone()].find("-----BEGIN").filter(|at| *at > 0);
                secret.start..key.map_or(secret.end, |at| secret.start + at)
            }
            None => found.range(),
        };
        // Replacing an empty match would find it again.
        if secret.is_empty() {
            return None;
        }
        // A value that is a secret by itself has a better name than what its own name says.
        let is_named = |kind: SecretKind| kind.is_of_name() || kind == SecretKind::UrlPassword;
        if secret.start > found.start() && target.kind.is_some_and(is_named) {
            let input = Input::new(text).span(secret.start..found.end().max(secret.end));
            let value = self.automaton().search(&input.anchored(Anchored::Yes));
            let better = value.and_then(|value| self.judge(text, secret.start, &value));
            if better.is_some() {
                return better;
            }
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
