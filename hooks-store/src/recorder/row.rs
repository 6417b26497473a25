//! A record as a row: what is in its body, its detail and its columns, and how a batch of them is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use hooks_builtin::Redact;
use hooks_runtime::{__is_exact as is_exact, Record};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use super::activity::{self, ActivityKey};
use super::names::{NameList, NameLists};
use crate::chain::{Chain, Link};
use crate::crypt::{Keys, random};
use crate::engine::{Engine, ReadsAs as _, SqlRow, SqlValue, Transaction, args};
use crate::error::Result;
use crate::text::{self, sha256};

/// The name of the log among the chains.
pub(crate) const LOG: &str = "execution";

/// The longest text in a body, and in a column, in characters. An index of Postgres holds no column that is much longer.
const LONGEST: usize = 256;

/// How many rows one statement inserts: with one length, it is prepared once.
const CHUNK: usize = 64;

/// The fields of a record, and of a step, that may hold a secret. The others are names.
const FREE: [&str; 6] = ["why", "reason", "change", "messages", "warnings", "input"];

/// A record that is ready to be written.
pub(crate) struct Ready {
    columns: Columns,
    link: Link,
    detail: Vec<u8>,
    /// What it counts as.
    spots: Vec<ActivityKey>,
    /// The hooks that ran.
    hooks: Vec<String>,
}

/// What is looked for. It is all in the body, too.
pub(crate) struct Columns(Vec<SqlValue>);

/// The columns, in the order of [`Columns`].
pub(crate) const COLUMNS: &str =
    "at, revision, hook, hook_version, event, tool, session, agent, outcome";

/// A text as a column has it.
pub(crate) fn column(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

impl Columns {
    /// The columns of a body. Earlier versions had one for each hook, with its version.
    pub(crate) fn of(body: &Json) -> Self {
        let text = |key: &str| column(body[key].as_str().unwrap_or_default()).into();
        let version = body["hook_version"]
            .as_u64()
            .map(|version| version.to_string());
        let at: Option<Timestamp> = body["at"].as_str().and_then(|at| at.parse().ok());
        Columns(vec![
            at.unwrap_or_default().into(),
            body["revision"].as_u64().unwrap_or_default().into(),
            text("hook"),
            version.unwrap_or_default().into(),
            text("event"),
            text("subject"),
            text("session_id"),
            text("agent_id"),
            text("outcome"),
        ])
    }

    /// The first column of a row that is another.
    pub(crate) fn differs(&self, row: &SqlRow) -> Option<&'static str> {
        let mut named = COLUMNS.split(", ").zip(&self.0);
        let differing = named.find(|(name, value)| row.value(name) != Some(value));
        differing.map(|(name, _)| name)
    }
}

/// The place of a detail, which its encryption is bound to. The hash of the detail is part of the chain.
pub(crate) fn place(tenant: &str, hash: &[u8]) -> [String; 4] {
    ["execution", tenant, &hex::encode(hash), "detail"].map(str::to_owned)
}

/// Checks that the body of a record can have its own numbers exactly. Those of an event may be any.
pub(crate) fn expect_exact(record: &Record) -> Result<()> {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    text::expect_exact("/revision", record.revision)?;
    text::expect_exact("/duration_us", micros(record.duration))?;
    for (nth, step) in record.steps.iter().enumerate() {
        let version = step.hook_version.unwrap_or_default();
        text::expect_exact(&format!("/steps/{nth}/hook_version"), version)?;
        text::expect_exact(&format!("/steps/{nth}/duration_us"), micros(step.duration))?;
    }
    Ok(())
}

/// The rows of one tenant, and the list of names that they need.
pub(crate) struct TenantRows {
    pub(super) tenant: String,
    list: Option<Arc<NameList>>,
    pub(super) rows: Vec<Ready>,
}

/// Makes rows of records: those of each tenant, in the order of their ids.
pub(crate) fn ready(records: &[Record], keys: &Keys, names: &NameLists) -> Result<Vec<TenantRows>> {
    let mut tenants: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        let tenant = record.tenant_id.as_deref().unwrap_or_default();
        tenants.entry(tenant).or_default().push(record);
    }
    let parts = tenants.into_iter().map(|(tenant, records)| {
        let written = |record| serde_json::to_value(record).expect("a record is JSON");
        let mut wholes: Vec<Json> = records.iter().map(written).collect();
        let list = names.pack(tenant, &mut wholes);
        let rows = records.into_iter().zip(wholes);
        let rows = rows.map(|(record, whole)| one(tenant, record, whole, keys));
        Ok(TenantRows {
            tenant: tenant.to_owned(),
            list,
            rows: rows.collect::<Result<_, _>>()?,
        })
    });
    parts.collect()
}

/// Redacts the free texts of a record or of a step.
fn redact(part: &mut Json) {
    static REDACT: LazyLock<Redact> = LazyLock::new(Redact::new);
    for field in FREE {
        if let Some(value) = part.get_mut(field) {
            REDACT.__texts(value);
        }
    }
}

fn one(tenant: &str, record: &Record, mut whole: Json, keys: &Keys) -> Result<Ready> {
    redact(&mut whole);
    if let Some(Json::Array(steps)) = whole.get_mut("steps") {
        steps.iter_mut().for_each(redact);
    }
    let mut body = whole.clone();
    let fields = body.as_object_mut().expect("a record is an object");
    let mut is_cut = fields.remove("input").is_some();
    leaves(&mut body, &mut |leaf| match leaf {
        Json::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(LONGEST) {
                text.truncate(end);
                is_cut = true;
            }
        }
        Json::Number(number) if !is_exact(number) => {
            *leaf = number.to_string().into();
            is_cut = true;
        }
        _ => {}
    });
    let (mut detail, mut detail_hash) = (Vec::new(), Vec::new());
    if is_cut && keys.are_there() {
        // With a random beginning, a detail cannot be guessed by its hash.
        let text = [&random::<16>()[..], whole.to_string().as_bytes()].concat();
        detail_hash = sha256(&text);
        detail = keys.seal(&place(tenant, &detail_hash), &text)?;
    }
    Ok(Ready {
        columns: Columns::of(&body),
        link: Link {
            body: text::canonical(&body),
            detail_hash,
            ..Link::default()
        },
        detail,
        spots: activity::spots(record),
        hooks: {
            let ran = record.steps.iter().map(|step| &step.hook);
            let ran = ran.chain([&record.hook]).filter(|hook| !hook.is_empty());
            ran.map(|hook| column(hook)).collect()
        },
    })
}

/// The JSON of a detail that was decrypted, without its random beginning.
pub(crate) fn json_of(detail: &[u8]) -> Option<Json> {
    serde_json::from_slice(detail.get(16..)?).ok()
}

/// Calls `change` with each value in a value that has none in it.
fn leaves(value: &mut Json, change: &mut dyn FnMut(&mut Json)) {
    match value {
        Json::Array(values) => values.iter_mut().for_each(|value| leaves(value, change)),
        Json::Object(fields) => fields.values_mut().for_each(|value| leaves(value, change)),
        leaf => change(leaf),
    }
}

/// The statement that inserts so many rows, and what becomes of one that is there.
fn insert(table: &str, columns: &str, conflict: &str, rows: usize) -> String {
    let width = columns.split(", ").count();
    let rows = (0..rows).map(|row| {
        let places = (1..=width).map(|place| format!("${}", row * width + place));
        format!("({})", places.collect::<Vec<_>>().join(", "))
    });
    let rows = rows.collect::<Vec<_>>().join(", ");
    format!("INSERT INTO {table} ({columns}) VALUES {rows} {conflict}")
}

/// Inserts rows: as many at once as a prepared statement takes.
async fn insert_all(
    transaction: &mut dyn Transaction,
    table: &str,
    columns: &str,
    conflict: &str,
    rows: Vec<Vec<SqlValue>>,
) -> Result<()> {
    let [many, one] = [CHUNK, 1].map(|count| insert(table, columns, conflict, count));
    let mut rows = rows.into_iter();
    while rows.len() > 0 {
        let (sql, count) = if rows.len() < CHUNK {
            (&one, 1)
        } else {
            (&many, CHUNK)
        };
        let values = rows.by_ref().take(count).flatten().collect();
        transaction.run(sql, values).await?;
    }
    Ok(())
}

/// A row that a transaction was about to commit: its tenant, its number and its hash.
pub(crate) type Mark = Option<(String, u64, Vec<u8>)>;

/// What a client calls the records that it sends together, so that they are written once however often it sends them.
pub(crate) struct Batch<'a> {
    pub(crate) tenant: &'a str,
    pub(crate) key: &'a str,
    pub(crate) at: Timestamp,
}

/// How long the name of a batch is known.
const KNOWN: SignedDuration = SignedDuration::from_hours(24);

/// Writes rows in one transaction: each at the end of its tenant's chain. Returns whether it did: not if their batch is there.
///
/// If a connection breaks while it commits, the rows may be there or not. The mark tells it to the next try.
pub(crate) async fn write(
    engine: &dyn Engine,
    keys: &Keys,
    parts: &mut [TenantRows],
    batch: Option<&Batch<'_>>,
    mark: &mut Mark,
) -> Result<bool> {
    let mut transaction = engine.begin().await?;
    if let Some((tenant, seq, hash)) = mark.clone() {
        let sql = "SELECT seq FROM execution WHERE tenant_id = $1 AND seq = $2 AND hash = $3";
        let there: Option<u64> = transaction.one(sql, args![tenant, seq, hash]).await?;
        if there.is_some() {
            return Ok(true);
        }
        *mark = None;
    }
    if let Some(Batch { tenant, key, at }) = batch {
        let sql = "DELETE FROM batch WHERE tenant_id = $1 AND at < $2";
        transaction.run(sql, args![*tenant, *at - KNOWN]).await?;
        let sql = "INSERT INTO batch (tenant_id, name, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING name";
        if transaction
            .run(sql, args![*tenant, *key, *at])
            .await?
            .is_empty()
        {
            return Ok(false);
        }
    }
    let mut last = None;
    let (mut counted, mut of_hooks, mut executions) = (Vec::new(), Vec::new(), Vec::new());
    for TenantRows { tenant, list, rows } in parts {
        let tenant = tenant.as_str();
        if let Some(list) = list {
            let sql = "INSERT INTO execution_names (tenant_id, hash, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
            let values = args![tenant, &list.hash, list.body()];
            transaction.run(sql, values).await?;
        }
        let links = rows.iter_mut().map(|row| &mut row.link);
        let chain = Chain {
            keys,
            tenant,
            log: LOG,
        };
        chain.append(&mut *transaction, links).await?;
        let end = rows.last().map(|row| &row.link);
        last = end.map(|link| (tenant.to_owned(), link.seq, link.hash.clone()));
        let spots = rows.iter().flat_map(|row| &row.spots);
        counted.extend(activity::rows(tenant, spots));
        // In the order of the table, a page of it is written once.
        let mut hooks = BTreeSet::new();
        for row in &*rows {
            hooks.extend(row.hooks.iter().map(|hook| (hook.as_str(), row.link.seq)));
        }
        of_hooks.extend(
            hooks
                .into_iter()
                .map(|(hook, seq)| args![tenant, hook, seq]),
        );
        executions.extend(rows.iter().map(|row| {
            let mut values = args![tenant, row.link.seq];
            values.extend(row.columns.0.iter().cloned());
            values.push(SqlValue::Text(row.link.body.clone()));
            let bytes = [&row.detail, &row.link.detail_hash, &row.link.hash];
            values.extend(bytes.map(|bytes| bytes.clone().into()));
            values
        }));
    }
    // The rows of all tenants together, so that many tenants with a row each take few statements.
    let of_execution = format!("tenant_id, seq, {COLUMNS}, body, detail, detail_hash, hash");
    for (table, columns, conflict, rows) in [
        ("activity", activity::COLUMNS, activity::ADDS, counted),
        ("execution_hook", "tenant_id, hook, seq", "", of_hooks),
        ("execution", &of_execution, "", executions),
    ] {
        insert_all(&mut *transaction, table, columns, conflict, rows).await?;
    }
    *mark = last;
    transaction.commit().await?;
    Ok(true)
}
