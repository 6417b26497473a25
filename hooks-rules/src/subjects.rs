//! The tools for which a hook runs.

#[cfg(feature = "regex")]
use std::fmt;

use hooks_glob::Glob;

use crate::pattern::{self, Regex};
#[cfg(feature = "regex")]
use crate::tools::Aliases;

/// What a definition compares the subject of an event with.
#[derive(Clone, Debug, Default)]
pub enum Subjects {
    /// Nothing: the definition runs for all subjects.
    #[default]
    Any,
    /// One of these names, exactly.
    Names(Vec<String>),
    /// One of these patterns.
    Globs(Vec<Glob>),
    /// A regular expression that matches anywhere in the subject.
    Regex(Regex),
    /// A regular expression, unless the other one matches: `^(?!…)…`.
    Unless(Regex, Regex),
}

impl Subjects {
    /// Reads a regular expression that begins with `^(?!…)`; none if it does not.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    #[must_use]
    pub fn unless(text: &str) -> Option<Result<Self, String>> {
        let inner = text.strip_prefix("^(?!")?;
        let mut depth = 1;
        let end = inner.char_indices().find_map(|(at, letter)| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            (depth == 0).then_some(at)
        })?;
        let not = pattern::compiled(&format!("^(?:{})", &inner[..end]));
        let regex = pattern::compiled(&format!("^{}", &inner[end + 1..]));
        Some(not.and_then(|not| Ok(Subjects::Unless(not, regex?))))
    }

    #[cfg(feature = "regex")]
    /// Whether it says what a subject is not.
    fn excludes(&self) -> bool {
        match self {
            Subjects::Unless(..) => true,
            Subjects::Regex(regex) => regex.as_str().contains("[^"),
            Subjects::Any | Subjects::Names(_) | Subjects::Globs(_) => false,
        }
    }

    #[cfg(feature = "regex")]
    /// Whether they mean a tool, by one of the tool's names.
    #[must_use]
    pub fn mean(&self, tool: &str, aliases: &Aliases) -> bool {
        // What excludes one name is true of the others.
        if self.excludes() {
            return self.has(aliases.theirs(tool, None::<fn(&str) -> bool>));
        }
        self.has(tool) || aliases.of_tool(tool).any(|name| self.has(name))
    }

    #[cfg(feature = "regex")]
    /// Whether a subject matches.
    #[must_use]
    pub fn has(&self, subject: &str) -> bool {
        match self {
            Subjects::Any => true,
            Subjects::Names(names) => names.iter().any(|name| name == subject),
            Subjects::Globs(globs) => globs.iter().any(|glob| glob.matches(subject)),
            Subjects::Regex(regex) => regex.is_match(subject),
            Subjects::Unless(not, regex) => !not.is_match(subject) && regex.is_match(subject),
        }
    }
}

#[cfg(feature = "regex")]
impl fmt::Display for Subjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subjects::Any => f.write_str("*"),
            Subjects::Names(names) => f.write_str(&names.join(", ")),
            Subjects::Globs(globs) => {
                let globs: Vec<_> = globs.iter().map(Glob::as_str).collect();
                f.write_str(&globs.join(", "))
            }
            Subjects::Regex(regex) => write!(f, "/{regex}/"),
            Subjects::Unless(not, regex) => write!(f, "/{regex}/ but not /{not}/"),
        }
    }
}
