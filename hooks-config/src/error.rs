//! Errors of a configuration, shown at their place.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::mask;
use crate::place::{Mistake, Segment, TextPlace};

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
#[derive(Clone)]
pub struct ConfigError(Box<ErrorDetail>);

#[derive(Clone)]
struct ErrorDetail {
    file: Option<PathBuf>,
    place: Option<TextPlace>,
    path: String,
    message: String,
    help: Option<String>,
    source: Option<Arc<dyn Error + Send + Sync>>,
    /// The mistakes after this one. They have no further ones themselves.
    others: Vec<ConfigError>,
}

impl ConfigError {
    pub(crate) fn new(mistake: Mistake, file: Option<PathBuf>, place: Option<TextPlace>) -> Self {
        let message = mask::message(&mistake.told(), &mistake.path);
        ConfigError(Box::new(ErrorDetail {
            file,
            place,
            path: Segment::joined(&mistake.path),
            message,
            help: mistake.help.as_deref().map(mask::text),
            source: None,
            others: Vec::new(),
        }))
    }

    /// A mistake that is about a file as a whole, and has no place in it.
    ///
    /// ```
    /// use hooks_config::ConfigError;
    ///
    /// let error = ConfigError::of_file("hooks.toml", "the file cannot be read");
    /// assert_eq!(error.to_string(), "hooks.toml: the file cannot be read");
    /// ```
    #[must_use]
    pub fn of_file(file: impl AsRef<Path>, message: impl Into<String>) -> Self {
        let mistake = Mistake::new([], message);
        ConfigError::new(mistake, Some(file.as_ref().to_owned()), None)
    }

    /// Combines mistakes into one error, in the order of the file.
    ///
    /// # Errors
    ///
    /// If there is any mistake.
    pub fn all(errors: Vec<ConfigError>) -> Result<(), ConfigError> {
        let mut mistakes = Vec::new();
        for mut error in errors {
            let others = std::mem::take(&mut error.0.others);
            mistakes.push(error);
            mistakes.extend(others);
        }
        mistakes.sort_by_key(|mistake| (mistake.line(), mistake.column()));
        let mut mistakes = mistakes.into_iter();
        let Some(mut first) = mistakes.next() else {
            return Ok(());
        };
        first.0.others = mistakes.collect();
        Err(first)
    }

    /// Returns the first mistake only.
    #[must_use]
    pub fn alone(&self) -> Self {
        let mut alone = self.clone();
        alone.0.others.clear();
        alone
    }

    /// Returns every mistake, in the order of the file: this one, and those after it.
    ///
    /// ```
    /// use hooks_config::Document;
    ///
    /// #[derive(Debug, serde::Deserialize)]
    /// #[serde(deny_unknown_fields)]
    /// struct Hooks { enabled: bool }
    ///
    /// let document = Document::toml("\nenabled = 1\nbuildin = {}").unwrap();
    /// let error = document.settings::<Hooks>().unwrap_err();
    /// let lines: Vec<_> = error.mistakes().map(|mistake| mistake.line()).collect();
    /// assert_eq!(lines, [Some(2), Some(3)]);
    /// ```
    pub fn mistakes(&self) -> impl Iterator<Item = &ConfigError> {
        std::iter::once(self).chain(&self.0.others)
    }

    /// Returns the error with its source.
    #[must_use]
    pub fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
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

/// The same as `Display`: so `fn main() -> Result<(), ConfigError>` prints the message instead of the fields.
impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorDetail {
            file,
            place,
            message,
            help,
            ..
        } = &*self.0;
        if let Some(file) = file {
            write!(f, "{}:", file.display())?;
        }
        if let Some(TextPlace { line, column, .. }) = place {
            write!(f, "{line}:{column}:")?;
        }
        if file.is_some() || place.is_some() {
            f.write_str(" ")?;
        }
        f.write_str(message)?;
        let margin = place
            .as_ref()
            .map_or(0, |place| place.line.to_string().len());
        if let Some(place) = place
            && !place.text.is_empty()
        {
            let TextPlace {
                line, text, caret, ..
            } = place;
            write!(
                f,
                "\n{:margin$} |\n{line} | {text}\n{:margin$} | {caret}",
                "", ""
            )?;
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
