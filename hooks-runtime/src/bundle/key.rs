//! The keys that sign bundles: Ed25519.

use std::fmt;
use std::str::FromStr;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use super::BundleError;

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// A private key, which signs bundles.
///
/// ```
/// use hooks_runtime::{Bundle, SigningKey};
///
/// let key = SigningKey::generate();
/// let mut bundle = Bundle::of_toml("[hooks.builtin]\nredact = true")?;
/// bundle.sign(&key);
/// assert!(bundle.verify(&[key.public()]).is_ok());
/// bundle.revision += 1;
/// assert!(bundle.verify(&[key.public()]).is_err());
/// # Ok::<(), hooks_runtime::BundleError>(())
/// ```
pub struct SigningKey {
    pair: Ed25519KeyPair,
    document: Vec<u8>,
}

impl SigningKey {
    /// Makes a new key.
    ///
    /// # Panics
    ///
    /// If the system has no randomness.
    #[must_use]
    pub fn generate() -> Self {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        let document = document.expect("the system has randomness");
        SigningKey::of(document.as_ref()).expect("a new key can be read")
    }

    fn of(document: &[u8]) -> Result<Self, BundleError> {
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(document);
        let pair = pair.map_err(|error| BundleError::Key(error.to_string()))?;
        Ok(SigningKey {
            pair,
            document: document.to_owned(),
        })
    }

    /// Reads a key in PEM, as [`to_pem`](Self::to_pem) and `openssl genpkey -algorithm ed25519` write it.
    ///
    /// # Errors
    ///
    /// If the text has no private key of Ed25519.
    pub fn from_pem(text: &str) -> Result<Self, BundleError> {
        let wrong = || BundleError::Key(format!("the text does not begin with `{BEGIN}`"));
        let (_, rest) = text.split_once(BEGIN).ok_or_else(wrong)?;
        let (body, _) = rest.split_once(END).ok_or_else(wrong)?;
        let body: String = body.split_whitespace().collect();
        let document = BASE64_STANDARD.decode(body);
        SigningKey::of(&document.map_err(|error| BundleError::Key(error.to_string()))?)
    }

    /// Returns the key in PEM. Keep it secret.
    #[must_use]
    pub fn to_pem(&self) -> String {
        format!(
            "{BEGIN}\n{}\n{END}\n",
            BASE64_STANDARD.encode(&self.document)
        )
    }

    /// Returns the public key, which checks signatures of this one.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(BASE64_STANDARD.encode(self.pair.public_key()))
    }

    pub(super) fn sign(&self, text: &[u8]) -> String {
        BASE64_STANDARD.encode(self.pair.sign(text))
    }
}

/// Shows the public key alone.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey").field(&self.public().0).finish()
    }
}

/// A public key, in base64.
///
/// ```
/// use hooks_runtime::PublicKey;
///
/// assert!("11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=".parse::<PublicKey>().is_ok());
/// assert!("a key".parse::<PublicKey>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PublicKey(String);

impl PublicKey {
    /// Whether a signature covers a text.
    pub(super) fn holds(&self, text: &[u8], signature: &str) -> bool {
        let (Ok(key), Ok(signature)) = (
            BASE64_STANDARD.decode(&self.0),
            BASE64_STANDARD.decode(signature),
        ) else {
            return false;
        };
        UnparsedPublicKey::new(&ED25519, key)
            .verify(text, &signature)
            .is_ok()
    }
}

impl FromStr for PublicKey {
    type Err = BundleError;

    fn from_str(text: &str) -> Result<Self, BundleError> {
        let text = text.trim();
        match BASE64_STANDARD.decode(text) {
            Ok(bytes) if bytes.len() == 32 => Ok(PublicKey(text.to_owned())),
            _ => Err(BundleError::Key(
                "a public key is 32 bytes in base64".to_owned(),
            )),
        }
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
