//! Executions: what hooks did. Searched, live, one with its why, and the timeline of a session.

use std::convert::Infallible;
use std::time::Duration;

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use hooks_core::agent::AgentEvent;
use hooks_runtime::{Record, RecordOutcome};
use hooks_store::{Execution, ExecutionFilter, Role};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use super::Console;
use super::diff::{Line, between, pretty};
use super::failed::Failed;
use super::frame::{Frame, page};
use super::session::Visitor;
use super::when::When;
use crate::api::problem::Problem;
use crate::api::stream::newest;

/// How many executions a page has.
const PAGE: u32 = 50;

/// How many executions one page searches: it is there at once, however many there are.
const WINDOW: u64 = 20_000;

/// How many executions after one of a hook are looked at for that of the whole dispatch.
const NEAR: u32 = 200;

/// How often a live page is told of news, at most.
const NEWS: Duration = Duration::from_millis(300);

/// What is looked for. An empty field is not asked for.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    hook: String,
    decision: String,
    tool: String,
    session: String,
    agent: String,
    event: String,
    /// From how long ago, in minutes.
    minutes: String,
    /// Before the execution with this number.
    before: Option<u64>,
    /// Whether new ones show at once.
    live: Option<String>,
}

/// The times that can be chosen, in minutes.
const TIMES: &[(&str, &str)] = &[
    ("", "any time"),
    ("15", "the last 15 minutes"),
    ("60", "the last hour"),
    ("1440", "the last day"),
    ("10080", "the last week"),
];

/// The decisions that can be chosen.
const DECISIONS: &[&str] = &[
    "continue",
    "modify",
    "approve",
    "ask",
    "defer",
    "respond",
    "block",
    "abort_turn",
    "abort_run",
    "fault",
    "skipped",
];

impl Asked {
    fn filter(&self) -> Result<ExecutionFilter, Problem> {
        let text = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let outcome = match text(&self.decision) {
            Some(word) => Some(outcome(&word)?),
            None => None,
        };
        let minutes = text(&self.minutes).and_then(|minutes| minutes.parse().ok());
        let since = minutes.and_then(|minutes| {
            Timestamp::now()
                .checked_sub(SignedDuration::from_mins(minutes))
                .ok()
        });
        Ok(ExecutionFilter {
            hook: text(&self.hook),
            outcome,
            tool: text(&self.tool),
            session: text(&self.session),
            agent: text(&self.agent),
            event: text(&self.event),
            since,
            ..ExecutionFilter::default()
        })
    }

    /// The address of the page with the executions before one, or the newest.
    fn page(&self, before: Option<u64>, live: bool) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::from("/executions?"));
        let fields = [
            ("hook", &self.hook),
            ("decision", &self.decision),
            ("tool", &self.tool),
            ("session", &self.session),
            ("agent", &self.agent),
            ("event", &self.event),
            ("minutes", &self.minutes),
        ];
        query.extend_pairs(fields.into_iter().filter(|(_, value)| !value.is_empty()));
        if let Some(before) = before {
            query.append_pair("before", &before.to_string());
        }
        if live {
            query.append_pair("live", "1");
        }
        query.finish()
    }
}

fn outcome(word: &str) -> Result<RecordOutcome, Problem> {
    let known = serde_json::from_value(word.into());
    known.map_err(|_| Problem::bad(format!("`{word}` is no decision: choose one of the list")))
}

/// An execution, as people read it.
pub(super) struct Row {
    pub(super) seq: u64,
    pub(super) at: When,
    pub(super) record: Record,
}

impl From<Execution> for Row {
    fn from(execution: Execution) -> Self {
        Row {
            seq: execution.seq,
            at: When(execution.record.at),
            record: execution.record,
        }
    }
}

impl Row {
    pub(super) fn outcome(&self) -> &'static str {
        self.record.outcome.as_str()
    }

    /// How the outcome looks.
    pub(super) fn look(&self) -> &'static str {
        look(self.record.outcome)
    }

    /// The hook, or that it is the whole dispatch.
    pub(super) fn hook(&self) -> &str {
        if self.record.is_event() {
            "all hooks"
        } else {
            &self.record.hook
        }
    }

    /// Why, in a line.
    pub(super) fn because(&self) -> &str {
        self.record.reason.as_deref().unwrap_or(&self.record.why)
    }

    pub(super) fn took(&self) -> String {
        took(self.record.duration)
    }
}

/// How an outcome looks.
fn look(outcome: RecordOutcome) -> &'static str {
    match outcome {
        RecordOutcome::Continue | RecordOutcome::Approve => "good",
        RecordOutcome::Block | RecordOutcome::AbortTurn | RecordOutcome::AbortRun => "bad",
        RecordOutcome::Skipped => "",
        _ => "note",
    }
}

/// How the word of an outcome looks; like nothing if there is none.
pub(super) fn look_of(word: Option<&str>) -> &'static str {
    word.and_then(|word| outcome(word).ok()).map_or("", look)
}

/// A duration in its largest unit.
pub(super) fn took(duration: Duration) -> String {
    match duration.as_micros() {
        micros @ ..1000 => format!("{micros} µs"),
        micros @ ..1_000_000 => format!("{}.{} ms", micros / 1000, micros % 1000 / 100),
        micros => format!("{}.{} s", micros / 1_000_000, micros % 1_000_000 / 100_000),
    }
}

#[derive(Template)]
#[template(path = "executions.html")]
struct Page {
    frame: Frame,
    title: &'static str,
    asked: Asked,
    events: &'static [&'static str],
    decisions: &'static [&'static str],
    times: &'static [(&'static str, &'static str)],
    rows: Vec<Row>,
    /// The newest number, by which a live page knows what is new.
    newest: u64,
    /// Where the search goes on, and whether it looked at a part only.
    older: Option<String>,
    is_part: bool,
    window: u64,
    live: bool,
    here: String,
    other: String,
}

/// Lists executions.
pub(super) async fn list(
    State(console): State<Console>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Viewer)?;
    let tenant = &visitor.caller.tenant;
    let newest = newest(&visitor.caller).await?;
    let end = asked.before.unwrap_or(newest + 1).min(newest + 1);
    let begin = end.saturating_sub(WINDOW);
    let mut filter = asked.filter()?;
    filter.after = Some(begin);
    let found = tenant.executions(&filter, Some(end), PAGE).await?;
    let is_part = found.next.is_none() && begin > 0;
    let older = found.next.or(is_part.then_some(begin + 1));
    let live = asked.live.is_some() && asked.before.is_none();
    Ok(page(&Page {
        frame: Frame::new(&console, &visitor, "/executions").await?,
        title: "Executions",
        events: AgentEvent::NAMES,
        decisions: DECISIONS,
        times: TIMES,
        rows: found.items.into_iter().map(Row::from).collect(),
        newest,
        older: older.map(|before| asked.page(Some(before), false)),
        is_part,
        window: WINDOW,
        live,
        here: asked.page(None, live),
        other: asked.page(None, !live),
        asked,
    }))
}

/// The newest executions of a hook.
pub(super) async fn of_hook(
    visitor: &Visitor,
    hook: &str,
    count: u32,
) -> Result<Vec<Row>, Problem> {
    let filter = ExecutionFilter {
        hook: Some(hook.to_owned()),
        after: Some(newest(&visitor.caller).await?.saturating_sub(WINDOW)),
        ..ExecutionFilter::default()
    };
    let found = visitor
        .caller
        .tenant
        .executions(&filter, None, count)
        .await?;
    Ok(found.items.into_iter().map(Row::from).collect())
}

/// Tells a live page that there is something new, as server-sent events. What is new, the page asks for itself.
pub(super) async fn news(
    State(console): State<Console>,
    visitor: Visitor,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Viewer)?;
    let seen = newest(&visitor.caller).await?;
    let rows = console.api.store.rows();
    let told = futures::stream::unfold(
        (console, visitor, rows, seen),
        async |(console, visitor, mut rows, seen)| {
            loop {
                tokio::select! {
                    _ = rows.changed() => {}
                    () = console.api.shutdown.softly() => return None,
                }
                tokio::time::sleep(NEWS).await;
                visitor.caller.again(&console.api).await.ok()?;
                let newest = newest(&visitor.caller).await.ok()?;
                if newest > seen {
                    let told = Bytes::from(format!("event: news\ndata: {newest}\n\n"));
                    return Some((Ok::<_, Infallible>(told), (console, visitor, rows, newest)));
                }
            }
        },
    );
    let kind = [(CONTENT_TYPE, "text/event-stream")];
    Ok((kind, Body::from_stream(told)).into_response())
}

#[derive(Template)]
#[template(path = "execution.html")]
struct One {
    frame: Frame,
    title: String,
    row: Row,
    hash: String,
    /// The id of the hook, if it still is in the draft.
    hook: Option<String>,
    /// The execution of the whole dispatch.
    event: Option<Row>,
    /// The event as it came, and what the hook made of it.
    input: Option<String>,
    lines: Vec<Line>,
    change: Option<String>,
    messages: Vec<String>,
}

/// Shows one execution: what happened, why, and what it changed.
pub(super) async fn one(
    State(console): State<Console>,
    visitor: Visitor,
    Path(seq): Path<u64>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Viewer)?;
    let tenant = &visitor.caller.tenant;
    let execution = tenant
        .execution(seq)
        .await?
        .ok_or_else(|| Problem::no("execution", seq))?;
    let hash = execution.hash.clone();
    let event = whole(&visitor, &execution).await?;
    let input = match &event {
        Some(event) => kept(&visitor, event).await?,
        None => None,
    };
    let input = input.map(|input| input["event"].clone());
    let row = Row::from(execution);
    let change = row.record.change.clone();
    let lines = match (&input, &change) {
        (Some(before), Some(change)) => {
            changed(before, change).map(|after| between(before, &after))
        }
        _ => None,
    };
    let mut hooks = tenant.hooks().await?.into_iter();
    let hook = hooks
        .find(|hook| hook.name == row.record.hook)
        .map(|hook| hook.id);
    let record = &row.record;
    Ok(page(&One {
        frame: Frame::new(&console, &visitor, "/executions").await?,
        title: format!("Execution {seq}"),
        hash,
        hook,
        messages: record
            .messages
            .iter()
            .chain(&record.warnings)
            .cloned()
            .collect(),
        event: event.filter(|event| event.seq != seq).map(Row::from),
        input: input.as_ref().map(pretty),
        lines: lines.unwrap_or_default(),
        change: change.as_ref().map(pretty),
        row,
    }))
}

/// The execution of the whole dispatch that one belongs to: it is written when all hooks have run.
async fn whole(visitor: &Visitor, of: &Execution) -> Result<Option<Execution>, Problem> {
    let near = visitor.caller.tenant.since(of.seq - 1, NEAR).await?;
    let (record, mut near) = (&of.record, near.into_iter());
    Ok(near.find(|other| {
        let other = &other.record;
        other.is_event()
            && other.event == record.event
            && other.session_id == record.session_id
            && other.tool_call_id == record.tool_call_id
    }))
}

/// The event of an execution and its context, if they were kept and the visitor may read them.
pub(super) async fn input(visitor: &Visitor, of: &Execution) -> Result<Option<Value>, Problem> {
    match whole(visitor, of).await? {
        Some(event) => kept(visitor, &event).await,
        None => Ok(None),
    }
}

/// What an execution of a whole dispatch has kept.
async fn kept(visitor: &Visitor, event: &Execution) -> Result<Option<Value>, Problem> {
    let Ok(by) = visitor.caller.at_least(Role::Operator) else {
        return Ok(None);
    };
    let detail = visitor.caller.tenant.detail(event.seq, &by).await?;
    let input = detail.map(|mut detail| detail["input"].take());
    Ok(input.filter(|input| !input.is_null()))
}

/// A value with a change, which is a JSON Patch.
pub(super) fn changed(before: &Value, change: &Value) -> Option<Value> {
    let patch: json_patch::Patch = serde_json::from_value(change.clone()).ok()?;
    let mut after = before.clone();
    json_patch::patch(&mut after, &patch).ok()?;
    Some(after)
}

#[derive(Template)]
#[template(path = "session.html")]
struct Timeline {
    frame: Frame,
    title: String,
    id: String,
    rows: Vec<Row>,
}

/// Shows what happened in a session, oldest first.
pub(super) async fn session(
    State(console): State<Console>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Viewer)?;
    let found = visitor.caller.tenant.session(&id).await?;
    if found.is_empty() {
        return Err(Problem::no("session", &id).into());
    }
    Ok(page(&Timeline {
        frame: Frame::new(&console, &visitor, "/executions").await?,
        title: format!("Session {id}"),
        rows: found.into_iter().map(Row::from).collect(),
        id,
    }))
}
