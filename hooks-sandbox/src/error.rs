//! Why a program cannot be confined.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Why a program cannot be confined. Then it is not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A path of the rules does not exist, cannot be opened, or is not what it was when the rules were made.
    #[error("{} cannot be opened for the sandbox: {why}", path.display())]
    #[non_exhaustive]
    Path {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The kernel cannot enforce all rules, and [`Sandbox::best_effort`](crate::Sandbox::best_effort) is off.
    #[error("the program cannot be confined here: {why}")]
    #[non_exhaustive]
    Kernel {
        /// What cannot be enforced.
        why: String,
    },
    /// The executable that should confine the program cannot do so.
    #[error(
        "{} cannot confine programs: make `hooks_sandbox::enter_if_asked()` the first line of its `main`, install the program `hooks`, or name an executable with `Sandbox::launcher`",
        path.display()
    )]
    #[non_exhaustive]
    Launcher {
        /// The executable.
        path: PathBuf,
    },
    /// A rule means nothing, or contradicts another one.
    #[error("{why}")]
    #[non_exhaustive]
    Rule {
        /// What is wrong, and what to write instead.
        why: String,
    },
}

impl SandboxError {
    pub(crate) fn path(path: &Path, why: impl Display) -> Self {
        SandboxError::Path {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }

    /// `what` failed, and why.
    pub(crate) fn kernel(what: &str, why: impl Display) -> Self {
        SandboxError::Kernel {
            why: format!("{what}: {why}"),
        }
    }

    pub(crate) fn no_program() -> Self {
        SandboxError::rule("name a program after `--`")
    }

    pub(crate) fn rule(why: impl Into<String>) -> Self {
        SandboxError::Rule { why: why.into() }
    }
}

/// What was being done when something failed.
pub(crate) trait ErrorContext<T> {
    /// It was about a path.
    fn at(self, path: &Path) -> Result<T, SandboxError>;

    /// It was something that the system must do: `what` says that it could not.
    fn or_fail(self, what: &str) -> Result<T, SandboxError>;
}

impl<T, E: Display> ErrorContext<T> for Result<T, E> {
    fn at(self, path: &Path) -> Result<T, SandboxError> {
        self.map_err(|error| SandboxError::path(path, error))
    }

    fn or_fail(self, what: &str) -> Result<T, SandboxError> {
        self.map_err(|error| SandboxError::kernel(what, error))
    }
}
