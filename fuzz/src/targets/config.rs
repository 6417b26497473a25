//! Configurations, in TOML and in JSON.

use hooks_builtin::config::{ConfigError, HooksConfig};
use serde_json::Value;

use crate::Features;

/// What no message may show: a secret of a webhook.
const SECRET: &str = "whsec_bm90IGZvciB5b3VyIGV5ZXM";

/// Every mistake has a place and a message, and what is read is written and read again as it was.
///
/// # Panics
///
/// If that does not hold.
pub fn config(data: &[u8]) -> Features {
    let mut features = Features::default();
    let text = String::from_utf8_lossy(data);
    for (format, config) in [
        ("toml", HooksConfig::from_toml(&text)),
        ("json", HooksConfig::from_json(&text)),
    ] {
        match config {
            Ok(config) => round_trip(&config, format, &mut features),
            Err(error) => mistakes(&error, &text, format, &mut features),
        }
    }
    features
}

fn mistakes(error: &ConfigError, text: &str, format: &str, features: &mut Features) {
    let lines = text.split('\n').count();
    features.add_count(format, error.mistakes().count());
    let mut before = (0, 0);
    for mistake in error.mistakes() {
        let line = mistake.line().expect("a mistake has a line");
        let column = mistake.column().expect("a mistake has a column");
        assert!(
            (1..=lines).contains(&line),
            "line {line} of {lines}: {error}"
        );
        let length = text
            .split('\n')
            .nth(line - 1)
            .unwrap_or_default()
            .chars()
            .count();
        assert!(
            (1..=length + 1).contains(&column),
            "column {column} of {length}: {error}"
        );
        assert!(before <= (line, column), "mistakes are in order: {error}");
        before = (line, column);
        assert!(
            !mistake.message().trim().is_empty(),
            "a mistake has a message"
        );
        features.add_message(format, mistake.message());
        features.add(
            format,
            (
                mistake.path().split('.').count(),
                mistake.to_string().lines().count(),
            ),
        );
    }
    let shown = error.to_string();
    assert_eq!(shown, format!("{error:?}"));
    // A text may hold it in a key, and in a value that is not secret.
    if text.contains(SECRET) {
        assert!(!shown.contains(SECRET), "{shown}");
    }
}

fn round_trip(config: &HooksConfig, format: &str, features: &mut Features) {
    let value = serde_json::json!({ "hooks": config });
    if let Some(builtin) = value["hooks"]["builtin"].as_object() {
        for (name, setting) in builtin.iter().filter(|(_, setting)| setting.is_object()) {
            features.add(format, name);
            features.add_count(name, setting.as_object().map_or(0, serde_json::Map::len));
        }
    }
    for name in ["chain", "builtins", "processes"] {
        let table = &value["hooks"][name];
        features.add_count(name, table.as_object().map_or(0, serde_json::Map::len));
        features.add_count(name, table.as_array().map_or(0, Vec::len));
    }
    let json = value.to_string();
    // A secret is not written.
    if json.contains("whsec_***") {
        return;
    }
    let again = HooksConfig::from_json(&json).unwrap_or_else(|error| panic!("{error}\nfor {json}"));
    assert_eq!(&again, config, "written and read as JSON:\n{json}");
    if is_of_toml(&value) {
        let toml = toml::to_string(&value).unwrap_or_else(|error| panic!("{error}\nfor {json}"));
        let again =
            HooksConfig::from_toml(&toml).unwrap_or_else(|error| panic!("{error}\nfor {toml}"));
        assert_eq!(&again, config, "written and read as TOML:\n{toml}");
    }
}

/// Whether TOML can say it: it has no `null`, and no number above those of 63 bits.
fn is_of_toml(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Number(number) => number.is_i64() || number.is_f64(),
        Value::Array(values) => values.iter().all(is_of_toml),
        Value::Object(values) => values.values().all(is_of_toml),
        Value::Bool(_) | Value::String(_) => true,
    }
}
