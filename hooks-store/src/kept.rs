//! What the rows of tables hold, as the logs say it: each entry that writes, changes or removes rows has a digest of each.
//!
//! Who walks a log knows from it what the tables must hold, so a row that was written, changed or removed past the
//! store shows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::{Column as _, SqlValue};
use crate::text::{framed, sha256};

/// A table whose rows a log vouches for.
pub(crate) struct LoggedTable {
    pub(crate) log: &'static str,
    pub(crate) table: &'static str,
    /// The columns besides the tenant. The first ones name a row.
    pub(crate) columns: &'static str,
    pub(crate) names: usize,
}

const fn kept(
    log: &'static str,
    table: &'static str,
    names: usize,
    columns: &'static str,
) -> LoggedTable {
    LoggedTable {
        log,
        table,
        columns,
        names,
    }
}

/// The tables. Not in it: the order of a draft, when a token was used, and what is counted or reported.
pub(crate) const KEPT: [LoggedTable; 8] = [
    kept("admin", "budget_limit", 1, "month, tokens"),
    kept("admin", "hook", 1, "id, name, version, deleted"),
    kept(
        "admin",
        "hook_version",
        2,
        "hook_id, version, parent, hash, body, deleted, author, comment, at, text",
    ),
    kept("admin", "revision", 1, "number, hash, body"),
    kept("admin", "sample", 1, "id, name, body, author, at"),
    kept("admin", "secret", 2, "name, version, value, author, at"),
    kept(
        "admin",
        "token",
        1,
        "id, name, role, agent, hash, author, at, ends",
    ),
    kept("budget", "budget", 1, "month, taken"),
];

impl LoggedTable {
    fn of(table: &str) -> &'static Self {
        let mut tables = KEPT.iter();
        tables
            .find(|kept| kept.table == table)
            .expect("the table is kept")
    }

    /// The statement that inserts a row.
    pub(crate) fn insert(table: &str) -> String {
        let columns = LoggedTable::of(table).columns;
        let places = (2..=columns.split(", ").count() + 1).map(|place| format!(", ${place}"));
        let places: String = places.collect();
        format!("INSERT INTO {table} (tenant_id, {columns}) VALUES ($1{places})")
    }

    /// The name of a row: its table and the first columns.
    pub(crate) fn name(&self, values: &[SqlValue]) -> String {
        let names = values[..self.names].iter().map(|value| match value {
            SqlValue::Int(number) => number.to_string(),
            value => String::of(value).unwrap_or_default(),
        });
        let names: Vec<_> = [self.table.to_owned()].into_iter().chain(names).collect();
        names.join("/")
    }
}

/// The digest of what a row holds.
pub(crate) fn digest(values: &[SqlValue]) -> String {
    let parts: Vec<_> = values
        .iter()
        .map(|value| match value {
            SqlValue::Int(number) => [b"i", &number.to_be_bytes()[..]].concat(),
            SqlValue::TooLarge(number) => [b"i", &number.to_be_bytes()[..]].concat(),
            SqlValue::Text(text) => [b"t", text.as_bytes()].concat(),
            SqlValue::Bytes(bytes) => [b"b", &bytes[..]].concat(),
        })
        .collect();
    let parts: Vec<_> = parts.iter().map(Vec::as_slice).collect();
    hex::encode(sha256(&framed(&parts)))
}

/// The digests of rows by their names; of one that is gone, nothing.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RowDigests(pub(crate) BTreeMap<String, String>);

impl RowDigests {
    /// Says what a row holds: the values of its columns.
    pub(crate) fn note(&mut self, table: &str, values: impl AsRef<[SqlValue]>) {
        let values = values.as_ref();
        self.0
            .insert(LoggedTable::of(table).name(values), digest(values));
    }

    /// Says that a row is gone.
    pub(crate) fn gone(&mut self, table: &str, names: impl AsRef<[SqlValue]>) {
        let name = LoggedTable::of(table).name(names.as_ref());
        self.0.insert(name, String::new());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
