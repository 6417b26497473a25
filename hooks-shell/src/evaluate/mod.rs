//! From tree to trace: walks through a script as a shell would, with what is known about its words.
//!
//! If it is unknown which way a script takes, the evaluator takes all ways. What differs between them is unknown.
//!
//! | file | |
//! | --- | --- |
//! | `environment` | what is known about where a script runs |
//! | `effects`, `prelude` | what a script would do, and what must run before it |
//! | `trace` | the findings, and what commands pass to each other |
//! | `state` | variables and folders, and code that may run or not |
//! | `walk`, `simple`, `expand` | lists and compound commands, simple commands, words |
//! | `program` | what a program does with its arguments |

mod effects;
mod environment;
mod expand;
mod prelude;
mod program;
mod simple;
mod state;
mod trace;
mod walk;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use self::state::{Directories, ShellState, StateFrame};
use self::trace::{CommandArg, Input, OutputStream, Trace};
use crate::bounds::Work;
use crate::parse::parse;
use crate::parse::syntax::{Command, CommandList};
use crate::print::{self, Note, PrintForm, WordChange};
use crate::rejected::Rejected;
use crate::value::Argument;

pub use self::effects::{Access, Effects, Network, PathUse, Program, Unknown};
pub use self::environment::{Environment, Files};

pub(crate) type Result<T> = std::result::Result<T, Rejected>;

pub(crate) struct ScriptEvaluator<'e> {
    pub(crate) text: &'e str,
    pub(crate) environment: &'e Environment,
    pub(crate) work: &'e mut Work,
    pub(crate) trace: Trace,
    pub(crate) state: ShellState,
    pub(crate) next_word: usize,
    pub(crate) scope: ScriptScope,
    /// The commands that run when the script ends or gets a signal, and what was set since there is one.
    pub(crate) traps: Vec<(CommandArg, Range<usize>)>,
    pub(crate) since_trap: Option<(ShellState, StateFrame)>,
    /// Whether the script checks if the command fails.
    pub(crate) is_tested: bool,
    /// Whether patterns become the folders that they match.
    pub(crate) lists_folders: bool,
    /// The output of the last process substitution.
    pub(crate) process: Option<OutputStream>,
    /// The first word of the simple command.
    pub(crate) head: usize,
    /// The place of the current script, if it is in a word of another script.
    pub(crate) outer: Option<Range<usize>>,
    /// The place that is being evaluated.
    pub(crate) at: Range<usize>,
}

/// What a script within another one begins without.
#[derive(Default)]
pub(crate) struct ScriptScope {
    pub(crate) functions: HashMap<String, Arc<Command>>,
    pub(crate) lists: HashMap<String, Arc<Vec<Argument>>>,
    pub(crate) positional: Option<Arc<Vec<Argument>>>,
    /// The branches, loops, calls and subshells around the current command.
    pub(crate) frames: Vec<StateFrame>,
}

impl<'e> ScriptEvaluator<'e> {
    pub(crate) fn new(
        text: &'e str,
        environment: &'e Environment,
        work: &'e mut Work,
        next_word: usize,
    ) -> Self {
        ScriptEvaluator {
            text,
            environment,
            work,
            trace: Trace {
                form: PrintForm {
                    notes: Vec::with_capacity(next_word),
                    ..PrintForm::default()
                },
                ..Trace::default()
            },
            state: ShellState {
                variables: Arc::default(),
                directories: Arc::new(vec![environment.directory.clone()]),
                failed: None,
                old: None,
                left: Vec::new(),
            },
            next_word,
            scope: ScriptScope::default(),
            traps: Vec::new(),
            since_trap: None,
            is_tested: false,
            lists_folders: false,
            process: None,
            head: 0,
            outer: None,
            at: 0..0,
        }
    }

    pub(crate) fn span(&self, span: &Range<usize>) -> Range<usize> {
        self.outer.clone().unwrap_or_else(|| span.clone())
    }

    /// Sets the place to which the next findings belong.
    pub(crate) fn look_at(&mut self, span: &Range<usize>) {
        self.at = self.span(span);
    }

    /// Returns the text at a place, as it is written.
    pub(crate) fn shown(&self, span: &Range<usize>) -> &'e str {
        self.text.get(self.span(span)).unwrap_or_default()
    }

    pub(crate) fn unknown(&mut self, reason: impl Into<String>) {
        let unknown = self.unknown_of(reason);
        self.trace.effects.unknown.push(unknown);
    }

    /// Records that what a known program does is unknown, which runs no other.
    pub(crate) fn unknown_effect(&mut self, reason: impl Into<String>) {
        let unknown = self.unknown_of(reason);
        let may_run = false;
        let unknown = Unknown { may_run, ..unknown };
        self.trace.effects.unknown.push(unknown);
    }

    /// Records that an argument of a known program is unknown, or the file of a redirection.
    pub(crate) fn unknown_argument(&mut self, reason: impl Into<String>) {
        let unknown = self.unknown_of(reason);
        let unknown = Unknown {
            is_argument: true,
            may_run: false,
            ..unknown
        };
        self.trace.effects.unknown.push(unknown);
    }

    fn unknown_of(&self, reason: impl Into<String>) -> Unknown {
        Unknown {
            reason: reason.into(),
            span: self.at.clone(),
            is_argument: false,
            may_run: true,
        }
    }

    /// Records that shells disagree, unless the shell is known.
    pub(crate) fn dispute(&mut self, reason: impl Into<String>) {
        if !self.environment.is_bash {
            let disputed = self.unknown_of(reason);
            self.trace.effects.disputed.push(disputed);
        }
    }

    /// Records that the script must be rewritten for it to be known what runs.
    pub(crate) fn relies(&mut self, reason: impl Into<String>) {
        let unknown = self.unknown_of(reason);
        self.trace.relied.get_or_insert(unknown);
    }

    /// Records an access to the network.
    pub(crate) fn reach(&mut self, address: Option<Arc<str>>) {
        let span = self.at.clone();
        self.trace.effects.network.push(Network { address, span });
    }

    pub(crate) fn note(&mut self, word: usize, note: Note) {
        if self.trace.form.notes.len() <= word {
            self.trace
                .form
                .notes
                .resize(self.next_word.max(word + 1), Note::Unseen);
        }
        let before = std::mem::take(&mut self.trace.form.notes[word]);
        self.trace.form.notes[word] = before.merge(note);
    }

    /// Records that a command, identified by its first word, has an option at a word, or gets a `--` before it. A
    /// command that runs more than once may have an option in one run where it needs the `--` in another. Then it
    /// cannot be rewritten.
    pub(crate) fn note_option(&mut self, command: usize, word: usize, is_ended: bool) {
        if self.scope.frames.is_empty() {
            return;
        }
        let (option, end) = self.trace.options.entry(command).or_insert((0, usize::MAX));
        if is_ended {
            *end = word.min(*end);
        } else {
            *option = word.max(*option);
        }
        if option >= end {
            self.note(command, Note::Never);
        }
    }

    /// Leaves a word out of the rewritten script, if it says no more than one text.
    pub(crate) fn leave_out(&mut self, word: usize) {
        let note = &mut self.trace.form.notes[word];
        *note = match note {
            Note::Text(_) => Note::Texts(Vec::new()),
            _ => Note::Never,
        };
    }

    pub(crate) fn change(&mut self, word: usize) -> &mut WordChange {
        self.trace.form.changes.entry(word).or_default()
    }

    pub(crate) fn touch(&mut self, path: &Argument, access: Access) {
        self.touch_from(path, access, None, true);
    }

    /// Does the same for a path that may come from another path, and whose links may stay unfollowed.
    pub(crate) fn touch_from(
        &mut self,
        path: &Argument,
        access: Access,
        from: Option<Argument>,
        follows_links: bool,
    ) {
        let mut path = path.clone();
        if let Argument::Names(found) = &mut path {
            if found.is_text {
                return self.unknown_argument(
                    "one word holds the names of several files: write it without quotes",
                );
            }
            if found.found_in.as_ref() != Some(&self.state.directories) {
                // From here, they lead elsewhere.
                let found = Arc::make_mut(found);
                (found.may_be_links, found.is_tracked) = (true, false);
            } else if let Some(producer) = found.producer
                && access != Access::List
            {
                Arc::make_mut(found).may_be_links = false;
                self.change(producer).drops_links = true;
            }
        }
        let directories = self.state.directories.clone();
        let span = self.at.clone();
        let used = PathUse {
            path,
            access,
            directories,
            from,
            follows_links,
            span,
        };
        if self.trace.effects.paths.last() != Some(&used) {
            self.trace.effects.paths.push(used);
        }
    }

    /// Records again what was touched since then, if something was created, because the order is unknown.
    pub(crate) fn touch_again(&mut self, since: usize) -> Result<()> {
        let paths = &self.trace.effects.paths;
        let has = |is: fn(Access) -> bool| paths[since..].iter().any(|used| is(used.access));
        if has(Access::makes_links) || (has(Access::is_of_git) && has(Access::changes)) {
            self.work.spend(16 * (paths.len() - since), &self.at)?;
            self.trace.effects.paths.extend_from_within(since..);
        }
        Ok(())
    }

    /// Evaluates a whole script, and then what it has trapped.
    pub(crate) fn whole(&mut self, list: &CommandList) -> Result<()> {
        self.list(list)?;
        let Some((before, frame)) = self.since_trap.take() else {
            return Ok(());
        };
        // They may run anywhere after the `trap`.
        self.weaken(&before, &frame)?;
        for (text, span) in std::mem::take(&mut self.traps) {
            self.look_at(&span);
            let since = self.trace.effects.paths.len();
            program::builtins::eval(self, "trap", std::slice::from_ref(&text))?;
            let mut paths = self.trace.effects.paths[since..].iter();
            if paths.any(|used| used.access.makes_links()) {
                self.unknown("a trapped command may create links at any time: write it at the end of the script");
            }
        }
        Ok(())
    }

    /// Evaluates a script in a word of another script, and returns its rewritten form.
    pub(crate) fn script(&mut self, text: &str) -> Result<Option<String>> {
        let span = self.at.clone();
        self.work.enter(&span)?;
        let located = |error: Rejected| Rejected::new(error.reason(), span.clone());
        let list = parse(text, self.work, &mut self.next_word).map_err(located)?;
        let outer = self.outer.replace(span.clone());
        let evaluated = self.list(&list).map_err(located);
        self.outer = outer;
        evaluated?;
        self.work.leave();
        Ok(print::script(&list, &self.trace.form))
    }
}
