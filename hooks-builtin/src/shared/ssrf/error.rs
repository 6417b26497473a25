//! Errors: why a URL is not called.

use std::error::Error;

/// Why a URL is refused: the host, and the rule that it breaks.
///
/// It never contains other parts of the URL, such as a password, or a token in the path.
///
/// ```
/// use hooks_builtin::ssrf::Guard;
///
/// let refused = Guard::new().check("https://me:s3cret@example.com/").unwrap_err();
/// assert_eq!(refused.to_string(), "a URL must not contain a user or a password: remove what comes before the `@`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Refused {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Refused(message.into())
    }

    /// Returns the refusal that caused an error, if there is one: a failed request has it among its sources.
    #[must_use]
    pub fn behind<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Refused> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(refused) = error.downcast_ref() {
                return Some(refused);
            }
            if let Some(GuardError::Refused(refused)) = error.downcast_ref() {
                return Some(refused);
            }
            next = error.source();
        }
        None
    }
}

/// Why there is no connection to a URL.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The URL is not allowed.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The URL is allowed, but something failed.
    #[error("{what}: {source}")]
    Failed {
        /// What failed.
        what: &'static str,
        /// Why it failed.
        source: Box<dyn Error + Send + Sync>,
    },
}
