//! Records that wait: a line for each tenant, so that none of them costs another its records.
//!
//! The batches take from all lines in turn. When the queue is full, the longest line loses its newest record, and a tenant
//! loses none as long as its line is shorter than that. A line whose records the database refuses waits while the others go
//! on. Who waits for a record has a ticket of it.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use hooks_runtime::{Record, RecordStep};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// How often the log says the same thing of a tenant at most.
pub(super) const TELL: Duration = Duration::from_mins(1);

/// How many records wait at most, and about how many bytes they take.
const RECORDS: usize = 16_384;
const BYTES: usize = 32 << 20;

/// How many records a batch takes from a line before it goes on to the next. Each tenant in a batch costs statements of its
/// own, so many tenants that each have a few records waiting are not written in one batch of one record each.
const TURN: usize = 64;

/// How many records a batch has at most, and about how many bytes they take.
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 4 << 20;

/// About how many bytes an entry of a map takes beside its key and its value: its place, its hash, and what memory costs.
const ENTRY: usize = 96;

/// Receives that a record is durable, or why not.
pub(super) type Ticket = oneshot::Sender<Result<(), String>>;

/// A record that waits.
pub(super) struct Waiting {
    pub(super) record: Record,
    /// When it came, by count: all records before it came before it.
    number: u64,
    bytes: usize,
    ticket: Option<Ticket>,
}

impl Waiting {
    pub(super) fn tell(&mut self, what: Result<(), String>) {
        if let Some(ticket) = self.ticket.take() {
            // The caller that has waited may have gone away.
            let _ = ticket.send(what);
        }
    }
}

/// The records of a tenant.
#[derive(Default)]
struct TenantQueue {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// How many were dropped since that was last told.
    dropped: u64,
    /// Until when the database is not asked again.
    pause: Option<Instant>,
    /// When the log said that they wait.
    told: Option<Instant>,
}

/// The records of all tenants.
#[derive(Default)]
pub(super) struct RecordQueue {
    lines: HashMap<String, TenantQueue>,
    /// Whose turn it is: all tenants whose records may be taken.
    turns: VecDeque<String>,
    /// How many records there are, with those that a batch has taken, and about how many bytes they take.
    pub(super) count: usize,
    pub(super) bytes: usize,
    /// How many were ever put in.
    pub(super) put: u64,
    pub(super) dropped: u64,
}

impl RecordQueue {
    /// Puts a record in. What is dropped for it, or it itself, is counted.
    pub(super) fn put(&mut self, record: Record, ticket: Option<Ticket>) {
        let bytes = size(&record);
        let tenant = record.tenant_id.clone().unwrap_or_default();
        while self.count >= RECORDS || self.bytes + bytes > BYTES {
            let own = self.lines.get(&tenant).map_or(0, |line| line.bytes);
            let longest = self.lines.iter_mut().max_by_key(|(_, line)| line.bytes);
            let Some((_, line)) = longest.filter(|(_, line)| line.bytes > own + bytes) else {
                return self.drop_one(&tenant);
            };
            let Some(last) = line.waiting.pop_back() else {
                return self.drop_one(&tenant);
            };
            line.bytes -= last.bytes;
            line.dropped += 1;
            self.dropped += 1;
            self.count -= 1;
            self.bytes -= last.bytes;
        }
        self.put += 1;
        self.count += 1;
        self.bytes += bytes;
        let line = self.lines.entry(tenant.clone()).or_default();
        if line.waiting.is_empty() && line.pause.is_none() {
            self.turns.push_back(tenant);
        }
        line.bytes += bytes;
        line.waiting.push_back(Waiting {
            record,
            number: self.put,
            bytes,
            ticket,
        });
    }

    /// Counts a record of a tenant that is not kept.
    pub(super) fn drop_one(&mut self, tenant: &str) {
        self.lines.entry(tenant.to_owned()).or_default().dropped += 1;
        self.dropped += 1;
    }

    /// Takes a batch, from all tenants in turn.
    pub(super) fn take(&mut self, now: Instant) -> Vec<Waiting> {
        for (tenant, line) in &mut self.lines {
            if line.pause.is_some_and(|until| until <= now) {
                line.pause = None;
                if !line.waiting.is_empty() {
                    self.turns.push_back(tenant.clone());
                }
            }
        }
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < BATCH && bytes < BATCH_BYTES {
            let Some(tenant) = self.turns.pop_front() else {
                break;
            };
            let Some(line) = self.lines.get_mut(&tenant) else {
                continue;
            };
            let end = BATCH.min(batch.len() + TURN);
            while batch.len() < end
                && bytes < BATCH_BYTES
                && let Some(next) = line.waiting.pop_front()
            {
                line.bytes -= next.bytes;
                bytes += next.bytes;
                batch.push(next);
            }
            if !line.waiting.is_empty() {
                self.turns.push_back(tenant);
            }
        }
        batch
    }

    /// Puts records of a tenant back, in front of its others. They are not taken again before a time. Returns how many wait, if the
    /// log is to say so.
    pub(super) fn put_back(
        &mut self,
        tenant: &str,
        batch: Vec<Waiting>,
        pause: Instant,
    ) -> Option<usize> {
        self.turns.retain(|other| other != tenant);
        let line = self.lines.entry(tenant.to_owned()).or_default();
        line.pause = Some(pause);
        for waiting in batch.into_iter().rev() {
            line.bytes += waiting.bytes;
            line.waiting.push_front(waiting);
        }
        let is_due = line.told.is_none_or(|told| told.elapsed() >= TELL);
        is_due.then(|| {
            line.told = Some(Instant::now());
            line.waiting.len()
        })
    }

    /// Forgets records that are durable.
    pub(super) fn done(&mut self, batch: &[Waiting]) {
        self.count -= batch.len();
        self.bytes -= batch.iter().map(|one| one.bytes).sum::<usize>();
        if self.count == 0 {
            self.lines.retain(|_, line| line.dropped > 0);
        }
    }

    /// The number up to which all records are durable or dropped, if no batch is under way.
    pub(super) fn settled(&self) -> u64 {
        let fronts = self.lines.values().filter_map(|line| line.waiting.front());
        let first = fronts.map(|waiting| waiting.number).min();
        first.map_or(self.put, |number| number - 1)
    }

    /// Whether records of a tenant were put back.
    pub(super) fn is_paused(&self) -> bool {
        self.lines.values().any(|line| line.pause.is_some())
    }

    /// The tenants that have lost records since this was last asked, and how many.
    pub(super) fn losses(&mut self) -> Vec<(String, u64)> {
        let lines = self.lines.iter_mut().filter(|(_, line)| line.dropped > 0);
        lines
            .map(|(tenant, line)| (tenant.clone(), mem::take(&mut line.dropped)))
            .collect()
    }
}

/// About how many bytes a record takes: its texts and its values.
fn size(record: &Record) -> usize {
    let texts = [
        &record.hook,
        &record.event,
        &record.session_id,
        &record.agent_id,
    ];
    let more = [
        &record.subject,
        &record.tenant_id,
        &record.tool_call_id,
        &record.reason,
        &record.trace_id,
    ];
    let texts = texts.into_iter().chain(more.into_iter().flatten());
    let texts = texts.chain(&record.warnings).map(String::len);
    let values = [&record.change, &record.input].into_iter().flatten();
    let names = (record.unmet.len() + record.unasked.len()) * size_of::<Arc<str>>();
    size_of::<Record>()
        + names
        + texts.sum::<usize>()
        + values.map(size_of_value).sum::<usize>()
        + record.steps.iter().map(size_of_step).sum::<usize>()
}

fn size_of_step(step: &RecordStep) -> usize {
    let texts = [&step.hook, &step.source, &step.handler, &step.why];
    let texts = texts.into_iter().chain(&step.reason);
    let texts = texts.chain(&step.messages).chain(&step.warnings);
    size_of::<RecordStep>()
        + texts.map(String::len).sum::<usize>()
        + step.change.as_ref().map_or(0, size_of_value)
}

fn size_of_value(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(size_of_value).sum(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(key, value)| ENTRY + key.len() + size_of_value(value))
                .sum()
        }
        _ => 0,
    };
    size_of::<Value>() + inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(tenant: &str, hook: &str) -> Record {
        let mut record = Record::new(hook, "BeforeToolCall");
        record.tenant_id = Some(tenant.to_owned());
        record
    }

    fn hooks(batch: &[Waiting]) -> Vec<&str> {
        batch.iter().map(|one| &*one.record.hook).collect()
    }

    #[tokio::test]
    async fn a_flood_of_one_tenant_costs_it_alone() {
        let mut queue = RecordQueue::default();
        for n in 0..2 * RECORDS {
            queue.put(record("flood", &n.to_string()), None);
        }
        assert_eq!(queue.dropped, RECORDS as u64);
        let (ticket, told) = oneshot::channel();
        queue.put(record("quiet", "a"), Some(ticket));
        queue.put(record("quiet", "b"), None);
        assert_eq!((queue.count, queue.dropped), (RECORDS, RECORDS as u64 + 2));
        let mut batch = queue.take(Instant::now());
        assert_eq!(hooks(&batch[TURN - 1..TURN + 3]), ["63", "a", "b", "64"]);
        assert_eq!(batch.len(), BATCH);
        batch[TURN].tell(Ok(()));
        assert_eq!(told.await, Ok(Ok(())));
        queue.done(&batch);
        assert_eq!(queue.losses(), [("flood".to_owned(), RECORDS as u64 + 2)]);
        assert!(queue.losses().is_empty());
    }

    #[test]
    fn what_is_put_back_keeps_its_order_and_waits() {
        let mut queue = RecordQueue::default();
        let (now, pause) = (Instant::now(), Duration::from_secs(1));
        for hook in ["1", "2", "3"] {
            queue.put(record("broken", hook), None);
        }
        let batch = queue.take(now);
        queue.put(record("broken", "4"), None);
        queue.put(record("whole", "a"), None);
        assert_eq!(queue.put_back("broken", batch, now + pause), Some(4));
        assert_eq!(queue.settled(), 0);
        let batch = queue.take(now);
        assert_eq!(hooks(&batch), ["a"]);
        queue.done(&batch);
        assert!(queue.take(now).is_empty());
        let batch = queue.take(now + pause);
        assert_eq!(hooks(&batch), ["1", "2", "3", "4"]);
        queue.done(&batch);
        assert_eq!(
            (queue.settled(), queue.count, queue.bytes, queue.dropped),
            (5, 0, 0, 0)
        );
    }

    #[tokio::test]
    async fn a_record_that_is_dropped_has_no_ticket_any_more() {
        let mut queue = RecordQueue::default();
        for _ in 1..RECORDS {
            queue.put(record("flood", ""), None);
        }
        let (ticket, told) = oneshot::channel();
        queue.put(record("flood", "last"), Some(ticket));
        queue.put(record("quiet", ""), None);
        assert!(told.await.is_err());
    }
}
