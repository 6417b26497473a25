//! The text of a configuration, and the places of its keys.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, ast};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::ConfigError;
use crate::place::{At, Mistake, Naming, Segment, TextPlace};
use crate::read::MOST;

/// A text that was parsed, and the places of its keys and values.
pub(crate) struct SourceText {
    pub(crate) file: Option<PathBuf>,
    pub(crate) text: String,
    pub(crate) value: Value,
    /// What no setting can be.
    pub(crate) wrong: Vec<Mistake>,
    root: Node,
    /// Where each line begins, once it is needed.
    lines: OnceLock<Vec<usize>>,
}

/// A value of the text.
struct Node {
    at: Range<usize>,
    inner: NodeKind,
}

enum NodeKind {
    Table(Vec<(String, Range<usize>, Node)>),
    List(Vec<Node>),
    Other,
}

impl SourceText {
    /// The line of a place, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        let begins = || {
            let ends = self.text.match_indices('\n');
            ends.map(|(end, _)| end + 1).collect()
        };
        let lines = self.lines.get_or_init(begins);
        lines.partition_point(|begin| *begin <= at) + 1
    }

    pub(crate) fn load(path: &Path) -> Result<SourceText, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            ConfigError::of_file(path, format!("the file cannot be read: {error}"))
        })?;
        SourceText::parse(path, text)
    }

    /// The text of a file, whose format its name says.
    pub(crate) fn parse(path: &Path, text: String) -> Result<SourceText, ConfigError> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("toml") => SourceText::toml(Some(path.to_owned()), text),
            Some("json") => SourceText::json(Some(path.to_owned()), text),
            _ => Err(ConfigError::of_file(
                path,
                "a configuration is a file whose name ends with `.toml` or `.json`",
            )),
        }
    }

    pub(crate) fn toml(file: Option<PathBuf>, text: String) -> Result<SourceText, ConfigError> {
        let text = without_mark(text);
        let (table, errors) = DeTable::parse_recoverable(&text);
        let syntax = |error: &toml::de::Error| {
            let at = error.span().unwrap_or_default();
            // A text that a quote inside of it has ended.
            let before = text.get(..at.start).unwrap_or_default();
            let ended = before.ends_with('"') && error.message().starts_with("unexpected key");
            let help = "write a text with `\"` in it in single quotes: `'args.path == \"a\"'`";
            helped(
                file.clone(),
                &text,
                at,
                error.message(),
                ended.then_some(help),
            )
        };
        if let Some(first) = errors.first()
            && text.trim_start().starts_with('{')
        {
            let help = "this looks like JSON, and is read as TOML: give the file a name that ends with `.json`";
            let at = first.span().unwrap_or_default();
            return Err(helped(file, &text, at, first.message(), Some(help)));
        }
        ConfigError::all(errors.iter().take(MOST).map(syntax).collect())?;
        let at = table.span();
        let table = DeValue::Table(table.into_inner());
        let mut wrong = Vec::new();
        let root = of_toml(&table, at, &mut Vec::new(), &mut wrong);
        let value = toml::from_str::<Value>(&text).map_err(|error| syntax(&error))?;
        Ok(SourceText {
            file,
            text,
            value,
            wrong,
            root,
            lines: OnceLock::new(),
        })
    }

    pub(crate) fn json(file: Option<PathBuf>, text: String) -> Result<SourceText, ConfigError> {
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
                let (message, help) = if text.trim().is_empty() {
                    let help = "write `{ \"hooks\": { \"builtin\": {} } }`";
                    (
                        "expected a table in braces, found an empty text",
                        Some(help),
                    )
                } else if text.trim_start().starts_with(['[', '#', 'h']) && text.contains("hooks") {
                    let help = "this looks like TOML, and is read as JSON: give the file a name that ends with `.toml`";
                    (message, Some(help))
                } else {
                    (message, None)
                };
                return Err(helped(file, &text, at..at, message, help));
            }
        };
        let parsed =
            jsonc_parser::parse_to_ast(&text, &CollectOptions::default(), &ParseOptions::default());
        let mut twice = Vec::new();
        let root = match parsed.ok().and_then(|parsed| parsed.value) {
            Some(value) => of_json(&value, &mut twice),
            // The text is JSON, as serde_json has already read it.
            None => Node {
                at: 0..text.len(),
                inner: NodeKind::Other,
            },
        };
        let twice = twice.into_iter().take(MOST).map(|(key, at)| {
            let message = format!("the key `{key}` is set twice");
            of_syntax(file.clone(), &text, at, &message)
        });
        ConfigError::all(twice.collect())?;
        Ok(SourceText {
            file,
            text,
            value,
            wrong: Vec::new(),
            root,
            lines: OnceLock::new(),
        })
    }

    /// Shows a mistake at its place.
    pub(crate) fn show(&self, mistake: Mistake) -> ConfigError {
        let at = self.locate(&mistake);
        let place = TextPlace::of(&self.text, at);
        ConfigError::new(mistake, self.file.clone(), Some(place))
    }

    /// Returns the place of a mistake: a key or a value.
    pub(crate) fn locate(&self, wrong: &Mistake) -> Range<usize> {
        let mut node = &self.root;
        let mut key_at = node.at.clone();
        for segment in &wrong.path {
            let next = match (&node.inner, segment) {
                (NodeKind::Table(entries), Segment::Key(key)) => entries
                    .iter()
                    .find(|(name, ..)| name == key)
                    .map(|(_, at, node)| (at.clone(), node)),
                (NodeKind::List(nodes), Segment::Index(index)) => {
                    nodes.get(*index).map(|node| (node.at.clone(), node))
                }
                _ => None,
            };
            let Some((at, next)) = next else { break };
            (key_at, node) = (at, next);
        }
        match (wrong.at, &node.inner) {
            (At::End, NodeKind::Table(_)) => self.end_of(node).unwrap_or(key_at),
            (At::End, _) => node.at.clone(),
            // An error in a table points at its name, because the table may be long.
            (At::Key, _) | (_, NodeKind::Table(_)) => key_at,
            (At::Part { start, end }, _) => {
                let inner = self.inner_of(node, &wrong.path);
                inner.map_or(node.at.clone(), |inner| inner + start..inner + end)
            }
            _ => node.at.clone(),
        }
    }

    /// Returns where a text begins after its quotes, if it is written without escapes.
    fn inner_of(&self, node: &Node, path: &[Segment]) -> Option<usize> {
        let value = path
            .iter()
            .try_fold(&self.value, |value, segment| match segment {
                Segment::Key(key) => value.get(key),
                Segment::Index(index) => value.get(index),
            });
        let (written, value) = (self.text.get(node.at.clone())?, value?.as_str()?);
        let quotes = ["'''", "\"\"\""];
        let quotes = if quotes.iter().any(|quotes| written.starts_with(quotes)) {
            3
        } else {
            1
        };
        // A line break after three quotes is not a part of the text.
        let skipped = quotes + usize::from(quotes == 3 && written[3..].starts_with('\n'));
        (written.len() == skipped + value.len() + quotes).then_some(node.at.start + skipped)
    }

    /// Returns where another key can be written in a table: at its closing brace, or after its last value. A table that
    /// has only a name has no such place.
    fn end_of(&self, node: &Node) -> Option<Range<usize>> {
        let text = |node: &Node| self.text.get(node.at.clone()).unwrap_or_default();
        if text(node).starts_with('{') && text(node).ends_with('}') {
            return Some(node.at.end - 1..node.at.end);
        }
        let NodeKind::Table(entries) = &node.inner else {
            return None;
        };
        // The values of `[a.b]` come after the values of `[a]`.
        let of_this = |(_, key, value): &&(String, Range<usize>, Node)| {
            key.start >= node.at.end && value.at.start >= key.end
        };
        let last = entries
            .iter()
            .filter(of_this)
            .map(|(.., value)| value.at.end)
            .max()?;
        Some(last..last)
    }
}

/// A mistake of a text that does not parse.
fn of_syntax(file: Option<PathBuf>, text: &str, at: Range<usize>, message: &str) -> ConfigError {
    helped(file, text, at, message, None)
}

fn helped(
    file: Option<PathBuf>,
    text: &str,
    at: Range<usize>,
    message: &str,
    help: Option<&str>,
) -> ConfigError {
    let place = TextPlace::of(text, at);
    let mut mistake = Mistake::new([], message.trim().replace('\n', ", "));
    mistake.help = help.map(str::to_owned);
    ConfigError::new(mistake, file, Some(place))
}

/// Removes the byte order mark that some editors write.
fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    text
}

/// Returns the places of a TOML value and of all in it. What no setting can be is a mistake: a number that is not finite,
/// and a date.
fn of_toml(
    value: &DeValue<'_>,
    at: Range<usize>,
    path: &mut Vec<Segment>,
    wrong: &mut Vec<Mistake>,
) -> Node {
    let mut within = |value: &Spanned<DeValue<'_>>, segment| {
        path.push(segment);
        let node = of_toml(value.get_ref(), value.span(), path, wrong);
        path.pop();
        node
    };
    let (message, help) = match value {
        DeValue::Table(table) => {
            let entries = table.iter().map(|(key, value)| {
                let name = key.get_ref().clone().into_owned();
                let node = within(value, Segment::Key(name.clone()));
                (name, key.span(), node)
            });
            let inner = NodeKind::Table(entries.collect());
            return Node { at, inner };
        }
        DeValue::Array(values) => {
            let values = values.iter().enumerate();
            let nodes = values.map(|(index, value)| within(value, Segment::Index(index)));
            let inner = NodeKind::List(nodes.collect());
            return Node { at, inner };
        }
        DeValue::Float(float) if !float.as_str().parse().is_ok_and(f64::is_finite) => (
            format!("expected a setting, found `{float}`"),
            "no setting takes this number: write a finite number, or leave the key out",
        ),
        DeValue::Datetime(date) => (
            format!("expected a setting, found the date `{date}`"),
            "no setting takes a date: write it in quotes if it is text",
        ),
        _ => {
            let inner = NodeKind::Other;
            return Node { at, inner };
        }
    };
    if wrong.len() < MOST {
        let mistake = Mistake::new(path.clone(), message).naming(Naming::After);
        wrong.push(mistake.with_help(help));
    }
    let inner = NodeKind::Other;
    Node { at, inner }
}

/// Returns the tree of a JSON value. `twice` receives the keys that occur twice in an object.
fn of_json(value: &ast::Value<'_>, twice: &mut Vec<(String, Range<usize>)>) -> Node {
    let at = value.start()..value.end();
    let inner = match value {
        ast::Value::Object(object) => {
            let (mut entries, mut known) = (Vec::new(), HashSet::new());
            for property in &object.properties {
                let key = property.name.as_str().to_owned();
                let at = property.range.start..property.range.start + key.len() + 2;
                if !known.insert(property.name.as_str()) {
                    twice.push((key.clone(), at.clone()));
                }
                entries.push((key, at, of_json(&property.value, twice)));
            }
            NodeKind::Table(entries)
        }
        ast::Value::Array(array) => NodeKind::List(
            array
                .elements
                .iter()
                .map(|value| of_json(value, twice))
                .collect(),
        ),
        _ => NodeKind::Other,
    };
    Node { at, inner }
}
