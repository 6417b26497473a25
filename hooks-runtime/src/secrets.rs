//! The sources of the values for `secret:NAME` and `$NAME`, and the texts that contain these names.

use hooks_builtin::__caller as caller;
use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::json;

/// Provides the values that a file names as `secret:NAME`.
///
/// The runtime asks for a value when it needs it, separately for each request. So a changed secret takes effect with
/// the next request. The answer should come from memory. The runtime never logs or records a value.
///
/// ```
/// use hooks_runtime::{Runtime, Secrets};
///
/// struct Vault;
///
/// impl Secrets for Vault {
///     fn secret(&self, name: &str) -> Option<String> {
///         (name == "audit").then(|| "s3cret".to_owned())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder()
///     .secrets(Vault)
///     .text(r#"
///         [[hooks.on]]
///         event = "BeforeToolCall"
///         http = { url = "https://gate.example.com/", headers = { Authorization = "Bearer ${secret:audit}" } }
///     "#)
///     .build()
///     .await?;
/// assert!(!format!("{:?}", runtime.status()).contains("s3cret"));
/// # Ok(())
/// # }
/// ```
pub trait Secrets: Send + Sync {
    /// Returns the value of this name, if there is one.
    fn secret(&self, name: &str) -> Option<String>;
}

/// The beginning of the names of variables that hold secrets.
pub(crate) const PREFIX: &str = "HOOKS_SECRET_";

/// The default: `secret:NAME` is the environment variable `HOOKS_SECRET_NAME`.
///
/// The prefix prevents a file from reading other variables of your program in this way.
///
/// ```
/// use hooks_runtime::{EnvironmentSecrets, Secrets};
///
/// // There is a variable `PATH`, and none `HOOKS_SECRET_PATH`.
/// assert_eq!(EnvironmentSecrets.secret("PATH"), None);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct EnvironmentSecrets;

impl Secrets for EnvironmentSecrets {
    fn secret(&self, name: &str) -> Option<String> {
        caller::var(format!("{PREFIX}{name}"))
    }
}

/// The names in a text that are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// All variables and secrets. A missing one is a mistake.
    #[default]
    All,
    /// Only these variables. All others are empty, and so are missing ones. Secrets are not replaced.
    #[allow(dead_code, reason = "for files of other systems")]
    Only(BTreeSet<String>),
    /// Only a text that is `secret:NAME` as a whole.
    Whole,
    /// Nothing: the text is used unchanged.
    #[allow(dead_code, reason = "for files of other systems")]
    Nothing,
}

/// A text with values that the file only names.
///
/// `Debug` shows none of it, because the text in the file may be a secret too.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SecretText(Vec<SecretPart>);

#[derive(Clone, PartialEq, Eq)]
enum SecretPart {
    Plain(String),
    /// A variable, and whether it may be missing.
    Variable(String, bool),
    Secret(String),
}

/// Values that were put into a request. Its answer may repeat them, to say what it was asked or refuses.
#[derive(Default)]
pub(crate) struct Mask(Vec<String>);

impl Mask {
    /// What is shorter is not secret, and is in many texts.
    const SHORTEST: usize = 4;

    /// Hides a value from now on.
    pub(crate) fn hide(&mut self, value: String) {
        if value.len() >= Mask::SHORTEST {
            self.0.push(value);
            // Of two values that share a part, the longer one must not leave a rest.
            self.0.sort_by_key(|value| std::cmp::Reverse(value.len()));
        }
    }

    /// Hides the values in a text.
    pub(crate) fn text(&self, text: &mut String) {
        for value in &self.0 {
            if text.contains(value) {
                *text = text.replace(value, HIDDEN);
            }
        }
    }

    /// Hides the values in the body of an answer. In JSON, a value may be written in many ways.
    pub(crate) fn body(&self, body: Vec<u8>) -> Vec<u8> {
        if self.0.is_empty() {
            return body;
        }
        if let Ok(mut value) = json::from_slice(&body) {
            self.value(&mut value);
            return value.to_string().into_bytes();
        }
        let mut text = String::from_utf8_lossy(&body).into_owned();
        self.text(&mut text);
        text.into_bytes()
    }

    fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value)),
            Value::Object(fields) => {
                let hidden = std::mem::take(fields).into_iter();
                let hidden = hidden.map(|(mut key, mut value)| {
                    self.text(&mut key);
                    self.value(&mut value);
                    (key, value)
                });
                fields.extend(hidden);
            }
            Value::Number(number) if self.0.contains(&number.to_string()) => {
                *value = HIDDEN.into();
            }
            _ => {}
        }
    }
}

/// Takes the place of a value.
const HIDDEN: &str = "***";

/// A missing value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MissingValue {
    Variable(String),
    Secret(String),
}

impl fmt::Display for MissingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MissingValue::Variable(name) => {
                write!(f, "the environment variable `{name}` is not set")
            }
            MissingValue::Secret(name) => write!(f, "there is no secret `{name}`"),
        }
    }
}

impl MissingValue {
    /// Returns what to do about it.
    pub(crate) fn help(&self) -> String {
        match self {
            MissingValue::Variable(name) => format!(
                "set `{name}` where your agent starts, or write `secret:{name}` for a value that your program knows"
            ),
            MissingValue::Secret(name) => format!(
                "set the environment variable `HOOKS_SECRET_{name}`, or give the builder of the runtime `.secrets(…)` \
                 that knows it"
            ),
        }
    }
}

impl SecretText {
    pub(crate) fn parse(text: &str, replaced: &Replaced) -> Self {
        let takes_secrets = matches!(replaced, Replaced::All | Replaced::Whole);
        if takes_secrets && let Some(name) = text.strip_prefix("secret:") {
            return SecretText(vec![SecretPart::Secret(name.trim().to_owned())]);
        }
        if matches!(replaced, Replaced::Whole | Replaced::Nothing) {
            return SecretText(vec![SecretPart::Plain(text.to_owned())]);
        }
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            plain.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let Some((name, left)) = name_at(after) else {
                plain.push('$');
                rest = after;
                continue;
            };
            rest = left;
            let part = match (name.strip_prefix("secret:"), replaced) {
                (Some(name), Replaced::All) => SecretPart::Secret(name.to_owned()),
                (None, Replaced::All) => SecretPart::Variable(name.to_owned(), false),
                (None, Replaced::Only(names)) if names.contains(name) => {
                    SecretPart::Variable(name.to_owned(), true)
                }
                // It is empty.
                _ => continue,
            };
            if !plain.is_empty() {
                parts.push(SecretPart::Plain(std::mem::take(&mut plain)));
            }
            parts.push(part);
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(SecretPart::Plain(plain));
        }
        SecretText(parts)
    }

    /// Returns the text with its values, and hides these values from now on.
    pub(crate) fn fill(
        &self,
        secrets: &dyn Secrets,
        mask: &mut Mask,
    ) -> Result<String, MissingValue> {
        let mut text = String::new();
        for part in &self.0 {
            let value = match part {
                SecretPart::Plain(plain) => {
                    text.push_str(plain);
                    continue;
                }
                SecretPart::Variable(name, may_be_missing) => match caller::var(name) {
                    None if *may_be_missing => continue,
                    value => value.ok_or_else(|| MissingValue::Variable(name.clone()))?,
                },
                SecretPart::Secret(name) => secrets
                    .secret(name)
                    .ok_or_else(|| MissingValue::Secret(name.clone()))?,
            };
            text.push_str(&value);
            mask.hide(value);
        }
        Ok(text)
    }

    /// Returns the first variable of the environment that it names.
    pub(crate) fn variable(&self) -> Option<&str> {
        self.0.iter().find_map(|part| match part {
            SecretPart::Variable(name, _) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Returns the variables that are missing and may be.
    pub(crate) fn empty(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            SecretPart::Variable(name, true) if caller::var(name).is_none() => Some(name.as_str()),
            _ => None,
        })
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Returns the name after a `$`, with or without braces, and the rest of the text.
fn name_at(text: &str) -> Option<(&str, &str)> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
    };
    if let Some(braced) = text.strip_prefix('{') {
        let (name, rest) = braced.split_once('}')?;
        let is_secret = name
            .strip_prefix("secret:")
            .is_some_and(|name| !name.is_empty());
        return (is_secret || is_name(name)).then_some((name, rest));
    }
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    is_name(name).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Secrets for Known {
        fn secret(&self, name: &str) -> Option<String> {
            (name == "key").then(|| "s3cret".to_owned())
        }
    }

    fn filled(text: &str, replaced: &Replaced) -> Result<String, MissingValue> {
        SecretText::parse(text, replaced).fill(&Known, &mut Mask::default())
    }

    #[test]
    fn names_are_replaced_and_nothing_else_is() {
        let name = std::env::var("CARGO_PKG_NAME").expect("cargo sets it");
        for (text, expected) in [
            ("$CARGO_PKG_NAME", name.clone()),
            ("a ${CARGO_PKG_NAME}b", format!("a {name}b")),
            ("$CARGO_PKG_NAME-$", format!("{name}-$")),
            (
                "5 $ and $5 and ${} and ${a b",
                "5 $ and $5 and ${} and ${a b".into(),
            ),
            ("secret:key", "s3cret".into()),
            ("Bearer ${secret:key}", "Bearer s3cret".into()),
            ("Bearer secret:key", "Bearer secret:key".into()),
        ] {
            assert_eq!(filled(text, &Replaced::All), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let missing = filled("x $HOOKS_NO_SUCH_THING", &Replaced::All);
        assert_eq!(
            missing,
            Err(MissingValue::Variable("HOOKS_NO_SUCH_THING".into()))
        );
        let missing = filled("secret:other", &Replaced::All);
        assert_eq!(missing, Err(MissingValue::Secret("other".into())));
    }

    #[test]
    fn another_systems_file_names_the_variables_that_it_may_read() {
        let name = std::env::var("CARGO_PKG_NAME").expect("cargo sets it");
        let names = ["CARGO_PKG_NAME", "HOOKS_NO_SUCH_THING"];
        let only = Replaced::Only(names.map(str::to_owned).into());
        for (text, expected) in [
            ("[$CARGO_PKG_NAME]", format!("[{name}]")),
            ("[$PATH]", "[]".into()),
            ("[${HOOKS_NO_SUCH_THING}]", "[]".into()),
            ("[${secret:key}]", "[]".into()),
            ("secret:key", "secret:key".into()),
        ] {
            assert_eq!(filled(text, &only), Ok(expected), "{text}");
        }
        let text = SecretText::parse("$CARGO_PKG_NAME $PATH $HOOKS_NO_SUCH_THING", &only);
        assert_eq!(text.empty().collect::<Vec<_>>(), ["HOOKS_NO_SUCH_THING"]);
        let taken_as_it_is = filled("$PATH secret:key", &Replaced::Nothing);
        assert_eq!(taken_as_it_is.as_deref(), Ok("$PATH secret:key"));
    }

    #[test]
    fn a_text_shows_nothing_of_itself() {
        let text = SecretText::parse("whsec_abc $PATH", &Replaced::All);
        assert_eq!(format!("{text:?}"), "***");
    }
}
