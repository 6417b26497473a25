//! What a script would do: what is collected from the trace of its evaluation.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::bounds::{LONGEST, Rejected};
use crate::cursor::check_characters;
use crate::trace::{Splits, Trace};
use crate::value::Argument;
use crate::{print, syntax, variables};

/// One simple command: a program, a builtin or a function, with its arguments.
///
/// Programs that others run are listed by themselves: of `timeout 5 git log` there are `timeout` and `git`. Nothing is listed
/// for a word that is not known to name a program; that is in [`Effects::unknown`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Program {
    /// Its name; its path where it is not given as a program of the system's.
    pub name: String,
    /// Its arguments, without the name.
    pub arguments: Vec<Argument>,
    /// Variables that are set for it alone.
    pub assignments: Vec<(String, Argument)>,
    /// Where it stands in the script, in bytes.
    pub span: Range<usize>,
    /// The directories that it may run in.
    pub directories: Arc<Vec<String>>,
    /// Whether it is the shell's own, or a function of the script's.
    pub is_builtin: bool,
    /// Whether it does no more than run others, which are listed after it: `env`, `timeout`, `xargs`, `sh -c`.
    pub is_wrapper: bool,
}

impl Program {
    /// The command as one line, for a rule such as `git *`; nothing if a word of it is not known to the letter.
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
        let mut line = print::written(&self.name);
        for argument in &self.arguments {
            line.push(' ');
            line.push_str(&print::written(argument.known()?));
        }
        Some(line)
    }
}

/// How a path is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Its name, size or kind is looked at, and not what is in it.
    List,
    /// It is read; a folder with what is below it.
    Read,
    /// It is read with what is below it, through symbolic links as well.
    Tree,
    /// It is made, changed or removed.
    Write,
    /// It becomes the directory of the script.
    Enter,
}

/// A path that is touched.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathUse {
    /// The path, as far as it is known; a relative one is so to each of the directories.
    pub path: Argument,
    /// How it is touched.
    pub access: Access,
    /// The directories from which a relative path leads: most often one.
    pub directories: Arc<Vec<String>>,
    /// Where it stands in the script, in bytes.
    pub span: Range<usize>,
}

/// That the script goes to the network, and where to, if it says so.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Network {
    /// The address; nothing where a program knows it by itself, as `cargo fetch` does.
    pub address: Option<Arc<str>>,
    /// Where it stands in the script, in bytes.
    pub span: Range<usize>,
}

/// Something that cannot be told before the script runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Unknown {
    /// What cannot be told, and what to write instead.
    pub reason: String,
    /// Where it stands in the script, in bytes.
    pub span: Range<usize>,
}

/// What a script would do, as far as it can be told before it runs.
///
/// It is shown as one line:
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
    /// What the shell is started with, if that is known.
    pub(crate) inherited: Option<Arc<HashSet<String>>>,
    rewritten: Option<String>,
    steps: usize,
}

impl Effects {
    /// The effects of a script from the trace of its evaluation, and what has cut it short.
    pub(crate) fn of(
        list: &syntax::List,
        trace: Trace,
        error: Option<Rejected>,
        steps: usize,
    ) -> Self {
        let splits = trace.splits;
        let mut rewritten = None;
        let mut unknown = error.map(|error| (error.reason().to_owned(), error.span()));
        if unknown.is_none() && trace.effects.unknown.is_empty() {
            // Patterns are not expanded in what the shell splits, so there may be none beside it.
            let splits_any = splits.at_blanks || splits.at_lines;
            let splits_both = splits.at_blanks && splits.at_lines;
            if !(splits_both || (splits_any && splits.has_patterns)) {
                // Braces make it longer, and what the environment holds may have characters that a script may not have.
                rewritten = print::script(list, &trace)
                    .filter(|text| text.len() <= LONGEST && check_characters(text).is_ok());
            }
            if rewritten.is_none() && splits_any {
                let reason = "what the shell splits into words is only known when it runs: put it in double quotes";
                unknown = Some((reason.to_owned(), 0..0));
            }
        }
        let mut effects = Effects {
            splits,
            rewritten,
            steps,
            ..trace.effects
        };
        effects
            .unknown
            .extend(unknown.map(|(reason, span)| Unknown { reason, span }));
        effects
    }

    /// The simple commands, in the order in which they were met.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter()
    }

    /// Every path that is touched.
    pub fn paths(&self) -> impl Iterator<Item = &PathUse> {
        self.paths.iter()
    }

    /// The paths that are read, looked at or entered.
    pub fn reads(&self) -> impl Iterator<Item = &PathUse> {
        self.paths().filter(|path| path.access != Access::Write)
    }

    /// The paths that are made, changed or removed.
    pub fn writes(&self) -> impl Iterator<Item = &PathUse> {
        self.paths().filter(|path| path.access == Access::Write)
    }

    /// Where it goes to the network.
    pub fn network(&self) -> impl Iterator<Item = &Network> {
        self.network.iter()
    }

    /// What cannot be told before it runs. Without any, the other lists are complete.
    pub fn unknown(&self) -> impl Iterator<Item = &Unknown> {
        self.unknown.iter()
    }

    /// What shells read in different ways, and was judged as `bash` reads it. The [rewritten](Self::rewritten) script has
    /// none of it, but for single `[[ … ]]` and `<(…)`: a shell that does not know them fails there.
    pub fn disputed(&self) -> impl Iterator<Item = &Unknown> {
        self.disputed.iter()
    }

    /// The script in the form in which it was judged: every word in quotes, what is known filled in, nothing left that
    /// shells read in different ways. It is to be run after the [prelude](Self::prelude). There is none if something is
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

    /// A line to run before the [rewritten](Self::rewritten) script, so that it does what was judged. It unsets variables
    /// that would have it read other files, such as `CDPATH` and `GIT_DIR`, and has the shell split words as it was judged.
    /// Other variables of the environment are the user's own and stay. The line is empty where there is nothing to do: none
    /// of the variables is [inherited](crate::Environment::with_inherited), no word is split, and `git` is at most run once,
    /// where the script begins, before anything is written.
    ///
    /// ```
    /// use hooks_shell::{Environment, Script};
    ///
    /// let environment = Environment::new(".").with_inherited(["GIT_DIR", "PAGER"]);
    /// let effects = Script::parse("git status")?.evaluate(&environment);
    /// assert_eq!(effects.prelude(), "unset -v GIT_DIR");
    /// # Ok::<_, hooks_shell::Rejected>(())
    /// ```
    #[must_use]
    pub fn prelude(&self) -> String {
        variables::prelude(self)
    }

    /// How many steps the analysis took, of at most [`MOST_STEPS`](crate::MOST_STEPS).
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
        let mut written = paths(|access| access == Access::Write);
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
                paths(|access| !matches!(access, Access::Write | Access::Enter)),
            ),
            ("writes", written),
            ("reaches", addresses.collect()),
            ("does not say", unknown.collect()),
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
