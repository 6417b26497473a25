//! The form in which a script was judged, word by word.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::HashMap;

use crate::parse::syntax::{Command, CommandList};

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
pub(crate) struct WordChange {
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

/// How the whole script is written.
#[derive(Debug, Default)]
pub(crate) struct PrintForm {
    /// The words, by their numbers.
    pub(crate) notes: Vec<Note>,
    pub(crate) changes: HashMap<usize, WordChange>,
    /// The bodies of functions that are called. Others are left out.
    pub(crate) called: HashSet<*const Command>,
    /// The names of lists.
    pub(crate) lists: HashSet<String>,
    pub(crate) splits: Splits,
    /// The substitutions in which patterns are expanded, and no words are split.
    pub(crate) globs: HashSet<*const CommandList>,
}
