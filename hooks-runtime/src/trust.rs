//! Which files may run code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};

/// Which files may run code: commands, processes, requests.
///
/// A repository may contain files with hooks, and whoever clones it has not read them. So files that the runtime finds
/// in a project run nothing unless you trust them, by their path and, if you want, by a fingerprint of their text.
/// Files that you name yourself, with [`Runtime::load`](crate::Runtime::load) or
/// [`RuntimeBuilder::file`](crate::RuntimeBuilder::file), are trusted. So are the files that they import, unless those
/// belong to the project. A fingerprint covers the file's own text, not the programs that the file names.
/// [`Runtime::status`](crate::Runtime::status) lists files that are not trusted; the runtime never skips them silently.
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
    /// The paths, each with the fingerprints of its allowed texts. No fingerprint allows any text.
    files: BTreeMap<PathBuf, Vec<String>>,
}

impl Trust {
    /// Trusts no file of a project. This is the default.
    #[must_use]
    pub fn none() -> Self {
        Trust::default()
    }

    /// Trusts every file. Use it for agents in a sandbox of their own.
    #[must_use]
    pub fn all() -> Self {
        Trust {
            all: true,
            ..Trust::default()
        }
    }

    /// Also trusts this file, whatever it contains.
    #[must_use]
    pub fn with_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.insert(path.into(), Vec::new());
        self
    }

    /// Also trusts this file, as long as its text has this fingerprint.
    #[must_use]
    pub fn with_text(mut self, path: impl Into<PathBuf>, fingerprint: &str) -> Self {
        let fingerprints = self.files.entry(path.into()).or_default();
        fingerprints.push(fingerprint.to_owned());
        self
    }

    /// Returns the fingerprint of a text: its SHA-256, in hexadecimal digits.
    #[must_use]
    pub fn fingerprint(text: &str) -> String {
        hex(digest(&SHA256, text.as_bytes()).as_ref())
    }

    /// Whether a file with this text may run code.
    #[must_use]
    pub fn covers(&self, path: impl AsRef<Path>, text: &str) -> bool {
        // A file may have several paths, but one real path.
        let path = real(path.as_ref());
        let mut files = self.files.iter();
        self.all
            || files.any(|(known, fingerprints)| {
                real(known) == path
                    && (fingerprints.is_empty() || fingerprints.contains(&Trust::fingerprint(text)))
            })
    }
}

/// Resolves the links of a path, as far as the path exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// Formats bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
