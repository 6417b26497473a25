//! Reads settings, and writes messages for the mistakes in them.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::place::{At, Mistake, Naming, Segment};
use crate::strict::Strict;

/// Reads the settings of a hook from the `config` of a chain's entry. Use it in your own factories.
///
/// A mistake is shown at its key in the file, with the nearest known key.
///
/// ```
/// use hooks_config::read;
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
/// If the settings do not fit the type.
pub fn read<T: DeserializeOwned>(config: &Value) -> Result<T, Mistake> {
    at(config, Vec::new())
}

/// Reads settings at a path.
pub(crate) fn at<T: DeserializeOwned>(value: &Value, mut path: Vec<Segment>) -> Result<T, Mistake> {
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
            None if said.starts_with(TWICE) => {
                let names = names_of_one::<T>(value, &path[depth..], &said);
                set_twice(path, names, &said)
            }
            None => explained(path, at, &said),
        }
    })
}

/// The maximum number of mistakes that are reported for one text.
pub(crate) const MOST: usize = 100;

/// Reads settings and collects all mistakes: it removes the part that is wrong and reads the rest again, until
/// everything is read.
///
/// `wrong` are mistakes that are known already.
pub(crate) fn whole<T: DeserializeOwned>(
    mut value: Value,
    mut wrong: Vec<Mistake>,
) -> Result<T, Vec<Mistake>> {
    let mut taken = Taken::default();
    // From the end, so that the indices of earlier values in a list stay valid.
    for known in wrong.iter().rev() {
        taken.take(&mut value, known.path.clone());
    }
    loop {
        let mut next = match at::<T>(&value, Vec::new()) {
            Ok(read) if wrong.is_empty() => return Ok(read),
            Ok(_) => return Err(wrong),
            Err(next) => next,
        };
        let path = next.path.clone();
        let written = taken.written(&path);
        // A missing key in a table from which something was removed may be the removed key.
        let is_consequence = next.at == At::End && taken.is_within(&written);
        next.path = written;
        // What makes a table one of a list is missed where the table begins.
        if next.at == At::End
            && next.message == "the key `event` is missing"
            && matches!(next.path.last(), Some(Segment::Index(_)))
        {
            next.at = At::Value;
        }
        if !is_consequence {
            wrong.push(next);
        }
        if wrong.len() >= MOST || !taken.take(&mut value, path) {
            return Err(wrong);
        }
    }
}

/// What was removed from a value, by the paths in the text.
#[derive(Default)]
struct Taken(Vec<Vec<Segment>>);

impl Taken {
    /// Removes the value at a path, if there is one.
    fn take(&mut self, value: &mut Value, path: Vec<Segment>) -> bool {
        let Some((name, table)) = path.split_last() else {
            return false;
        };
        let is_taken = match (value_at(value, table), name) {
            (Some(Value::Object(table)), Segment::Key(key)) => table.remove(key).is_some(),
            (Some(Value::Array(list)), Segment::Index(index)) if *index < list.len() => {
                list.remove(*index);
                true
            }
            _ => false,
        };
        // In `webhook_audit = true`, the path is below a value that is not a table.
        let taken = self.written(&path);
        self.0.push(taken);
        is_taken
    }

    /// Returns the path in the text. Values before it in its list may have been removed.
    fn written(&self, path: &[Segment]) -> Vec<Segment> {
        let mut written: Vec<Segment> = Vec::new();
        for segment in path {
            let segment = match segment {
                Segment::Key(_) => segment.clone(),
                Segment::Index(index) => {
                    let mut before: Vec<usize> = self
                        .0
                        .iter()
                        .filter_map(|taken| match taken.split_last() {
                            Some((Segment::Index(index), list)) if list == written => Some(*index),
                            _ => None,
                        })
                        .collect();
                    before.sort_unstable();
                    let shifted = before
                        .into_iter()
                        .fold(*index, |index, taken| index + usize::from(taken <= index));
                    Segment::Index(shifted)
                }
            };
            written.push(segment);
        }
        written
    }

    /// Whether something was removed from this table itself.
    fn is_within(&self, table: &[Segment]) -> bool {
        let mut taken = self.0.iter().filter_map(|taken| taken.split_last());
        taken.any(|(_, of)| of == table)
    }
}

fn value_at<'v>(value: &'v mut Value, path: &[Segment]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, segment| match segment {
        Segment::Key(key) => value.get_mut(key),
        Segment::Index(index) => value.get_mut(index),
    })
}

/// Whether serde expects the name of a variant. Its message then does not list the names.
fn expected_word(said: &str) -> bool {
    said.rsplit_once(", expected ")
        .is_some_and(|(_, expected)| {
            matches!(expected, "string or map" | "map with a single key" | "unit")
        })
}

/// Returns the words that are allowed at a path, from the error for an unknown word.
fn words_at<T: DeserializeOwned>(mut value: Value, path: &[Segment]) -> Option<Vec<String>> {
    *value_at(&mut value, path)? = Value::String(String::new());
    let error = T::deserialize(Strict(value)).err()?.to_string();
    let (_, known) = error.split_once("unknown variant ``, ")?;
    Some(quoted(known)).filter(|known| !known.is_empty())
}

/// The error for a value that is none of the words.
fn no_word(path: Vec<Segment>, value: Option<&Value>, said: &str, words: &[String]) -> Mistake {
    let found = match said.strip_prefix("invalid type: ") {
        Some(rest) if !value.is_some_and(Value::is_object) => rest,
        _ => "map",
    };
    let found = found
        .rsplit_once(", expected ")
        .map_or(found, |(found, _)| found);
    let found = found_in_words(found);
    let message = format!("expected one of the words that this key takes, found {found}");
    Mistake::new(path, message)
        .naming(Naming::After)
        .with_help(suggestion("", words, "word"))
}

/// The beginning of serde's message for a setting that is set under two names.
const TWICE: &str = "duplicate field `";

/// Returns the keys of the table at a path that name the same setting: without either of them, it is set once.
fn names_of_one<T: DeserializeOwned>(value: &Value, path: &[Segment], said: &str) -> Vec<String> {
    let mut value = value.clone();
    let Some(Value::Object(table)) = value_at(&mut value, path) else {
        return Vec::new();
    };
    let table = table.clone();
    let is_one = |key: &&String| {
        let mut value = value.clone();
        if let Some(Value::Object(table)) = value_at(&mut value, path) {
            table.remove(*key);
        }
        let again = serde_path_to_error::deserialize::<_, T>(Strict(value));
        !again.is_err_and(|error| error.into_inner().to_string() == said)
    };
    table.keys().filter(is_one).cloned().collect()
}

/// The error for a setting that is set under both of its names.
fn set_twice(mut path: Vec<Segment>, mut names: Vec<String>, said: &str) -> Mistake {
    let key = said[TWICE.len()..].trim_end_matches('`');
    // The message shows the other name, because it is less well known.
    names.retain(|name| name != key);
    let (message, help) = match names.pop() {
        Some(name) => {
            path.push(Segment::Key(name.clone()));
            (
                format!("`{name}` is another name of `{key}`, and both are set"),
                format!("leave `{name}` out"),
            )
        }
        None => (format!("`{key}` is set twice"), "write it once".into()),
    };
    Mistake::new(path, message)
        .naming(Naming::TableAfter)
        .with_help(help)
        .at(At::Key)
}

/// Translates serde's message for a person who writes a file.
fn explained(mut path: Vec<Segment>, value: Option<&Value>, said: &str) -> Mistake {
    if let Some(("", rest)) = said.split_once("unknown field `")
        && let Some((key, rest)) = rest.split_once("`, ")
    {
        // For some formats, serde's path ends with the key, for others before it.
        if path.last() != Some(&Segment::Key(key.to_owned())) {
            path.push(Segment::Key(key.to_owned()));
        }
        let mut known = quoted(rest);
        if is_builtin_hook(&path[..path.len() - 1]) && !known.is_empty() {
            known.push("enabled".into());
        }
        let is_list = value.is_some_and(|value| value.get(key).unwrap_or(value).is_array());
        let help = if is_list && path.len() == 1 && known.iter().any(|known| known == "hooks") {
            "write `[[hooks.on]]` for each hook".to_owned()
        } else {
            suggestion(key, &known, "key")
        };
        return Mistake::new(path, format!("unknown key `{key}`"))
            .naming(Naming::TableAfter)
            .with_help(help)
            .at(At::Key);
    }
    if let Some(("", rest)) = said.split_once("unknown variant `")
        && let Some((value, rest)) = rest.split_once("`, ")
    {
        return Mistake::new(path, format!("`{value}` is not known"))
            .naming(Naming::After)
            .with_help(suggestion(value, &quoted(rest), "value"));
    }
    if let Some(("", rest)) = said.split_once("missing field `") {
        let key = rest.trim_end_matches('`');
        return Mistake {
            message: format!("the key `{key}` is missing"),
            naming: Naming::After,
            help: example_of(&path, key).map(|example| match (value, path.last()) {
                // `webhook_audit = true`
                (Some(Value::Bool(_)), Some(Segment::Key(hook))) => {
                    format!("write `{hook} = {{ {example} }}`, for example")
                }
                // The settings of a factory, if there are none.
                (Some(Value::Object(settings)), None) if settings.is_empty() && key != "hooks" => {
                    format!("write `config = {{ {example} }}`, for example")
                }
                _ => format!("write `{example}`, for example"),
            }),
            at: At::End,
            path,
        };
    }
    let help = help_with_type(&path, value, said);
    let (message, naming) = ["invalid type: ", "invalid value: ", "invalid length "]
        .iter()
        .find_map(|prefix| said.strip_prefix(prefix))
        .and_then(|rest| rest.rsplit_once(", expected "))
        .map_or_else(
            || (said.to_owned(), Naming::Before),
            |(found, expected)| {
                let (expected, found) = (in_words(expected), found_in_words(found));
                (format!("expected {expected}, found {found}"), Naming::After)
            },
        );
    Mistake {
        message,
        naming,
        help,
        at: At::Value,
        path,
    }
}

/// Whether serde expects a number.
fn is_number(expected: &str) -> bool {
    let expected = expected.strip_prefix("a nonzero ").unwrap_or(expected);
    matches!(
        expected.as_bytes(),
        [b'u' | b'i' | b'f', b'0'..=b'9' | b's', ..]
    )
}

fn is_duration(key: &str) -> bool {
    key.ends_with("timeout") || matches!(key, "time_to_live" | "flush_interval" | "retry_delay")
}

/// Returns what to write instead of a value of the wrong type.
fn help_with_type(path: &[Segment], value: Option<&Value>, said: &str) -> Option<String> {
    let Some(Segment::Key(key)) = path.last() else {
        return None;
    };
    let expected = said.rsplit_once(", expected ")?.1;
    let is_in = |name: &str| path.get(1) == Some(&Segment::Key(name.to_owned()));
    match (value?, expected) {
        (Value::Object(_), "a sequence") if matches!(key.as_str(), "on" | "import" | "chain") => Some(format!(
            "write `[[hooks.{key}]]`, with two brackets: each such table is one entry of the list"
        )),
        (Value::Bool(_), "a string") if matches!(key.as_str(), "block" | "abort_turn" | "abort_run" | "ask") => {
            Some(format!("write the reason, as `{key} = \"not in this project\"`"))
        }
        (Value::String(text), "a sequence") if key == "command" => {
            let words: Vec<_> = text.split_whitespace().collect();
            Some(format!("write a list of the program and its arguments: `{words:?}`"))
        }
        (Value::String(text), "a sequence") => Some(format!("write `{key} = [{text:?}]`")),
        (Value::String(text), _) if matches!(text.as_str(), "true" | "false") => {
            Some(format!("write `{key} = {text}`, without quotes"))
        }
        (Value::String(text), _) if is_number(expected) && text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
            Some(format!("write `{key} = {}`, without quotes", text.trim()))
        }
        (Value::Number(number), "a string") if is_duration(key) => {
            // For other keys, the intended unit is unknown.
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

/// Describes what serde found, for readers who do not know Rust.
fn found_in_words(found: &str) -> Cow<'_, str> {
    match found {
        "map" => "a table".into(),
        "sequence" => "a list".into(),
        _ => match found.split_once(' ') {
            Some(("integer", number)) => format!("the number {number}").into(),
            Some(("floating", number)) => {
                let number = number.trim_start_matches("point ");
                format!("the number {number}").into()
            }
            Some(("string", text)) => format!("the string {text}").into(),
            Some(("boolean", value)) => value.into(),
            _ => found.into(),
        },
    }
}

/// Describes what serde expects, for readers who do not know Rust.
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
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        "a map" => "a table",
        other if other.starts_with("a nonzero u") => "a whole number of at least 1",
        other if other.starts_with("struct ") => "a table",
        other => other,
    }
}

/// Whether the path is the table of a built-in hook, which also allows the key `enabled`.
fn is_builtin_hook(path: &[Segment]) -> bool {
    let key = |at: usize, name: &str| path.get(at) == Some(&Segment::Key(name.to_owned()));
    path.len() == 3 && key(0, "hooks") && key(1, "builtin")
}

/// Returns the names between backquotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(String::from)
        .collect()
}

/// Returns how similar two names are. If one is a word of the other, as `credit_card` and `card`, they are very
/// similar, and even more if the known one has all that was written, as `max_per_minute` has `per_minute`.
fn likeness(unknown: &str, known: &str) -> f64 {
    // To compare long texts takes long, and what is much longer is meant as something else.
    if unknown.len() > 10 * known.len() + 10 {
        return 0.0;
    }
    let unknown = unknown.to_lowercase();
    let has = |name: &str, word: &str| name.split(['_', '-', ' ']).any(|part| part == word);
    if known.ends_with(&format!("_{unknown}")) || known.starts_with(&format!("{unknown}_")) {
        return 0.96;
    }
    if has(&unknown, known) || has(known, &unknown) {
        return 0.95;
    }
    strsim::jaro_winkler(&unknown, known)
}

/// Suggests the nearest known name, and lists all of them.
///
/// ```
/// use hooks_config::suggestion;
///
/// let known = ["tools".to_owned(), "reason".to_owned()];
/// assert_eq!(suggestion("tool", &known, "key"), "did you mean `tools`? the keys here are `tools`, `reason`");
/// ```
#[must_use]
pub fn suggestion(unknown: &str, known: &[String], what: &str) -> String {
    let nearest = known
        .iter()
        .map(|name| (likeness(unknown, name), name))
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

/// Returns an example of a key that has no default.
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
        "url" => "url = \"https://audit.example.com/\"",
        "name" => "name = \"ticket\"",
        "event" => "event = \"BeforeToolCall\"",
        "regex" => "regex = \"TICKET-[0-9]+\"",
        _ => return None,
    })
}
