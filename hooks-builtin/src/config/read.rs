//! Reads settings, and makes a message of what is wrong with them.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::{Names, Segment, Wrong};
use super::factory::FactoryError;
use super::strict::Strict;

/// Reads the settings of a hook from the `config` of a chain's entry: for factories of your own.
///
/// What is wrong is shown at the very key in the file, with the nearest known key.
///
/// ```
/// use hooks_builtin::config::read;
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Settings { level: u8 }
///
/// assert_eq!(read::<Settings>(&json!({ "level": 3 })).unwrap().level, 3);
/// let error = read::<Settings>(&json!({ "levle": 3 })).err().unwrap();
/// assert_eq!(error.to_string(), "unknown key `levle`: did you mean `level`? the only key here is `level`");
/// ```
///
/// # Errors
///
/// If the settings are not as the type has them.
pub fn read<T: DeserializeOwned>(config: &Value) -> Result<T, FactoryError> {
    at(config, Vec::new()).map_err(FactoryError::from_wrong)
}

/// Reads settings that stand at a path.
pub(super) fn at<T: DeserializeOwned>(value: &Value, mut path: Vec<Segment>) -> Result<T, Wrong> {
    let depth = path.len();
    serde_path_to_error::deserialize(Strict(value.clone())).map_err(|error| {
        path.extend(error.path().iter().filter_map(|segment| match segment {
            serde_path_to_error::Segment::Map { key } => Some(Segment::Key(key.clone())),
            serde_path_to_error::Segment::Seq { index } => Some(Segment::Index(*index)),
            _ => None,
        }));
        let mut at = Some(value);
        for segment in &path[depth..] {
            at = at.and_then(|value| match segment {
                Segment::Key(key) => value.get(key),
                Segment::Index(index) => value.get(index),
            });
        }
        let said = error.into_inner().to_string();
        let words = expected_word(&said)
            .then(|| words_at::<T>(value.clone(), &path[depth..]))
            .flatten();
        match words {
            Some(words) => no_word(path, at, &said, &words),
            None => explained(path, at, &said),
        }
    })
}

/// Whether serde wants the name of a variant: what it says of that names none.
fn expected_word(said: &str) -> bool {
    said.rsplit_once(", expected ")
        .is_some_and(|(_, expected)| {
            matches!(expected, "string or map" | "map with a single key" | "unit")
        })
}

/// The words that are known at a path: what is said where none of them stands.
fn words_at<T: DeserializeOwned>(mut value: Value, path: &[Segment]) -> Option<Vec<String>> {
    let at = path
        .iter()
        .try_fold(&mut value, |value, segment| match segment {
            Segment::Key(key) => value.get_mut(key),
            Segment::Index(index) => value.get_mut(index),
        })?;
    *at = Value::String(String::new());
    let error = T::deserialize(Strict(value)).err()?.to_string();
    let (_, known) = error.split_once("unknown variant ``, ")?;
    Some(quoted(known)).filter(|known| !known.is_empty())
}

/// What is said of another value than one of the words.
fn no_word(path: Vec<Segment>, value: Option<&Value>, said: &str, words: &[String]) -> Wrong {
    let found = match said.strip_prefix("invalid type: ") {
        Some(rest) if !value.is_some_and(Value::is_object) => rest,
        _ => "map",
    };
    let found = found
        .rsplit_once(", expected ")
        .map_or(found, |(found, _)| found);
    Wrong {
        message: format!(
            "expected one of the words that are known here, found {}",
            found_in_words(found)
        ),
        names: Names::After,
        help: Some(suggestion("", words, "word")),
        is_at_key: false,
        path,
    }
}

/// What serde says, in words for a person who writes a file.
fn explained(mut path: Vec<Segment>, value: Option<&Value>, said: &str) -> Wrong {
    if let Some(("", rest)) = said.split_once("unknown field `")
        && let Some((key, rest)) = rest.split_once("`, ")
    {
        // The path of serde ends with the key for some formats, and before it for others.
        if path.last() != Some(&Segment::Key(key.to_owned())) {
            path.push(Segment::Key(key.to_owned()));
        }
        let mut known = quoted(rest);
        if is_builtin_hook(&path[..path.len() - 1]) && !known.is_empty() {
            known.push("enabled".into());
        }
        return Wrong {
            message: format!("unknown key `{key}`"),
            names: Names::TableAfter,
            help: Some(suggestion(key, &known, "key")),
            is_at_key: true,
            path,
        };
    }
    if let Some(("", rest)) = said.split_once("unknown variant `")
        && let Some((value, rest)) = rest.split_once("`, ")
    {
        return Wrong {
            message: format!("`{value}` is not known"),
            names: Names::After,
            help: Some(suggestion(value, &quoted(rest), "value")),
            is_at_key: false,
            path,
        };
    }
    if let Some(("", rest)) = said.split_once("missing field `") {
        let key = rest.trim_end_matches('`');
        return Wrong {
            message: format!("the key `{key}` is missing"),
            names: Names::After,
            help: example_of(&path, key).map(|example| match (value, path.last()) {
                // `webhook_audit = true`
                (Some(Value::Bool(_)), Some(Segment::Key(hook))) => {
                    format!("write `{hook} = {{ {example} }}`, say")
                }
                _ => format!("write `{example}`, say"),
            }),
            is_at_key: true,
            path,
        };
    }
    if let Some(key) = said.strip_prefix("duplicate field `") {
        let key = key.trim_end_matches('`');
        return Wrong {
            message: format!("`{key}` is set twice"),
            names: Names::After,
            help: Some("it may stand here under another name as well".into()),
            is_at_key: true,
            path,
        };
    }
    let help = help_with_type(&path, value, said);
    let (message, names) = ["invalid type: ", "invalid value: ", "invalid length "]
        .iter()
        .find_map(|prefix| said.strip_prefix(prefix))
        .and_then(|rest| rest.rsplit_once(", expected "))
        .map_or_else(
            || (said.to_owned(), Names::Before),
            |(found, expected)| {
                let (expected, found) = (in_words(expected), found_in_words(found));
                (format!("expected {expected}, found {found}"), Names::After)
            },
        );
    Wrong {
        message,
        names,
        help,
        is_at_key: false,
        path,
    }
}

fn is_duration(key: &str) -> bool {
    key.ends_with("timeout") || matches!(key, "time_to_live" | "flush_interval" | "retry_delay")
}

/// What to write for a value that is of another type.
fn help_with_type(path: &[Segment], value: Option<&Value>, said: &str) -> Option<String> {
    let Some(Segment::Key(key)) = path.last() else {
        return None;
    };
    let expected = said.rsplit_once(", expected ")?.1;
    let is_in = |name: &str| path.get(1) == Some(&Segment::Key(name.to_owned()));
    match (value?, expected) {
        (Value::String(text), "a sequence") => Some(format!("write `{key} = [{text:?}]`")),
        (Value::String(text), _) if matches!(text.as_str(), "true" | "false") => {
            Some(format!("write `{key} = {text}`, without quotes"))
        }
        (Value::Number(number), "a string") if is_duration(key) => {
            // Of others it is not known what was meant.
            let seconds = number.as_u64().unwrap_or(30);
            Some(format!("write `{key} = \"{seconds}s\"`, with a unit: `ms`, `s`, `m` or `h`"))
        }
        (Value::String(_) | Value::Number(_), "`true`, `false` or a table") => {
            Some(format!(
                "write a table of its settings, `[hooks.builtin.{key}]`, or `{key} = true` for the defaults"
            ))
        }
        (Value::Bool(_), _) if is_in("builtins") => Some(
            "`[hooks.builtin]` turns hooks on; `[hooks.builtins]`, as PicoClaw has it, names hooks that factories make"
                .into(),
        ),
        _ => None,
    }
}

/// What serde found, for who writes no Rust.
fn found_in_words(found: &str) -> &str {
    match found {
        "map" => "a table",
        "sequence" => "a list",
        other => other,
    }
}

/// What serde expects, for who writes no Rust.
fn in_words(expected: &str) -> &str {
    match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "usize" | "u64" => "a whole number that is not negative",
        "a nonzero u32" => "a whole number from 1 to 4294967295",
        "i32" => "a whole number from -2147483648 to 2147483647",
        "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "path string" => "a path",
        "string or map" | "a borrowed string" => "a string",
        "map with a single key" => "a table with one key",
        "unit" => "nothing",
        "a sequence" => "a list",
        "a map" => "a table",
        other if other.starts_with("a nonzero u") => "a whole number of at least 1",
        other if other.starts_with("struct ") => "a table",
        other => other,
    }
}

/// Whether the table of a built-in hook stands at the path, in which `enabled` is known as well.
fn is_builtin_hook(path: &[Segment]) -> bool {
    let key = |at: usize, name: &str| path.get(at) == Some(&Segment::Key(name.to_owned()));
    path.len() == 3 && key(0, "hooks") && key(1, "builtin")
}

/// The names between backquotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(String::from)
        .collect()
}

/// The nearest of what is known, and all of it.
pub(super) fn suggestion(unknown: &str, known: &[String], what: &str) -> String {
    let nearest = known
        .iter()
        .map(|name| (strsim::jaro_winkler(&unknown.to_lowercase(), name), name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| format!("did you mean `{name}`? "))
        .unwrap_or_default();
    let all = known
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    match known.len() {
        0 => format!("no {what} is known here"),
        1 => format!("{nearest}the only {what} here is {all}"),
        _ => format!("{nearest}the {what}s here are {all}"),
    }
}

/// How a key that has no default is written.
fn example_of(path: &[Segment], key: &str) -> Option<&'static str> {
    let is_in = |name: &str| path.contains(&Segment::Key(name.to_owned()));
    Some(match key {
        "tools" if is_in("tool_cache") => "tools = [\"read\", \"list\"]",
        "command" if is_in("processes") => "command = [\"python3\", \"gate.py\"]",
        "hooks" => "[hooks.builtin]",
        "type" => "type = \"block_tools\"",
        "tools" => "tools = [\"shell\", \"mcp__*\"]",
        "root" => "root = \"/srv/workspace\"",
        "command" => "command = \"cargo fmt --check\"",
        "path" => "path = \"audit.jsonl\"",
        "url" => "url = \"https://audit.example.com/hook\"",
        "name" => "name = \"ticket\"",
        "regex" => "regex = \"TICKET-[0-9]+\"",
        _ => return None,
    })
}
