//! A text in TOML or JSON, with the places of its keys. It is for files of other systems.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::{At, ConfigError, Names, Segment, Wrong};
use super::read;
use super::source::{Source, Text};

/// A configuration in another format than ours, such as another system's file: its value, and the place of each key in
/// the text.
///
/// A mistake in it is shown as one in `hooks.toml` is. `Debug` shows nothing of the text, which may hold secrets.
///
/// ```
/// use hooks_builtin::config::{Document, Segment};
///
/// let document = Document::json(r#"{ "hooks": { "PreTool": [] } }"#)?;
/// let path = [Segment::from("hooks"), "PreTool".into()];
/// let error = document.mistake(&path, "`PreTool` is no event", Some("write `PreToolUse`"));
/// assert_eq!((error.line(), error.column()), (Some(1), Some(25)));
/// # Ok::<(), hooks_builtin::config::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Document {
    source: Arc<Source>,
    value: Value,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("file", &self.source.file)
            .finish_non_exhaustive()
    }
}

impl Document {
    /// Reads a file, whose name ends with `.toml` or `.json`.
    ///
    /// # Errors
    ///
    /// If it cannot be read or parsed.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        Source::load(path.as_ref()).map(Document::of)
    }

    /// Reads the text of a file that you have read already. The file's name ends with `.toml` or `.json`.
    ///
    /// ```
    /// use hooks_builtin::config::Document;
    ///
    /// let document = Document::of_file("settings.json", r#"{ "hooks": {} }"#)?;
    /// assert!(document.value()["hooks"].is_object());
    /// # Ok::<(), hooks_builtin::config::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it cannot be parsed.
    pub fn of_file(path: impl AsRef<Path>, text: impl Into<String>) -> Result<Self, ConfigError> {
        Source::parse(path.as_ref(), text.into()).map(Document::of)
    }

    /// Reads a text in JSON.
    ///
    /// # Errors
    ///
    /// If it cannot be parsed.
    pub fn json(text: &str) -> Result<Self, ConfigError> {
        Source::json(None, text.to_owned()).map(Document::of)
    }

    /// Reads a text in TOML.
    ///
    /// # Errors
    ///
    /// If it cannot be parsed.
    pub fn toml(text: &str) -> Result<Self, ConfigError> {
        Source::toml(None, text.to_owned()).map(Document::of)
    }

    fn of(text: Text) -> Self {
        Document {
            source: Arc::new(text.source),
            value: text.value,
        }
    }

    /// Returns the whole document, as JSON.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the file, if the document was read from one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.source.file.as_deref()
    }

    /// Reads the part of the document at a path.
    ///
    /// # Errors
    ///
    /// If the part does not fit the type. The error contains every mistake.
    pub fn read<T: DeserializeOwned>(
        &self,
        part: &Value,
        path: &[Segment],
    ) -> Result<T, ConfigError> {
        read::whole(part.clone(), Vec::new()).map_err(|wrong| {
            let shown = wrong.into_iter().map(|wrong| {
                let path = path.iter().cloned().chain(wrong.path);
                let wrong = Wrong {
                    path: path.collect(),
                    ..wrong
                };
                ConfigError::new(wrong, Some(&self.source))
            });
            // There is at least one mistake.
            let together = ConfigError::all(shown.collect());
            together
                .err()
                .unwrap_or_else(|| self.mistake(path, "it cannot be read", None))
        })
    }

    /// Creates an error for a mistake in the document, shown at its place.
    #[must_use]
    pub fn mistake(
        &self,
        path: &[Segment],
        message: impl Into<String>,
        help: Option<&str>,
    ) -> ConfigError {
        ConfigError::new(wrong_at(path, message.into(), help), Some(&self.source))
    }
}

/// A mistake at a path, whose message already names its key.
pub(super) fn wrong_at(path: &[Segment], message: String, help: Option<&str>) -> Wrong {
    Wrong {
        path: path.to_vec(),
        message,
        names: Names::Nothing,
        help: help.map(str::to_owned),
        at: At::Value,
    }
}
