//! Whose files may run code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};

/// Whose files may run code: commands, processes, requests.
///
/// A repository may bring files with hooks, and whoever clones it has not read them. So files that are found in a project
/// run nothing unless you trust them, by their path and, if you want, by a fingerprint of their text. Files that you name
/// yourself, by [`Runtime::load`](crate::Runtime::load) or [`RuntimeBuilder::file`](crate::RuntimeBuilder::file), are
/// trusted, and so are the files that they import, unless those are the project's. A fingerprint is of the file's own text,
/// not of the programs that it names. What is not trusted is listed in [`Runtime::status`](crate::Runtime::status), never skipped in silence.
///
/// ```
/// use hooks_runtime::Trust;
///
/// let text = r#"{ "hooks": {} }"#;
/// let trust = Trust::none().with_text("/work/shop/.claude/settings.json", &Trust::fingerprint(text));
/// assert!(trust.covers("/work/shop/.claude/settings.json", text));
/// assert!(!trust.covers("/work/shop/.claude/settings.json", "something else"));
/// assert!(!trust.covers("/work/other/.claude/settings.json", text));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Trust {
    all: bool,
    /// The paths, each with the fingerprints of its texts; none is any text.
    files: BTreeMap<PathBuf, Vec<String>>,
}

impl Trust {
    /// No project's file. The default.
    #[must_use]
    pub fn none() -> Self {
        Trust::default()
    }

    /// Every file: for agents in a sandbox of their own.
    #[must_use]
    pub fn all() -> Self {
        Trust {
            all: true,
            ..Trust::default()
        }
    }

    /// Also this file, whatever is in it.
    #[must_use]
    pub fn with_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.insert(path.into(), Vec::new());
        self
    }

    /// Also this file, as long as its text has this fingerprint.
    #[must_use]
    pub fn with_text(mut self, path: impl Into<PathBuf>, fingerprint: &str) -> Self {
        let fingerprints = self.files.entry(path.into()).or_default();
        fingerprints.push(fingerprint.to_owned());
        self
    }

    /// The fingerprint of a text: the SHA-256, in hexadecimal digits.
    #[must_use]
    pub fn fingerprint(text: &str) -> String {
        hex(digest(&SHA256, text.as_bytes()).as_ref())
    }

    /// Whether a file with this text may run code.
    #[must_use]
    pub fn covers(&self, path: impl AsRef<Path>, text: &str) -> bool {
        // A file has several paths, and one that is real.
        let path = real(path.as_ref());
        let mut files = self.files.iter();
        self.all
            || files.any(|(known, fingerprints)| {
                real(known) == path
                    && (fingerprints.is_empty() || fingerprints.contains(&Trust::fingerprint(text)))
            })
    }
}

/// A path without links in it, as far as it exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
