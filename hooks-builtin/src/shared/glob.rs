//! Lists of globs for the names of tools, in the form of the configuration.

use std::str::FromStr;

use hooks_glob::{Glob, GlobError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::text_setting::text_setting;

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
pub struct Globs(Vec<ToolGlob>);

/// One glob, as a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ToolGlob(Glob);

impl FromStr for ToolGlob {
    type Err = GlobError;

    fn from_str(pattern: &str) -> Result<Self, GlobError> {
        Glob::new(pattern).map(ToolGlob)
    }
}

text_setting!(ToolGlob, |pattern| pattern.0.as_str(), {
    "minLength": 1,
    "description": "A pattern for the names of tools: `shell`, `mcp__*`, `file_{read,write}`.",
});

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
            .collect()
    }

    /// Returns a glob that matches every name.
    ///
    /// # Panics
    ///
    /// Never: `*` is a glob.
    #[must_use]
    pub fn all() -> Self {
        Globs::new(["*"]).expect("`*` is a glob")
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
        self.iter().cloned().map(Glob::ignoring_case).collect()
    }

    /// Whether one of the patterns matches the name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.iter().any(|glob| glob.matches(name))
    }

    /// Whether there is no pattern.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the patterns, in the order in which they were written.
    pub fn iter(&self) -> impl Iterator<Item = &Glob> {
        self.0.iter().map(|pattern| &pattern.0)
    }
}

impl FromIterator<Glob> for Globs {
    fn from_iter<I: IntoIterator<Item = Glob>>(globs: I) -> Self {
        Globs(globs.into_iter().map(ToolGlob).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
