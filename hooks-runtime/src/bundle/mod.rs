//! Bundles: one revision of the hooks of one tenant, as one document in JSON.
//!
//! A bundle has everything of a `hooks.toml` and who published it. Its identity is the hash of its canonical text
//! (RFC 8785), so the same hooks are the same bundle wherever they lie: in a file, behind a web server, in a store.
//! A signature covers that text. A [`Source`](crate::Source) that names keys checks it before anything in the bundle is
//! read as a hook. A bundle that you load as a file is not checked: you have chosen the file.

mod diff;
mod key;
mod secret;

use std::fmt;
use std::path::Path;

use hooks_config::{ConfigError, Document};
use jiff::Timestamp;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::diff::{BundleDiff, Change};
pub use self::key::{PublicKey, SigningKey};
pub use self::secret::{foreign_secrets, secret_texts};
use crate::entry::{FileConfig, ImportEntry};
use crate::json::{MOST, is_exact};

/// The format that this version writes and reads.
const FORMAT: &str = "hooks-bundle/1";

/// The keys that are not tables of a file: those of a bundle itself, and the hooks of a file.
const RESERVED: [&str; 10] = [
    "author",
    "comment",
    "created",
    "format",
    "hooks",
    "on",
    "parent",
    "revision",
    "signatures",
    "tenant",
];

/// One revision of the hooks of one tenant.
///
/// ```
/// use hooks_runtime::Bundle;
///
/// let text = "[[hooks.on]]\nevent = 'BeforeToolCall'\ntools = ['deploy']\nblock = 'not today'";
/// let bundle = Bundle::of_toml(text)?;
/// let again = Bundle::read(&bundle.to_json())?;
/// assert_eq!((again.sha256(), again.to_toml()?), (bundle.sha256(), bundle.to_toml()?));
/// # Ok::<(), hooks_runtime::BundleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bundle {
    format: String,
    /// The tenant whose hooks these are; empty if there is only one.
    #[serde(default)]
    pub tenant: String,
    /// The number of the revision. A later one has a higher number.
    #[serde(default)]
    pub revision: u64,
    /// The hash of the revision before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// When it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// Who published it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// Each hook, with the keys of `[[hooks.on]]`. One of another system is under that system's key, as in its file: `{
    /// "name": "gate", "goclaw": { "event": "pre_tool_use", … } }`. It runs by that system's rules.
    #[serde(default)]
    pub hooks: Vec<Value>,
    /// The signatures, of the text without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<Signature>,
    /// The other tables of a file: `builtin`, `limits`, `import`, …
    #[serde(flatten)]
    tables: Map<String, Value>,
}

/// A signature of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// The public key.
    pub key: PublicKey,
    /// The signature, in base64.
    pub value: String,
}

/// Why a bundle is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The text is not a bundle.
    #[error("the text is not a bundle: {0}")]
    Malformed(String),
    /// No signature of a trusted key covers the text.
    #[error("no signature of a trusted key holds: {0}")]
    Unsigned(String),
    /// A key cannot be read.
    #[error("the key cannot be read: {0}")]
    Key(String),
    /// The hooks in it have mistakes.
    #[error("{0}")]
    Hooks(#[from] ConfigError),
}

impl Bundle {
    /// Makes a bundle of a text in TOML, with everything about its publication left empty.
    ///
    /// # Errors
    ///
    /// If the text has a mistake.
    pub fn of_toml(text: &str) -> Result<Self, BundleError> {
        Bundle::of(&Document::toml(text)?)
    }

    /// Makes a bundle of hooks, each with the keys of `[[hooks.on]]`, and of the other tables of a file, such as `builtin`
    /// and `limits`.
    ///
    /// ```
    /// use hooks_runtime::Bundle;
    /// use serde_json::{Map, json};
    ///
    /// let hook = json!({ "name": "no", "event": "BeforeToolCall", "block": "not today" });
    /// let bundle = Bundle::new(vec![hook], Map::new())?;
    /// assert_eq!(bundle.hooks.len(), 1);
    /// # Ok::<(), hooks_runtime::BundleError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a table has the name of a key that a bundle has itself, or a whole number is beyond 2^53 - 1. Whether the hooks
    /// are right is found when a runtime loads the bundle.
    pub fn new(hooks: Vec<Value>, tables: Map<String, Value>) -> Result<Self, BundleError> {
        if let Some(key) = RESERVED.iter().find(|key| tables.contains_key(**key)) {
            let what = format!("`{key}` is not a table beside the hooks of a bundle: leave it out");
            return Err(BundleError::Malformed(what));
        }
        hooks.iter().chain(tables.values()).try_for_each(exact)?;
        Ok(Bundle {
            format: FORMAT.to_owned(),
            tenant: String::new(),
            revision: 0,
            parent: None,
            created: None,
            author: String::new(),
            comment: String::new(),
            hooks,
            signatures: Vec::new(),
            tables,
        })
    }

    /// Makes a bundle of a file, in TOML or JSON, or reads the bundle that it is.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has a mistake.
    pub fn of_file(path: impl AsRef<Path>) -> Result<Self, BundleError> {
        let path = path.as_ref();
        let text = crate::text::read(path).map_err(|error| {
            ConfigError::of_file(path, format!("the file cannot be read: {error}"))
        })?;
        let document = Document::of_file(path, &*text)?;
        if Bundle::is_meant(document.value()) {
            return Bundle::read(&text);
        }
        Bundle::of(&document)
    }

    /// Checked as it is written, so that a mistake is shown at its place.
    fn of(document: &Document) -> Result<Self, BundleError> {
        if !FileConfig::of(document)?.agents.is_empty() {
            let what = "a bundle names no files, so it has no `[[agents]]`";
            return Err(BundleError::Malformed(what.to_owned()));
        }
        let hooks = document.value().get("hooks").and_then(Value::as_object);
        let mut tables = hooks.cloned().unwrap_or_default();
        // Tests stay where the hooks are written.
        tables.remove("test");
        let hooks = match tables.remove("on") {
            Some(Value::Array(hooks)) => hooks,
            _ => Vec::new(),
        };
        Bundle::new(hooks, tables)
    }

    /// Whether a text is meant as a bundle, of this or another version.
    pub(crate) fn is_meant(document: &Value) -> bool {
        let format = document.get("format").and_then(Value::as_str);
        format.is_some_and(|format| format.starts_with("hooks-bundle/"))
    }

    /// Reads a bundle. Its signatures are not checked: [`verify`](Self::verify) does that.
    ///
    /// # Errors
    ///
    /// If the text is not a bundle, is one of a format that this version does not know, or has a key twice.
    pub fn read(text: &str) -> Result<Self, BundleError> {
        let malformed = |error: serde_json::Error| BundleError::Malformed(error.to_string());
        let value = crate::json::from_slice(text.as_bytes()).map_err(malformed)?;
        exact(&value)?;
        let bundle: Bundle = serde_json::from_value(value).map_err(malformed)?;
        if bundle.format != FORMAT {
            let format = &bundle.format;
            return Err(BundleError::Malformed(format!(
                "the format is `{format}`, and this version reads `{FORMAT}`"
            )));
        }
        if bundle.tables.contains_key("on") {
            let what = "the hooks of a bundle are in `hooks`, and this one has `on`, too";
            return Err(BundleError::Malformed(what.to_owned()));
        }
        Ok(bundle)
    }

    /// Returns the canonical text, without the signatures: what is hashed and signed.
    fn canonical(&self) -> Vec<u8> {
        let unsigned = Bundle {
            signatures: Vec::new(),
            ..self.clone()
        };
        unsigned.text().into_bytes()
    }

    fn text(&self) -> String {
        serde_json_canonicalizer::to_string(self).expect("JSON can always be written")
    }

    /// Returns the identity: the SHA-256 of the canonical text without the signatures, in hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> String {
        hex::encode(digest(&SHA256, &self.canonical()))
    }

    /// Returns the canonical text, with the signatures.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.text()
    }

    /// Returns the hooks as a `hooks.toml`, which makes the same bundle again, but for its publication.
    ///
    /// # Errors
    ///
    /// If a hook has the value `null`, or is one of another system, which TOML cannot say.
    pub fn to_toml(&self) -> Result<String, BundleError> {
        if let Some((hook, system, _)) = self.foreign().next() {
            let name = hook["name"].as_str().unwrap_or(system);
            let what = format!("TOML cannot say it: `{name}` is a hook of the system `{system}`");
            return Err(BundleError::Malformed(what));
        }
        // As in its JSON, the order of keys is that of their names.
        let mut file = self.file();
        file.sort_all_objects();
        let written = toml::to_string_pretty(&file);
        written.map_err(|error| BundleError::Malformed(format!("TOML cannot say it: {error}")))
    }

    /// Returns the hooks of other systems, kept whole: the hook, the system, and what its file has.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = (&Value, &'static str, &Value)> {
        self.hooks.iter().filter_map(|hook| {
            let (system, file) = foreign(hook)?;
            Some((hook, system, file))
        })
    }

    /// Returns the other tables of a file: `builtin`, `limits`, `import`, …
    #[must_use]
    pub fn tables(&self) -> &Map<String, Value> {
        &self.tables
    }

    /// Returns the hooks in the form of a file, without those of other systems: one table `hooks`.
    pub(crate) fn file(&self) -> Value {
        let mut hooks = self.tables.clone();
        let own = self.hooks.iter().filter(|hook| foreign(hook).is_none());
        let own: Vec<_> = own.cloned().collect();
        if !own.is_empty() {
            hooks.insert("on".to_owned(), Value::Array(own));
        }
        Value::Object(Map::from_iter([("hooks".to_owned(), hooks.into())]))
    }

    /// Signs it. A signature of the same key is replaced.
    pub fn sign(&mut self, key: &SigningKey) {
        let public = key.public();
        self.signatures.retain(|signature| signature.key != public);
        let value = key.sign(&self.canonical());
        self.signatures.push(Signature { key: public, value });
    }

    /// Checks that one of these keys has signed it.
    ///
    /// # Errors
    ///
    /// If no signature of any of the keys holds.
    pub fn verify(&self, keys: &[PublicKey]) -> Result<(), BundleError> {
        let text = self.canonical();
        let mut signatures = self.signatures.iter();
        if signatures.any(|one| keys.contains(&one.key) && one.key.holds(&text, &one.value)) {
            return Ok(());
        }
        let signers: Vec<_> = self
            .signatures
            .iter()
            .map(|one| one.key.to_string())
            .collect();
        Err(BundleError::Unsigned(if signers.is_empty() {
            "the bundle has no signature".to_owned()
        } else {
            format!(
                "the bundle is signed by {}, or was changed afterwards",
                signers.join(", ")
            )
        }))
    }

    /// Compares it with a later revision.
    #[must_use]
    pub fn diff(&self, later: &Bundle) -> BundleDiff {
        BundleDiff::of(self, later)
    }
}

/// A hook of another system, kept whole: the key that names the system, and what its file has.
fn foreign(hook: &Value) -> Option<(&'static str, &Value)> {
    let mut systems = ImportEntry::KEYS.iter().filter(|key| **key != "hooks");
    systems.find_map(|system| Some((*system, hook.get(system)?)))
}

/// Refuses whole numbers that the canonical text cannot tell apart.
fn exact(value: &Value) -> Result<(), BundleError> {
    match value {
        Value::Number(number) if !is_exact(number) => {
            let what = format!("{value} is more than a number in a bundle can be: {MOST}");
            Err(BundleError::Malformed(what))
        }
        Value::Array(values) => values.iter().try_for_each(exact),
        Value::Object(fields) => fields.values().try_for_each(exact),
        _ => Ok(()),
    }
}

/// The tenant, the revision and the start of the hash.
impl fmt::Display for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.tenant.is_empty() {
            write!(f, "{} ", self.tenant)?;
        }
        write!(f, "revision {} ({})", self.revision, &self.sha256()[..12])
    }
}
