//! The value of a word: known text, or what is known about it before the script runs.

use std::fmt;
use std::sync::Arc;

/// The special characters of patterns of file names.
pub(crate) const GLOBS: [char; 4] = ['*', '?', '[', '\\'];

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
    /// Names of revisions of git's, such as hashes and branches.
    Revisions {
        /// Whether there is one.
        is_one: bool,
    },
    /// One word, of which only the beginning is known.
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
    /// Whether one word has all of them, a line each.
    pub(crate) is_text: bool,
    /// Whether they are in the folders themselves, and not in others below.
    pub(crate) is_flat: bool,
    /// Whether each ends with a NUL, and not with a line.
    pub(crate) ends_with_nul: bool,
    /// Whether a name that has a line end is printed on two lines, and so becomes two names.
    pub(crate) may_break: bool,
    /// Whether each is a last part, which another text may name a folder of.
    pub(crate) is_base: bool,
    /// Names in the folders that are not among them, nor what is below those.
    pub(crate) without: Vec<String>,
    /// The folders in which they were found. From other folders, they lead elsewhere.
    pub(crate) found_in: Option<Arc<Vec<String>>>,
    /// The first word of the program that prints them, where links can be taken out of what it prints.
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

    /// Whether they are in the folders themselves, and not in others below.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// Whether there is exactly one.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.is_one && !self.is_text
    }

    /// Whether a name that has a line end would become two names, which lead elsewhere.
    #[must_use]
    pub fn may_break(&self) -> bool {
        self.may_break
    }

    /// Returns the names of folders that are left out, with all below them.
    pub fn without(&self) -> impl Iterator<Item = &str> {
        self.without.iter().map(String::as_str)
    }

    /// Whether none of them is a setting of git: git tracks all of them, or hidden files were skipped.
    #[must_use]
    pub fn is_tracked(&self) -> bool {
        self.is_tracked
    }
}

impl Names {
    /// Returns what is known of names that are among the one or the other.
    fn join(&self, other: &Names) -> Names {
        let mut folders = self.folders.clone();
        folders.extend(
            other
                .folders()
                .filter(|folder| !self.folders.iter().any(|known| known == folder))
                .map(str::to_owned),
        );
        Names {
            folders,
            pattern: self
                .pattern
                .clone()
                .filter(|pattern| other.pattern.as_ref() == Some(pattern)),
            may_be_links: self.may_be_links || other.may_be_links,
            may_be_options: self.may_be_options || other.may_be_options,
            is_tracked: self.is_tracked && other.is_tracked,
            is_flat: self.is_flat && other.is_flat,
            may_break: self.may_break || other.may_break,
            without: Vec::new(),
            found_in: self
                .found_in
                .clone()
                .filter(|found| other.found_in.as_ref() == Some(found)),
            producer: None,
            ..self.clone()
        }
    }
}

impl Argument {
    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Argument::Text(text.as_ref().into())
    }

    pub(crate) fn names(names: Names) -> Self {
        Argument::Names(Arc::new(names))
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

    /// Returns what is known if either value may hold.
    pub(crate) fn join(&self, other: &Argument) -> Argument {
        if self == other {
            self.clone()
        } else if self.is_number() && other.is_number() {
            Argument::Number
        } else if let (Argument::Names(one), Argument::Names(two)) = (self, other)
            && (one.is_one, one.is_text, one.is_base) == (two.is_one, two.is_text, two.is_base)
        {
            Argument::names(one.join(two))
        } else {
            Argument::unknown()
        }
    }

    /// Whether it is known to be a whole number.
    pub(crate) fn is_number(&self) -> bool {
        match self {
            Argument::Number => true,
            Argument::Text(text) => {
                let digits = text.trim_start_matches('-');
                digits.len() < 18 && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => false,
        }
    }

    /// Whether it is one word.
    pub(crate) fn is_one(&self) -> bool {
        match self {
            Argument::Pattern(_) | Argument::Several => false,
            Argument::Names(names) => names.is_one,
            Argument::Revisions { is_one } => *is_one,
            _ => true,
        }
    }

    /// Whether it is the name of one file.
    pub(crate) fn is_one_name(&self) -> bool {
        matches!(self, Argument::Names(names) if names.is_one())
    }

    /// Whether it may begin with a `-`, without being known to.
    pub(crate) fn may_be_option(&self) -> bool {
        match self {
            Argument::Text(_) | Argument::Number | Argument::Revisions { .. } => false,
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
            Argument::Revisions { .. } => f.write_str("a revision"),
            Argument::Unknown { begins } => write!(f, "{begins}…"),
            Argument::Several => f.write_str("…"),
        }
    }
}
