//! From text to tree: parses a strict subset of the shell's language, and gives a reason for everything else.
//!
//! The parser reads from left to right and never goes back, except over the few bytes of a keyword. [`Work`] limits its
//! stack by the depth, and its time by the steps.
//!
//! | file | |
//! | --- | --- |
//! | `syntax` | the tree |
//! | `cursor` | the position in the script, and what looks ahead |
//! | `commands`, `redirects` | commands, and where they read and write |
//! | `words`, `braces` | words, with their quotes and expansions |

mod braces;
mod commands;
mod cursor;
mod redirects;
pub(crate) mod syntax;
mod words;

use self::cursor::{Parser, Result};
use self::syntax::CommandList;
use crate::bounds::{LONGEST, Work};
use crate::rejected::{RejectReason, Rejected};

pub(crate) use self::cursor::check_characters;

/// Parses a script into a tree. Its words are numbered from `next_word` on.
pub(crate) fn parse(text: &str, work: &mut Work, next_word: &mut usize) -> Result<CommandList> {
    whole(text, work, next_word).map_err(|rejected| rejected.within(text))
}

fn whole(text: &str, work: &mut Work, next_word: &mut usize) -> Result<CommandList> {
    if text.len() > LONGEST {
        return Err(Rejected::new(RejectReason::TooLong, 0..text.len()));
    }
    check_characters(text)?;
    work.spend(2 * text.len(), &(0..text.len()))?;
    let mut parser = Parser {
        text,
        at: 0,
        work,
        next_word,
        document: None,
    };
    let list = parser.list(&[])?;
    parser.expect_end()?;
    if parser.document.is_some() {
        return parser.reject(parser.at, RejectReason::LineBesideDocument);
    }
    Ok(list)
}
