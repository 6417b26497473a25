//! Reports what a shell script would do, before it runs.
//!
//! The input is a script, and what you know about where it runs. The output is the programs with their arguments, the
//! paths that they read and write, network access, and everything that cannot be determined, each with its place in the
//! script. There is no I/O and no policy: you decide what is allowed.
//!
//! ```
//! use hooks_shell::{Environment, Script};
//!
//! let script = Script::parse("X=src; cd $X && grep -rn TODO . > ../todo.txt")?;
//! let effects = script.evaluate(&Environment::new("/work"));
//!
//! assert_eq!(effects.to_string(), "runs grep; reads .; writes ../todo.txt");
//! assert_eq!(effects.writes().next().unwrap().directories.as_slice(), ["/work/src"]);
//! assert_eq!(effects.rewritten(), Some("X=src\n{ cd -P src || exit; } && grep -rn TODO . >../todo.txt"));
//! assert_eq!(effects.unknown().count(), 0);
//! # Ok::<_, hooks_shell::Rejected>(())
//! ```
//!
//! There are three steps: parse, evaluate, collect. The parser accepts a strict subset of the language, and says of
//! everything else why it is [rejected](Rejected). The evaluator walks the tree as a shell would, with what is known
//! about each word. It takes both branches if a condition is unknown, and follows `cd`, functions, loops, `eval` and
//! `sh -c`. A table, `table/programs.txt`, describes single programs.
//!
//! # What is understood
//!
//! | | understood | rejected, or unknown |
//! | --- | --- | --- |
//! | commands | simple commands, `a=(x y)`, `\|`, `\|&`, `&&`, `\|\|`, `;`, `&`, `!`, `{ …; }`, `( … )` | `coproc`, `((…))`, `time` before a compound command |
//! | compound | `if`, `while`, `until`, `for … in`, `case`, `[[ … ]]` | `select`, `for ((…))`, `;&` |
//! | functions | `name() { …; }`, once, outside of other commands | `function`, a program's name |
//! | quotes | `'…'`, `"…"`, `\c`, `$'…'` with `\n`, `\t`, `\\` | `$"…"`, other escapes, `\` at the end of a line within a word |
//! | expansions | `$x`, `${x}`, `${#x}`, `${x:-text}`, `${x%text}`, `${x:0:3}`, `${x^^}`, `${x/a/b}`, `"${a[@]}"`, `$(…)`, backquotes, `$((…))` that sets nothing, `~`, `{a,b}`, `{1..9}`, `{a..e}`, `*`, `?`, `[a-z]` | `${!x}`, `${x@P}`, `$[…]`, `a+=(x)`, braces within braces, `[[:class:]]`, `~name` |
//! | redirections | `<`, `>`, `>>`, `>\|`, `<>`, `2>&1`, `&>`, `<<`, `<<-`, `<<<`, `<(…)`, `>(…)` | `>&file`, `{fd}>`, `>!`, descriptors of two digits, `<<-` before a text with `$` |
//! | builtins | `cd`, `eval`, `export`, `local`, `printf`, `read -r`, `pushd`, `set -euxo`, `test`, `trap '…' EXIT`, `unset`, `wait`, … | `exec program`, `source`, `alias`, `declare`, `shopt`, … |
//!
//! If shells read something differently, it is either rejected, or judged as `bash` reads it and listed as
//! [disputed](Effects::disputed). The [rewritten](Effects::rewritten) script means the same to all shells that support
//! what it uses.
//!
//! # What it costs
//!
//! A script may have 64 KiB and a nesting depth of 24. One counter bounds the [steps](MOST_STEPS) of parsing and
//! evaluation together: a script that would take more is rejected. No input makes the analysis panic, or take more than
//! some milliseconds and megabytes.
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod bounds;
mod evaluate;
mod parse;
mod print;
mod rejected;
mod table;
mod value;

pub use self::evaluate::{Access, Effects, Environment, Files, Network, PathUse, Program, Unknown};
pub use self::rejected::Rejected;
pub use self::table::is_predictable;
pub use self::value::{Argument, Names};

/// The maximum number of steps of an analysis. Parsing a byte is one step, evaluating a word takes some, and a command
/// some dozens.
pub const MOST_STEPS: usize = bounds::MOST_STEPS;

/// A parsed script.
///
/// ```
/// use hooks_shell::Script;
///
/// assert!(Script::parse("for f in *.rs; do wc -l \"$f\"; done").is_ok());
/// assert_eq!(Script::parse("ls; )").unwrap_err().span(), 4..5);
/// ```
#[derive(Debug)]
pub struct Script {
    text: String,
    list: parse::syntax::CommandList,
    words: usize,
    steps: usize,
}

impl Script {
    /// Parses a script.
    ///
    /// # Errors
    ///
    /// If the script is longer than 64 KiB, or contains an invisible character or something unsupported.
    pub fn parse(text: &str) -> Result<Self, Rejected> {
        let mut work = bounds::Work::default();
        let mut words = 0;
        let list = parse::parse(text, &mut work, &mut words)?;
        Ok(Script {
            text: text.to_owned(),
            list,
            words,
            steps: work.steps,
        })
    }

    /// Walks through the script, and collects what it would do.
    ///
    /// If it cannot follow the script to its end, the reason is among [what is unknown](Effects::unknown).
    #[must_use]
    pub fn evaluate(&self, environment: &Environment) -> Effects {
        let mut work = bounds::Work::after(self.steps);
        let mut evaluator =
            evaluate::ScriptEvaluator::new(&self.text, environment, &mut work, self.words);
        let error = evaluator.whole(&self.list).err();
        let mut effects = evaluator.trace.into_effects(&self.list, error, work.steps);
        effects.inherited.clone_from(&environment.inherited);
        effects
    }
}
