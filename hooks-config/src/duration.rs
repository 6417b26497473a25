//! Durations in the form of the configuration: `"30s"`, `"1m 30s"`, `"2h"`.
//!
//! For fields:
//!
//! ```
//! #[derive(serde::Deserialize)]
//! struct Limits {
//!     #[serde(with = "hooks_config::duration")]
//!     timeout: std::time::Duration,
//! }
//!
//! let limits: Limits = toml::from_str("timeout = '1m 30s'")?;
//! assert_eq!(limits.timeout.as_secs(), 90);
//! # Ok::<(), toml::de::Error>(())
//! ```

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer, de};

/// Writes a duration.
///
/// # Errors
///
/// If the serializer fails.
pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&humantime::format_duration(*duration))
}

/// Reads a duration.
///
/// # Errors
///
/// If it is not a duration.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = Cow::<str>::deserialize(deserializer)?;
    humantime::parse_duration(&text).map_err(|error| {
        de::Error::custom(format!(
            "`{text}` is not a duration such as \"30s\", \"1m 30s\" or \"2h\": {error}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Serialize, Deserialize)]
    #[serde(transparent)]
    struct Written(#[serde(with = "super")] Duration);

    #[test]
    fn a_duration_is_written_as_it_is_read() {
        for text in ["30s", "1m 30s", "2h", "250ms"] {
            let json = format!("{text:?}");
            let Written(duration) = serde_json::from_str(&json).unwrap();
            assert_eq!(serde_json::to_string(&Written(duration)).unwrap(), json);
        }
    }

    #[test]
    fn what_is_no_duration_says_how_one_is_written() {
        for json in [r#""soon""#, r#""30""#, r#""""#] {
            let error = serde_json::from_str::<Written>(json)
                .map(|_| ())
                .unwrap_err();
            assert!(error.to_string().contains("such as \"30s\""), "{error}");
        }
    }
}
