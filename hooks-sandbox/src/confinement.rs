//! Rules that are checked, and the commands that run under them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::SandboxError;
use crate::error::ErrorContext as _;
use crate::explain::KernelFeatures;
use crate::launcher;
use crate::rules::ConfinementRules;

/// Rules that are checked: programs can be run under them, any number of times.
///
/// See [`Sandbox`](crate::Sandbox).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    pub(crate) rules: ConfinementRules,
    pub(crate) launcher: PathBuf,
}

impl Confinement {
    /// Returns the command that runs a program under these rules. A name without a slash is looked up in `PATH`.
    ///
    /// Its exit code is the program's, or 128 and the number of the signal that ended it. It is 125 if the program could
    /// not be confined, 126 if it cannot be run, and 127 if it does not exist.
    ///
    /// ```no_run
    /// use hooks_sandbox::Sandbox;
    ///
    /// hooks_sandbox::enter_if_asked();
    /// let status = Sandbox::new().prepare()?.command("ls", ["/usr"]).status()?;
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn command<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let words = self.words(program, arguments);
        let mut command = Command::new(&self.launcher);
        command.args(words.into_iter().skip(1));
        command
    }

    /// Finds out whether the kernel can enforce these rules. Where Landlock is enough for that, and this executable is the
    /// launcher, nothing is started. Elsewhere, the launcher runs under the rules, to no effect.
    ///
    /// ```no_run
    /// use hooks_sandbox::Sandbox;
    ///
    /// hooks_sandbox::enter_if_asked();
    /// let holds = Sandbox::new().write(".").prepare()?.check().is_ok();
    /// # Ok::<_, hooks_sandbox::SandboxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the launcher is none, or the kernel cannot enforce the rules.
    pub fn check(&self) -> Result<(), SandboxError> {
        if launcher::is_sure(&self.launcher) {
            return Ok(());
        }
        let mut command = self.command(&self.launcher, [launcher::PROBE]);
        let output = command.stdin(Stdio::null()).output().at(&self.launcher)?;
        if serde_json::from_slice::<KernelFeatures>(&output.stdout).is_ok() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(match said.trim().strip_prefix(launcher::FAILURE) {
            Some(why) => SandboxError::Kernel {
                why: why.to_owned(),
            },
            None => SandboxError::Launcher {
                path: self.launcher.clone(),
            },
        })
    }

    /// Returns the words of the [command](Confinement::command), for an API that takes a list of words.
    ///
    /// ```
    /// use hooks_sandbox::Sandbox;
    ///
    /// let words = Sandbox::new().launcher("/bin/agent").prepare()?.words("ls", ["/usr"]);
    /// assert_eq!(words[0], "/bin/agent");
    /// assert_eq!(words[words.len() - 2..], ["ls", "/usr"]);
    /// # Ok::<_, hooks_sandbox::SandboxError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Never: the paths are checked when the rules are prepared.
    pub fn words<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Vec<OsString> {
        let rules = serde_json::to_string(&self.rules).expect("paths are checked to be UTF-8");
        let mut words = vec![
            self.launcher.clone().into(),
            launcher::OUTER.into(),
            rules.into(),
            "--".into(),
        ];
        words.push(program.as_ref().to_owned());
        words.extend(
            arguments
                .into_iter()
                .map(|argument| argument.as_ref().to_owned()),
        );
        words
    }

    /// Returns the program and its arguments in words that [`words`](Confinement::words) may have made.
    ///
    /// ```
    /// use hooks_sandbox::{Confinement, Sandbox};
    ///
    /// let words = Sandbox::new().launcher("/bin/agent").prepare()?.words("ls", ["/usr"]);
    /// let words: Vec<_> = words.iter().filter_map(|word| word.to_str()).collect();
    /// assert_eq!(Confinement::program_of(&words), Some(&["ls", "/usr"][..]));
    /// assert_eq!(Confinement::program_of(&["ls"]), None);
    /// # Ok::<_, hooks_sandbox::SandboxError>(())
    /// ```
    #[must_use]
    pub fn program_of<S: AsRef<str>>(words: &[S]) -> Option<&[S]> {
        match words {
            [_, outer, _, dashes, program @ ..]
                if outer.as_ref() == launcher::OUTER && dashes.as_ref() == "--" =>
            {
                Some(program)
            }
            _ => None,
        }
    }

    /// Returns the words before a program, quoted for a shell, with a space at the end: what follows is the program and
    /// its arguments.
    ///
    /// ```
    /// use hooks_sandbox::Sandbox;
    ///
    /// let prefix = Sandbox::new().launcher("/bin/agent").prepare()?.shell_prefix();
    /// assert!(prefix.starts_with("/bin/agent --hooks-sandbox ") && prefix.ends_with(" -- "));
    /// # Ok::<_, hooks_sandbox::SandboxError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Never: the paths are checked when the rules are prepared.
    #[must_use]
    pub fn shell_prefix(&self) -> String {
        let words = self.words("", [""; 0]);
        let words = words.iter().filter_map(|word| word.to_str()).take(4);
        shlex::try_join(words).expect("no word has a zero byte") + " "
    }
}
