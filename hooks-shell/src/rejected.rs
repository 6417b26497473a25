//! Why a script is rejected: each reason is a variant, and says what to write instead.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use crate::bounds::LONGEST;

/// Why a script is rejected, and where.
///
/// ```
/// let rejected = hooks_shell::Script::parse("ls; coproc cat").unwrap_err();
/// assert_eq!(rejected.span(), 4..10);
/// assert_eq!(rejected.to_string(), "`coproc` is not supported: it runs a program beside the script");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct Rejected {
    reason: String,
    span: Range<usize>,
}

impl Rejected {
    pub(crate) fn new(reason: impl fmt::Display, span: Range<usize>) -> Self {
        Rejected {
            reason: reason.to_string(),
            span,
        }
    }

    /// Returns the same error, with its place extended to character boundaries of the text.
    pub(crate) fn within(mut self, text: &str) -> Self {
        let end = text.ceil_char_boundary(self.span.end);
        self.span = text.floor_char_boundary(self.span.start.min(end))..end;
        self
    }

    /// Returns what is wrong, and what to write instead.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns the place in the script, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

/// What the parser does not accept. A field is what the script has.
#[derive(Debug, Error)]
pub(crate) enum RejectReason<'t> {
    #[error("`coproc` is not supported: it runs a program beside the script")]
    Coproc,
    #[error("`function` is not supported: write `name() {{ …; }}`")]
    Function,
    #[error("`select` is not supported: it waits for a person")]
    Select,
    #[error("`{0}` is not supported: write `for`")]
    OtherLoop(&'t str),
    #[error("`{0}` is not supported: leave it out")]
    LeaveOut(&'t str),
    #[error("`noglob` is not supported: leave it out, and use quotes")]
    Noglob,
    #[error("the command is too complex to analyse: split it into smaller ones")]
    TooMuch,
    #[error("the command is nested too deeply: write it flat")]
    TooDeep,
    #[error("the script is longer than {LONGEST} bytes: split it into smaller ones")]
    TooLong,
    #[error("the command cannot be parsed: {0} is not expected here")]
    Unexpected(String),
    #[error("the command cannot be parsed: `{0}` is missing at its end")]
    MissingEnd(&'t str),
    #[error("the command cannot be parsed: a `{0}` is not closed")]
    UnclosedQuote(&'t str),
    #[error("the command cannot be parsed: a backquote is not closed")]
    UnclosedBackquote,
    #[error("the command cannot be parsed: it ends with `\\`")]
    LastBackslash,
    #[error("the command has an invisible character, `{}`: remove it", .0.escape_default())]
    HiddenCharacter(char),
    #[error("a word has an unusual blank, `{}`: write a space, or put the word in quotes", .0.escape_default())]
    OddBlank(char),
    #[error("`((…))` is not supported: use `[ … ]` and `$((…))`")]
    DoubleBracket,
    #[error("`for ((…))` is not supported: use `for i in {{1..9}}`, or `while`")]
    CountingFor,
    #[error("`{0}` is not a plain variable here: items of lists cannot be set")]
    ListItem(&'t str),
    #[error("a list `{0}=(…)` is only supported as a command of its own")]
    WholeList(&'t str),
    #[error("some shells read what follows `&> file` as another command: write it before")]
    WordsBehindBoth,
    #[error("a file descriptor has one digit: write `2>&1` or the like")]
    LongDescriptor,
    #[error("`{0}` takes a descriptor: for a file write `> file 2>&1`")]
    CopyToFile(&'t str),
    #[error("shells read `{0}!` differently: write `>|`, or use quotes")]
    ForcedWrite(&'t str),
    #[error("shells disagree on where this here-document ends: use a plain delimiter, as `EOF`")]
    OddDelimiter,
    #[error("the here-document does not end: its last line must be `{0}`")]
    UnendedDocument(&'t str),
    #[error("the here-document does not end before the `)`")]
    DocumentInBrackets,
    #[error("a command beside a here-document goes on in the next line: write it on one line")]
    LineBesideDocument,
    #[error("a `\\` joins two lines of this here-document: quote the delimiter, as `'EOF'`")]
    JoinedDocument,
    #[error("`<<-` is not supported where the text has a `$`: write `<<`")]
    StrippedDocument,
    #[error("a word goes on in the next line, after `\\`: write it on one line")]
    JoinedWord,
    #[error("the braces expand to several words: write one word here")]
    BracesForOneWord,
    #[error("the braces expand to too many words: write fewer")]
    ManyWords,
    #[error("braces within braces are not supported: write the words out")]
    NestedBraces,
    #[error("this range is not supported: write plain numbers, letters, or the words themselves")]
    OddRange,
    #[error("a pattern in brackets may only have letters, digits, `-`, `_` and `.`: use quotes")]
    OddClass,
    #[error("this is the home directory of another user: only `~` and `~/…` are supported")]
    OtherHome,
    #[error("`$\"…\"` is not supported: leave out the `$`")]
    TranslatedQuote,
    #[error("`$[…]` is not supported: write `$((…))`")]
    OldArithmetic,
    #[error("`$$` before a bracket means different things to shells: write it in another way")]
    TwoDollars,
    #[error("shells read `${0}[…]` differently: write `${{{0}}}`")]
    ItemOfName(&'t str),
    #[error("backquotes with `\\` in them are not supported: write `$(…)`")]
    EscapedBackquotes,
    #[error("an index may run a command: write a number, or a variable with one")]
    OddIndex,
    #[error(
        "this `${{…}}` is not supported: use `${{x}}`, `${{x:-text}}`, `${{x%text}}` or `${{x:0:3}}`"
    )]
    OddParameter,
    #[error("quotes, brackets and lines within `${{…}}` are not supported: use a variable")]
    QuotesInParameter,
    #[error("shells disagree on where `$'…\\'…'` ends: use double quotes")]
    QuoteInEscapes,
    #[error("this escape is not supported: write the character itself")]
    OddEscape,
    #[error("`$((…))` may run a command: write numbers, variables and operators that set nothing")]
    OddArithmetic,
}

impl<'t> RejectReason<'t> {
    /// Returns why a word is rejected where a command is expected, if it is.
    pub(crate) fn of_word(word: &'t str) -> Option<Self> {
        Some(match word {
            "coproc" => RejectReason::Coproc,
            "function" => RejectReason::Function,
            "select" => RejectReason::Select,
            "foreach" | "repeat" => RejectReason::OtherLoop(word),
            "nocorrect" | "always" => RejectReason::LeaveOut(word),
            "noglob" => RejectReason::Noglob,
            _ => return None,
        })
    }
}
