//! Errors of a configuration, shown at their place.

use std::error::Error;
use std::fmt::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::source::Source;

/// An error of a configuration: the file, the line and the column, the key, what was expected, and what to write
/// instead.
///
/// It contains every mistake, in the order of the file, and displays them all. [`mistakes`](Self::mistakes) returns
/// them one by one. The other methods describe the first.
///
/// ```text
/// hooks.toml:5:1: unknown key `tool_pattern` in `hooks.builtin.webhook_audit`
///   |
/// 5 | tool_pattern = ["shell"]
///   | ^^^^^^^^^^^^
///   = help: did you mean `tool_patterns`? the keys here are `url`, `tool_patterns`, …
/// ```
pub struct ConfigError(Box<Inner>);

struct Inner {
    file: Option<PathBuf>,
    place: Option<Place>,
    path: String,
    message: String,
    help: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
    /// The mistakes after this one. They have no further ones themselves.
    others: Vec<ConfigError>,
}

/// A place in a text.
#[derive(Clone)]
struct Place {
    /// From 1.
    line: usize,
    /// From 1, in characters.
    column: usize,
    /// The line; empty if it must not be shown.
    text: String,
    width: usize,
}

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
    pub(super) fn key(name: &str) -> Self {
        Segment::Key(name.to_owned())
    }

    /// Writes a path as `hooks.chain[1].config`.
    pub(super) fn joined(path: &[Segment]) -> String {
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

/// A mistake whose place in the text is not known yet.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) path: Vec<Segment>,
    /// The message, without the key.
    pub(super) message: String,
    pub(super) names: Names,
    pub(super) help: Option<String>,
    /// The part of the text at the path that the error points at.
    pub(super) at: At,
}

/// The part of the text at a path that an error points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Key,
    Value,
    /// The place in a table where a key is missing.
    End,
}

/// How a message names the key.
#[derive(Clone, Copy, Debug)]
pub(super) enum Names {
    /// In its own words, or not at all.
    Nothing,
    /// "`hooks.chain[0].config.url`: it is no URL".
    Before,
    /// "`hooks.chain[0].config.tools` is empty".
    Subject,
    /// "expected a list in `hooks.chain[0].config.tools`".
    After,
    /// "unknown key `tool` in `hooks.chain[0].config`".
    TableAfter,
}

impl Wrong {
    /// Returns the message, with the key.
    pub(super) fn told(&self) -> String {
        let Wrong { path, message, .. } = self;
        let path = match (self.names, path.as_slice()) {
            (Names::TableAfter, [table @ .., _]) => table,
            (_, path) => path,
        };
        let joined = Segment::joined(path);
        match self.names {
            Names::Nothing => message.clone(),
            _ if path.is_empty() => message.clone(),
            Names::Before => format!("`{joined}`: {message}"),
            Names::Subject => format!("`{joined}` {message}"),
            Names::After | Names::TableAfter => format!("{message} in `{joined}`"),
        }
    }
}

impl ConfigError {
    pub(super) fn new(wrong: Wrong, source: Option<&Source>) -> Self {
        let place = source.map(|source| {
            let at = source.locate(&wrong);
            let place = Place::of(&source.text, at.clone());
            let is_secret = match wrong.path.last() {
                Some(Segment::Key(key)) if key == "secret" => wrong.at != At::Key,
                // For example, a URL with a password.
                _ => source
                    .text
                    .get(at)
                    .is_some_and(|value| value.contains("://") && value.contains('@')),
            };
            if is_secret { place.hidden() } else { place }.without_secrets()
        });
        ConfigError(Box::new(Inner {
            file: source.and_then(|source| source.file.clone()),
            place,
            path: Segment::joined(&wrong.path),
            message: without_text(wrong.told()),
            help: wrong.help,
            source: None,
            others: Vec::new(),
        }))
    }

    /// A mistake that is about a file as a whole, and has no place in it.
    ///
    /// ```
    /// use hooks_builtin::config::ConfigError;
    ///
    /// let error = ConfigError::of_file("hooks.toml", "the file cannot be read");
    /// assert_eq!(error.to_string(), "hooks.toml: the file cannot be read");
    /// ```
    #[must_use]
    pub fn of_file(file: impl AsRef<Path>, message: impl Into<String>) -> Self {
        ConfigError(Box::new(Inner {
            file: Some(file.as_ref().to_owned()),
            place: None,
            path: String::new(),
            message: message.into(),
            help: None,
            source: None,
            others: Vec::new(),
        }))
    }

    pub(super) fn of_syntax(
        file: Option<PathBuf>,
        text: &str,
        at: Range<usize>,
        message: &str,
    ) -> Self {
        let mut place = Place::of(text, at).without_secrets();
        // The end of a value is unknown, because the text does not parse.
        if place.text.contains("secret") {
            place.text.clear();
        }
        ConfigError(Box::new(Inner {
            file,
            place: Some(place),
            path: String::new(),
            message: message.trim().replace('\n', ", "),
            help: None,
            source: None,
            others: Vec::new(),
        }))
    }

    /// Combines mistakes into one error, in the order of the file.
    ///
    /// # Errors
    ///
    /// If there is any mistake.
    pub fn all(mut mistakes: Vec<ConfigError>) -> Result<(), ConfigError> {
        mistakes.sort_by_key(|mistake| (mistake.line(), mistake.column()));
        let mut mistakes = mistakes.into_iter();
        let Some(mut first) = mistakes.next() else {
            return Ok(());
        };
        for mut other in mistakes {
            let more = std::mem::take(&mut other.0.others);
            first.0.others.push(other);
            first.0.others.extend(more);
        }
        Err(first)
    }

    /// Returns a copy of the error, without its source. Use it to keep one and return the other.
    #[must_use]
    pub fn again(&self) -> Self {
        let Inner {
            file,
            place,
            path,
            message,
            help,
            others,
            ..
        } = &*self.0;
        ConfigError(Box::new(Inner {
            file: file.clone(),
            place: place.clone(),
            path: path.clone(),
            message: message.clone(),
            help: help.clone(),
            source: None,
            others: others.iter().map(ConfigError::again).collect(),
        }))
    }

    /// Returns every mistake, in the order of the file: this one, and those after it.
    ///
    /// ```
    /// use hooks_builtin::config::HooksConfig;
    ///
    /// let error = HooksConfig::from_toml("[hooks]\nenabled = 1\nbuildin = {}").unwrap_err();
    /// let lines: Vec<_> = error.mistakes().map(|mistake| mistake.line()).collect();
    /// assert_eq!(lines, [Some(2), Some(3)]);
    /// ```
    pub fn mistakes(&self) -> impl Iterator<Item = &ConfigError> {
        std::iter::once(self).chain(&self.0.others)
    }

    pub(super) fn with_help(mut self, help: Option<&str>) -> Self {
        self.0.help = help.map(str::to_owned);
        self
    }

    pub(super) fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    /// Returns the file, if the configuration was read from one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Returns the line, from 1, if the text is known.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.0.place.as_ref().map(|place| place.line)
    }

    /// Returns the column, from 1, in characters, if the text is known.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.0.place.as_ref().map(|place| place.column)
    }

    /// Returns the key, such as `hooks.chain[1].config.level`; empty if the whole file is wrong.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Returns the message, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns what to write instead, if that is known.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl Place {
    fn of(text: &str, at: Range<usize>) -> Self {
        let start = text.floor_char_boundary(at.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..]
            .find('\n')
            .map_or(text.len(), |newline| start + newline);
        let end = text.floor_char_boundary(at.end).clamp(start, line_end);
        Place {
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            text: text[line_start..line_end].trim_end().to_owned(),
            width: text[start..end].chars().count().max(1),
        }
    }

    /// Removes the line if it contains a secret, for example under a misspelled key.
    fn without_secrets(mut self) -> Self {
        if has_secret(&self.text) {
            self.text.clear();
        }
        self
    }

    /// Removes the value, because nobody may read it.
    fn hidden(mut self) -> Self {
        let before: String = self.text.chars().take(self.column - 1).collect();
        let after: String = self
            .text
            .chars()
            .skip(self.column - 1 + self.width)
            .collect();
        self.text = format!("{before}\"…\"{after}");
        self.width = 3;
        self
    }
}

/// Whether a text contains the secret of a webhook, or a URL with a password.
fn has_secret(text: &str) -> bool {
    let has_password = |(_, rest): (&str, &str)| {
        let end = rest.find(['"', '\'', ' ', '`']).unwrap_or(rest.len());
        rest[..end].contains('@')
    };
    text.contains("whsec_") || text.split_once("://").is_some_and(has_password)
}

/// Removes a quoted value from a message if the value is a secret.
fn without_text(message: String) -> String {
    match (message.find('"'), message.rfind('"')) {
        (Some(start), Some(end)) if start < end && has_secret(&message[start..end]) => {
            format!("{}…{}", &message[..=start], &message[end..])
        }
        _ => message,
    }
}

/// The same as `Display`: so `fn main() -> Result<(), ConfigError>` prints the message instead of the fields.
impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            file,
            place,
            message,
            help,
            ..
        } = &*self.0;
        if let Some(file) = file {
            write!(f, "{}:", file.display())?;
        }
        if let Some(Place { line, column, .. }) = place {
            write!(f, "{line}:{column}:")?;
        }
        if file.is_some() || place.is_some() {
            f.write_str(" ")?;
        }
        f.write_str(message)?;
        let margin = place
            .as_ref()
            .map_or(0, |place| place.line.to_string().len());
        if let Some(Place {
            line,
            column,
            text,
            width,
        }) = place
            && !text.is_empty()
        {
            // A tab is shown as one character, so that the caret is in the right place.
            let text = text.replace('\t', " ");
            write!(f, "\n{:margin$} |\n{line} | {text}\n{:margin$} | ", "", "")?;
            write!(f, "{:indent$}{:^<width$}", "", "", indent = column - 1)?;
        }
        if let Some(help) = help {
            write!(f, "\n{:margin$} = help: {help}", "")?;
        }
        for other in &self.0.others {
            write!(f, "\n\n{other}")?;
        }
        Ok(())
    }
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_ref().map(|source| &**source as _)
    }
}
