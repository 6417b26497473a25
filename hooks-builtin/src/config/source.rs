//! The text of a configuration, and where in it a key stands.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, ast};
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, Names, Segment, Wrong};

/// Where a configuration was read from; two that say the same are equal wherever they are from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin(Option<Arc<Source>>);

impl Origin {
    pub(super) fn of(source: Source) -> Self {
        Origin(Some(Arc::new(source)))
    }

    pub(super) fn source(&self) -> Option<&Source> {
        self.0.as_deref()
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A text, and the places of its keys and values.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) file: Option<PathBuf>,
    pub(super) text: String,
    root: Node,
}

/// A value of the text.
#[derive(Debug)]
struct Node {
    at: Range<usize>,
    inner: Inner,
}

#[derive(Debug)]
enum Inner {
    Table(Vec<(String, Range<usize>, Node)>),
    List(Vec<Node>),
    Other,
}

impl Source {
    pub(super) fn load(path: &Path) -> Result<(Self, Value), ConfigError> {
        let failed = |message: String| ConfigError::of_file(path, message);
        let text = std::fs::read_to_string(path)
            .map_err(|error| failed(format!("the file cannot be read: {error}")))?;
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("toml") => Source::toml(Some(path.to_owned()), text),
            Some("json") => Source::json(Some(path.to_owned()), text),
            _ => Err(failed(
                "a configuration is a file whose name ends with `.toml` or `.json`".into(),
            )),
        }
    }

    pub(super) fn toml(file: Option<PathBuf>, text: String) -> Result<(Self, Value), ConfigError> {
        let text = without_mark(text);
        let (root, no_setting) = match DeTable::parse(&text) {
            Ok(table) => {
                let at = table.span();
                let table = DeValue::Table(table.into_inner());
                (of_toml(&table, at), no_setting(&table))
            }
            Err(error) => {
                let at = error.span().unwrap_or_default();
                let error = ConfigError::of_syntax(file, &text, at, error.message());
                let is_json = text.trim_start().starts_with('{');
                return Err(error.with_help(is_json.then_some(
                    "this looks like JSON, and is read as TOML: give the file a name that ends with `.json`",
                )));
            }
        };
        match toml::from_str::<Value>(&text) {
            Ok(value) => {
                let source = Source { file, text, root };
                match no_setting {
                    Some(wrong) => Err(ConfigError::new(wrong, Some(&source))),
                    None => Ok((source, value)),
                }
            }
            Err(error) => {
                let at = error.span().unwrap_or_default();
                Err(ConfigError::of_syntax(file, &text, at, error.message()))
            }
        }
    }

    pub(super) fn json(file: Option<PathBuf>, text: String) -> Result<(Self, Value), ConfigError> {
        let text = without_mark(text);
        let value = match serde_json::from_str::<Value>(&text) {
            Ok(value) => value,
            Err(error) => {
                let start: usize = text
                    .split_inclusive('\n')
                    .take(error.line().saturating_sub(1))
                    .map(str::len)
                    .sum();
                let at = (start + error.column().saturating_sub(1)).min(text.len());
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or(&message);
                let error = ConfigError::of_syntax(file, &text, at..at, message);
                let is_toml =
                    text.trim_start().starts_with(['[', '#', 'h']) && text.contains("hooks");
                return Err(error.with_help(is_toml.then_some(
                    "this looks like TOML, and is read as JSON: give the file a name that ends with `.toml`",
                )));
            }
        };
        let parsed =
            jsonc_parser::parse_to_ast(&text, &CollectOptions::default(), &ParseOptions::default());
        let mut twice = None;
        let root = match parsed.ok().and_then(|parsed| parsed.value) {
            Some(value) => of_json(&value, &mut twice),
            // It is JSON, as serde_json has read it.
            None => Node {
                at: 0..text.len(),
                inner: Inner::Other,
            },
        };
        if let Some((key, at)) = twice {
            let message = format!("the key `{key}` stands here twice");
            return Err(ConfigError::of_syntax(file, &text, at, &message));
        }
        Ok((Source { file, text, root }, value))
    }

    /// Where something is wrong: at a key or at a value.
    pub(super) fn locate(&self, wrong: &Wrong) -> Range<usize> {
        let mut node = &self.root;
        let mut key_at = node.at.clone();
        for segment in &wrong.path {
            let next = match (&node.inner, segment) {
                (Inner::Table(entries), Segment::Key(key)) => entries
                    .iter()
                    .find(|(name, ..)| name == key)
                    .map(|(_, at, node)| (at.clone(), node)),
                (Inner::List(nodes), Segment::Index(index)) => {
                    nodes.get(*index).map(|node| (node.at.clone(), node))
                }
                _ => None,
            };
            let Some((at, next)) = next else { break };
            (key_at, node) = (at, next);
        }
        match (wrong.is_at_key, &node.inner) {
            // A table is shown by its name: it may be long.
            (true, _) | (_, Inner::Table(_)) => key_at,
            _ => node.at.clone(),
        }
    }
}

/// A text without the byte order mark that some editors put before it.
fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

fn of_toml(value: &DeValue<'_>, at: Range<usize>) -> Node {
    let inner = match value {
        DeValue::Table(table) => {
            let entries = table.iter().map(|(key, value)| {
                (
                    key.get_ref().clone().into_owned(),
                    key.span(),
                    of_toml(value.get_ref(), value.span()),
                )
            });
            Inner::Table(entries.collect())
        }
        DeValue::Array(values) => {
            let nodes = values
                .iter()
                .map(|value| of_toml(value.get_ref(), value.span()));
            Inner::List(nodes.collect())
        }
        _ => Inner::Other,
    };
    Node { at, inner }
}

/// A value that TOML has, and that no setting can be.
fn no_setting(value: &DeValue<'_>) -> Option<Wrong> {
    let within = |value, segment| {
        no_setting(value).map(|mut wrong| {
            wrong.path.insert(0, segment);
            wrong
        })
    };
    let (message, help) = match value {
        DeValue::Table(table) => {
            return table.iter().find_map(|(key, value)| {
                let key = key.get_ref().clone().into_owned();
                within(value.get_ref(), Segment::Key(key))
            });
        }
        DeValue::Array(values) => {
            return values
                .iter()
                .enumerate()
                .find_map(|(index, value)| within(value.get_ref(), Segment::Index(index)));
        }
        // JSON has nothing for it, and a setting that may be left out would be off.
        DeValue::Float(float) if !float.as_str().parse().is_ok_and(f64::is_finite) => (
            format!("expected a setting, found `{float}`"),
            "no setting is a number without digits: write another value, or leave the key out",
        ),
        DeValue::Datetime(date) => (
            format!("expected a setting, found the date `{date}`"),
            "no setting is a date: write it in quotes if it is a text",
        ),
        _ => return None,
    };
    Some(Wrong {
        path: Vec::new(),
        message,
        names: Names::After,
        help: Some(help.into()),
        is_at_key: false,
    })
}

/// The tree of a JSON value; `twice` takes the first key that stands twice in an object.
fn of_json(value: &ast::Value<'_>, twice: &mut Option<(String, Range<usize>)>) -> Node {
    let at = value.start()..value.end();
    let inner = match value {
        ast::Value::Object(object) => {
            let mut entries: Vec<(String, Range<usize>, Node)> = Vec::new();
            for property in &object.properties {
                let key = property.name.as_str().to_owned();
                let at = property.range.start..property.range.start + key.len() + 2;
                if twice.is_none() && entries.iter().any(|(known, ..)| *known == key) {
                    *twice = Some((key.clone(), at.clone()));
                }
                entries.push((key, at, of_json(&property.value, twice)));
            }
            Inner::Table(entries)
        }
        ast::Value::Array(array) => Inner::List(
            array
                .elements
                .iter()
                .map(|value| of_json(value, twice))
                .collect(),
        ),
        _ => Inner::Other,
    };
    Node { at, inner }
}
