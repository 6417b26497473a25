//! What a shell script would do, told before it runs.
//!
//! A script and what is known of where it runs go in; programs with their arguments, paths read, paths written, network
//! access and everything that cannot be told come out, each with its place in the script. There is no I/O, and no policy: who
//! uses this crate decides what is allowed.
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
//! There are three steps: parse, evaluate, collect. The parser knows a strict subset of the language, and says of everything
//! else why it is [rejected](Rejected). The evaluator walks the tree as a shell would, with what is known of each word, takes
//! both ways where a condition is not known, and follows `cd`, functions, loops, `eval` and `sh -c`. What it knows of single
//! programs is a table, `programs.txt`.
//!
//! # What is understood
//!
//! | | understood | rejected, or unknown |
//! | --- | --- | --- |
//! | commands | simple commands, `a=(x y)`, `\|`, `\|&`, `&&`, `\|\|`, `;`, `&`, `!`, `{ …; }`, `( … )` | `coproc`, `((…))`, `time` before a compound command |
//! | compound | `if`, `while`, `until`, `for … in`, `case`, `[[ … ]]` | `select`, `for ((…))`, `;&` |
//! | functions | `name() { …; }`, once, outside of other commands | `function`, a program's name |
//! | quotes | `'…'`, `"…"`, `\c`, `$'…'` with `\n`, `\t`, `\\` | `$"…"`, other escapes, `\` at the end of a line within a word |
//! | expansions | `$x`, `${x}`, `${#x}`, `${x:-text}`, `${x%text}`, `${x:0:3}`, `${x^^}`, `${x/a/b}`, `"${a[@]}"`, `$(…)`, backquotes, `$((…))` that sets nothing, `~`, `{a,b}`, `{1..9}`, `*`, `?`, `[a-z]` | `${!x}`, `${x@P}`, `$[…]`, `a+=(x)`, braces within braces, `[[:class:]]`, `~name` |
//! | redirections | `<`, `>`, `>>`, `>\|`, `<>`, `2>&1`, `&>`, `<<`, `<<-`, `<<<`, `<(…)`, `>(…)` | `>&file`, `{fd}>`, `>!`, descriptors of two digits, `<<-` before a text with `$` |
//! | builtins | `cd`, `eval`, `export`, `local`, `printf`, `read -r`, `set -euxo`, `test`, `unset`, `wait`, … | `exec`, `source`, `trap`, `alias`, `declare`, `shopt`, … |
//!
//! What shells read in different ways is either rejected, or judged as `bash` reads it and listed as
//! [disputed](Effects::disputed); the [rewritten](Effects::rewritten) script means the same to all of them that know what it
//! uses.
//!
//! # What it costs
//!
//! A script may have 64 KiB and be nested 24 deep, and one counter bounds the [steps](MOST_STEPS) of parsing and evaluation
//! together: a script that would take more is rejected. No input makes it panic, or take more than some milliseconds and
//! megabytes.
#![forbid(unsafe_code)]

mod bounds;
mod braces;
mod builtins;
mod conditions;
mod cursor;
mod effects;
mod environment;
mod evaluate;
mod expand;
mod find;
mod languages;
mod operands;
mod parse;
mod print;
mod roles;
mod simple;
mod special;
mod state;
mod syntax;
mod table;
mod trace;
mod transfers;
mod value;
mod variables;
mod walk;
mod words;

pub use self::bounds::Rejected;
pub use self::effects::{Access, Effects, Network, PathUse, Program, Unknown};
pub use self::environment::{Dialect, Environment};
pub use self::value::{Argument, Names};

/// How many steps an analysis may take. A byte that is parsed is one, a word that is evaluated some, a command some dozens.
pub const MOST_STEPS: usize = bounds::MOST_STEPS;

/// A script that was parsed.
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
    list: syntax::List,
    words: usize,
    steps: usize,
}

impl Script {
    /// Parses a script.
    ///
    /// # Errors
    ///
    /// If it is longer than 64 KiB, has a character that a reader does not see, or something that is not supported.
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
    /// What cannot be followed to its end has the reason among [what is unknown](Effects::unknown).
    #[must_use]
    pub fn evaluate(&self, environment: &Environment) -> Effects {
        let mut work = bounds::Work::after(self.steps);
        let mut evaluator =
            evaluate::Evaluator::new(&self.text, environment, &mut work, self.words);
        let error = evaluator.list(&self.list).err();
        let mut effects = effects::Effects::of(&self.list, evaluator.trace, error, work.steps);
        effects.inherited.clone_from(&environment.inherited);
        effects
    }
}
