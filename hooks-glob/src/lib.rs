//! Globs for names, such as those of tools, and the names that [`tools`] have in well-known agents.
//!
//! | glob | matches |
//! | --- | --- |
//! | `*` | any characters, or none. A `/` is a character like any other |
//! | `**` | the same; `**/` at the start of a glob or after a `/` also matches nothing |
//! | `?` | any one character |
//! | `[a-z_]` | one of these characters |
//! | `[!a-z]`, `[^a-z]` | one other character |
//! | `{a,b*}` | one of these globs, which may have `{…}` too |
//! | `\*` | the character itself, also within `[…]` |
//!
//! A glob matches a whole name. [`Glob::new`] writes the `{…}` of a glob out, so what is left are a few lists of
//! [`Token`]s, and [`matches`](matches()) compares a name with each. It goes back to the last `*` only, so the time is
//! at most the length of the lists times the length of the name, whatever they are. The lists have at most [`LARGEST`]
//! characters.
//!
//! The macro `#[hook]` parses the globs of `only("…")` when it expands, and writes the tokens into the code. The
//! built-in hooks parse those of configurations when they read them. So both have the same meaning, and the same errors.

#![no_std]

extern crate alloc;

mod parse;
mod token;
pub mod tools;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub use self::parse::{GlobError, LARGEST};
pub use self::token::{Token, matches};

/// A pattern for names: `shell`, `mcp__*`, `file_{read,write}`, `tool_?`, `[a-c]*`.
///
/// Case matters, unless you ask for [`ignoring_case`](Self::ignoring_case). Two globs are equal if they are written
/// alike.
///
/// ```
/// use hooks_glob::Glob;
///
/// let glob = Glob::new("mcp__*")?;
/// assert!(glob.matches("mcp__github") && !glob.matches("shell"));
/// # Ok::<(), hooks_glob::GlobError>(())
/// ```
#[derive(Clone)]
pub struct Glob {
    pattern: Box<str>,
    alternatives: Vec<Vec<Token>>,
    ignores_case: bool,
}

impl Glob {
    /// Parses a glob.
    ///
    /// ```
    /// use hooks_glob::Glob;
    ///
    /// assert!(Glob::new("{read,write}_file")?.matches("read_file"));
    /// let error = Glob::new("{read,write").unwrap_err().to_string();
    /// assert!(error.contains("`{` at character 1 is not closed"), "{error}");
    /// # Ok::<(), hooks_glob::GlobError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the pattern is empty, begins or ends with a blank, has a `[` or `{` that is not closed or a `}` that closes
    /// nothing, ends with a `\`, or has a range that cannot be understood; and if its alternatives are larger than
    /// [`LARGEST`].
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        Ok(Glob {
            pattern: pattern.into(),
            alternatives: parse::alternatives(pattern)?,
            ignores_case: false,
        })
    }

    /// Returns the same glob, ignoring the case of ASCII letters.
    ///
    /// ```
    /// use hooks_glob::Glob;
    ///
    /// let glob = Glob::new("[a-c]_Shell")?.ignoring_case();
    /// assert!(glob.matches("B_SHELL") && !glob.matches("d_shell"));
    /// # Ok::<(), hooks_glob::GlobError>(())
    /// ```
    #[must_use]
    pub fn ignoring_case(mut self) -> Self {
        self.ignores_case = true;
        self
    }

    /// Whether the whole name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let mut alternatives = self.alternatives.iter();
        alternatives.any(|tokens| token::matches_in(tokens, name, self.ignores_case))
    }

    /// Returns the glob as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.pattern
    }

    /// Returns the globs without `{…}` that this one stands for. A name matches if it [`matches`](matches()) one of them.
    ///
    /// ```
    /// use hooks_glob::{Glob, Token};
    ///
    /// let glob = Glob::new("{read,write_*}")?;
    /// let [read, write] = glob.alternatives() else { panic!() };
    /// assert_eq!(*read, [Token::text("read")]);
    /// assert_eq!(*write, [Token::text("write_"), Token::AnyText]);
    /// # Ok::<(), hooks_glob::GlobError>(())
    /// ```
    #[must_use]
    pub fn alternatives(&self) -> &[Vec<Token>] {
        &self.alternatives
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

impl Eq for Glob {}

impl core::str::FromStr for Glob {
    type Err = GlobError;

    fn from_str(pattern: &str) -> Result<Self, GlobError> {
        Glob::new(pattern)
    }
}

impl From<Glob> for String {
    fn from(glob: Glob) -> String {
        glob.pattern.into()
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.pattern, f)
    }
}
