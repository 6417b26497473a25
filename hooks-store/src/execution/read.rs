//! Reading executions: page by page, one, a session, what is new.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use hooks_runtime::{Record, RecordOutcome};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Body;

use crate::admin::By;
use crate::chain::{Broken, Verified};
use crate::engine::{JsonColumn, ReadsAs as _, RowReader, SqlRow, SqlValue, args};
use crate::error::{Result, StoreError};
use crate::page::{Page, before, rows_for};
use crate::recorder::names::{NAMES, NameLists};
use crate::recorder::row::{COLUMNS, Columns, LOG, column, json_of, place};
use crate::store::Tenant;
use crate::text::sha256;
use crate::verify::Anchors;

/// What hooks did with one event.
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
    /// Those on which this hook ran.
    pub hook: Option<String>,
    /// Those with this text in what is not encrypted: names and reasons, whatever its case.
    pub text: Option<String>,
    /// Those with this outcome; for `fault` and `skipped`, which no event has, those with a hook that has it.
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

/// How many executions a search without an index looks at.
const WINDOW: u64 = 20_000;

impl ExecutionFilter {
    /// Whether what is looked for has no index.
    fn is_scan(&self) -> bool {
        let words = [&self.text, &self.tool, &self.agent, &self.event];
        let is_asked = self.outcome.is_some() || words.into_iter().any(Option::is_some);
        let is_timed = self.since.is_some() || self.until.is_some();
        self.hook.is_none() && self.session.is_none() && (is_asked || is_timed)
    }

    /// A statement that reads these columns of what is looked for, before a number, and its values. The table in which the
    /// numbers are found is the one that knows the hook, if that is looked for.
    fn select(&self, columns: &str, tenant: &Tenant, before: u64) -> (String, Vec<SqlValue>) {
        let (from, by) = match self.hook {
            None => ("execution AS e", "e"),
            Some(_) => (
                "execution_hook AS h JOIN execution AS e ON e.tenant_id = h.tenant_id AND e.seq = h.seq",
                "h",
            ),
        };
        let mut sql = format!(
            "SELECT e.seq, {columns} FROM {from} WHERE {by}.tenant_id = $1 AND {by}.seq < $2"
        );
        let mut values = args![&tenant.id, before];
        let mut and = |condition: &str, value: Option<SqlValue>| {
            if let Some(value) = value {
                values.push(value);
                let _ = write!(sql, " AND {condition} ${}", values.len());
            }
        };
        let text = |text: &Option<String>| text.as_deref().map(|text| column(text).into());
        let like =
            |text: &String| format!("%{}%", text.to_lowercase().replace(['\\', '%', '_'], "_"));
        and("h.hook =", text(&self.hook));
        and(
            "lower(body) LIKE",
            self.text.as_ref().map(|text| like(text).into()),
        );
        match self.outcome {
            Some(of_hook @ (RecordOutcome::Fault | RecordOutcome::Skipped)) => {
                let written = format!("%\"outcome\":\"{of_hook}\"%");
                and("body LIKE", Some(written.into()));
            }
            outcome => and("outcome =", outcome.map(|outcome| outcome.as_str().into())),
        }
        and("tool =", text(&self.tool));
        and("session =", text(&self.session));
        and("agent =", text(&self.agent));
        and("event =", text(&self.event));
        and("at >=", self.since.map(Into::into));
        and("at <", self.until.map(Into::into));
        // Between two numbers, SQLite would read all executions in place of those of the session: the plus hides one of them.
        let plus = if self.session.is_some() { "+" } else { "" };
        and(&format!("{plus}{by}.seq >"), self.after.map(Into::into));
        let _ = write!(sql, " ORDER BY {by}.seq DESC LIMIT ${}", values.len() + 1);
        (sql, values)
    }
}

/// The columns of an execution.
const ROW: &str = "body, detail_hash, hash";

impl Tenant {
    async fn executions_of(&self, sql: &str, values: Vec<SqlValue>) -> Result<Vec<Execution>> {
        let mut found = Vec::new();
        for row in self.engine().run(sql, values).await? {
            let JsonColumn(body) = row.get("body")?;
            found.push(Execution {
                seq: row.get("seq")?,
                hash: hex::encode(row.get::<Vec<u8>>("hash")?),
                has_detail: !row.get::<Vec<u8>>("detail_hash")?.is_empty(),
                record: self.record_of(body, &row).await?,
            });
        }
        Ok(found)
    }

    /// Writes the names of the hooks that did not run again in a body or a detail.
    pub(super) async fn unpack(&self, written: &mut Body) -> Result<()> {
        let names = &self.store.writer.names;
        names.unpack(self.engine(), &self.id, written).await
    }

    /// Reads a body or a detail, with the names of its hooks.
    async fn record_of(&self, mut written: Body, row: &SqlRow) -> Result<Record> {
        self.unpack(&mut written).await?;
        let record = serde_json::from_value(written);
        let mut record: Record =
            record.map_err(|error| row.wrong("body", &format!("is none: {error}")))?;
        record.number = Some(row.get("seq")?);
        Ok(record)
    }

    /// Returns a page of executions, newest first, before the one with the number `cursor`.
    ///
    /// Only hooks and sessions have an index. A search for anything else looks at 20,000 executions: then a page may have less than
    /// `limit`, or nothing, and still a `next`, where the search goes on. So a search for what is rare does not hold up
    /// others.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn executions(
        &self,
        filter: &ExecutionFilter,
        cursor: Option<u64>,
        limit: u32,
    ) -> Result<Page<Execution>> {
        let mut part = filter.clone();
        let mut begin = 0;
        if filter.is_scan() {
            let end = match cursor {
                Some(cursor) => cursor,
                None => self.newest_execution().await? + 1,
            };
            begin = end.saturating_sub(WINDOW);
            part.after = part.after.max(Some(begin));
        }
        let (sql, mut values) = part.select(ROW, self, before(cursor));
        values.push(rows_for(limit).into());
        let found = self.executions_of(&sql, values).await?;
        let mut page = Page::of(found, limit, |execution| execution.seq);
        if page.next.is_none() && begin > filter.after.unwrap_or(0) {
            page.next = Some(begin + 1);
        }
        Ok(page)
    }

    /// Returns the number of the newest execution; 0 if there is none.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn newest_execution(&self) -> Result<u64> {
        let sql = "SELECT seq FROM execution WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1";
        let newest = self.engine().one(sql, args![&self.id]).await?;
        Ok(newest.unwrap_or(0))
    }

    async fn executions_where(
        &self,
        condition: &str,
        values: Vec<SqlValue>,
    ) -> Result<Vec<Execution>> {
        let sql = format!("SELECT seq, {ROW} FROM execution WHERE tenant_id = $1 AND {condition}");
        self.executions_of(&sql, values).await
    }

    /// Returns an execution.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn execution(&self, seq: u64) -> Result<Option<Execution>> {
        let found = self.executions_where("seq = $2", args![&self.id, seq]);
        Ok(found.await?.pop())
    }

    /// Returns how many executions a session has; nothing if it has none.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn session_count(&self, session: &str) -> Result<Option<u64>> {
        let sql = "SELECT COUNT(*) AS count FROM execution WHERE tenant_id = $1 AND session = $2";
        let values = args![&self.id, column(session)];
        let count: Option<u64> = self.engine().one(sql, values).await?;
        Ok(count.filter(|count| *count > 0))
    }

    /// Returns the events of executions, with their contexts, as far as they were kept. The admin log says once an hour who
    /// has read such a list.
    ///
    /// # Errors
    ///
    /// If one was changed, or the database fails.
    pub async fn inputs(&self, of: &[Execution], by: &By) -> Result<HashMap<u64, Body>> {
        let kept = of
            .iter()
            .filter(|one| one.has_detail)
            .map(|one| one.seq.to_string());
        let kept = kept.collect::<Vec<_>>().join(", ");
        let mut inputs = HashMap::new();
        if kept.is_empty() {
            return Ok(inputs);
        }
        let sql = format!(
            "SELECT seq, body, detail, detail_hash FROM execution WHERE tenant_id = $1 AND seq IN ({kept})"
        );
        for row in self.engine().run(&sql, args![&self.id]).await? {
            if let Some(input) = self.whole(&row)?.get_mut("input").map(Body::take) {
                inputs.insert(row.get("seq")?, input);
            }
        }
        let hour = self.store.now().as_second() / 3600;
        if self.store.readers.is_first(&self.id, &by.actor, hour) {
            self.log_read(by, "execution.list", "").await?;
        }
        Ok(inputs)
    }

    /// Returns the whole record of an execution, with the event's input, if there is more than its row shows. The admin log
    /// says who has read it.
    ///
    /// # Errors
    ///
    /// If its key is missing, it was changed, or the database fails.
    pub async fn detail(&self, seq: u64, by: &By) -> Result<Option<Body>> {
        let sql = "SELECT detail, detail_hash FROM execution WHERE tenant_id = $1 AND seq = $2 AND detail_hash <> $3";
        let values = args![&self.id, seq, Vec::new()];
        let kept: Option<(Vec<u8>, Vec<u8>)> = self.engine().one(sql, values).await?;
        let Some((detail, hash)) = kept else {
            return Ok(None);
        };
        let keys = &self.store.writer.keys;
        let detail = keys.must_open(&place(&self.id, &hash), &detail)?;
        self.log_read(by, "execution.detail", &seq.to_string())
            .await?;
        let mut detail = json_of(&detail);
        if let Some(detail) = &mut detail {
            self.unpack(detail).await?;
        }
        Ok(detail)
    }

    /// Returns what reads the newest `limit` executions from `since` on, oldest first. The records are whole, and the admin
    /// log says once who has read them.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn past(&self, since: Option<Timestamp>, limit: u32, by: &By) -> Result<PastRecords> {
        let filter = ExecutionFilter {
            since,
            ..ExecutionFilter::default()
        };
        let (sql, mut values) = filter.select("at", self, before(None));
        values.push(u64::from(limit).into());
        let found: Vec<(u64, i64)> = self.engine().all(&sql, values).await?;
        let [newest, oldest] = [found.first(), found.last()].map(|row| row.map_or(0, |row| row.0));
        if newest > 0 {
            let read = format!("{oldest}-{newest}");
            self.log_read(by, "execution.past", &read).await?;
        }
        Ok(PastRecords {
            tenant: self.clone(),
            seq: oldest.saturating_sub(1),
            newest,
        })
    }

    /// Returns the executions of a session after the one with the number `seq`, oldest first.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn session(&self, session: &str, seq: u64, limit: u32) -> Result<Vec<Execution>> {
        let values = args![&self.id, column(session), seq, u64::from(limit)];
        let after = "session = $2 AND seq > $3 ORDER BY seq LIMIT $4";
        self.executions_where(after, values).await
    }

    /// Returns executions after the one with the number `seq`, oldest first: what a live view shows next.
    /// [`Tenant::rows`] says when there are more.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn since(&self, seq: u64, limit: u32) -> Result<Vec<Execution>> {
        let values = args![&self.id, seq, u64::from(limit)];
        self.executions_where("seq > $2 ORDER BY seq LIMIT $3", values)
            .await
    }

    /// Walks the chain of this tenant's executions, and names the first row that was changed, removed or moved.
    /// [`Store::audit`](crate::Store::audit) checks everything.
    ///
    /// # Errors
    ///
    /// If the database fails. A broken chain is not an error: the answer names it.
    pub async fn verify(&self) -> Result<Verified> {
        let mut snapshot = self.engine().snapshot().await?;
        self.verify_in(&mut *snapshot, None).await
    }

    pub(crate) async fn verify_in(
        &self,
        reads: &mut dyn RowReader,
        anchors: Option<&Anchors>,
    ) -> Result<Verified> {
        let columns = format!("{COLUMNS}, body, detail, detail_hash, hash");
        let (mut unread, mut lists) = (0, BTreeMap::new());
        let mut expect = |row: &SqlRow| self.expect_whole(row, &mut unread, &mut lists);
        let walked = self.walk(reads, LOG, &columns, anchors, &mut expect);
        let mut verified = walked.await?;
        verified.unread = unread;
        for (hash, seq) in lists {
            if verified.broken.is_none()
                && let Err(error) = NameLists::read(reads, &self.id, &hash).await
            {
                let what = error.to_string();
                verified.broken = Some(Broken { seq, what });
            }
        }
        Ok(verified)
    }

    /// Checks a row whose hash holds.
    fn expect_whole(
        &self,
        row: &SqlRow,
        unread: &mut u64,
        lists: &mut BTreeMap<String, u64>,
    ) -> Result<()> {
        let JsonColumn(body): JsonColumn<Body> = row.get("body")?;
        if let Some(hash) = body[NAMES].as_str() {
            lists.entry(hash.to_owned()).or_insert(row.get("seq")?);
        }
        let (detail, hash): (Vec<u8>, Vec<u8>) = (row.get("detail")?, row.get("detail_hash")?);
        let what = match Columns::of(&body).differs(row) {
            Some(column) => format!("the column `{column}` is not what the body says"),
            None if hash.is_empty() && detail.is_empty() => return Ok(()),
            None if hash.is_empty() => "the row has a detail that it did not have".to_owned(),
            None => match self.opened(&hash, &detail)? {
                Some(detail) if sha256(&detail) != hash => "the detail was changed".to_owned(),
                Some(_) => return Ok(()),
                None => {
                    *unread += 1;
                    return Ok(());
                }
            },
        };
        Err(StoreError::Inconsistent(what))
    }

    /// Decrypts a detail; nothing if its key is not there.
    fn opened(&self, hash: &[u8], detail: &[u8]) -> Result<Option<Vec<u8>>> {
        let keys = &self.store.writer.keys;
        keys.open(&place(&self.id, hash), detail)
    }

    /// The record of a row, whole if its key is there.
    fn whole(&self, row: &SqlRow) -> Result<Body> {
        let (hash, detail): (Vec<u8>, Vec<u8>) = (row.get("detail_hash")?, row.get("detail")?);
        let mut whole = None;
        if !hash.is_empty() {
            whole = self
                .opened(&hash, &detail)?
                .and_then(|detail| json_of(&detail));
        }
        whole.map_or_else(|| Ok(row.get::<JsonColumn<Body>>("body")?.0), Ok)
    }
}

impl PastRecords {
    /// Returns the next records; none after the last. Where a key is missing, a record is as its row shows it.
    ///
    /// # Errors
    ///
    /// If a record was changed, or the database fails.
    pub async fn next(&mut self) -> Result<Vec<Record>> {
        let sql = "SELECT seq, body, detail, detail_hash FROM execution \
                   WHERE tenant_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4";
        let values = args![&self.tenant.id, self.seq, self.newest, PART];
        let rows = self.tenant.engine().run(sql, values).await?;
        if let Some(last) = rows.last() {
            self.seq = last.get("seq")?;
        }
        let mut records = Vec::new();
        for row in &rows {
            let whole = self.tenant.whole(row)?;
            records.push(self.tenant.record_of(whole, row).await?);
        }
        Ok(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[tokio::test]
    async fn what_a_session_did_is_found_by_its_index() {
        let store = Store::builder("sqlite::memory:").open().await.unwrap();
        let filter = ExecutionFilter {
            session: Some("s1".into()),
            after: Some(3),
            ..ExecutionFilter::default()
        };
        let (sql, mut values) = filter.select(ROW, &store.tenant("acme"), 9);
        values.push(50_u64.into());
        let plan = format!("EXPLAIN QUERY PLAN {sql}");
        let plan = store.0.engine().fetch(&plan, values).await.unwrap();
        let said: String = plan[0].get("detail").unwrap();
        assert!(said.contains("execution_by_session"), "{said}");
    }

    #[tokio::test]
    async fn a_search_without_an_index_looks_at_a_part_and_goes_on() {
        let store = Store::builder("sqlite::memory:").open().await.unwrap();
        let acme = store.tenant("acme");
        let mut rare = Record::new("gate", "BeforeToolCall");
        rare.subject = Some("rare".to_owned());
        acme.insert(vec![rare]).await.unwrap();
        let many = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO execution \
            SELECT 'acme', i, 0, 0, '', '', 'BeforeToolCall', 'other', '', '', 'continue', '{}', x'', x'', x'' FROM n";
        store.0.engine().fetch(many, Vec::new()).await.unwrap();
        let filter = ExecutionFilter {
            tool: Some("rare".to_owned()),
            ..ExecutionFilter::default()
        };
        let page = acme.executions(&filter, None, 10).await.unwrap();
        assert_eq!((page.items.len(), page.next), (0, Some(2)));
        let page = acme.executions(&filter, page.next, 10).await.unwrap();
        assert_eq!((page.items.len(), page.next), (1, None));
    }
}
