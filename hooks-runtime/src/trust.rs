//! Which files may run code.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hooks_builtin::__Visible as Visible;
use hooks_builtin::__caller as caller;
use hooks_config::Document;
use ring::digest::{SHA256, digest};
use serde_json::Value;

/// Which files may run code: commands, processes, requests.
///
/// A repository may contain files with hooks, and a user who clones it has not read them. So files that the runtime
/// finds in a project run nothing unless you trust them, by their path and, if you want, by a fingerprint of their
/// text. Files that you name yourself, with [`Runtime::load`](crate::Runtime::load) or
/// [`RuntimeBuilder::file`](crate::RuntimeBuilder::file), are trusted. So are the files that they import, unless those
/// belong to the project. For a file that your program has found, there is
/// [`RuntimeBuilder::found`](crate::RuntimeBuilder::found). `hooks trust` writes what a user trusts into the
/// [`user_file`](Trust::user_file), which [`Trust::read`] reads. A fingerprint covers the file's own text, not the
/// programs that the file names. [`Runtime::status`](crate::Runtime::status) lists files that are not trusted; the
/// runtime never skips them silently.
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

    /// No longer trusts this file.
    #[must_use]
    pub fn without(mut self, path: impl AsRef<Path>) -> Self {
        let path = real(path.as_ref());
        self.files.retain(|known, _| real(known) != path);
        self
    }

    /// Returns the files that are trusted, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// Returns the file that keeps what this user trusts: `hooks/trusted` in `$XDG_STATE_HOME`, which is by default
    /// `~/.local/state`. None if the user has no folder.
    #[must_use]
    pub fn user_file() -> Option<PathBuf> {
        let state = caller::var_os("XDG_STATE_HOME").map(PathBuf::from);
        let state = state.filter(|folder| folder.is_absolute());
        let state = state.or_else(|| Some(caller::home_dir()?.join(".local/state")));
        state.map(|folder| folder.join("hooks/trusted"))
    }

    /// Reads what [`write`](Self::write) has written. A file that does not exist trusts nothing.
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// # let folder = tempfile::tempdir()?;
    /// # let kept = folder.path().join("hooks/trusted");
    /// use hooks_runtime::Trust;
    ///
    /// Trust::none().with_text("/work/shop/hooks.toml", &Trust::fingerprint("a text")).write(&kept)?;
    /// assert!(Trust::read(&kept)?.covers("/work/shop/hooks.toml", "a text"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or if another user owns it or its folder, or has any right to it.
    pub fn read(file: &Path) -> io::Result<Self> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Trust::none()),
            Err(error) => return Err(of_file(file, &error)),
        };
        for path in file.parent().into_iter().chain([file]) {
            is_private(path).map_err(|error| of_file(path, &error))?;
        }
        let files = serde_json::from_str(&text).map_err(|error| of_file(file, &error))?;
        Ok(Trust { all: false, files })
    }

    /// Writes the trusted files and their fingerprints into a file that only this user can read and change.
    ///
    /// # Errors
    ///
    /// If the file or its folder cannot be written, or the path of a trusted file is not UTF-8.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        write_private(file, serde_json::to_string_pretty(&self.files)?.as_bytes())
    }

    /// Returns the fingerprint of a text: its SHA-256, in hexadecimal digits.
    #[must_use]
    pub fn fingerprint(text: &str) -> String {
        hex::encode(digest(&SHA256, text.as_bytes()))
    }

    /// Whether a file with this text may run code.
    #[must_use]
    pub fn covers(&self, path: impl AsRef<Path>, text: &str) -> bool {
        let fingerprint = Trust::fingerprint(text);
        // A file may have several paths, but one real path.
        let path = real(path.as_ref());
        let mut files = self.files.iter();
        self.all
            || files.any(|(known, fingerprints)| {
                (fingerprints.is_empty() || fingerprints.contains(&fingerprint))
                    && real(known) == path
            })
    }
}

/// Writes a file that only this user can read and change, and its folder. A reader sees the old one or the new one.
#[doc(hidden)]
pub fn write_private(file: &Path, text: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(folder)?;
        // Such a file is 0600.
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(text)?;
        new.persist(file)?;
        Ok(())
    };
    write().map_err(|error: io::Error| of_file(file, &error))
}

fn of_file(file: &Path, error: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {error}", file.display()))
}

/// Fails unless a file or a folder is this user's alone. A project can bring a file along, but git keeps no such rights.
#[cfg(unix)]
fn is_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let about = path.metadata()?;
    if about.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("the file belongs to another user"));
    }
    if about.mode() & 0o077 != 0 {
        let message = "other users have rights to it: take them away with `chmod go-rwx`";
        return Err(io::Error::other(message));
    }
    Ok(())
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Fails if a user other than this one and root may change a file, put another in its place, or lead its link
/// elsewhere.
#[cfg(unix)]
pub(crate) fn is_unspoiled(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let behind = real(file);
    for path in [file.parent(), behind.parent(), Some(&behind)] {
        let Some(path) = path else { continue };
        let about = path.metadata()?;
        let (owner, me) = (about.uid(), rustix::process::geteuid().as_raw());
        let shown = path.display();
        if owner != me && owner != 0 {
            let message = format!("{shown} belongs to another user");
            return Err(io::Error::other(message));
        }
        // Where each user has a group of the same number, what this user writes is the group's.
        let is_own_group = owner != 0 && about.gid() == owner;
        let others = if is_own_group { 0o002 } else { 0o022 };
        // In a sticky folder such as `/tmp`, a user cannot replace what belongs to another one.
        let is_sticky = about.is_dir() && about.mode() & 0o1000 != 0;
        if about.mode() & others != 0 && !is_sticky {
            let message = format!("others may change {shown}: take that away with `chmod go-w`");
            return Err(io::Error::other(message));
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn is_unspoiled(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Lists everything that a file of hooks has: each hook and each setting in one line, without any character that is not
/// seen. It shows what a user who trusts the file allows.
///
/// ```
/// let text = "[[hooks.on]]\nevent = 'BeforeToolCall'\ncommand = './gate.sh'";
/// assert_eq!(hooks_runtime::entries(text), [r#"on: {"event":"BeforeToolCall","command":"./gate.sh"}"#]);
/// ```
#[must_use]
pub fn entries(text: &str) -> Vec<String> {
    let document = Document::json(text).or_else(|_| Document::toml(text));
    let Ok(document) = document else {
        return vec![Visible(text).to_string()];
    };
    let mut found = Vec::new();
    match document.value() {
        Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("hooks", Value::Object(_)) => collect("", value, 0, &mut found),
                    (key, value) => collect(key, value, 1, &mut found),
                }
            }
        }
        value => collect("", value, 0, &mut found),
    }
    found
}

/// Every system has lists of hooks, or groups with lists under `hooks`; what is in no list is a setting.
fn collect(name: &str, value: &Value, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) if depth < 2 || fields.contains_key("hooks") => {
            for (key, value) in fields {
                let name = match (name, key.as_str()) {
                    ("", key) => key.to_owned(),
                    (name, "hooks") => name.to_owned(),
                    (name, key) => format!("{name}.{key}"),
                };
                collect(&name, value, depth + 1, found);
            }
        }
        Value::Array(values) if values.iter().any(Value::is_object) => {
            for value in values {
                collect(name, value, depth + 2, found);
            }
        }
        value => found.push(Visible(&format!("{name}: {value}")).to_string()),
    }
}

/// Resolves the links of a path, as far as the path exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}
