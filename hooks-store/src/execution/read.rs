//! Reading executions: page by page, one, a session, what is new.

use std::fmt::Write as _;

use hooks_runtime::{Record, RecordOutcome};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::admin::By;
use crate::chain::{Link, Verified};
use crate::engine::{Row, Value, args};
use crate::error::StoreError;
use crate::page::{Page, before, rows_for};
use crate::recorder::row::{COLUMNS, Columns, LOG, column, json_of, place};
use crate::store::Tenant;
use crate::text::sha256;

/// What one hook did with one event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Execution {
    /// The place in the tenant's log, from 1, without gaps.
    pub seq: u64,
    /// The hash of the row, in hexadecimal digits.
    pub hash: String,
    /// Whether [`Tenant::detail`] has more than the record here.
    pub has_detail: bool,
    /// The record, with texts cut at 256 characters.
    pub record: Record,
}

/// Which executions to read. The default is all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExecutionFilter {
    /// Those of this hook.
    pub hook: Option<String>,
    /// Those with this outcome.
    pub outcome: Option<RecordOutcome>,
    /// Those about this tool.
    pub tool: Option<String>,
    /// Those of this session.
    pub session: Option<String>,
    /// Those of this agent.
    pub agent: Option<String>,
    /// Those on this event.
    pub event: Option<String>,
    /// Those from this time on.
    pub since: Option<Timestamp>,
    /// Those before this time.
    pub until: Option<Timestamp>,
    /// After the one with this number: a search for what is rare looks at a part of a long log.
    pub after: Option<u64>,
}

/// How many executions are decrypted at once. Each may be as long as an event.
const PART: u64 = 64;

/// Whole records, which a [`Replay`](hooks_runtime::Replay) asks about: [`Tenant::past`] reads them.
#[derive(Debug)]
pub struct PastRecords {
    tenant: Tenant,
    /// The last that was read.
    seq: u64,
    newest: u64,
}

/// The columns of an execution.
const ROW: &str = "SELECT seq, body, detail_hash, hash FROM execution WHERE tenant_id = $1";

impl Execution {
    fn of(row: &Row) -> Result<Self, StoreError> {
        Ok(Execution {
            seq: row.number("seq")?,
            hash: hex::encode(&row.bytes("hash")?),
            has_detail: !row.bytes("detail_hash")?.is_empty(),
            record: row.json("body")?,
        })
    }
}

impl ExecutionFilter {
    /// Adds its conditions to a statement.
    fn add_to(&self, sql: &mut String, values: &mut Vec<Value>) {
        let text = |text: &Option<String>| text.as_deref().map(|text| column(text).into());
        let conditions: [(&str, Option<Value>); 9] = [
            ("hook =", text(&self.hook)),
            (
                "outcome =",
                self.outcome.map(|outcome| outcome.as_str().into()),
            ),
            ("tool =", text(&self.tool)),
            ("session =", text(&self.session)),
            ("agent =", text(&self.agent)),
            ("event =", text(&self.event)),
            ("at >=", self.since.map(Into::into)),
            ("at <", self.until.map(Into::into)),
            ("seq >", self.after.map(Into::into)),
        ];
        for (condition, value) in conditions {
            if let Some(value) = value {
                values.push(value);
                let _ = write!(sql, " AND {condition} ${}", values.len());
            }
        }
    }
}

impl Tenant {
    async fn executions_of(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<Vec<Execution>, StoreError> {
        let rows = self.engine().fetch(sql, values).await?;
        rows.iter().map(Execution::of).collect()
    }

    /// Returns a page of executions, newest first, before the one with the number `cursor`.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn executions(
        &self,
        filter: &ExecutionFilter,
        cursor: Option<u64>,
        limit: u32,
    ) -> Result<Page<Execution>, StoreError> {
        let before = before(cursor);
        let mut sql = format!("{ROW} AND seq < $2");
        let mut values = args![&self.id, before];
        filter.add_to(&mut sql, &mut values);
        values.push(rows_for(limit).into());
        let _ = write!(sql, " ORDER BY seq DESC LIMIT ${}", values.len());
        let found = self.executions_of(&sql, values).await?;
        Ok(Page::of(found, limit, |execution| execution.seq))
    }

    /// Returns an execution.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn execution(&self, seq: u64) -> Result<Option<Execution>, StoreError> {
        let found = self
            .executions_of(&format!("{ROW} AND seq = $2"), args![&self.id, seq])
            .await?;
        Ok(found.into_iter().next())
    }

    /// Returns the whole record of an execution, with the event's input, if there is more than its row shows. The admin log
    /// says who has read it.
    ///
    /// # Errors
    ///
    /// If its key is missing, it was changed, or the database fails.
    pub async fn detail(&self, seq: u64, by: &By) -> Result<Option<Json>, StoreError> {
        let sql =
            "SELECT seq, detail, detail_hash FROM execution WHERE tenant_id = $1 AND seq = $2";
        let rows = self.engine().fetch(sql, args![&self.id, seq]).await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let hash = row.bytes("detail_hash")?;
        if hash.is_empty() {
            return Ok(None);
        }
        let place_hash = hex::encode(&hash);
        let place = place(&self.id, &place_hash);
        let detail = self.store.keys.must_open(&place, &row.bytes("detail")?)?;
        self.log_read(by, "execution.detail", &seq.to_string())
            .await?;
        Ok(json_of(&detail))
    }

    /// Returns what reads the newest `limit` events from `since` on, oldest first, each after what hooks did with it. The
    /// records are whole, and the admin log says once who has read them.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn past(
        &self,
        since: Option<Timestamp>,
        limit: u32,
        by: &By,
    ) -> Result<PastRecords, StoreError> {
        let filter = ExecutionFilter {
            // The record of an event is no hook's.
            hook: Some(String::new()),
            since,
            ..ExecutionFilter::default()
        };
        let mut sql = "SELECT seq FROM execution WHERE tenant_id = $1".to_owned();
        let mut values = args![&self.id];
        filter.add_to(&mut sql, &mut values);
        values.push(u64::from(limit).into());
        let _ = write!(sql, " ORDER BY seq DESC LIMIT ${}", values.len());
        let found = self.engine().fetch(&sql, values).await?;
        let tenant = self.clone();
        let (Some(newest), Some(oldest)) = (found.first(), found.last()) else {
            return Ok(PastRecords {
                tenant,
                seq: 0,
                newest: 0,
            });
        };
        let newest = newest.number("seq")?;
        // What hooks did with the oldest stands behind the event before it.
        let seq = self.event_before(oldest.number("seq")?).await?;
        let read = format!("{}-{newest}", seq + 1);
        self.log_read(by, "execution.past", &read).await?;
        Ok(PastRecords {
            tenant,
            seq,
            newest,
        })
    }

    /// The number of the event before another one, or 0.
    async fn event_before(&self, seq: u64) -> Result<u64, StoreError> {
        let sql = "SELECT seq FROM execution WHERE tenant_id = $1 AND hook = '' AND seq < $2 \
                   ORDER BY seq DESC LIMIT 1";
        let rows = self.engine().fetch(sql, args![&self.id, seq]).await?;
        rows.first().map_or(Ok(0), |row| row.number("seq"))
    }

    /// Returns the executions of a session after the one with the number `seq`, oldest first.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn session(
        &self,
        session: &str,
        seq: u64,
        limit: u32,
    ) -> Result<Vec<Execution>, StoreError> {
        let sql = format!("{ROW} AND session = $2 AND seq > $3 ORDER BY seq LIMIT $4");
        let values = args![&self.id, column(session), seq, u64::from(limit)];
        self.executions_of(&sql, values).await
    }

    /// Returns executions after the one with the number `seq`, oldest first: what a live view shows next.
    /// [`Tenant::rows`] says when there are more.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn since(&self, seq: u64, limit: u32) -> Result<Vec<Execution>, StoreError> {
        let sql = format!("{ROW} AND seq > $2 ORDER BY seq LIMIT $3");
        self.executions_of(&sql, args![&self.id, seq, u64::from(limit)])
            .await
    }

    /// Walks the chain of this tenant's executions, and names the first row that was changed, removed or moved.
    ///
    /// # Errors
    ///
    /// If the database fails. A broken chain is no error: the answer names it.
    pub async fn verify(&self) -> Result<Verified, StoreError> {
        let sql = format!(
            "SELECT seq, {COLUMNS}, body, detail, detail_hash, hash FROM execution \
             WHERE tenant_id = $1 AND seq > $2 ORDER BY seq LIMIT $3"
        );
        let mut unread = 0;
        let link = |row: &Row| Link::of(row, row.bytes("detail_hash")?);
        let wrong = |row: &Row| {
            self.wrong(row, &mut unread)
                .unwrap_or_else(|error| Some(error.to_string()))
        };
        let mut verified = self.verify_chain(LOG, &sql, link, wrong).await?;
        verified.unread = unread;
        Ok(verified)
    }

    /// What is wrong with a row whose hash holds.
    fn wrong(&self, row: &Row, unread: &mut u64) -> Result<Option<String>, StoreError> {
        let record: Record = row.json("body")?;
        let columns = Columns::of(&record);
        if let Some(column) = columns.differs(row) {
            return Ok(Some(format!(
                "its column `{column}` is not what its body says"
            )));
        }
        let (detail, hash) = (row.bytes("detail")?, row.bytes("detail_hash")?);
        if hash.is_empty() {
            return Ok(
                (!detail.is_empty()).then(|| "it has a detail that it did not have".to_owned())
            );
        }
        match self
            .store
            .keys
            .open(&place(&self.id, &hex::encode(&hash)), &detail)
        {
            Ok(Some(detail)) if sha256(&detail) == hash => Ok(None),
            Ok(None) => {
                *unread += 1;
                Ok(None)
            }
            _ => Ok(Some("its detail was changed".to_owned())),
        }
    }
}

impl PastRecords {
    /// Returns the next records; none after the last. Where a key is missing, a record is as its row shows it.
    ///
    /// # Errors
    ///
    /// If a record was changed, or the database fails.
    pub async fn next(&mut self) -> Result<Vec<Record>, StoreError> {
        let sql = "SELECT seq, body, detail, detail_hash FROM execution \
                   WHERE tenant_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4";
        let values = args![&self.tenant.id, self.seq, self.newest, PART];
        let rows = self.tenant.engine().fetch(sql, values).await?;
        if let Some(last) = rows.last() {
            self.seq = last.number("seq")?;
        }
        rows.iter().map(|row| self.tenant.whole(row)).collect()
    }
}

impl Tenant {
    /// The record of a row, whole if its key is there.
    fn whole(&self, row: &Row) -> Result<Record, StoreError> {
        let hash = row.bytes("detail_hash")?;
        if hash.is_empty() {
            return row.json("body");
        }
        let hash = hex::encode(&hash);
        let place = place(&self.id, &hash);
        let opened = self.store.keys.open(&place, &row.bytes("detail")?)?;
        let whole = opened.and_then(|detail| json_of(&detail));
        let whole = whole.and_then(|whole| serde_json::from_value(whole).ok());
        whole.map_or_else(|| row.json("body"), Ok)
    }
}
