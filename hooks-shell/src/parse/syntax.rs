//! The tree of a script, which the parser builds, the evaluator walks and the printer writes.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

/// Commands that run one after another.
pub(crate) type CommandList = Vec<CommandListItem>;

/// Pipelines joined by `&&` and `||`, and whether the shell waits for them.
#[derive(Debug)]
pub(crate) struct CommandListItem {
    pub(crate) first: CommandPipeline,
    pub(crate) rest: Vec<(Join, CommandPipeline)>,
    pub(crate) is_background: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    And,
    Or,
}

#[derive(Debug)]
pub(crate) struct CommandPipeline {
    pub(crate) is_negated: bool,
    pub(crate) stages: Vec<Command>,
}

#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) kind: CommandKind,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum CommandKind {
    Simple(Simple),
    Group(CommandList),
    Subshell(CommandList),
    /// Conditions with their branches, and the `else` branch.
    If(Vec<(CommandList, CommandList)>, Option<CommandList>),
    /// Whether it is `until`, the condition and the body.
    While(bool, CommandList, CommandList),
    For(String, Option<Vec<Word>>, CommandList),
    Case(Word, Vec<(Vec<Word>, CommandList)>),
    /// One test of `[[ … ]]` with one, two or three words. With two words, the first is the operator; with three, the
    /// second.
    Test(Vec<Word>),
    Function(String, Arc<Command>),
    /// `name=(a b c)`.
    List(String, Vec<Word>),
}

#[derive(Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<(String, Word)>,
    pub(crate) words: Vec<Word>,
}

#[derive(Debug)]
pub(crate) struct Redirect {
    pub(crate) descriptor: Option<u8>,
    pub(crate) kind: Redirection,
    pub(crate) target: Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redirection {
    Read,
    Write,
    Append,
    Clobber,
    ReadWrite,
    /// `>&1`, `<&-`: the target is a digit or `-`.
    CopyOut,
    CopyIn,
    /// `&>` and `&>>`, which some shells read as `&` and `>`.
    Both,
    BothAppend,
    /// `<<` and `<<<`: the target is the text itself.
    Document,
    HereString,
}

/// Redirections of the output and the errors.
pub(crate) const BOTH: [Redirection; 2] = [Redirection::Both, Redirection::BothAppend];
/// Redirections whose target is the text itself.
pub(crate) const TEXTS: [Redirection; 2] = [Redirection::Document, Redirection::HereString];

/// How redirections are written. A longer one comes before its prefix.
pub(crate) const REDIRECTIONS: [(&str, Redirection); 11] = [
    ("&>>", Redirection::BothAppend),
    ("&>", Redirection::Both),
    ("<<<", Redirection::HereString),
    ("<<", Redirection::Document),
    ("<>", Redirection::ReadWrite),
    ("<&", Redirection::CopyIn),
    ("<", Redirection::Read),
    (">>", Redirection::Append),
    (">|", Redirection::Clobber),
    (">&", Redirection::CopyOut),
    (">", Redirection::Write),
];

/// A word, with a number that is unique in the evaluation.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) id: usize,
    pub(crate) parts: WordParts,
    pub(crate) span: Range<usize>,
    /// Whether shells read it differently.
    pub(crate) is_disputed: bool,
}

/// The parts of a word, which most often has one.
pub(crate) type WordParts = SmallVec<[WordPart; 1]>;

#[derive(Clone, Debug)]
pub(crate) enum WordPart {
    Text(Arc<str>),
    /// `*`, `?` or `[a-z]`, unquoted.
    Glob(String),
    /// `{`, `,`, `}` and `{1..9}`, unquoted; only while a word is parsed.
    Brace(char),
    Range(Vec<Arc<str>>),
    /// `~` at the beginning.
    Home,
    /// An expansion that begins with `$`, and whether it is in double quotes.
    Expansion(Arc<Expansion>, bool),
}

#[derive(Debug)]
pub(crate) enum Expansion {
    Parameter(String, Operation),
    Substitution(CommandList),
    Arithmetic(Vec<ArithmeticToken>),
    /// `<(…)`, or `>(…)` if it writes.
    Process(CommandList, bool),
}

/// A token of `$((…))`.
#[derive(Debug)]
pub(crate) enum ArithmeticToken {
    /// A number, the name of a variable, or an operator.
    Word(String),
    /// `$(…)`, which must print a number.
    Output(CommandList),
}

impl Expansion {
    pub(crate) fn is_process(&self) -> bool {
        matches!(self, Expansion::Process(..))
    }
}

#[derive(Debug)]
pub(crate) enum Operation {
    Value,
    Length,
    /// `:-`, `-`, `:+`, `+`, `:?`, `?`, and the word.
    Default(&'static str, Word),
    /// `#`, `##`, `%`, `%%`, and a pattern of plain characters.
    Cut(&'static str, String),
    /// `:0:3`, `^^`, `,`, `/a/b`, which not every shell has: what comes of it is not known.
    Edit(String),
}

impl Word {
    /// Returns the text of a word that needs no expansion.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [WordPart::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// Whether a command is `set`, which prints nothing.
pub(crate) fn is_set(item: &CommandListItem) -> bool {
    item.rest.is_empty()
        && matches!(item.first.stages.as_slice(), [Command { kind: CommandKind::Simple(simple), .. }]
            if simple.words.first().and_then(Word::literal) == Some("set"))
}

/// Whether a text in `${name:-text}` says itself to every shell, but for what begins with `$` in it.
pub(crate) fn is_plain_default(text: &str) -> bool {
    !text.contains(['\'', '"', '\\', '{', '}', '<', '>', '\n'])
}

/// Whether a text is a valid name for a variable.
pub(crate) fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(is_of_name)
}

/// Whether a byte is valid in a variable's name.
pub(crate) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
