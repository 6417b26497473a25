//! User-defined regular expressions.

use std::fmt;
use std::str::FromStr;

use regex_automata::meta::Regex;

use crate::shared::text_setting::text_setting;

/// A regular expression that finds something, in the syntax of the crate `regex`.
///
/// ```
/// use hooks_builtin::Pattern;
///
/// assert!("TICKET-[0-9]+".parse::<Pattern>().is_ok());
/// assert!("(".parse::<Pattern>().is_err());
/// assert!("x*".parse::<Pattern>().unwrap_err().to_string().contains("matches the empty text"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Pattern(String);

/// Why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` {reason}")]
pub struct PatternError {
    pattern: String,
    reason: String,
}

/// The maximum size of the automaton of the patterns, in bytes.
pub(super) const MOST_BYTES: usize = 8 << 20;
/// The maximum size of the states of an automaton that are kept, in bytes. A text takes what it needs.
pub(super) const MOST_OF_CACHE: usize = 16 << 20;

impl Pattern {
    /// Checks a regular expression.
    ///
    /// # Errors
    ///
    /// If the expression is invalid, too large, or matches the empty string.
    pub fn new(pattern: impl Into<String>) -> Result<Self, PatternError> {
        let pattern = pattern.into();
        let reason = match compile(&[&pattern]) {
            Err(reason) => reason,
            Ok(_) if may_be_empty(&pattern) => {
                "matches the empty text, which is everywhere: make it match at least one character"
                    .into()
            }
            Ok(_) => return Ok(Pattern(pattern)),
        };
        Err(PatternError { pattern, reason })
    }

    /// Returns the pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a pattern may match an empty string: `x*`, `\b`, `^`.
fn may_be_empty(pattern: &str) -> bool {
    let parsed = regex_automata::util::syntax::parse(pattern);
    parsed.is_ok_and(|parsed| parsed.properties().minimum_len() == Some(0))
}

/// Compiles several patterns into one automaton.
pub(super) fn compile(patterns: &[impl AsRef<str>]) -> Result<Regex, String> {
    let config = Regex::config()
        .nfa_size_limit(Some(MOST_BYTES))
        .hybrid_cache_capacity(MOST_OF_CACHE);
    Regex::builder()
        .configure(config)
        .build_many(patterns)
        .map_err(|error| match (error.syntax_error(), error.size_limit()) {
            (Some(syntax), _) => format!(
                "is not a regular expression: {}",
                last_line(&syntax.to_string())
            ),
            (_, Some(_)) => "is too large: write it with fewer repetitions".into(),
            _ => format!("cannot be used: {error}"),
        })
}

/// Returns the last line of a syntax error. The rest repeats the pattern, with a caret, and our message already
/// contains it.
fn last_line(error: &str) -> &str {
    let last = error.lines().last().unwrap_or(error);
    last.strip_prefix("error: ").unwrap_or(last)
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(pattern: &str) -> Result<Self, PatternError> {
        Pattern::new(pattern)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

text_setting!(Pattern, |pattern| pattern.as_str(), {
    "description": "A regular expression, in the syntax of the Rust crate `regex`.",
});
