//! Executions as lines of JSON, which can be verified without the store.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::chain::{Link, Verified, Walk};
use crate::engine::{JsonColumn, OfRow as _, RowReader as _, args};
use crate::error::{Result, StoreError};
use crate::recorder::row::LOG;
use crate::store::Tenant;

#[derive(Deserialize)]
struct ExecutionLine {
    seq: u64,
    hash: String,
    #[serde(default)]
    detail_hash: String,
    before: String,
    record: Value,
}

impl Tenant {
    /// Returns executions after the one with the number `seq` as lines of JSON, oldest first. Together, they are a file that
    /// [`verify_lines`] checks.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn lines(&self, seq: u64, limit: u32) -> Result<Vec<String>> {
        let sql = "SELECT seq, body, detail_hash, hash FROM execution WHERE tenant_id = $1 AND seq >= $2 \
                   ORDER BY seq LIMIT $3";
        // The row before has the hash that the first line needs.
        let values = args![&self.id, seq, u64::from(limit) + 1];
        let rows = self.engine().run(sql, values).await?;
        let before = self.ends(&mut self.engine(), LOG).await?;
        let mut before = before.map(|ends| ends.removed_hash).unwrap_or_default();
        let mut lines = Vec::new();
        for row in rows {
            let kept = Link::of_row(&row)?;
            if kept.seq > seq {
                let JsonColumn(record): JsonColumn<Value> = row.get("body")?;
                let mut line = json!({
                    "seq": kept.seq,
                    "hash": hex::encode(&kept.hash),
                    "detail_hash": hex::encode(&kept.detail_hash),
                    "before": hex::encode(&before),
                });
                // The hash is that of the record with bits in place of these names.
                let mut named = record.clone();
                self.unpack(&mut named).await?;
                for key in ["unmet", "unasked"] {
                    if named[key] != record[key] {
                        line[key] = named[key].take();
                    }
                }
                line["record"] = record;
                lines.push(line.to_string());
            }
            before = kept.hash;
        }
        lines.truncate(limit as usize);
        Ok(lines)
    }
}

/// Checks the chain in lines of [`Tenant::lines`]: that no row was changed, removed or moved. It cannot tell whether rows are
/// missing before the first or after the last one: compare their numbers with what you expect.
///
/// ```
/// use hooks_runtime::Record;
/// use hooks_store::{Store, verify_lines};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
/// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
/// acme.insert(vec![Record::new("a", "BeforeToolCall"), Record::new("b", "BeforeToolCall")]).await?;
/// let lines = acme.lines(0, 1000).await?.join("\n");
/// assert_eq!(verify_lines(lines.as_bytes())?.rows, 2);
/// assert_eq!(verify_lines(lines.replace("\"b\"", "\"c\"").as_bytes())?.broken.unwrap().seq, 2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the lines cannot be read, or one is not such a line.
pub fn verify_lines(lines: impl BufRead) -> Result<Verified> {
    let unread = |line: usize, error: String| {
        StoreError::invalid("", format!("line {line} is not an execution: {error}"), "")
    };
    let mut walk: Option<Walk> = None;
    for (number, line) in (1..).zip(lines.lines()) {
        let line = line.map_err(|error| unread(number, error.to_string()))?;
        let line: ExecutionLine =
            serde_json::from_str(&line).map_err(|error| unread(number, error.to_string()))?;
        let row = Link {
            seq: line.seq,
            body: crate::text::canonical(&line.record),
            detail_hash: bytes(&line.detail_hash),
            hash: bytes(&line.hash),
        };
        let before = line.seq.saturating_sub(1);
        let first = || Walk::after(before, bytes(&line.before));
        if !walk.get_or_insert_with(first).step(&row) {
            break;
        }
    }
    Ok(walk.map(|walk| walk.verified).unwrap_or_default())
}

fn bytes(digits: &str) -> Vec<u8> {
    hex::decode(digits).unwrap_or_default()
}
