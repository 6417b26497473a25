//! The environment in which a script would run.

use std::collections::HashMap;
use std::sync::Arc;

use crate::table::variables::{self, Unset};

/// What the files say that a script asks for. The crate itself reads none.
#[derive(Clone, Copy, Debug)]
pub struct Files {
    /// Returns the folders that a pattern matches in a directory, as the shell prints them; nothing if it matches other
    /// files too, or more than a script is analysed for.
    pub folders: fn(pattern: &str, directory: &str) -> Option<Vec<String>>,
    /// Returns the top of the work tree of git's that a directory belongs to.
    pub top: fn(directory: &str) -> Option<String>,
    /// Returns the addresses of a remote of git's; those of the usual one if the name is empty. None are that it is not known.
    pub remote: fn(name: &str, directory: &str) -> Vec<String>,
}

/// The environment in which a script would run: its directory, the home directory, known variables, and the shell.
///
/// A directory need not be absolute: the paths of the effects are relative to it. All other variables are unknown.
///
/// ```
/// use hooks_shell::{Environment, Script};
///
/// let environment = Environment::new("/work").with_home("/home/ada").with_variable("CI", "1").in_bash();
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
    pub(crate) files: Option<Files>,
    pub(crate) is_bash: bool,
    pub(crate) is_as_written: bool,
}

impl Environment {
    /// Creates an environment in which the script runs in the directory. Nothing else is known.
    pub fn new(directory: impl Into<String>) -> Self {
        Environment {
            directory: directory.into(),
            ..Environment::default()
        }
    }

    /// Returns the same environment with another directory.
    #[must_use]
    pub fn in_directory(mut self, directory: impl Into<String>) -> Self {
        self.directory = directory.into();
        self
    }

    /// Sets the names of the variables with which the shell is started, such as those of this process. The
    /// [prelude](crate::Effects::prelude) unsets only these. Without them, the shell may have any variables.
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

    /// Sets the home directory, for `~` and `$HOME`.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<String>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Sets the value of a variable.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Sets what looks at the files, so that a loop over folders, and the top of the repository, are known.
    ///
    /// ```
    /// use hooks_shell::{Environment, Files, Script};
    ///
    /// let folders = |_: &str, _: &str| Some(vec!["a/".to_owned(), "b/".to_owned()]);
    /// let files = Files { folders, top: |_| None, remote: |_, _| Vec::new() };
    /// let environment = Environment::new("/work").with_files(files);
    /// let effects = Script::parse("for d in */; do (cd \"$d\" && cat x); done")?.evaluate(&environment);
    /// assert_eq!(effects.rewritten().unwrap(), "for d in a/ b/; do ({ cd -P \"${d}\" || exit; } && cat x); done");
    /// # Ok::<_, hooks_shell::Rejected>(())
    /// ```
    #[must_use]
    pub fn with_files(mut self, files: Files) -> Self {
        self.files = Some(files);
        self
    }

    /// The shell is `bash`, so nothing is [disputed](crate::Effects::disputed). Otherwise it may be `sh`, `bash`, `dash` or
    /// `zsh`.
    #[must_use]
    pub fn in_bash(mut self) -> Self {
        self.is_bash = true;
        self
    }

    /// The script runs as it is written, and not in its [rewritten](crate::Effects::rewritten) form. Then less is
    /// known.
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
