//! Why a program cannot be confined.

use std::path::PathBuf;

/// Why a program cannot be confined. Then it is not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A path of the rules does not exist, or cannot be opened.
    #[error("{} cannot be opened for the sandbox: {why}", path.display())]
    #[non_exhaustive]
    Path {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The kernel cannot enforce all rules, and [`Sandbox::best_effort`](crate::Sandbox::best_effort) is off.
    #[error("this kernel cannot confine the program: {why}")]
    #[non_exhaustive]
    Kernel {
        /// What the kernel cannot enforce.
        why: String,
    },
    /// The executable that should confine the program cannot do so.
    #[error(
        "{} cannot confine programs: make `hooks_sandbox::enter_if_asked()` the first line of its `main`",
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
