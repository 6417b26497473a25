//! The rules as you write them.

use std::path::PathBuf;

use crate::rules::Rules;

/// What a program may do at most.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Sandbox {
    pub(crate) write: Vec<PathBuf>,
    pub(crate) read: Vec<PathBuf>,
    pub(crate) rules: Rules,
}

impl Sandbox {
    /// Creates a sandbox in which a program may write nothing and reach nobody.
    ///
    /// ```
    /// use hooks_sandbox::Sandbox;
    ///
    /// assert_eq!(Sandbox::new(), Sandbox::default());
    /// ```
    pub fn new() -> Self {
        Sandbox::default()
    }

    /// Allows the program to reach a host by name, through a proxy that resolves it: `example.com`, `*.example.org`
    /// (not `example.org` itself), `example.com:8443`. The ports are 80 and 443 unless you name one.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().domain("*.example.org");
    /// ```
    pub fn domain(mut self, pattern: impl Into<String>) -> Self {
        self.rules.domains.push(pattern.into());
        self
    }

    /// Lets the program start even if the kernel can enforce only a part of the rules.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().best_effort();
    /// ```
    pub fn best_effort(mut self) -> Self {
        self.rules.best_effort = true;
        self
    }
}
