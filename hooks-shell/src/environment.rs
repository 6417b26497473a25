//! Where a script would run.

use std::collections::HashMap;
use std::sync::Arc;

use crate::variables::{self, Unset};

/// The shell that runs a script. Shells read some texts in different ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// Not known: `sh`, `bash`, `dash` or `zsh`. What they disagree about is in [`Effects::disputed`](crate::Effects::disputed).
    #[default]
    Any,
    /// `bash`: nothing is disputed.
    Bash,
    /// The `sh` of the system, which may be `dash`. What only `bash` knows is disputed.
    Sh,
    /// `zsh`. What it reads otherwise than `bash` is disputed.
    Zsh,
}

/// Where a script would run: its directory, the home directory, variables that are known, and the shell.
///
/// A directory need not be absolute: paths of the effects are relative to it. Variables that are not given are unknown.
///
/// ```
/// use hooks_shell::{Dialect, Environment, Script};
///
/// let environment = Environment::new("/work").with_home("/home/ada").with_variable("CI", "1").with_dialect(Dialect::Bash);
/// let effects = Script::parse("ls ~/notes; echo $CI")?.evaluate(&environment);
/// assert_eq!(effects.to_string(), "runs ls, echo; reads /home/ada/notes");
/// # Ok::<_, hooks_shell::Rejected>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub(crate) directory: String,
    pub(crate) home: Option<String>,
    pub(crate) variables: HashMap<String, String>,
    /// The variables that are unset, of those that the shell is started with.
    pub(crate) inherited: Option<Arc<Vec<Unset>>>,
    pub(crate) dialect: Dialect,
    pub(crate) is_as_written: bool,
}

impl Environment {
    /// The script runs in the directory; nothing else is known.
    pub fn new(directory: impl Into<String>) -> Self {
        Environment {
            directory: directory.into(),
            ..Environment::default()
        }
    }

    /// The same, in another directory.
    #[must_use]
    pub fn in_directory(mut self, directory: impl Into<String>) -> Self {
        self.directory = directory.into();
        self
    }

    /// The variables that the shell is started with, such as those of this process: the [prelude](crate::Effects::prelude)
    /// takes away none but these. Without them, the shell may have been started with any.
    ///
    /// ```
    /// use hooks_shell::{Environment, Script};
    ///
    /// let script = Script::parse("git log")?;
    /// let environment = Environment::new("/work").with_inherited(["GIT_DIR", "LANG"]);
    /// assert_eq!(script.evaluate(&environment).prelude(), "unset -v GIT_DIR");
    /// let environment = Environment::new("/work").with_inherited(["LANG"]);
    /// assert_eq!(script.evaluate(&environment).prelude(), "");
    /// # Ok::<_, hooks_shell::Rejected>(())
    /// ```
    #[must_use]
    pub fn with_inherited<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        self.inherited = Some(Arc::new(variables::unset_of(&names)));
        self
    }

    /// `~` and `$HOME` are this.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<String>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// A variable is known to hold this.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// This shell runs the script.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The script runs as it is written, and not in its [rewritten](crate::Effects::rewritten) form: less is known then.
    ///
    /// ```
    /// use hooks_shell::{Environment, Script};
    ///
    /// let script = Script::parse("cd src; cat ../a")?;
    /// let environment = Environment::new("/work");
    /// // The rewritten script ends if `cd` fails.
    /// assert_eq!(script.evaluate(&environment).reads().last().unwrap().directories.as_slice(), ["/work/src"]);
    /// let as_written = script.evaluate(&environment.as_written());
    /// assert_eq!(as_written.reads().last().unwrap().directories.as_slice(), ["/work/src", "/work"]);
    /// # Ok::<_, hooks_shell::Rejected>(())
    /// ```
    #[must_use]
    pub fn as_written(mut self) -> Self {
        self.is_as_written = true;
        self
    }
}
