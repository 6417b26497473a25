//! The text of a file, the places of its keys, and how a mistake is shown: as `hooks check` shows it.

use std::fmt::Write as _;
use std::ops::Range;

use hooks_rules::cel::Literal;
use hooks_rules::template::Data;
use toml_edit::{Document, Item, Value};

/// A value of the file, with its place.
#[derive(Debug)]
pub(super) struct Node {
    /// Where it is; of a table with a head, where that is.
    pub(super) at: Range<usize>,
    /// Where its key is.
    key: Range<usize>,
    pub(super) inner: NodeValue,
}

#[derive(Debug)]
pub(super) enum NodeValue {
    Table(Vec<(String, Node)>),
    List(Vec<Node>),
    Text(String),
    Other(Literal),
    /// What no setting takes: a date.
    Never(String),
}

/// A mistake in a file.
#[derive(Debug)]
pub(super) struct FileMistake {
    pub(super) at: Range<usize>,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl FileMistake {
    pub(super) fn new(at: Range<usize>, message: impl Into<String>, help: Option<&str>) -> Self {
        FileMistake {
            at,
            message: message.into(),
            help: help.map(str::to_owned),
        }
    }
}

/// Parses a file.
pub(super) fn parse(text: &str) -> Result<Node, FileMistake> {
    let document = Document::parse(text).map_err(|error| {
        let message = error.message().trim().replace('\n', ", ");
        FileMistake::new(error.span().unwrap_or_default(), message, None)
    })?;
    Ok(node(document.as_item(), 0..0))
}

fn node(item: &Item, key: Range<usize>) -> Node {
    let at = item.span().unwrap_or_else(|| key.clone());
    let inner = match item {
        Item::Table(table) => {
            let keys = table.iter().filter_map(|(key, _)| table.get_key_value(key));
            NodeValue::Table(keys.map(|(key, item)| entry(key, item)).collect())
        }
        Item::ArrayOfTables(tables) => NodeValue::List(
            tables
                .iter()
                .map(|table| {
                    let at = table.span().unwrap_or_default();
                    let keys = table.iter().filter_map(|(key, _)| table.get_key_value(key));
                    let inner =
                        NodeValue::Table(keys.map(|(key, item)| entry(key, item)).collect());
                    let key = at.clone();
                    Node { at, key, inner }
                })
                .collect(),
        ),
        Item::Value(value) => of_value(value),
        Item::None => NodeValue::Table(Vec::new()),
    };
    Node { at, key, inner }
}

fn entry(key: &toml_edit::Key, item: &Item) -> (String, Node) {
    let at = key.span().unwrap_or_default();
    (key.get().to_owned(), node(item, at))
}

fn of_value(value: &Value) -> NodeValue {
    match value {
        Value::String(text) => NodeValue::Text(text.value().clone()),
        Value::Integer(number) => NodeValue::Other(Literal::Int(*number.value())),
        Value::Float(number) if number.value().is_finite() => {
            NodeValue::Other(Literal::Double(*number.value()))
        }
        Value::Float(number) => NodeValue::Never(format!("`{}`", number.value())),
        Value::Boolean(value) => NodeValue::Other(Literal::Bool(*value.value())),
        Value::Datetime(date) => NodeValue::Never(format!("the date `{}`", date.value())),
        Value::Array(values) => {
            let nodes = values.iter().map(|value| {
                let at = value.span().unwrap_or_default();
                let (key, inner) = (at.clone(), of_value(value));
                Node { at, key, inner }
            });
            NodeValue::List(nodes.collect())
        }
        Value::InlineTable(table) => {
            let keys = table.iter().filter_map(|(key, _)| table.get_key_value(key));
            NodeValue::Table(keys.map(|(key, item)| entry(key, item)).collect())
        }
    }
}

impl Node {
    /// The values of a table; none of anything else.
    pub(super) fn entries(&self) -> &[(String, Node)] {
        match &self.inner {
            NodeValue::Table(entries) => entries,
            _ => &[],
        }
    }

    /// The values of a list; none of anything else.
    pub(super) fn items(&self) -> &[Node] {
        match &self.inner {
            NodeValue::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        let mut entries = self.entries().iter();
        entries
            .find(|(known, _)| known == key)
            .map(|(_, node)| node)
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.inner {
            NodeValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is a whole one.
    pub(super) fn whole(&self) -> Option<i64> {
        match self.inner {
            NodeValue::Other(Literal::Int(number)) => Some(number),
            _ => None,
        }
    }

    pub(super) fn is_false(&self) -> bool {
        matches!(self.inner, NodeValue::Other(Literal::Bool(false)))
    }

    /// Where its key is.
    pub(super) fn key_at(&self) -> Range<usize> {
        self.key.clone()
    }

    /// Where a mistake is shown: at a value, or at the key of a table, which may be long.
    pub(super) fn shown_at(&self) -> Range<usize> {
        match &self.inner {
            NodeValue::Table(_) => self.key.clone(),
            _ => self.at.clone(),
        }
    }

    /// Where a part of a text is, in bytes; all of it, if it has escapes.
    pub(super) fn part(&self, file: &str, part: &Range<usize>) -> Range<usize> {
        let written = file.get(self.at.clone()).unwrap_or_default();
        let is_long = written.starts_with("'''") || written.starts_with("\"\"\"");
        let quotes = if is_long { 3 } else { 1 };
        let skipped = quotes + usize::from(is_long && written[3..].starts_with('\n'));
        let len = self.text().map_or(0, str::len);
        if written.len() != skipped + len + quotes {
            return self.at.clone();
        }
        let start = self.at.start + skipped;
        start + part.start..start + part.end
    }

    /// The value, as a template reads it.
    pub(super) fn data(&self) -> Data {
        match &self.inner {
            NodeValue::Text(text) => Data::Text(text.clone()),
            NodeValue::List(items) => Data::List(items.iter().map(Node::data).collect()),
            NodeValue::Table(entries) => {
                let entries = entries.iter();
                Data::Table(
                    entries
                        .map(|(key, node)| (key.clone(), node.data()))
                        .collect(),
                )
            }
            NodeValue::Other(literal) => Data::Other(literal.clone()),
            NodeValue::Never(_) => Data::Other(Literal::Null),
        }
    }

    /// What it is, in words.
    pub(super) fn found(&self) -> String {
        match &self.inner {
            NodeValue::Table(_) => "a table".into(),
            NodeValue::List(_) => "a list".into(),
            NodeValue::Text(text) => format!("the string {text:?}"),
            NodeValue::Other(Literal::Int(number)) => format!("the number `{number}`"),
            NodeValue::Other(Literal::Double(number)) => format!("the number `{number:?}`"),
            NodeValue::Other(Literal::Bool(value)) => format!("`{value}`"),
            NodeValue::Other(_) => "nothing".into(),
            NodeValue::Never(found) => found.clone(),
        }
    }
}

/// The line of a place, from 1.
pub(super) fn line(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].matches('\n').count() + 1
}

/// A mistake, as a person sees it.
pub(super) fn shown(file: &str, text: &str, mistake: &FileMistake) -> String {
    let Range { start, end } = mistake.at.clone();
    let start = text.floor_char_boundary(start);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..]
        .find('\n')
        .map_or(text.len(), |end| start + end);
    let end = text.floor_char_boundary(end).clamp(start, line_end);
    let (line, indent) = (line(text, start), text[line_start..start].chars().count());
    let carets = "^".repeat(text[start..end].chars().count().max(1));
    let written = text[line_start..line_end].trim_end().replace('\t', " ");
    let margin = line.to_string().len();
    let mut shown = format!("{file}:{line}:{}: {}", indent + 1, mistake.message);
    // Writing to a string cannot fail.
    let _ = write!(
        shown,
        "\n{:margin$} |\n{line} | {written}\n{:margin$} | {:indent$}{carets}",
        "", "", ""
    );
    if let Some(help) = &mistake.help {
        let _ = write!(shown, "\n{:margin$} = help: {help}", "");
    }
    shown
}
