//! The findings of an evaluation, and the data that passes between commands.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use crate::effects::Effects;
use crate::syntax::{Command, List};
use crate::value::{Field, Names};

/// How a word is written in the rewritten script.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Note {
    #[default]
    Unseen,
    /// As this text.
    Text(Arc<str>),
    /// As these texts; not at all if there are none.
    Texts(Vec<Arc<str>>),
    /// As it is, with every part quoted: it stays one word, or is a pattern.
    Keep,
    /// As it is, without quotes: the shell splits it.
    Split,
    /// The word cannot be rewritten.
    Never,
}

impl Note {
    /// Returns the texts that replace it.
    pub(crate) fn texts(&self) -> Option<&[Arc<str>]> {
        match self {
            Note::Text(text) => Some(std::slice::from_ref(text)),
            Note::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    /// Returns how to write a word that is evaluated twice.
    pub(crate) fn merge(self, other: Note) -> Note {
        let is_one = |note: &Note| match note {
            Note::Texts(texts) => texts.len() == 1,
            note => matches!(note, Note::Text(_) | Note::Keep),
        };
        match (self, other) {
            (Note::Unseen, note) => note,
            (before, note) if before == note => note,
            (before, note) if is_one(&before) && is_one(&note) => Note::Keep,
            _ => Note::Never,
        }
    }
}

/// Text that is added to a word, or replaces it, because the script was judged so.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Change {
    /// Replaces the word: `cd -P --`.
    pub(crate) instead: Option<Arc<str>>,
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    /// For a command's first word: whether links are removed from the names that it prints.
    pub(crate) drops_links: bool,
    /// For a command's first word: whether the script ends if the command fails.
    pub(crate) is_fatal: bool,
}

/// How unquoted words are split in the rewritten script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Splits {
    pub(crate) at_blanks: bool,
    pub(crate) at_lines: bool,
    pub(crate) has_patterns: bool,
}

/// The findings of an evaluation.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) effects: Effects,
    pub(crate) notes: Vec<Note>,
    pub(crate) changes: HashMap<usize, Change>,
    pub(crate) called: HashSet<*const Command>,
    pub(crate) splits: Splits,
    /// The substitutions in which patterns are expanded, and no words are split.
    pub(crate) globs: HashSet<*const List>,
    /// The last option of commands that may run more than once, and the first word that gets a `--`.
    pub(crate) options: HashMap<usize, (usize, usize)>,
    /// Which of the paths belong to commands that run beside others.
    pub(crate) background: Vec<Range<usize>>,
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

pub(crate) type Output = Stream;
pub(crate) type Input = Stream;

/// An argument of a running command, and its place.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    pub(crate) field: Field,
    pub(crate) word: usize,
    pub(crate) span: Range<usize>,
}

impl Arg {
    pub(crate) fn known(&self) -> Option<&str> {
        self.field.value.known()
    }
}
