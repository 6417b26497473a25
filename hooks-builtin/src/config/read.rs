//! Reads settings, and makes a message of what is wrong with them.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::{At, Names, Segment, Wrong};
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
            None if said.starts_with(TWICE) => {
                let names = names_of_one::<T>(value, &path[depth..], &said);
                set_twice(path, names, &said)
            }
            None => explained(path, at, &said),
        }
    })
}

/// Most mistakes that one text is told of.
const MOST: usize = 100;

/// Reads settings, past what is wrong: that is taken out, and the rest is read again. So all of it is known at once.
///
/// Some of it may be known before: `wrong`.
pub(super) fn whole<T: DeserializeOwned>(
    mut value: Value,
    mut wrong: Vec<Wrong>,
) -> Result<T, Vec<Wrong>> {
    let mut taken = Taken::default();
    // From the end, so that the places of a list's values before it stay.
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
        // What is missing where something was taken out may be what was taken out.
        let is_consequence = next.at == At::End && taken.is_within(&written);
        next.path = written;
        if !is_consequence {
            wrong.push(next);
        }
        if wrong.len() >= MOST || !taken.take(&mut value, path) {
            return Err(wrong);
        }
    }
}

/// What was taken out of a value, by the paths that it had in the text.
#[derive(Default)]
struct Taken(Vec<Vec<Segment>>);

impl Taken {
    /// Takes out what stands at a path, if anything does.
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
        // `webhook_audit = true` lacks a key, and is no table.
        let taken = self.written(&path);
        self.0.push(taken);
        is_taken
    }

    /// The path that something had in the text: before it in its list, values may have been taken out.
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

    /// Whether something was taken out of this table itself.
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

/// Whether serde wants the name of a variant: what it says of that names none.
fn expected_word(said: &str) -> bool {
    said.rsplit_once(", expected ")
        .is_some_and(|(_, expected)| {
            matches!(expected, "string or map" | "map with a single key" | "unit")
        })
}

/// The words that are known at a path: what is said where none of them stands.
fn words_at<T: DeserializeOwned>(mut value: Value, path: &[Segment]) -> Option<Vec<String>> {
    *value_at(&mut value, path)? = Value::String(String::new());
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
        at: At::Value,
        path,
    }
}

/// What serde says of a key that is set under two names.
const TWICE: &str = "duplicate field `";

/// The keys of the table at a path that are names of one setting: without either of them it is set once.
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

/// What is said of a setting that has two names, and both of them are there.
fn set_twice(mut path: Vec<Segment>, mut names: Vec<String>, said: &str) -> Wrong {
    let key = said[TWICE.len()..].trim_end_matches('`');
    // The other name is shown: it is less known.
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
    Wrong {
        message,
        names: Names::TableAfter,
        help: Some(help),
        at: At::Key,
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
            at: At::Key,
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
            at: At::Value,
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
                // The settings of a factory, of which there are none.
                (Some(Value::Object(settings)), None) if settings.is_empty() && key != "hooks" => {
                    format!("write `config = {{ {example} }}`, say")
                }
                _ => format!("write `{example}`, say"),
            }),
            at: At::End,
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
        (Value::String(text), _) if is_number(expected) && text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
            Some(format!("write `{key} = {}`, without quotes", text.trim()))
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

/// How alike two names are. One that is a word of the other is very much so: `credit_card` and `card`.
fn likeness(unknown: &str, known: &str) -> f64 {
    let unknown = unknown.to_lowercase();
    let has = |name: &str, word: &str| name.split(['_', '-', ' ']).any(|part| part == word);
    if has(&unknown, known) || has(known, &unknown) {
        return 0.95;
    }
    strsim::jaro_winkler(&unknown, known)
}

/// The nearest of what is known, and all of it.
pub(super) fn suggestion(unknown: &str, known: &[String], what: &str) -> String {
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
