//! Paths of keys, mistakes whose place in a text is not known yet, and places.

use std::error::Error;
use std::fmt::{self, Write};
use std::ops::Range;

use crate::mask;

/// One step of a path: `hooks.chain[1].config` has four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A key of a table.
    Key(String),
    /// A place in a list, from 0.
    Index(usize),
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Segment::key(key)
    }
}

impl From<usize> for Segment {
    fn from(index: usize) -> Self {
        Segment::Index(index)
    }
}

impl Segment {
    /// A key of a table.
    #[must_use]
    pub fn key(name: &str) -> Self {
        Segment::Key(name.to_owned())
    }

    /// Writes a path as `hooks.chain[1].config`.
    ///
    /// ```
    /// use hooks_config::Segment;
    ///
    /// assert_eq!(Segment::joined(&["hooks".into(), "on".into(), 0.into()]), "hooks.on[0]");
    /// ```
    #[must_use]
    pub fn joined(path: &[Segment]) -> String {
        let mut joined = String::new();
        for segment in path {
            match segment {
                Segment::Key(key) if joined.is_empty() => joined.push_str(key),
                Segment::Key(key) => {
                    joined.push('.');
                    joined.push_str(key);
                }
                Segment::Index(index) => {
                    // Writing to a string cannot fail.
                    let _ = write!(joined, "[{index}]");
                }
            }
        }
        joined
    }
}

/// A mistake whose place in the text is not known yet. [`Origin::show`](crate::Origin::show) finds it.
///
/// ```
/// use hooks_config::{Document, Mistake, Naming};
///
/// let document = Document::toml("[hooks]\nretries = 0")?;
/// let mistake = Mistake::new(["hooks".into(), "retries".into()], "must be more than 0").naming(Naming::Subject);
/// let error = document.show(mistake);
/// assert_eq!((error.line(), error.message()), (Some(2), "`hooks.retries` must be more than 0"));
/// # Ok::<(), hooks_config::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mistake {
    /// Where it is.
    pub path: Vec<Segment>,
    /// The message, without the key.
    pub message: String,
    /// How the message names the key.
    pub naming: Naming,
    /// What to write instead.
    pub help: Option<String>,
    /// The part of the text at the path that the error points at.
    pub at: At,
}

/// The part of the text at a path that an error points at.
///
/// ```
/// use hooks_config::{At, Document, Mistake};
///
/// let column = |text: &str| {
///     let mistake = Mistake::new(["if".into()], "`x` is not known").at(At::Part { start: 5, end: 6 });
///     Document::toml(text).unwrap().show(mistake).column()
/// };
/// assert_eq!(column("if = 'args.x == 1'"), Some(12));
/// assert_eq!(column(r#"if = "args.x == '\u0041'""#), Some(6), "the text has an escape");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The key.
    Key,
    /// The value, or the name of a table.
    Value,
    /// The place in a table where a key is missing.
    End,
    /// A part of a text, in bytes. Where the text has escapes, it is the value.
    Part {
        /// Where it begins.
        start: usize,
        /// Where it ends.
        end: usize,
    },
}

/// How a message names the key.
#[derive(Clone, Copy, Debug)]
pub enum Naming {
    /// In its own words, or not at all.
    Nothing,
    /// "`hooks.chain[0].config.url`: the text is not a URL".
    Before,
    /// "`hooks.chain[0].config.tools` is empty".
    Subject,
    /// "expected a list in `hooks.chain[0].config.tools`".
    After,
    /// "unknown key `tool` in `hooks.chain[0].config`".
    TableAfter,
}

impl Mistake {
    /// Creates a mistake at a value. Its message names the key in its own words, or not at all.
    #[must_use]
    pub fn new(path: impl Into<Vec<Segment>>, message: impl Into<String>) -> Self {
        Mistake {
            path: path.into(),
            message: message.into(),
            naming: Naming::Nothing,
            help: None,
            at: At::Value,
        }
    }

    /// Sets how the message names the key.
    #[must_use]
    pub fn naming(mut self, naming: Naming) -> Self {
        self.naming = naming;
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Points at this part of the text.
    #[must_use]
    pub fn at(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    /// Puts the path below another one.
    #[must_use]
    pub fn within(mut self, outer: &[Segment]) -> Self {
        self.path.splice(..0, outer.iter().cloned());
        self
    }

    /// Returns the message, with the key.
    #[must_use]
    pub fn told(&self) -> String {
        let Mistake { path, message, .. } = self;
        let path = match (self.naming, path.as_slice()) {
            (Naming::TableAfter, [table @ .., _]) => table,
            (_, path) => path,
        };
        let joined = Segment::joined(path);
        match self.naming {
            Naming::Nothing => message.clone(),
            _ if path.is_empty() => message.clone(),
            Naming::Before => format!("`{joined}`: {message}"),
            Naming::Subject => format!("`{joined}` {message}"),
            Naming::After | Naming::TableAfter => format!("{message} in `{joined}`"),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told())?;
        match &self.help {
            Some(help) => write!(f, ": {help}"),
            None => Ok(()),
        }
    }
}

impl Error for Mistake {}

/// A place in a text.
#[derive(Clone)]
pub(crate) struct TextPlace {
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// The part of the line around the place, without secrets.
    pub(crate) text: String,
    /// Spaces, and carets under the place.
    pub(crate) caret: String,
}

/// The most characters of a line that are shown.
const SHOWN: usize = 160;

impl TextPlace {
    pub(crate) fn of(text: &str, at: Range<usize>) -> Self {
        let start = text.floor_char_boundary(at.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..]
            .find('\n')
            .map_or(text.len(), |newline| start + newline);
        let end = text.floor_char_boundary(at.end).clamp(start, line_end);
        let line = text[line_start..line_end].trim_end();
        let column = text[line_start..start].chars().count();
        let width = text[start..end].chars().count().max(1);
        let (shown, caret) = shown(&mask::line(&text[..line_start], line), column, width);
        TextPlace {
            line: text[..start].matches('\n').count() + 1,
            column: column + 1,
            text: shown,
            caret,
        }
    }
}

/// Returns the part of a line around a column, with a caret under it. A line may be a whole file.
fn shown(text: &str, column: usize, width: usize) -> (String, String) {
    let length = text.chars().count();
    let start = if length > SHOWN {
        column.saturating_sub(SHOWN / 2)
    } else {
        0
    };
    let mut line: String = text.chars().skip(start).take(SHOWN).collect();
    if start > 0 {
        line.insert(0, '…');
    }
    if length > start + SHOWN {
        line.push('…');
    }
    let indent = column - start + usize::from(start > 0);
    let width = width.min(SHOWN);
    // A tab is shown as one character, so that the caret is in the right place.
    let line = line.replace('\t', " ");
    (line, format!("{}{}", " ".repeat(indent), "^".repeat(width)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_mistake() {
        let text = format!("{}wrong{}", "é".repeat(70_000), "z".repeat(70_000));
        let start = "é".len() * 70_000;
        let place = TextPlace::of(&text, start..start + 5);
        assert_eq!(place.column, 70_001);
        let (line, caret) = (place.text, place.caret);
        assert_eq!(line.chars().count(), SHOWN + 2);
        let under = |line: &str| {
            line.chars()
                .skip(caret.find('^').unwrap())
                .collect::<String>()
        };
        assert!(under(&line).starts_with("wrong") && under(&caret) == "^^^^^");

        let TextPlace {
            text: line, caret, ..
        } = TextPlace::of(&text, 0..text.len());
        assert!(line.ends_with('…') && caret.len() == SHOWN);
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        let place = TextPlace::of("a\tb = 1", 2..3);
        assert_eq!((&*place.text, &*place.caret), ("a b = 1", "  ^"));
    }
}
