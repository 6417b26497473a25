//! The secret that signs requests. It is never shown.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::hmac;

use crate::shared::text_setting::text_setting;

const PREFIX: &str = "whsec_";

/// The secret of a webhook, as [Standard Webhooks](https://www.standardwebhooks.com) writes it: `whsec_` and
/// 24 to 64 bytes in base64.
///
/// It is never shown: `Debug` hides it, and it serializes as `whsec_***`, which cannot be read back.
///
/// ```
/// use hooks_builtin::WebhookSecret;
///
/// let secret: WebhookSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD".parse()?;
/// assert_eq!(format!("{secret:?}"), "whsec_***");
/// # Ok::<(), hooks_builtin::SecretError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(Vec<u8>);

/// Why a text is not a [`WebhookSecret`]. The error does not contain the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the secret of a webhook {0}: write `whsec_` and 24 to 64 random bytes in base64, as `openssl rand -base64 32` \
     prints them"
)]
pub struct SecretError(&'static str);

impl WebhookSecret {
    /// Signs an event that is sent at a time, in seconds since 1970.
    pub(crate) fn sign(&self, id: &str, seconds: i64, body: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let signed = [format!("{id}.{seconds}.").as_bytes(), body].concat();
        let signature = BASE64_STANDARD.encode(hmac::sign(&key, &signed));
        format!("v1,{signature}")
    }
}

impl FromStr for WebhookSecret {
    type Err = SecretError;

    fn from_str(text: &str) -> Result<Self, SecretError> {
        let base64 = text
            .strip_prefix(PREFIX)
            .ok_or(SecretError("must begin with `whsec_`"))?;
        let key = BASE64_STANDARD.decode(base64);
        let key = key.map_err(|_| SecretError("is not base64"))?;
        if !(24..=64).contains(&key.len()) {
            return Err(SecretError("is too short or too long"));
        }
        Ok(WebhookSecret(key))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("whsec_***")
    }
}

text_setting!(WebhookSecret, |_secret| "whsec_***", {
    "pattern": "^whsec_[A-Za-z0-9+/]+=*$",
    "description": "A secret of the Standard Webhooks scheme: `whsec_` and 24 to 64 bytes in base64.",
});

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

    #[test]
    fn a_secret_shows_itself_nowhere() {
        let secret: WebhookSecret = SECRET.parse().unwrap();
        for shown in [
            format!("{secret:?} {:?}", Some(&secret)),
            serde_json::to_string(&secret).unwrap(),
        ] {
            assert!(!shown.contains("C2FV"), "{shown}");
        }
    }

    #[test]
    fn what_is_no_secret_is_an_error_that_does_not_quote_it() {
        for text in [
            "",
            "C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
            "whsec_",
            "whsec_C2FVsBQIhrsc",
            "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD!",
            "whsec_***",
            "whpk_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
            &format!("whsec_{}", "C2FV".repeat(22)),
        ] {
            let error = text.parse::<WebhookSecret>().unwrap_err().to_string();
            assert!(
                !error.contains("C2FV") && error.contains("openssl"),
                "{error}"
            );
        }
        assert!(SECRET.parse::<WebhookSecret>().is_ok());
        assert!(
            format!("whsec_{}", "A".repeat(86))
                .parse::<WebhookSecret>()
                .is_err()
        );
        assert!(
            format!("whsec_{}==", "A".repeat(86))
                .parse::<WebhookSecret>()
                .is_ok()
        );
    }

    #[test]
    fn signatures_are_those_of_the_schemes_examples() {
        for (secret, id, timestamp, payload, signature) in [
            (
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330,
                r#"{"test": 2432232314}"#,
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ),
            (
                SECRET,
                "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
                1_649_367_553,
                r#"{"email":"test@example.com","username":"test_user"}"#,
                "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
            ),
        ] {
            let secret = secret.parse::<WebhookSecret>().unwrap();
            assert_eq!(secret.sign(id, timestamp, payload.as_bytes()), signature);
        }
    }
}
