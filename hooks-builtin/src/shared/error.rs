//! Why a hook could not be made.

use std::error::Error;
use std::fmt;

/// Why a hook could not be made: which hook, which of its settings, and what is wrong with it.
///
/// Nothing starts half-configured: what cannot do what it was told to is an error when it is made, not
/// when an event comes.
///
/// ```
/// use hooks_builtin::BuildError;
///
/// let error = BuildError::new("rate_limit", "per_minute", "must be more than 0");
/// assert_eq!(error.to_string(), "`rate_limit.per_minute` must be more than 0");
/// assert_eq!((error.hook(), error.key()), ("rate_limit", "per_minute"));
/// ```
#[derive(Debug)]
pub struct BuildError {
    hook: &'static str,
    key: &'static str,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl BuildError {
    /// An error in the setting `key` of `hook`, both named as in the configuration.
    ///
    /// The message goes on from the names: "must be more than 0", "names a folder that does not exist".
    #[must_use]
    pub fn new(hook: &'static str, key: &'static str, message: impl Into<String>) -> Self {
        BuildError {
            hook,
            key,
            message: message.into(),
            source: None,
        }
    }

    /// The same with what went wrong beneath.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The hook, as the configuration names it: `webhook_audit`.
    #[must_use]
    pub fn hook(&self) -> &'static str {
        self.hook
    }

    /// The setting, as the configuration names it: `url`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// What is wrong, without the names.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BuildError {
            hook, key, message, ..
        } = self;
        write!(f, "`{hook}.{key}` {message}")
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}
