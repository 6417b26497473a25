//! The error of a hook that cannot be created.

use std::error::Error;

/// Why a hook cannot be created: which hook, which of its settings, and what is wrong.
///
/// No hook starts half-configured: a hook that cannot do what its configuration says returns an error when it is
/// created, not when an event arrives.
///
/// ```
/// use hooks_builtin::BuildError;
///
/// let error = BuildError::new("rate_limit", "per_minute", "must be more than 0");
/// assert_eq!(error.to_string(), "`rate_limit.per_minute` must be more than 0");
/// assert_eq!((error.hook(), error.key()), ("rate_limit", "per_minute"));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("`{hook}.{key}` {message}")]
pub struct BuildError {
    hook: &'static str,
    key: &'static str,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl BuildError {
    /// Creates an error for the setting `key` of `hook`, both named as in the configuration.
    ///
    /// The message continues after the names: "must be more than 0", "names a folder that does not exist".
    #[must_use]
    pub fn new(hook: &'static str, key: &'static str, message: impl Into<String>) -> Self {
        BuildError {
            hook,
            key,
            message: message.into(),
            source: None,
        }
    }

    /// Returns the error with its source.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the hook, as the configuration names it: `webhook_audit`.
    #[must_use]
    pub fn hook(&self) -> &'static str {
        self.hook
    }

    /// Returns the setting, as the configuration names it: `url`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// Returns the message, without the names.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}
