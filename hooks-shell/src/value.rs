//! The value of a word: known text, or what is known about it before the script runs.

use std::fmt;
use std::sync::Arc;

/// One argument of a program, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Argument {
    /// Exactly known text.
    Text(Arc<str>),
    /// A pattern that expands to file names, such as `src/*.rs`. A quoted `*` in it has a backslash before it.
    Pattern(Arc<str>),
    /// Names of files below a folder: the output of `find`, `git ls-files`, `ls` or `rg -l`.
    Names(Arc<Names>),
    /// A whole number.
    Number,
    /// One word, whose beginning may be known.
    Unknown {
        /// The known beginning; often empty.
        begins: Arc<str>,
    },
    /// Any number of unknown words.
    Several,
}

/// File names that a program prints, and their common properties.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub(crate) folders: Vec<String>,
    pub(crate) pattern: Option<String>,
    pub(crate) may_be_links: bool,
    pub(crate) may_be_options: bool,
    pub(crate) is_tracked: bool,
    pub(crate) is_one: bool,
    /// Whether each ends with a NUL instead of a line end.
    pub(crate) ends_with_nul: bool,
    /// The first word of the program that prints them, if links can be removed from its output.
    pub(crate) producer: Option<usize>,
}

impl Names {
    /// Returns the folders that contain all of them.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(String::as_str)
    }

    /// Returns the pattern that the last part of each name matches, such as `*.rs`; nothing if it may be anything.
    #[must_use]
    pub fn pattern(&self) -> Option<&str> {
        self.pattern.as_deref()
    }

    /// Whether there may be symbolic links among them, which lead elsewhere.
    #[must_use]
    pub fn may_be_links(&self) -> bool {
        self.may_be_links
    }

    /// Whether git tracks all of them, so that none is a setting of git.
    #[must_use]
    pub fn is_tracked(&self) -> bool {
        self.is_tracked
    }
}

impl Argument {
    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Argument::Text(text.as_ref().into())
    }

    pub(crate) fn unknown() -> Self {
        Argument::Unknown { begins: "".into() }
    }

    /// Returns the text, if it is exactly known.
    ///
    /// ```
    /// use hooks_shell::{Environment, Script};
    ///
    /// let effects = Script::parse("X=src; ls $X $Y")?.evaluate(&Environment::new("/work"));
    /// let ls = effects.programs().next().unwrap();
    /// assert_eq!(ls.arguments[0].known(), Some("src"));
    /// assert_eq!(ls.arguments[1].known(), None);
    /// # Ok::<_, hooks_shell::Rejected>(())
    /// ```
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self {
            Argument::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is one word.
    pub(crate) fn is_one(&self) -> bool {
        match self {
            Argument::Pattern(_) | Argument::Several => false,
            Argument::Names(names) => names.is_one,
            _ => true,
        }
    }

    /// Whether it may begin with a `-`, without being known to.
    pub(crate) fn may_be_option(&self) -> bool {
        match self {
            Argument::Text(_) | Argument::Number => false,
            Argument::Pattern(pattern) => pattern.starts_with(['*', '?', '[']),
            Argument::Names(names) => names.may_be_options,
            Argument::Unknown { begins } => begins.is_empty() || begins.starts_with('-'),
            Argument::Several => true,
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Text(text) | Argument::Pattern(text) => f.write_str(text),
            Argument::Names(names) => {
                let pattern = names.pattern().unwrap_or("files");
                write!(f, "{pattern} below {}", names.folders.join(", "))
            }
            Argument::Number => f.write_str("a number"),
            Argument::Unknown { begins } => write!(f, "{begins}…"),
            Argument::Several => f.write_str("…"),
        }
    }
}

/// The value of a variable or a word, and whether shells disagree about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) value: Argument,
    pub(crate) is_disputed: bool,
}

impl Field {
    pub(crate) fn known(text: impl AsRef<str>) -> Self {
        Field {
            value: Argument::text(text),
            is_disputed: false,
        }
    }

    pub(crate) fn of(value: Argument) -> Self {
        Field {
            value,
            is_disputed: false,
        }
    }

    /// Returns what is known if either value may hold.
    pub(crate) fn join(&self, other: &Field) -> Field {
        let is_number = |field: &Field| match &field.value {
            Argument::Number => true,
            Argument::Text(text) => {
                !text.is_empty()
                    && text.len() < 18
                    && text.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => false,
        };
        let value = if self.value == other.value {
            self.value.clone()
        } else if is_number(self) && is_number(other) {
            Argument::Number
        } else {
            Argument::unknown()
        };
        Field {
            value,
            is_disputed: self.is_disputed || other.is_disputed,
        }
    }
}
