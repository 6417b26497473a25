//! The findings of an evaluation, and the data that passes between commands.

use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use super::effects::{Effects, Unknown};
use crate::bounds::LONGEST;
use crate::parse::{check_characters, syntax};
use crate::print::{self, PrintForm};
use crate::rejected::Rejected;
use crate::value::{Argument, Names};

/// The findings of an evaluation.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) effects: Effects,
    pub(crate) form: PrintForm,
    /// The last option of commands that may run more than once, and the first word that gets a `--`.
    pub(crate) options: HashMap<usize, (usize, usize)>,
    /// What is only known if the script is rewritten, and decides what runs.
    pub(crate) relied: Option<Unknown>,
    /// From which of the paths on a command may run beside the others, now or in a later call.
    pub(crate) beside_since: Option<usize>,
}

impl Trace {
    /// Collects the effects of a script, with the error that cut its evaluation short.
    pub(crate) fn into_effects(
        mut self,
        list: &syntax::CommandList,
        error: Option<Rejected>,
        steps: usize,
    ) -> Effects {
        // A judge that looks where a path leads does that before it becomes a link.
        let paths = &self.effects.paths;
        let mut beside = paths.iter().skip(self.beside_since.unwrap_or(paths.len()));
        if let Some(used) = beside.find(|used| used.access.makes_links()) {
            let (reason, span) = (
                "the command may create links while another runs: run them in two calls, without `&` or `<(…)`",
                used.span.clone(),
            );
            let reason = reason.to_owned();
            self.effects.unknown.push(Unknown {
                reason,
                span,
                is_argument: false,
                may_run: true,
            });
        }
        let splits = self.form.splits;
        let mut rewritten = None;
        let mut unknown = error.map(|error| (error.reason().to_owned(), error.span()));
        if unknown.is_none() && self.effects.unknown.is_empty() {
            // The shell does not expand patterns in the words that it splits, so no pattern may be besides.
            let splits_any = splits.at_blanks || splits.at_lines;
            let splits_both = splits.at_blanks && splits.at_lines;
            if !(splits_both || (splits_any && splits.has_patterns)) {
                // Brace expansion makes the script longer, and the environment may contain characters that a script
                // must not have.
                rewritten = print::script(list, &self.form)
                    .filter(|text| text.len() <= LONGEST && check_characters(text).is_ok());
            }
            if rewritten.is_none() && splits_any {
                let reason = "the words that the shell makes of this are only known at run time: put it in double quotes";
                unknown = Some((reason.to_owned(), 0..0));
            }
        }
        if rewritten.is_none() {
            self.effects.unknown.extend(self.relied.take());
        }
        let mut effects = Effects {
            splits,
            rewritten,
            steps,
            ..self.effects
        };
        effects
            .unknown
            .extend(unknown.map(|(reason, span)| Unknown {
                reason,
                span,
                is_argument: false,
                may_run: true,
            }));
        effects
    }
}

/// What a command prints or reads, if it matters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stream {
    /// The input of the script itself.
    Inherited,
    Unknown,
    Number,
    Revisions,
    Text(Arc<str>),
    Names(Names),
}

pub(crate) type OutputStream = Stream;
pub(crate) type Input = Stream;

/// An argument of a running command, and its place.
#[derive(Clone, Debug)]
pub(crate) struct CommandArg {
    pub(crate) value: Argument,
    /// Whether shells read it differently.
    pub(crate) is_disputed: bool,
    pub(crate) word: usize,
    pub(crate) span: Range<usize>,
}

impl CommandArg {
    pub(crate) fn known(&self) -> Option<&str> {
        self.value.known()
    }

    /// Returns the text that all shells read here.
    pub(crate) fn agreed(&self) -> Option<&str> {
        self.known().filter(|_| !self.is_disputed)
    }
}
