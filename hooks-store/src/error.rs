//! What can go wrong in a store. Who reads an error decides by its variant; its text is for people, and holds no secret.

use std::fmt;

use hooks_runtime::{BundleError, ConfigError};
use serde::Serialize;

/// What a store returns.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why a store refuses, or cannot do, what you ask.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// What you save has mistakes: all of them.
    #[error("{}", told(.0))]
    Invalid(Vec<Mistake>),
    /// Another version was saved since you read it.
    #[error("version {current} is the newest: read it, and write your change again")]
    Conflict {
        /// The version that is the newest now.
        current: u64,
    },
    /// The draft was changed since you read it.
    #[error("the draft is another one by now: read it again before you go on")]
    DraftChanged,
    /// This tenant has no such thing.
    #[error("there is no {0}")]
    NotFound(String),
    /// Nothing can be encrypted or decrypted.
    #[error("{0}")]
    Key(String),
    /// The database cannot be reached, is full, or is locked. It may work later.
    #[error("the database does not answer: {0}")]
    Unavailable(String),
    /// A row of the database makes no sense.
    #[error("{0}")]
    Inconsistent(String),
    /// The tables are not those that this version knows.
    #[error("the tables of the database are not those of this version: {0}")]
    Schema(String),
    /// The address of the database makes no sense.
    #[error("`{0}` is not the address of a store: write `sqlite:hooks.db` or `postgres://…`")]
    Address(String),
}

/// A mistake in what you save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// Where, as a JSON Pointer into what you sent, such as `/http/url`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Mistake {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>, help: &str) -> Self {
        Mistake {
            path: path.into(),
            message: message.into(),
            help: (!help.is_empty()).then(|| help.to_owned()),
        }
    }

    /// The same mistake in something below `path`.
    pub(crate) fn below(mut self, path: &str) -> Self {
        self.path.insert_str(0, path);
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

fn told(mistakes: &[Mistake]) -> String {
    let told: Vec<_> = mistakes.iter().map(Mistake::to_string).collect();
    told.join("\n")
}

/// The path of a mistake, such as `hooks.on[0].http`, as a JSON Pointer.
pub(crate) fn pointer(mistake: &ConfigError) -> String {
    let path = mistake.path().replace(['.', '['], "/").replace(']', "");
    let slash = if path.is_empty() { "" } else { "/" };
    format!("{slash}{path}")
}

/// The same in a set: `/hooks/0/http`, as the loader counts the hooks of our own format.
pub(crate) fn in_set(mistake: &ConfigError) -> String {
    let path = pointer(mistake);
    let path = path.strip_prefix("/hooks").unwrap_or(&path);
    match path.strip_prefix("/on") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("/hooks{rest}"),
        _ => path.to_owned(),
    }
}

/// How many mistakes an error tells of.
pub(crate) const MOST: usize = 100;

impl StoreError {
    /// Refuses what has mistakes. Of very many, it tells the first ones.
    pub(crate) fn all(mut mistakes: Vec<Mistake>) -> Result<(), Self> {
        if mistakes.is_empty() {
            return Ok(());
        }
        if mistakes.len() > MOST {
            let message = format!("these are the first {MOST} mistakes, and there are more");
            mistakes.truncate(MOST);
            mistakes.push(Mistake::new("", message, "correct these first"));
        }
        Err(StoreError::Invalid(mistakes))
    }

    /// The mistakes that were found; none if something was done.
    pub(crate) fn mistakes<T>(done: Result<T, Self>) -> Result<Vec<Mistake>, Self> {
        match done {
            Err(StoreError::Invalid(mistakes)) => Ok(mistakes),
            done => done.map(|_| Vec::new()),
        }
    }

    /// One mistake.
    pub(crate) fn invalid(path: &str, message: impl Into<String>, help: &str) -> Self {
        StoreError::Invalid(vec![Mistake::new(path, message, help)])
    }

    /// All mistakes of a file, each at its path.
    pub(crate) fn of_config(error: &ConfigError, path: impl Fn(&ConfigError) -> String) -> Self {
        let mistakes = error.mistakes().map(|mistake| {
            let help = mistake.help().unwrap_or_default();
            Mistake::new(path(mistake), mistake.message(), help)
        });
        StoreError::Invalid(mistakes.collect())
    }

    /// Changes the path of each mistake.
    pub(crate) fn at(mut self, path: impl Fn(&str) -> String) -> Self {
        if let StoreError::Invalid(mistakes) = &mut self {
            for mistake in mistakes {
                mistake.path = path(&mistake.path);
            }
        }
        self
    }
}

impl From<BundleError> for StoreError {
    fn from(error: BundleError) -> Self {
        match &error {
            BundleError::Hooks(error) => StoreError::of_config(error, in_set),
            _ => StoreError::invalid("", error.to_string(), ""),
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        StoreError::Unavailable(match error {
            // Its `Display` also has the line of the database's own source.
            sqlx::Error::Database(error) => error.message().to_owned(),
            sqlx::Error::Io(error) => error.kind().to_string(),
            sqlx::Error::PoolTimedOut => "no connection was free in time".to_owned(),
            error => error.to_string(),
        })
    }
}
