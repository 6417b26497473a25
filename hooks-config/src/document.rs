//! A text in TOML or JSON, with the places of its keys. It is for files of other systems.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ConfigError;
use crate::place::{Mistake, Segment};
use crate::read;
use crate::source::SourceText;

/// A configuration in another format than ours, such as another system's file: its value, and the place of each key in
/// the text.
///
/// A mistake in it is shown as one in `hooks.toml` is. `Debug` shows nothing of the text, which may hold secrets.
///
/// ```
/// use hooks_config::{Document, Segment};
///
/// let document = Document::json(r#"{ "hooks": { "PreTool": [] } }"#)?;
/// let path = [Segment::from("hooks"), "PreTool".into()];
/// let error = document.mistake(&path, "`PreTool` is not an event", Some("write `PreToolUse`"));
/// assert_eq!((error.line(), error.column()), (Some(1), Some(25)));
/// # Ok::<(), hooks_config::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Document(Arc<SourceText>);

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("file", &self.file())
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
        SourceText::load(path.as_ref()).map(Document::of)
    }

    /// Reads the text of a file that you have read already. The file's name ends with `.toml` or `.json`.
    ///
    /// ```
    /// use hooks_config::Document;
    ///
    /// let document = Document::of_file("settings.json", r#"{ "hooks": {} }"#)?;
    /// assert!(document.value()["hooks"].is_object());
    /// # Ok::<(), hooks_config::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it cannot be parsed.
    pub fn of_file(path: impl AsRef<Path>, text: impl Into<String>) -> Result<Self, ConfigError> {
        SourceText::parse(path.as_ref(), text.into()).map(Document::of)
    }

    /// Reads a text in JSON.
    ///
    /// # Errors
    ///
    /// If it cannot be parsed.
    pub fn json(text: &str) -> Result<Self, ConfigError> {
        SourceText::json(None, text.to_owned()).map(Document::of)
    }

    /// Reads a text in TOML.
    ///
    /// # Errors
    ///
    /// If it cannot be parsed.
    pub fn toml(text: &str) -> Result<Self, ConfigError> {
        SourceText::toml(None, text.to_owned()).map(Document::of)
    }

    fn of(source: SourceText) -> Self {
        Document(Arc::new(source))
    }

    /// Returns the whole document, as JSON.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// Returns the file, if the document was read from one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Reads the whole document.
    ///
    /// # Errors
    ///
    /// If the document does not fit the type. The error contains every mistake.
    pub fn settings<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        let SourceText { value, wrong, .. } = &*self.0;
        read::whole(value.clone(), wrong.clone()).map_err(|wrong| self.together(wrong, &[]))
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
        read::whole(part.clone(), Vec::new()).map_err(|wrong| self.together(wrong, path))
    }

    /// Shows mistakes below a path as one error.
    fn together(&self, wrong: Vec<Mistake>, path: &[Segment]) -> ConfigError {
        let shown = wrong
            .into_iter()
            .map(|mistake| self.show(mistake.within(path)));
        // There is at least one mistake.
        let together = ConfigError::all(shown.collect()).err();
        together.unwrap_or_else(|| self.mistake(path, "the value cannot be read", None))
    }

    /// Creates an error for a mistake in the document, shown at its place.
    #[must_use]
    pub fn mistake(
        &self,
        path: &[Segment],
        message: impl Into<String>,
        help: Option<&str>,
    ) -> ConfigError {
        let mut mistake = Mistake::new(path, message);
        mistake.help = help.map(str::to_owned);
        self.show(mistake)
    }

    /// Shows a mistake at its place.
    #[must_use]
    pub fn show(&self, mistake: Mistake) -> ConfigError {
        self.0.show(mistake)
    }

    /// Returns the line of a key, from 1.
    #[must_use]
    pub fn line(&self, path: &[Segment]) -> usize {
        let at = self.0.locate(&Mistake::new(path, ""));
        self.0.line(at.start)
    }
}

/// The document that settings were read from, if there is one. It does not count in comparisons: settings with the same
/// contents are equal.
///
/// ```
/// use hooks_config::{Mistake, Origin};
///
/// let error = Origin::default().show(Mistake::new(["hooks".into()], "there is no hook"));
/// assert_eq!((error.to_string(), error.line()), ("there is no hook".into(), None));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Origin(Option<Document>);

impl From<Document> for Origin {
    fn from(document: Document) -> Self {
        Origin(Some(document))
    }
}

impl Origin {
    /// Returns the document.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        self.0.as_ref()
    }

    /// Shows a mistake at its place, if there is a text.
    #[must_use]
    pub fn show(&self, mistake: Mistake) -> ConfigError {
        match &self.0 {
            Some(document) => document.show(mistake),
            None => ConfigError::new(mistake, None, None),
        }
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
