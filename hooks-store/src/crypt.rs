//! Encryption: AES-256-GCM, with a key for each value.
//!
//! A value's key comes from a master key and a random salt (HKDF), so no key is used twice and a nonce of zeros is safe. The
//! table, the tenant, the row and the column are additional data, so a value that is moved to another row cannot be read
//! there. What this does not give: an old value that is put back into its own row can be read.
//!
//! A sealed value is the key's id (8 bytes), the salt (32 bytes) and the text with its tag.
//!
//! What must not be changed is signed with HMAC-SHA256, by a key that comes from the same master key: the key's id and the tag.

use std::fmt;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Okm, Salt};
use ring::hmac::{self, HMAC_SHA256};
use ring::rand::{SecureRandom as _, SystemRandom};
use tempfile::NamedTempFile;

use crate::error::{Result, StoreError};
use crate::text::{framed, sha256};

const VARIABLE: &str = "HOOKS_STORE_KEY";
const ID: usize = 8;
const SALT: usize = 32;

/// The keys that encrypt what a store keeps secret: the first encrypts, all decrypt.
///
/// ```
/// use hooks_store::Keys;
///
/// // What `openssl rand -base64 32` prints; a new key goes before the old one.
/// let keys = Keys::read("q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=")?;
/// assert_eq!(format!("{keys:?}"), "Keys(1)");
/// # Ok::<(), hooks_store::StoreError>(())
/// ```
#[derive(Clone)]
pub struct Keys(Vec<Key>);

#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) id: Vec<u8>,
    secret: [u8; 32],
}

/// Shows how many there are.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keys").field(&self.0.len()).finish()
    }
}

/// The file of a database of SQLite.
pub(crate) fn file_of(address: &str) -> Option<&str> {
    let file = address.strip_prefix("sqlite:")?;
    let file = file.strip_prefix("//").unwrap_or(file);
    let file = file.split('?').next().unwrap_or_default();
    (file != ":memory:").then_some(file)
}

/// The file with the keys of a database of SQLite.
fn key_file(address: &str) -> Option<PathBuf> {
    Some(format!("{}.key", file_of(address)?).into())
}

fn unusable(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Key(format!(
        "the key file {} cannot be used: {error}",
        path.display()
    ))
}

pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system has randomness");
    bytes
}

/// Random letters for a text that cannot be guessed: 256 bits.
pub(crate) fn random_text() -> String {
    base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(random::<32>())
}

impl Keys {
    /// Makes a new key.
    ///
    /// # Panics
    ///
    /// If the system has no randomness.
    #[must_use]
    pub fn generate() -> Self {
        Keys(vec![Key::new(random())])
    }

    /// No key: nothing can be encrypted.
    #[must_use]
    pub fn none() -> Self {
        Keys(Vec::new())
    }

    /// Reads keys as `HOOKS_STORE_KEY` has them: 32 bytes each, in base64, separated by commas.
    ///
    /// # Errors
    ///
    /// If one is not such a key.
    pub fn read(text: &str) -> Result<Self> {
        let keys = text.split(',').map(|key| {
            let bytes = BASE64_STANDARD.decode(key.trim()).unwrap_or_default();
            let secret = bytes.try_into().map_err(|_| {
                StoreError::Key(
                    "a key of the store is 32 bytes in base64: make one with `openssl rand -base64 32`"
                        .to_owned(),
                )
            })?;
            Ok(Key::new(secret))
        });
        keys.collect::<Result<_, _>>().map(Keys)
    }

    /// The default keys of a database; nothing if they are in a file that is not there.
    pub(crate) fn of_address(address: &str) -> Result<Option<Self>> {
        if let Ok(keys) = std::env::var(VARIABLE) {
            return Keys::read(&keys).map(Some);
        }
        match key_file(address) {
            Some(path) => Keys::of_file(&path),
            None if address.starts_with("sqlite:") => Ok(Some(Keys::generate())),
            None => Ok(Some(Keys::none())),
        }
    }

    /// Reads a file with keys.
    fn of_file(path: &Path) -> Result<Option<Self>> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                only_mine(path)?;
                Keys::read(&text).map(Some)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(path, &error)),
        }
    }

    /// Makes the key file of a database, so that only you may read it: whole, or not at all. If another process has made it
    /// meanwhile, its keys hold.
    pub(crate) fn make_file(address: &str) -> Result<Self> {
        let path = key_file(address).unwrap_or_default();
        let keys = Keys::generate();
        let text = BASE64_STANDARD.encode(keys.0[0].secret);
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let write = || {
            let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist_noclobber(&path).map_err(|failed| failed.error)
        };
        match write() {
            Ok(_) => Ok(keys),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Keys::of_file(&path)?.ok_or_else(|| unusable(&path, &error))
            }
            Err(error) => Err(unusable(&path, &error)),
        }
    }

    /// A database has sealed values, and its key file is not there.
    pub(crate) fn lost(address: &str) -> StoreError {
        StoreError::Key(format!(
            "the key file {} is missing, and the database has values that it has encrypted or signed: put the file back, or set `{VARIABLE}`",
            key_file(address).unwrap_or_default().display()
        ))
    }

    pub(crate) fn are_there(&self) -> bool {
        !self.0.is_empty()
    }

    /// The id of the key that encrypts.
    pub(crate) fn first(&self) -> Result<&Key> {
        self.0.first().ok_or_else(|| {
            StoreError::Key(format!(
                "the store has no key to encrypt with: set `{VARIABLE}` to what `openssl rand -base64 32` prints"
            ))
        })
    }

    /// Encrypts a value for its place: the table, the tenant, the row and the column.
    pub(crate) fn seal(&self, place: &[String], value: &[u8]) -> Result<Vec<u8>> {
        let key = self.first()?;
        let salt: [u8; SALT] = random();
        let mut text = value.to_vec();
        key.derived(&salt)
            .seal_in_place_append_tag(nonce(), aad(place), &mut text)
            .map_err(|_| StoreError::Key("the value cannot be encrypted".to_owned()))?;
        Ok([&key.id[..], &salt, &text].concat())
    }

    /// Decrypts the value of a place. `None` if its key is not there. That a key of this store decrypts a value which names
    /// another one is damage: no hash covers the name, because a new key changes it.
    pub(crate) fn open(&self, place: &[String], sealed: &[u8]) -> Result<Option<Vec<u8>>> {
        let damaged = || {
            StoreError::Key(format!(
                "{} was changed, and cannot be decrypted",
                place.join("/")
            ))
        };
        let (id, rest) = sealed.split_at_checked(ID).ok_or_else(damaged)?;
        let (salt, text) = rest.split_at_checked(SALT).ok_or_else(damaged)?;
        let opened = |key: &Key| {
            let mut text = text.to_vec();
            let key = key.derived(salt);
            let opened = key.open_in_place(nonce(), aad(place), &mut text);
            opened.ok().map(|opened| opened.to_vec())
        };
        match self.0.iter().find(|key| key.id == id) {
            Some(key) => opened(key).map(Some).ok_or_else(damaged),
            None if self.0.iter().any(|key| opened(key).is_some()) => Err(damaged()),
            None => Ok(None),
        }
    }

    /// Signs a text; without a key, with nothing.
    pub(crate) fn sign(&self, text: &[u8]) -> String {
        let Some(key) = self.0.first() else {
            return String::new();
        };
        let tag = hmac::sign(&key.signing(), text);
        hex::encode([&key.id, tag.as_ref()].concat())
    }

    /// Checks what [`sign`](Self::sign) has made. Returns whether its key is there.
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub(crate) fn signed(&self, text: &[u8], mac: &str) -> Result<bool, &'static str> {
        if mac.is_empty() || self.0.is_empty() {
            return if self.0.is_empty() {
                Ok(mac.is_empty())
            } else {
                Err("is not signed, and the store has a key")
            };
        }
        let mac = hex::decode(mac).unwrap_or_default();
        let Some(key) = self.0.iter().find(|key| mac.starts_with(&key.id)) else {
            return Ok(false);
        };
        hmac::verify(&key.signing(), text, &mac[ID..])
            .map(|()| true)
            .map_err(|_| "is not what was signed")
    }

    /// Whether one of the keys has encrypted a value, as the value says.
    pub(crate) fn has_sealed(&self, sealed: &[u8]) -> bool {
        self.0.iter().any(|key| sealed.starts_with(&key.id))
    }

    /// Decrypts a value whose key must be there.
    pub(crate) fn must_open(&self, place: &[String], sealed: &[u8]) -> Result<Vec<u8>> {
        let missing = || {
            StoreError::Key(format!(
                "the key that has encrypted {} is not there",
                place.join("/")
            ))
        };
        self.open(place, sealed)?.ok_or_else(missing)
    }
}

impl Key {
    fn new(secret: [u8; 32]) -> Self {
        let mut id = sha256(&[b"the id of a key of a store".as_slice(), &secret].concat());
        id.truncate(ID);
        Key { id, secret }
    }

    /// The key of one value.
    fn derived(&self, salt: &[u8]) -> LessSafeKey {
        LessSafeKey::new(self.expanded::<_, UnboundKey>(salt, b"hooks-store", &AES_256_GCM))
    }

    /// The key that signs.
    fn signing(&self) -> hmac::Key {
        self.expanded(b"", b"hooks-store signs", HMAC_SHA256)
    }

    fn expanded<L: KeyType, K>(&self, salt: &[u8], what: &[u8], kind: L) -> K
    where
        K: for<'a> From<Okm<'a, L>>,
    {
        let extracted = Salt::new(HKDF_SHA256, salt).extract(&self.secret);
        let info = [what];
        let expanded = extracted.expand(&info, kind);
        expanded.expect("a key is as long as HKDF allows").into()
    }
}

fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

fn aad(place: &[String]) -> Aad<Vec<u8>> {
    let parts: Vec<_> = place.iter().map(String::as_bytes).collect();
    Aad::from(framed(&parts))
}

/// A key that others may read is not secret.
#[cfg(unix)]
fn only_mine(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = path
        .metadata()
        .map_or(0, |about| about.permissions().mode());
    if mode & 0o077 != 0 {
        return Err(StoreError::Key(format!(
            "others may read the key file {}: make a new key, or run `chmod 600` on it",
            path.display()
        )));
    }
    Ok(())
}

#[cfg(not(unix))]
fn only_mine(_: &Path) -> Result<()> {
    Ok(())
}
