//! Patterns for the names of tools, in the form of the configuration.

use std::fmt;
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::text_setting::text_setting;

/// A pattern for the names of tools: `shell`, `mcp__*`, `file_{read,write}`, `tool_?`, `[a-c]*`.
///
/// It matches the whole name. Case matters, unless the hook that uses it says otherwise. `?` and `[…]` match one ASCII
/// character: the names of tools have no others. It corresponds to mini-claw-code's `glob::Pattern`.
///
/// ```
/// use hooks_builtin::Glob;
///
/// let glob: Glob = "mcp__*".parse().unwrap();
/// assert!(glob.matches("mcp__github") && !glob.matches("shell"));
/// assert!("file_[".parse::<Glob>().is_err());
/// ```
#[derive(Clone)]
pub struct Glob {
    pattern: Box<str>,
    shape: Shape,
    ignores_case: bool,
}

/// The compiled form of a pattern. Most patterns are plain comparisons, which take a hundredth of the time of a match.
#[derive(Clone)]
enum Shape {
    Literal,
    /// Text with one `*` in it, at this place.
    Star(usize),
    Other(Box<GlobMatcher>),
}

impl Shape {
    /// None, if only an automaton can tell: to compile one takes long.
    fn of(pattern: &str) -> Option<Self> {
        let mut special = pattern.match_indices(['*', '?', '[', ']', '{', '}', '\\']);
        match (special.next(), special.next()) {
            (None, _) => Some(Shape::Literal),
            (Some((at, "*")), None) => Some(Shape::Star(at)),
            _ => None,
        }
    }
}

/// What tells whether a name matches, whatever the pattern.
fn automaton(pattern: &str, ignores_case: bool) -> Result<GlobMatcher, globset::Error> {
    // A tool's name is no path: `*` matches a `/` as well.
    let glob = GlobBuilder::new(pattern)
        .literal_separator(false)
        .backslash_escape(true)
        // `file{,_read}` matches `file` as well.
        .empty_alternates(true)
        .case_insensitive(ignores_case)
        .build()?;
    Ok(glob.compile_matcher())
}

/// Why a pattern is not a glob.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a glob: {reason}")]
pub struct GlobError {
    pattern: String,
    reason: String,
}

impl Glob {
    /// Parses a glob.
    ///
    /// # Errors
    ///
    /// If a bracket or a brace is not closed, if the pattern is empty or begins or ends with a blank, or if it has a
    /// `[…]` and a character that is not ASCII.
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        let wrong = |reason: String| GlobError {
            pattern: pattern.to_owned(),
            reason,
        };
        if pattern.is_empty() {
            return Err(wrong("it is empty, so it matches no tool".into()));
        }
        if pattern.trim() != pattern {
            return Err(wrong(
                "it begins or ends with a blank, and no tool's name does".into(),
            ));
        }
        if pattern.contains('[') && !pattern.is_ascii() {
            return Err(wrong(
                "`[…]` takes ASCII characters only: write others as `{α,β}`".into(),
            ));
        }
        Glob::build(pattern, false).map_err(|error| wrong(error.kind().to_string()))
    }

    fn build(pattern: &str, ignores_case: bool) -> Result<Self, globset::Error> {
        let shape = match Shape::of(pattern) {
            Some(shape) => shape,
            None => Shape::Other(Box::new(automaton(pattern, ignores_case)?)),
        };
        Ok(Glob {
            pattern: pattern.into(),
            shape,
            ignores_case,
        })
    }

    /// Returns the same pattern, ignoring the case of ASCII letters.
    fn ignoring_case(&self) -> Self {
        Glob::build(&self.pattern, true).unwrap_or_else(|_| self.clone())
    }

    /// Whether the name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name_bytes) = (self.pattern.as_bytes(), name.as_bytes());
        let is_same = |one: &[u8], other: &[u8]| {
            if self.ignores_case {
                one.eq_ignore_ascii_case(other)
            } else {
                one == other
            }
        };
        match &self.shape {
            Shape::Literal => is_same(name_bytes, pattern),
            Shape::Star(at) => {
                let (start, end) = (&pattern[..*at], &pattern[at + 1..]);
                let rest = name_bytes.split_at_checked(start.len());
                rest.is_some_and(|(first, rest)| {
                    let last = rest.len().checked_sub(end.len()).map(|at| &rest[at..]);
                    is_same(first, start) && last.is_some_and(|last| is_same(last, end))
                })
            }
            Shape::Other(matcher) => matcher.is_match(name),
        }
    }

    /// Returns the pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.pattern
    }
}

impl FromStr for Glob {
    type Err = GlobError;

    fn from_str(pattern: &str) -> Result<Self, GlobError> {
        Glob::new(pattern)
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Glob {}

text_setting!(Glob, |glob| glob.as_str(), {
    "minLength": 1,
    "description": "A pattern for the names of tools: `shell`, `mcp__*`, `file_{read,write}`.",
});

/// Patterns of which one has to match. Without any it matches nothing.
///
/// ```
/// use hooks_builtin::Globs;
///
/// let globs = Globs::new(["shell", "mcp__*"]).unwrap();
/// assert!(globs.matches("mcp__github") && !globs.matches("read"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Globs(Vec<Glob>);

impl Globs {
    /// Parses several globs.
    ///
    /// # Errors
    ///
    /// If one of them is not a glob: see [`Glob::new`].
    pub fn new<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Result<Self, GlobError> {
        patterns
            .into_iter()
            .map(|pattern| Glob::new(pattern.as_ref()))
            .collect::<Result<_, _>>()
            .map(Globs)
    }

    /// Returns a glob that matches every name.
    #[must_use]
    pub fn all() -> Self {
        Globs(vec![Glob {
            pattern: "*".into(),
            shape: Shape::Star(0),
            ignores_case: false,
        }])
    }

    /// Returns the same patterns, ignoring the case of ASCII letters. Guards use this, because `Shell` may run the same
    /// tool as `shell`. No model provider allows other letters in the name of a tool.
    ///
    /// ```
    /// use hooks_builtin::Globs;
    ///
    /// let globs = Globs::new(["Shell", "mcp__*"]).unwrap().ignoring_case();
    /// assert!(globs.matches("shell") && globs.matches("MCP__github"));
    /// ```
    #[must_use]
    pub fn ignoring_case(&self) -> Self {
        Globs(self.0.iter().map(Glob::ignoring_case).collect())
    }

    /// Whether one of the patterns matches the name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.0.iter().any(|glob| glob.matches(name))
    }

    /// Whether there is no pattern.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the patterns, in the order in which they were written.
    pub fn iter(&self) -> impl Iterator<Item = &Glob> {
        self.0.iter()
    }
}

impl FromIterator<Glob> for Globs {
    fn from_iter<I: IntoIterator<Item = Glob>>(globs: I) -> Self {
        Globs(globs.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_matches_the_whole_name() {
        let matches = |pattern: &str, name: &str| Glob::new(pattern).unwrap().matches(name);
        assert!(matches("shell", "shell"));
        assert!(!matches("shell", "shell2"));
        assert!(!matches("shell", "my_shell"));
        assert!(!matches("shell", "Shell"));
        assert!(matches("mcp__*", "mcp__a/b.c"));
        assert!(matches("file_{read,write}", "file_write"));
        assert!(matches("file{,_read}", "file"));
        assert!(matches("tool_?", "tool_1"));
        assert!(matches("é{α,β}*", "éβ1"));
        assert!(!matches("tool_?", "tool_12"));
        assert!(matches("[a-c]*", "base"));
        assert!(matches(r"\*", "*"));
        assert!(!matches(r"\*", "x"));
    }

    #[test]
    fn what_is_compared_matches_what_the_automaton_does() {
        let patterns = [
            "*", "a", "a*", "ab", "ab*", "a/b", "a/*", "é*", "**", "a**", "a.b", "A*", "*a", "*b",
            "a*b", "ab*b", "*é", "é*é", "a*b*",
        ];
        let names = [
            "", "a", "ab", "abc", "a/b", "a/b/c", "é", "éa", "a.b", "A", "b", "a*", "aé", "éé",
            "bb", "abb", "aB",
        ];
        for pattern in patterns {
            for ignores_case in [false, true] {
                let glob = Glob::build(pattern, ignores_case).unwrap();
                let automaton = automaton(pattern, ignores_case).unwrap();
                for name in names {
                    assert_eq!(
                        glob.matches(name),
                        automaton.is_match(name),
                        "{pattern} {name}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_no_glob_is_an_error_that_quotes_it() {
        for pattern in ["", "file_[", "{a", "[z-a]", "[αβ]"] {
            let error = Glob::new(pattern).unwrap_err().to_string();
            assert!(error.contains(&format!("`{pattern}`")), "{error}");
        }
    }

    #[test]
    fn globs_are_written_and_read_as_a_list() {
        let globs: Globs = serde_json::from_str(r#"["shell", "mcp__*"]"#).unwrap();
        assert_eq!(
            serde_json::to_string(&globs).unwrap(),
            r#"["shell","mcp__*"]"#
        );
        assert!(serde_json::from_str::<Globs>(r#"["["]"#).is_err());
        assert!(!Globs::default().matches("shell") && Globs::all().matches(""));
    }
}
