//! The tree of a script: what the parser builds and the evaluator walks.

use std::ops::Range;
use std::sync::Arc;
use std::sync::OnceLock;

/// Commands that run one after another.
pub(crate) type List = Vec<Item>;

/// Pipelines joined by `&&` and `||`, and whether the shell waits for them.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) first: Pipeline,
    pub(crate) rest: Vec<(Join, Pipeline)>,
    pub(crate) is_background: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    And,
    Or,
}

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) is_negated: bool,
    pub(crate) stages: Vec<Command>,
}

#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Simple(Simple),
    Group(List),
    Subshell(List),
    If {
        branches: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    While {
        is_until: bool,
        condition: List,
        body: List,
    },
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: List,
    },
    Case {
        subject: Word,
        arms: Vec<(Vec<Word>, List)>,
    },
    Test(Test),
    Function {
        name: String,
        body: Arc<Command>,
    },
}

#[derive(Debug)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<(String, Word)>,
    pub(crate) words: Vec<Word>,
}

/// What stands in `[[ … ]]`.
#[derive(Debug)]
pub(crate) enum Test {
    Not(Box<Test>),
    Both(Box<Test>, Join, Box<Test>),
    /// One, two or three words; of two the first, of three the second is an operator.
    Words(Vec<Word>),
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

/// A word, with a number that no other word of the evaluation has.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) id: usize,
    pub(crate) parts: Vec<Part>,
    pub(crate) span: Range<usize>,
    /// Whether shells disagree about what it says.
    pub(crate) is_disputed: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Text, and whether it stood in quotes.
    Text(String, bool),
    /// `*`, `?` or `[a-z]`, not quoted.
    Glob(String),
    /// `{`, `,` or `}`, not quoted: brace expansion takes them away.
    Brace(char),
    /// `~` at the beginning.
    Home,
    Parameter(Arc<Parameter>, bool),
    Substitution(Arc<List>, bool),
    Arithmetic(Arc<Vec<Token>>, bool),
    /// A here-document's text, which is read after the word.
    Document(Arc<OnceLock<Vec<Part>>>),
    /// `<(…)`, or `>(…)` if it writes.
    Process(Arc<List>, bool),
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) operation: Operation,
}

#[derive(Debug)]
pub(crate) enum Operation {
    Value,
    Length,
    /// `[0]`, `[@]`: of a list that is not followed.
    Item(String),
    /// `:-`, `-`, `:+`, `+`, `:?`, `?`, and the word.
    Default(&'static str, Word),
    /// `#`, `##`, `%`, `%%`, and a pattern of plain characters.
    Cut(&'static str, String),
}

/// A piece of `$((…))`.
#[derive(Debug)]
pub(crate) enum Token {
    Number(String),
    Variable(String),
    Operator(&'static str),
}

impl Word {
    /// The text of a word that nothing has to be done for.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text, _)] => Some(text),
            _ => None,
        }
    }
}
