//! Executions: what hooks did. Searched, live, one with its why, and the timeline of a session.

use std::convert::Infallible;
use std::time::Duration;

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use hooks_core::agent::AgentEvent;
use hooks_runtime::RecordOutcome;
use hooks_store::{Execution, ExecutionFilter, Role};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use super::diff::{Line, changed};
use super::frame::{Answer, Frame, page};
use super::guard::Site;
use super::sent::Sent;
use super::session::Visitor;
use super::when::When;
use crate::api::problem::Problem;
use crate::api::stream::newest;

/// How many executions a page has.
const PAGE: u32 = 50;

/// How many executions of a session a page has.
const TIMELINE: u32 = 200;

/// How many executions one page searches: it is there at once, however many there are.
const WINDOW: u64 = 20_000;

/// How many executions after one of a hook are looked at for that of the whole dispatch.
const NEAR: u32 = 200;

/// How often a live page is told of news, at most.
const NEWS: Duration = Duration::from_millis(300);

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

/// What is looked for. A field that is empty is not asked for.
fn filter(asked: &Sent) -> Result<ExecutionFilter, Problem> {
    let word = asked.written("decision");
    let minutes = asked.written("minutes").and_then(|text| text.parse().ok());
    let ago = minutes.map(|minutes: i32| SignedDuration::from_mins(minutes.into()));
    Ok(ExecutionFilter {
        hook: asked.written("hook"),
        outcome: word.as_deref().map(outcome).transpose()?,
        tool: asked.written("tool"),
        session: asked.written("session"),
        agent: asked.written("agent"),
        event: asked.written("event"),
        since: ago.and_then(|ago| Timestamp::now().checked_sub(ago).ok()),
        ..ExecutionFilter::default()
    })
}

fn outcome(word: &str) -> Result<RecordOutcome, Problem> {
    let known = serde_json::from_value(word.into());
    known.map_err(|_| Problem::bad(format!("`{word}` is no decision: choose one of the list")))
}

/// How an outcome looks.
pub(super) fn look(outcome: RecordOutcome) -> &'static str {
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

#[derive(Template)]
#[template(path = "executions.html")]
struct Page {
    frame: Frame,
    asked: Sent,
    rows: Vec<Execution>,
    /// The newest number, by which a live page knows what is new.
    newest: u64,
    /// Where the search goes on, and whether it looked at a part only.
    older: Option<String>,
    is_part: bool,
    live: bool,
    here: String,
    other: String,
}

/// Lists executions: those before the number `before`, or the newest, and with `live` new ones at once.
pub(super) async fn list(visitor: Visitor, Query(asked): Query<Sent>) -> Answer {
    let newest = newest(&visitor.caller).await?;
    let before: Option<u64> = asked.get("before").and_then(|number| number.parse().ok());
    let end = before.unwrap_or(newest + 1).min(newest + 1);
    let begin = end.saturating_sub(WINDOW);
    let mut filter = filter(&asked)?;
    filter.after = Some(begin);
    let tenant = visitor.tenant();
    let found = tenant.executions(&filter, Some(end), PAGE).await?;
    let is_part = found.next.is_none() && begin > 0;
    let older = found.next.or(is_part.then_some(begin + 1));
    let live = asked.get("live").is_some() && before.is_none();
    let address = |before: Option<u64>, live: bool| {
        let (before, live) = (before.map(|seq| seq.to_string()), live.then(|| "1".into()));
        asked.address("/executions", &[("before", before), ("live", live)])
    };
    Ok(page(&Page {
        frame: Frame::new(&visitor, "/executions", "Executions").await?,
        rows: found.items,
        newest,
        older: older.map(|before| address(Some(before), false)),
        is_part,
        live,
        here: address(None, live),
        other: address(None, !live),
        asked,
    }))
}

/// The newest executions of a hook.
pub(super) async fn of_hook(
    visitor: &Visitor,
    hook: &str,
    count: u32,
) -> Result<Vec<Execution>, Problem> {
    let filter = ExecutionFilter {
        hook: Some(hook.to_owned()),
        after: Some(newest(&visitor.caller).await?.saturating_sub(WINDOW)),
        ..ExecutionFilter::default()
    };
    let found = visitor.tenant().executions(&filter, None, count).await?;
    Ok(found.items)
}

/// Tells a live page that there is something new, as server-sent events. What is new, the page asks for itself.
pub(super) async fn news(visitor: Visitor) -> Answer {
    let stays = visitor.caller.stay(&visitor.api)?;
    let rows = visitor.tenant().rows();
    let seen = newest(&visitor.caller).await?;
    let told = futures::stream::unfold(
        (visitor, rows, seen, stays),
        async |(mut visitor, mut rows, seen, stays)| {
            loop {
                tokio::select! {
                    _ = rows.changed() => {}
                    _ = visitor.end.changed() => return None,
                    () = visitor.api.shutdown.softly() => return None,
                }
                tokio::time::sleep(NEWS).await;
                visitor.caller.again(&visitor.api).await.ok()?;
                let newest = newest(&visitor.caller).await.ok()?;
                if newest > seen {
                    let told = Bytes::from(format!("event: news\ndata: {newest}\n\n"));
                    return Some((Ok::<_, Infallible>(told), (visitor, rows, newest, stays)));
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
    execution: Execution,
    /// The id of the hook, if it still is in the draft.
    hook: Option<String>,
    /// The execution of the whole dispatch, if this is another.
    event: Option<Execution>,
    /// The event as it came, and what the hook made of it.
    input: Option<Value>,
    /// Whether the event is left out because a page of others has sent the visitor here.
    is_sent: bool,
    lines: Vec<Line>,
}

/// Shows one execution: what happened, why, and what it changed.
pub(super) async fn one(visitor: Visitor, Path(seq): Path<u64>) -> Answer {
    let tenant = visitor.tenant();
    let execution = tenant.execution(seq).await?;
    let execution = execution.ok_or_else(|| Problem::no("execution", seq))?;
    let event = whole(&visitor, &execution).await?;
    let input = match &event {
        Some(event) => kept(&visitor, event).await?,
        None => None,
    };
    let input = input.map(|mut input| input["event"].take());
    let change = execution.record.change.as_ref();
    let after = input.as_ref().zip(change);
    let after = after.and_then(|(before, change)| changed(before, change));
    let hook = tenant.ids().await?.remove(&execution.record.hook);
    Ok(page(&One {
        frame: Frame::new(&visitor, "/executions", format!("Execution {seq}")).await?,
        hook: hook.map(|(id, _)| id),
        event: event.filter(|event| event.seq != seq),
        input,
        is_sent: visitor.site == Site::Other && visitor.at_least(Role::Operator).is_ok(),
        lines: after.map(|(_, lines)| lines).unwrap_or_default(),
        execution,
    }))
}

/// The execution of the whole dispatch that one belongs to: it is written when all hooks have run.
async fn whole(visitor: &Visitor, of: &Execution) -> Result<Option<Execution>, Problem> {
    let near = visitor.tenant().since(of.seq - 1, NEAR).await?;
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
    let Ok(by) = visitor.at_least(Role::Operator) else {
        return Ok(None);
    };
    // It is noted who reads an event. A page of others does not make somebody read.
    if visitor.site == Site::Other {
        return Ok(None);
    }
    let detail = visitor.tenant().detail(event.seq, &by).await?;
    let input = detail.map(|mut detail| detail["input"].take());
    Ok(input.filter(|input| !input.is_null()))
}

#[derive(Template)]
#[template(path = "session.html")]
struct Timeline {
    frame: Frame,
    id: String,
    rows: Vec<Execution>,
    /// The last execution of the page, if there are later ones.
    next: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Begin {
    /// The last execution of the page before.
    #[serde(default)]
    after: u64,
}

/// Shows what happened in a session, oldest first.
pub(super) async fn session(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(begin): Query<Begin>,
) -> Answer {
    let tenant = visitor.tenant();
    let mut rows = tenant.session(&id, begin.after, TIMELINE + 1).await?;
    if rows.is_empty() {
        return Err(Problem::no("session", &id).into());
    }
    let is_part = rows.len() > TIMELINE as usize;
    rows.truncate(TIMELINE as usize);
    let last = rows.last().map(|execution| execution.seq);
    Ok(page(&Timeline {
        frame: Frame::new(&visitor, "/executions", format!("Session {id}")).await?,
        rows,
        next: last.filter(|_| is_part),
        id,
    }))
}
