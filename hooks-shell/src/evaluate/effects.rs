//! The effects of a script, collected from the trace of its evaluation.

use std::collections::HashSet;
use std::fmt;
use std::iter;
use std::ops::Range;
use std::sync::Arc;

use crate::print::{self, Splits};
use crate::table::variables::Unset;
use crate::value::Argument;

/// One simple command: a program, a builtin or a function, with its arguments.
///
/// A program that another program runs is listed separately: `timeout 5 git log` has `timeout` and `git`. A word that
/// may or may not name a program is not listed here, but in [`Effects::unknown`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Program {
    /// Its name; its path, if it is not given as a program of the system.
    pub name: String,
    /// Its arguments, without the name.
    pub arguments: Vec<Argument>,
    /// Variables that are set only for it.
    pub assignments: Vec<(String, Argument)>,
    /// Its place in the script, in bytes.
    pub span: Range<usize>,
    /// The directories in which it may run.
    pub directories: Arc<Vec<String>>,
    /// Whether it is the shell's own, or a function of the script.
    pub is_builtin: bool,
    /// Whether it only runs other programs, which are listed after it: `env`, `timeout`, `xargs`, `sh -c`.
    pub is_wrapper: bool,
    /// Whether the table says what it does with its arguments. Of another program, the effects are a guess.
    pub is_known: bool,
    /// Which of its arguments is its subcommand: 2 in `git -C x push`. 0 if it has none.
    pub command: usize,
}

impl Program {
    /// Returns the command as one line, for a rule such as `git *`; nothing if a word of it is not exactly known.
    ///
    /// ```
    /// use hooks_shell::{Environment, Script};
    ///
    /// let effects = Script::parse("X=log; cd src && git \"$X\" --oneline | head")?.evaluate(&Environment::new("."));
    /// let lines: Vec<_> = effects.programs().filter_map(|program| program.line()).collect();
    /// assert_eq!(lines, ["cd src", "git log --oneline", "head"]);
    /// # Ok::<_, hooks_shell::Rejected>(())
    /// ```
    #[must_use]
    pub fn line(&self) -> Option<String> {
        let (line, is_whole) = self.from(0);
        is_whole.then_some(line)
    }

    /// Returns the command as a line, as far as it is exactly known, and whether that is all of it. A second line is without the
    /// options before its subcommand.
    ///
    /// ```
    /// use hooks_shell::{Environment, Script};
    ///
    /// let effects = Script::parse("git -C src push $X")?.evaluate(&Environment::new("."));
    /// let lines: Vec<_> = effects.programs().flat_map(|program| program.lines()).collect();
    /// assert_eq!(lines, [("git -C src push ".to_owned(), false), ("git push ".to_owned(), false)]);
    /// # Ok::<_, hooks_shell::Rejected>(())
    /// ```
    pub fn lines(&self) -> impl Iterator<Item = (String, bool)> {
        let short = (self.command > 0).then_some(self.command);
        iter::once(0).chain(short).map(|start| self.from(start))
    }

    fn from(&self, start: usize) -> (String, bool) {
        let mut line = print::written(&self.name);
        for argument in &self.arguments[start..] {
            line.push(' ');
            let Some(text) = argument.known() else {
                if let Argument::Unknown { begins } = argument
                    && print::written(begins) == **begins
                {
                    line.push_str(begins);
                }
                return (line, false);
            };
            line.push_str(&print::written(text));
        }
        (line, true)
    }
}

/// How a path is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// The name, size or kind is read, but not the contents.
    List,
    /// The path is read; for a folder, everything below it too.
    Read,
    /// The path and everything below it are read, also through symbolic links.
    Tree,
    /// The path is created, changed or removed.
    Write,
    /// The path is changed or removed, with everything below it, but not through symbolic links.
    WriteTree,
    /// The path becomes the script's directory.
    Enter,
    /// The path is moved, with everything below it.
    Move,
    /// From now on, the path may be a symbolic link or contain some, unless the path that it [comes
    /// from](PathUse::from) contains none.
    Make,
    /// git uses the repository that the directory belongs to. The path, which begins at the top of its work tree, is
    /// read.
    Repository,
    /// git may change any file of that repository's work tree, and create links there.
    Checkout,
    /// The path is a patch, and what it names is written.
    Patch,
    /// git takes the name for that of a remote, or for a repository at this path, whose hooks it then runs.
    Remote,
}

impl Access {
    /// Whether the access creates, changes or removes something.
    #[must_use]
    pub fn changes(self) -> bool {
        matches!(self, Access::Write | Access::WriteTree | Access::Move)
    }

    /// Whether git runs.
    pub(crate) fn is_of_git(self) -> bool {
        matches!(self, Access::Repository | Access::Checkout)
    }

    /// Whether links may exist afterwards that did not exist before.
    #[must_use]
    pub fn makes_links(self) -> bool {
        matches!(self, Access::Make | Access::Checkout)
    }
}

/// A path that is accessed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathUse {
    /// The path, as far as it is known. A relative path is relative to each of the directories.
    pub path: Argument,
    /// How it is accessed.
    pub access: Access,
    /// The directories for a relative path, usually one.
    pub directories: Arc<Vec<String>>,
    /// The path that this one is a copy of, or was moved from, if that is known.
    pub from: Option<Argument>,
    /// Whether symbolic links in the path are followed. git follows none.
    pub follows_links: bool,
    /// Where it is in the script, in bytes.
    pub span: Range<usize>,
}

/// An access to the network, with the address if the script contains it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Network {
    /// The address; nothing if the program chooses it itself, as `cargo fetch` does.
    pub address: Option<Arc<str>>,
    /// Its place in the script, in bytes.
    pub span: Range<usize>,
}

/// Something that cannot be determined before the script runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Unknown {
    /// What is unknown, and what to write instead.
    pub reason: String,
    /// Its place in the script, in bytes.
    pub span: Range<usize>,
    /// Whether all that is unknown is an argument of a known program, or the file of a redirection. Where the kernel limits
    /// what the program does, that needs not be known.
    pub is_argument: bool,
    /// Whether another program than those that are listed may run because of it.
    pub may_run: bool,
}

/// What a script would do, as far as this can be determined before it runs.
///
/// `Display` shows it as one line:
///
/// ```
/// use hooks_shell::{Environment, Script};
///
/// let effects = Script::parse("cargo test 2>&1 | tee out/log.txt")?.evaluate(&Environment::new("/work"));
/// assert_eq!(effects.to_string(), "runs cargo, tee; writes out/log.txt");
/// # Ok::<_, hooks_shell::Rejected>(())
/// ```
#[derive(Debug, Default)]
pub struct Effects {
    pub(crate) programs: Vec<Program>,
    pub(crate) paths: Vec<PathUse>,
    pub(crate) network: Vec<Network>,
    pub(crate) unknown: Vec<Unknown>,
    pub(crate) disputed: Vec<Unknown>,
    pub(crate) splits: Splits,
    /// The variables with the rule `unset` that the shell inherits, if these are known.
    pub(crate) inherited: Option<Arc<Vec<Unset>>>,
    pub(super) rewritten: Option<String>,
    pub(super) steps: usize,
}

impl Effects {
    /// Returns the simple commands, in the order of the evaluation.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter()
    }

    /// Returns every path that is accessed.
    pub fn paths(&self) -> impl Iterator<Item = &PathUse> {
        self.paths.iter()
    }

    /// Returns the paths that are read, listed or entered.
    pub fn reads(&self) -> impl Iterator<Item = &PathUse> {
        self.paths()
            .filter(|path| !path.access.changes() && !path.access.makes_links())
    }

    /// Returns the paths that are created, changed or removed.
    pub fn writes(&self) -> impl Iterator<Item = &PathUse> {
        self.paths().filter(|path| path.access.changes())
    }

    /// Returns the accesses to the network.
    pub fn network(&self) -> impl Iterator<Item = &Network> {
        self.network.iter()
    }

    /// Returns what cannot be determined before the script runs. If there is none, the other lists are complete.
    pub fn unknown(&self) -> impl Iterator<Item = &Unknown> {
        self.unknown.iter()
    }

    /// Returns what shells read differently, and what was judged as `bash` reads it. The [rewritten](Self::rewritten)
    /// script has none of it, except single `[[ … ]]` and `<(…)`: a shell without them fails there.
    pub fn disputed(&self) -> impl Iterator<Item = &Unknown> {
        self.disputed.iter()
    }

    /// Returns the script in the form that was judged: every word quoted, known values filled in, and nothing that
    /// shells read differently. Run it after the [prelude](Self::prelude). Returns nothing if something is
    /// [unknown](Self::unknown), or has no such form.
    ///
    /// ```
    /// use hooks_shell::{Environment, Script};
    ///
    /// let effects = Script::parse("X='a b'; for f in {1,2}.txt; do cat \"$X/$f\"; done")?.evaluate(&Environment::new("."));
    /// assert_eq!(effects.rewritten(), Some("X='a b'\nfor f in 1.txt 2.txt; do cat \"${X}\"/\"${f}\"; done"));
    /// # Ok::<_, hooks_shell::Rejected>(())
    /// ```
    #[must_use]
    pub fn rewritten(&self) -> Option<&str> {
        self.rewritten.as_deref()
    }

    /// Returns how many steps the analysis took, of at most [`MOST_STEPS`](crate::MOST_STEPS).
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_shown = |program: &&Program| {
            !program.is_builtin || self.programs.len() == 1 || program.name == "echo"
        };
        let programs = self
            .programs
            .iter()
            .filter(is_shown)
            .map(|program| program.name.clone());
        let paths = |is_meant: fn(Access) -> bool| -> Vec<String> {
            let paths = self.paths.iter().filter(|path| is_meant(path.access));
            paths.map(|path| path.path.to_string()).collect()
        };
        let mut written = paths(Access::changes);
        written.retain(|path| path != "/dev/null");
        let addresses = self
            .network
            .iter()
            .map(|network| network.address.as_deref());
        let addresses = addresses.map(|address| address.unwrap_or("the network").to_owned());
        let unknown = self.unknown.iter().map(|unknown| unknown.reason.clone());
        let parts = [
            ("runs", programs.collect()),
            (
                "reads",
                paths(|access| {
                    let is_read = !access.changes() && !access.makes_links();
                    let is_of_git = matches!(access, Access::Repository | Access::Remote);
                    is_read && !is_of_git && access != Access::Enter
                }),
            ),
            ("writes", written),
            ("reaches", addresses.collect()),
            ("unknown:", unknown.collect()),
        ];
        let mut shown = Vec::new();
        for (what, mut all) in parts {
            let mut seen = HashSet::new();
            all.retain(|item| seen.insert(item.clone()));
            let more = if all.len() > 8 { ", …" } else { "" };
            all.truncate(8);
            if !all.is_empty() {
                shown.push(format!("{what} {}{more}", all.join(", ")));
            }
        }
        match shown.as_slice() {
            [] => f.write_str("does nothing"),
            shown => f.write_str(&shown.join("; ")),
        }
    }
}
