//! A record as a row: what is in its body, its detail and its columns, and how a batch of them is written.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use hooks_builtin::Redact;
use hooks_runtime::{__is_exact as is_exact, Record};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::Value as Json;

use super::activity::{self, Spot};
use crate::chain::{self, Link};
use crate::crypt::Keys;
use crate::engine::{Engine, Row, Value, args};
use crate::error::StoreError;
use crate::text::{self, sha256};

/// The name of the log among the chains.
pub(crate) const LOG: &str = "execution";

/// The longest text in a body, and in a column, in characters. An index of Postgres holds no column that is much longer.
const LONGEST: usize = 256;

/// How many rows one statement inserts: with one length, it is prepared once.
const CHUNK: usize = 64;

/// The fields of a record that somebody may have written a secret into. The others are names.
const FREE: [&str; 6] = ["why", "reason", "change", "messages", "warnings", "input"];

/// A record that is ready to be written.
pub(crate) struct Ready {
    pub(super) tenant: String,
    columns: Columns,
    body: String,
    detail: Vec<u8>,
    detail_hash: Vec<u8>,
    /// What it counts as.
    spot: Option<Spot>,
}

/// What is looked for. It is all in the body, too.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Columns(Vec<Value>);

/// The columns, in the order of [`Columns`].
pub(crate) const COLUMNS: &str =
    "at, revision, hook, hook_version, event, tool, session, agent, outcome";

/// A text as a column has it.
pub(crate) fn column(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

impl Columns {
    pub(crate) fn of(record: &Record) -> Self {
        let version = record.hook_version.map(|version| version.to_string());
        Columns(vec![
            record.at.into(),
            record.revision.into(),
            column(&record.hook).into(),
            version.unwrap_or_default().into(),
            column(&record.event).into(),
            column(record.subject.as_deref().unwrap_or_default()).into(),
            column(&record.session_id).into(),
            column(&record.agent_id).into(),
            record.outcome.as_str().into(),
        ])
    }

    /// The first column of a row that is another.
    pub(crate) fn differs(&self, row: &Row) -> Option<&'static str> {
        let mut named = COLUMNS.split(", ").zip(&self.0);
        let differing = named.find(|(name, value)| row.get(name) != Some(value));
        differing.map(|(name, _)| name)
    }
}

/// The place of a detail, which its encryption is bound to. The hash of the detail is part of the chain.
pub(crate) fn place<'a>(tenant: &'a str, hash: &'a str) -> [&'a str; 4] {
    ["execution", tenant, hash, "detail"]
}

/// Checks that the body of a record can have its own numbers exactly. Those of an event may be any.
pub(crate) fn expect_exact(record: &Record) -> Result<(), StoreError> {
    let micros = u64::try_from(record.duration.as_micros()).unwrap_or(u64::MAX);
    text::expect_exact("/revision", record.revision)?;
    text::expect_exact("/hook_version", record.hook_version.unwrap_or_default())?;
    text::expect_exact("/duration_us", micros)
}

/// Makes rows of records.
pub(crate) fn ready(records: &[Record], keys: &Keys) -> Result<Vec<Ready>, StoreError> {
    records.iter().map(|record| one(record, keys)).collect()
}

fn one(record: &Record, keys: &Keys) -> Result<Ready, StoreError> {
    static REDACT: LazyLock<Redact> = LazyLock::new(Redact::new);
    let mut whole = serde_json::to_value(record).expect("a record is JSON");
    for field in FREE {
        if let Some(value) = whole.get_mut(field) {
            REDACT.__texts(value);
        }
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
    let tenant = record.tenant_id.clone().unwrap_or_default();
    let (mut detail, mut detail_hash) = (Vec::new(), Vec::new());
    if is_cut && keys.are_there() {
        // With a random beginning, nobody can guess a detail by its hash.
        let mut text = vec![0; 16];
        SystemRandom::new()
            .fill(&mut text)
            .expect("the system has randomness");
        text.extend_from_slice(whole.to_string().as_bytes());
        detail_hash = sha256(&text);
        detail = keys.seal(&place(&tenant, &hex::encode(&detail_hash)), &text)?;
    }
    Ok(Ready {
        tenant,
        columns: Columns::of(record),
        body: text::canonical(&body),
        detail,
        detail_hash,
        spot: Spot::of(record),
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

fn insert(rows: usize) -> String {
    let width = COLUMNS.split(", ").count() + 6;
    let rows = (0..rows).map(|row| {
        let places = (1..=width).map(|place| format!("${}", row * width + place));
        format!("({})", places.collect::<Vec<_>>().join(", "))
    });
    format!(
        "INSERT INTO execution (tenant_id, seq, {COLUMNS}, body, detail, detail_hash, hash) VALUES {}",
        rows.collect::<Vec<_>>().join(", ")
    )
}

/// A row that a transaction was about to commit: its tenant, its number and its hash.
pub(crate) type Mark = Option<(String, u64, Vec<u8>)>;

/// Writes rows in one transaction: each at the end of its tenant's chain.
///
/// If a connection breaks while it commits, nobody knows whether the rows are there. The mark tells it to the next try.
pub(crate) async fn write(
    engine: &dyn Engine,
    rows: &[Ready],
    mark: &mut Mark,
) -> Result<(), StoreError> {
    static MANY: LazyLock<String> = LazyLock::new(|| insert(CHUNK));
    static ONE: LazyLock<String> = LazyLock::new(|| insert(1));
    let mut tenants: BTreeMap<&str, Vec<&Ready>> = BTreeMap::new();
    for row in rows {
        tenants.entry(&row.tenant).or_default().push(row);
    }
    let mut transaction = engine.begin().await?;
    if let Some((tenant, seq, hash)) = mark.clone() {
        let sql = "SELECT seq FROM execution WHERE tenant_id = $1 AND seq = $2 AND hash = $3";
        if !transaction
            .fetch(sql, args![tenant, seq, hash])
            .await?
            .is_empty()
        {
            return Ok(());
        }
        *mark = None;
    }
    let mut last = None;
    for (tenant, rows) in tenants {
        let links = rows.iter().map(|row| Link {
            detail_hash: row.detail_hash.clone(),
            ..Link::new(row.body.clone())
        });
        let mut links: Vec<_> = links.collect();
        chain::append(&mut *transaction, tenant, LOG, &mut links).await?;
        last = links
            .last()
            .map(|link| (tenant.to_owned(), link.seq, link.hash.clone()));
        let spots = rows.iter().filter_map(|row| row.spot.as_ref());
        activity::add(&mut *transaction, tenant, spots).await?;
        let rows: Vec<_> = rows.into_iter().zip(links).collect();
        let (many, single) = rows.split_at(rows.len() - rows.len() % CHUNK);
        let many = many.chunks(CHUNK).map(|chunk| (&*MANY, chunk));
        for (sql, chunk) in many.chain(single.chunks(1).map(|chunk| (&*ONE, chunk))) {
            let values = chunk.iter().flat_map(|(row, link)| values(row, link));
            transaction.execute(sql, values.collect()).await?;
        }
    }
    *mark = last;
    transaction.commit().await
}

fn values(row: &Ready, link: &Link) -> impl Iterator<Item = Value> {
    let first = [Value::from(&row.tenant), link.seq.into()];
    let last = [
        Value::Text(row.body.clone()),
        row.detail.clone().into(),
        row.detail_hash.clone().into(),
        link.hash.clone().into(),
    ];
    first.into_iter().chain(row.columns.0.clone()).chain(last)
}
