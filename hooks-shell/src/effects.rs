//! What a script would do: what is collected from the trace of its evaluation.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::evaluate::{Splits, Trace};
use crate::value::Argument;
use crate::{print, syntax, variables};

/// One simple command: a program, a builtin or a function, with its arguments.
///
/// Programs that others run are listed by themselves: of `timeout 5 git log` there are `timeout` and `git`. Nothing is listed
/// for a word that is not known to name a program; that is in [`Effects::unknown`].
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) assignments: Vec<(String, Argument)>,
    pub(crate) span: Range<usize>,
    pub(crate) directories: Arc<Vec<String>>,
    pub(crate) is_builtin: bool,
    pub(crate) is_wrapper: bool,
}

impl Program {
    /// Its name; its path where it is not given as a program of the system's.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its arguments, without the name.
    #[must_use]
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// Variables that are set for it alone.
    #[must_use]
    pub fn assignments(&self) -> &[(String, Argument)] {
        &self.assignments
    }

    /// Where it stands in the script, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The directories that it may run in.
    #[must_use]
    pub fn directories(&self) -> &[String] {
        &self.directories
    }

    /// Whether it is the shell's own, or a function of the script's.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.is_builtin
    }

    /// Whether it does no more than run others, which are listed after it: `env`, `timeout`, `xargs`, `sh -c`.
    #[must_use]
    pub fn is_wrapper(&self) -> bool {
        self.is_wrapper
    }

    /// Whether every word of it is known to the letter.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.arguments
            .iter()
            .all(|argument| argument.known().is_some())
    }

    /// The command as one line, for a rule such as `git *`; nothing if a word of it is not known.
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
pub struct PathUse {
    pub(crate) path: Argument,
    pub(crate) access: Access,
    pub(crate) directories: Arc<Vec<String>>,
    pub(crate) span: Range<usize>,
}

impl PathUse {
    /// The path, as far as it is known; a relative one is so to each of the [`directories`](Self::directories).
    #[must_use]
    pub fn path(&self) -> &Argument {
        &self.path
    }

    /// How it is touched.
    #[must_use]
    pub fn access(&self) -> Access {
        self.access
    }

    /// The directories from which a relative path leads: most often one.
    #[must_use]
    pub fn directories(&self) -> &[String] {
        &self.directories
    }

    /// Where it stands in the script, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

/// That the script goes to the network, and where to, if it says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    pub(crate) address: Option<Arc<str>>,
    pub(crate) span: Range<usize>,
}

impl Network {
    /// The address; nothing where a program knows it by itself, as `cargo fetch` does.
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// Where it stands in the script, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

/// Something that cannot be told before the script runs, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    pub(crate) reason: String,
    pub(crate) span: Range<usize>,
}

impl Unknown {
    /// What cannot be told, and what to write instead.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Where it stands in the script, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
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
    programs: Vec<Program>,
    paths: Vec<PathUse>,
    network: Vec<Network>,
    unknown: Vec<Unknown>,
    disputed: Vec<Unknown>,
    rewritten: Option<String>,
    pub(crate) splits: Splits,
    /// What the shell is started with, if that is known.
    pub(crate) inherited: Option<Arc<HashSet<String>>>,
    steps: usize,
}

/// Collects the effects from a trace.
pub(crate) fn collect(list: &syntax::List, mut trace: Trace, steps: usize) -> Effects {
    let splits = trace.splits;
    let mut rewritten = None;
    if trace.unknown.is_empty() {
        // Patterns are not expanded in what the shell splits, so there may be none beside it.
        let splits_both = (splits.at_blanks && splits.at_lines)
            || ((splits.at_blanks || splits.at_lines) && splits.has_patterns);
        rewritten = print::script(list, &trace).filter(|_| !splits_both);
    }
    if rewritten.is_none() && trace.unknown.is_empty() && (splits.at_blanks || splits.at_lines) {
        let reason =
            "what the shell splits into words is only known when it runs: put it in double quotes"
                .to_owned();
        trace.unknown.push(Unknown { reason, span: 0..0 });
    }
    Effects {
        programs: trace.programs,
        paths: trace.paths,
        network: trace.network,
        unknown: trace.unknown,
        disputed: trace.disputed,
        rewritten,
        splits,
        inherited: None,
        steps,
    }
}

impl Effects {
    /// Of a script that could not be followed to its end.
    pub(crate) fn cut_short(trace: Trace, reason: &str, span: Range<usize>, steps: usize) -> Self {
        let mut effects = Effects {
            programs: trace.programs,
            paths: trace.paths,
            network: trace.network,
            unknown: trace.unknown,
            disputed: trace.disputed,
            rewritten: None,
            splits: trace.splits,
            inherited: None,
            steps,
        };
        let reason = reason.to_owned();
        effects.unknown.push(Unknown { reason, span });
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
    /// none of it.
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

    /// A line to run before the [rewritten](Self::rewritten) script: it unsets the variables from which its programs would
    /// take orders, and has the shell split words as it was judged. It is empty where there is nothing to do: none of the
    /// variables is [inherited](crate::Environment::with_inherited), no word is split, and `git` is at most run once, where
    /// the script begins, before anything is written.
    ///
    /// ```
    /// use hooks_shell::{Environment, Script};
    ///
    /// let effects = Script::parse("cargo test")?.evaluate(&Environment::new("."));
    /// assert!(effects.prelude().contains(" LD_PRELOAD ") && effects.prelude().contains(" RUSTC_WRAPPER "));
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
        let mut separator = "";
        let mut write =
            |f: &mut fmt::Formatter<'_>, what: &str, all: &mut dyn Iterator<Item = String>| {
                let mut seen = HashSet::new();
                let all: Vec<String> = all
                    .filter(|item| seen.insert(item.clone()))
                    .take(9)
                    .collect();
                if all.is_empty() {
                    return Ok(());
                }
                let shown = &all[..all.len().min(8)];
                let more = if all.len() > 8 { ", …" } else { "" };
                write!(f, "{separator}{what} {}{more}", shown.join(", "))?;
                separator = "; ";
                Ok(())
            };
        let programs = self.programs.iter().filter(|program| {
            !program.is_builtin || self.programs.len() == 1 || program.name == "echo"
        });
        write(f, "runs", &mut programs.map(|program| program.name.clone()))?;
        let show = |path: &PathUse| path.path.to_string();
        let is_read =
            |path: &&PathUse| matches!(path.access, Access::Read | Access::Tree | Access::List);
        write(f, "reads", &mut self.paths.iter().filter(is_read).map(show))?;
        write(
            f,
            "writes",
            &mut self
                .writes()
                .filter(|path| path.path.known() != Some("/dev/null"))
                .map(show),
        )?;
        let address = |network: &Network| {
            network
                .address
                .as_deref()
                .unwrap_or("the network")
                .to_owned()
        };
        write(f, "reaches", &mut self.network.iter().map(address))?;
        write(
            f,
            "does not say",
            &mut self.unknown.iter().map(|unknown| unknown.reason.clone()),
        )?;
        if self.programs.is_empty() && self.paths.is_empty() && self.unknown.is_empty() {
            f.write_str("does nothing")?;
        }
        Ok(())
    }
}
