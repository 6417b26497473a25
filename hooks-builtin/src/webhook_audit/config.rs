//! The settings of `[hooks.builtin.webhook_audit]`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::Globs;
use crate::shared::ssrf::{HookUrl, LoopbackHost};
use crate::shared::webhook_secret::WebhookSecret;

/// The settings of `[hooks.builtin.webhook_audit]`, for [`WebhookAudit`](crate::WebhookAudit). Only `url` is required.
///
/// ```
/// use hooks_builtin::WebhookAuditConfig;
///
/// let config: WebhookAuditConfig = serde_json::from_str(r#"{
///     "url": "https://audit.example.com/hook",
///     "tool_patterns": ["shell", "file_write", "mcp__*"],
///     "include_args": true
/// }"#)?;
/// assert_eq!(config.max_args_bytes, 4096);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookAuditConfig {
    /// Where to post events: an HTTPS URL of a public host, or a URL of a host in `allow_loopback`. ZeroClaw writes `""`
    /// for a hook that is off. For a hook that is on, `""` is an error.
    #[serde(with = "url_or_nothing")]
    #[schemars(schema_with = "url_or_nothing::schema")]
    pub url: Option<HookUrl>,
    /// The tools whose calls are reported, as globs. The default is all tools; in ZeroClaw, it is none. If the hook is on,
    /// `[]` is an error.
    #[serde(default = "Globs::all")]
    pub tool_patterns: Globs,
    /// Whether to report the arguments of the calls. The default is no.
    #[serde(default)]
    pub include_args: bool,
    /// How many bytes of JSON the arguments may have before they are cut. The default is 4096. With 0, the limit is a
    /// quarter of `queue_bytes`.
    #[serde(default = "max_args_bytes")]
    pub max_args_bytes: usize,
    /// Hosts on loopback that `url` may name, such as "localhost" and "127.0.0.1". For these, `http://` is allowed too. The
    /// default is none.
    #[serde(default)]
    pub allow_loopback: Vec<LoopbackHost>,
    /// The key that signs requests with the Standard Webhooks scheme: "whsec_" and 24 to 64 bytes in base64. By default,
    /// requests are not signed.
    #[serde(default)]
    pub secret: Option<WebhookSecret>,
    /// How long one attempt may take. The default is "10s".
    #[serde(default = "timeout", with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub timeout: Duration,
    /// How many attempts an event gets before it is dropped. The default is 5.
    #[serde(default = "max_attempts")]
    pub max_attempts: NonZeroU32,
    /// How long to wait before the second attempt. The default is "500ms". Half of the wait is random. Each wait is twice
    /// as long as the one before, up to a minute.
    #[serde(default = "retry_delay", with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub retry_delay: Duration,
    /// The most events that may wait for delivery. The default is 1024. Further events are dropped.
    #[serde(default = "queue_events")]
    pub queue_events: NonZeroUsize,
    /// The most bytes that the waiting events may hold. The default is 8388608 (8 MiB). Further events are dropped.
    #[serde(default = "queue_bytes")]
    pub queue_bytes: NonZeroUsize,
    /// How long the hook delivers events after the agent has ended. The default is "5s". Then it drops them.
    #[serde(default = "shutdown_timeout", with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub shutdown_timeout: Duration,
}

impl WebhookAuditConfig {
    /// Creates a configuration that posts to this URL, with the defaults for everything else.
    #[must_use]
    pub fn new(url: HookUrl) -> Self {
        WebhookAuditConfig {
            url: Some(url),
            tool_patterns: Globs::all(),
            include_args: false,
            max_args_bytes: max_args_bytes(),
            allow_loopback: Vec::new(),
            secret: None,
            timeout: timeout(),
            max_attempts: max_attempts(),
            retry_delay: retry_delay(),
            queue_events: queue_events(),
            queue_bytes: queue_bytes(),
            shutdown_timeout: shutdown_timeout(),
        }
    }
}

/// Serializes a URL, or nothing as an empty string.
mod url_or_nothing {
    use std::borrow::Cow;

    use schemars::{Schema, SchemaGenerator, json_schema};
    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::shared::ssrf::HookUrl;

    #[expect(clippy::ref_option, reason = "serde gives it so")]
    pub(super) fn serialize<S: Serializer>(
        url: &Option<HookUrl>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(url.as_ref().map_or("", HookUrl::as_str))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<HookUrl>, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(de::Error::custom)
    }

    pub(super) fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<HookUrl>(), { "const": "" }] })
    }
}

fn max_args_bytes() -> usize {
    4096
}

fn timeout() -> Duration {
    Duration::from_secs(10)
}

fn max_attempts() -> NonZeroU32 {
    const { NonZeroU32::new(5).unwrap() }
}

fn retry_delay() -> Duration {
    Duration::from_millis(500)
}

fn queue_events() -> NonZeroUsize {
    const { NonZeroUsize::new(1024).unwrap() }
}

fn queue_bytes() -> NonZeroUsize {
    const { NonZeroUsize::new(8 * 1024 * 1024).unwrap() }
}

fn shutdown_timeout() -> Duration {
    Duration::from_secs(5)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(config: serde_json::Value) -> Result<WebhookAuditConfig, String> {
        serde_json::from_value(config).map_err(|error| error.to_string())
    }

    #[test]
    fn the_keys_of_the_seed_are_read_and_the_others_have_defaults() {
        let url = "https://your-siem.example.com/events";
        let config = read(json!({
            "url": url,
            "tool_patterns": ["shell", "file_write", "file_delete", "mcp__*"],
            "include_args": true,
            "max_args_bytes": 2048,
        }))
        .unwrap();
        let expected = WebhookAuditConfig {
            tool_patterns: Globs::new(["shell", "file_write", "file_delete", "mcp__*"]).unwrap(),
            include_args: true,
            max_args_bytes: 2048,
            ..WebhookAuditConfig::new(url.parse().unwrap())
        };
        assert_eq!(config, expected);
        assert_eq!(
            read(json!({ "url": url })).unwrap(),
            WebhookAuditConfig::new(url.parse().unwrap())
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let config = WebhookAuditConfig {
            allow_loopback: vec!["localhost".parse().unwrap()],
            ..WebhookAuditConfig::new("http://localhost:9000/hook".parse().unwrap())
        };
        assert_eq!(
            read(serde_json::to_value(&config).unwrap()).unwrap(),
            config
        );
    }

    #[test]
    fn a_wrong_value_is_an_error_that_says_the_rule() {
        for (key, value, says) in [
            ("url", json!("https://10.0.0.1/"), "only public addresses"),
            (
                "url",
                json!("ftp://example.com/"),
                "must begin with `https://`",
            ),
            ("tool_patterns", json!(["["]), "is not a glob"),
            (
                "allow_loopback",
                json!(["10.0.0.1"]),
                "is not a loopback address",
            ),
            ("secret", json!("hunter2"), "openssl rand"),
            ("timeout", json!("soon"), "such as \"30s\""),
            ("max_attempts", json!(0), "nonzero"),
            ("queue_events", json!(0), "nonzero"),
            ("max_args_byte", json!(1), "unknown field"),
        ] {
            let mut config = json!({ "url": "https://example.com/" });
            config[key] = value;
            let error = read(config).unwrap_err();
            assert!(error.contains(says), "{key}: {error}");
        }
        assert!(read(json!({})).unwrap_err().contains("`url`"));
        let none = read(json!({ "url": "" })).unwrap();
        assert_eq!(serde_json::to_value(&none).unwrap()["url"], json!(""));
        assert!(none.url.is_none());
    }
}
