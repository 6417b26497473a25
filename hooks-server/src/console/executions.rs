//! Executions: what hooks did. Searched, live, one with its why, and the timeline of a session.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::time::Duration;

use askama::Template;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use hooks_core::agent::AgentEvent;
use hooks_runtime::entry::{Expect, TestEntry};
use hooks_runtime::{Record, RecordOutcome, RecordPart, RecordStep};
use hooks_store::{Execution, ExecutionFilter, Role};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use super::chart::SessionChart;
use super::frame::{PageAnswer, PageFrame, done, page};
use super::guard::Site;
use super::name::SafeName;
use super::sent::{FormBody, FormFields};
use super::session::Visitor;
use super::simulator::Simulation;
use super::when::TimeElement;
use crate::api::order::OrderSource;
use crate::api::problem::{Problem, found};
use crate::api::simulate::Simulated;
use crate::api::stream::ALIVE;

/// How many executions a page has.
const PAGE: u32 = 50;

/// How many executions of a session a page has.
const TIMELINE: u32 = 200;

/// How much of an event a row shows, in characters.
const ABOUT: usize = 80;

/// How many names of hooks are offered that are like the one that is asked for.
const LIKE: usize = 10;

/// The shortest time between two notices to a live page.
const NEWS: Duration = Duration::from_millis(300);

/// The times that can be chosen, in minutes.
const TIMES: &[(&str, &str)] = &[
    ("", "any time"),
    ("15", "the last 15 minutes"),
    ("60", "the last hour"),
    ("360", "the last 6 hours"),
    ("1440", "the last day"),
    ("10080", "the last week"),
];

/// What hooks may be expected to decide: anything but that it is open.
pub(super) const EXPECTED: &[&str] = Expect::DECISIONS.split_at(9).0;

/// The decisions that can be chosen.
const DECISIONS: [&[&str]; 2] = [EXPECTED, &["fault", "skipped"]];

/// What is looked for. A field that is empty is not asked for.
fn filter(asked: &FormFields) -> Result<ExecutionFilter, Problem> {
    let word = asked.written("decision");
    let minutes = asked.written("minutes").and_then(|text| text.parse().ok());
    let ago = minutes.map(|minutes: i32| SignedDuration::from_mins(minutes.into()));
    let time = |field: &str| {
        let written = asked.written(field).map(|text| text.parse::<Timestamp>());
        let why = format!("{field}: write a time, such as 2026-01-31T08:00:00Z");
        written.transpose().map_err(|_| Problem::bad(why))
    };
    let since = time("since")?;
    Ok(ExecutionFilter {
        hook: asked.written("hook"),
        text: asked.written("text"),
        outcome: word.as_deref().map(outcome).transpose()?,
        tool: asked.written("tool"),
        session: asked.written("session"),
        agent: asked.written("agent"),
        event: asked.written("event"),
        since: since.or_else(|| Timestamp::now().checked_sub(ago?).ok()),
        until: time("until")?,
        ..ExecutionFilter::default()
    })
}

pub(super) fn outcome(word: &str) -> Result<RecordOutcome, Problem> {
    let known = serde_json::from_value(word.into());
    let why = format!("“{word}” is not a decision: choose one of the list");
    known.map_err(|_| Problem::bad(why))
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

/// An execution, and what its event was about, if the visitor may read that.
pub(super) struct ExecutionRow {
    pub(super) execution: Execution,
    pub(super) about: String,
}

/// Which part of an event a record is, if it is not the whole.
pub(super) fn part(record: &Record) -> Option<&'static str> {
    match record.part? {
        RecordPart::Audited => Some("recorded before the agent went on"),
        RecordPart::Background => Some("in the background"),
        _ => Some("one hook"),
    }
}

/// What hooks said without an effect, each once: a hook judges again what a later one has changed.
pub(super) fn aside(record: &Record) -> Vec<&RecordStep> {
    let mut said = Vec::<&RecordStep>::new();
    for step in &record.steps {
        let is_fault = step.outcome == RecordOutcome::Fault;
        let is_other = step.shadow && step.outcome != RecordOutcome::Continue;
        let is_same =
            |other: &&RecordStep| other.hook == step.hook && other.outcome == step.outcome;
        if (is_fault || is_other) && !said.iter().any(is_same) {
            said.push(step);
        }
    }
    said
}

/// What executions were about: the arguments of a tool, or a text. Only an operator reads it, and the change log says so once
/// an hour.
pub(super) async fn rows(
    visitor: &Visitor,
    found: Vec<Execution>,
) -> Result<Vec<ExecutionRow>, Problem> {
    let by = visitor.at_least(Role::Operator).ok();
    let mut inputs = match by.filter(|_| visitor.site != Site::Other) {
        Some(by) => visitor.tenant().inputs(&found, &by).await?,
        None => HashMap::new(),
    };
    let row = |execution: Execution| ExecutionRow {
        about: inputs
            .remove(&execution.seq)
            .map(|input| about(&input["event"]))
            .unwrap_or_default(),
        execution,
    };
    Ok(found.into_iter().map(row).collect())
}

/// The only argument of a tool, all of them, or the text of another event; cut.
fn about(event: &Value) -> String {
    let texts = ["content", "prompt", "response", "output"];
    let said = match event["args"].as_object() {
        Some(args) if args.len() == 1 => args.values().next(),
        Some(args) if !args.is_empty() => event.get("args"),
        _ => texts
            .iter()
            .map(|key| &event[*key])
            .find(|text| text.is_string()),
    };
    let said = said.map(|said| {
        said.as_str()
            .map_or_else(|| said.to_string(), str::to_owned)
    });
    let mut said = said.unwrap_or_default().replace('\n', " ");
    if let Some((end, _)) = said.char_indices().nth(ABOUT) {
        said.replace_range(end.., "…");
    }
    said
}

#[derive(Template)]
#[template(path = "executions.html")]
struct Page {
    frame: PageFrame,
    asked: FormFields,
    rows: Vec<ExecutionRow>,
    /// The names of hooks that are like the one that is asked for, each with the page of its executions.
    like: Vec<(String, String)>,
    /// Whether one of the filters that are folded is set.
    has_more: bool,
    /// The newest number, by which a live page knows what is new.
    newest: u64,
    /// Where the search goes on, and whether it looked at a part only.
    older: Option<String>,
    newer: Option<String>,
    is_part: bool,
    live: bool,
    here: String,
    other: String,
}

/// Lists executions: those before the number `before`, or the newest, and with `live` new ones at once.
pub(super) async fn list(visitor: Visitor, Query(asked): Query<FormFields>) -> PageAnswer {
    let newest = visitor.tenant().newest_execution().await?;
    let before: Option<u64> = asked.get("before").and_then(|number| number.parse().ok());
    let end = before.unwrap_or(newest + 1).min(newest + 1);
    let filter = filter(&asked)?;
    let tenant = visitor.tenant();
    let found = tenant.executions(&filter, Some(end), PAGE).await?;
    let is_part = found.next.is_some() && found.items.len() < PAGE as usize;
    let older = found.next;
    let live = asked.get("live").is_some() && before.is_none();
    let address = |before: Option<u64>, live: bool| {
        let (before, live) = (before.map(|seq| seq.to_string()), live.then(|| "1".into()));
        asked.address("/executions", &[("before", before), ("live", live)])
    };
    let offered = match &filter.hook {
        Some(part) if found.items.is_empty() && before.is_none() => {
            let is_like = |name: &&String| name.to_lowercase().contains(&part.to_lowercase());
            let page =
                |name: &String| asked.address("/executions", &[("hook", Some(name.clone()))]);
            let hooks = known_hooks(&visitor).await?;
            let offered = hooks.iter().filter(is_like).take(LIKE);
            offered.map(|name| (name.clone(), page(name))).collect()
        }
        _ => Vec::new(),
    };
    let folded = [
        "tool", "session", "agent", "event", "minutes", "since", "until",
    ];
    Ok(page(&Page {
        frame: PageFrame::new(&visitor, "/executions", "Executions").await?,
        rows: rows(&visitor, found.items).await?,
        like: offered,
        has_more: folded.iter().any(|field| asked.written(field).is_some()),
        newest,
        older: older.map(|before| address(Some(before), false)),
        newer: before.map(|_| address(None, false)),
        is_part,
        live,
        here: address(None, live),
        other: address(None, !live),
        asked,
    }))
}

#[derive(Template)]
#[template(
    ext = "html",
    source = r#"{% for name in names %}<option value="{{ name }}"></option>{% endfor %}"#
)]
struct NameOptions {
    names: Vec<String>,
}

/// The names of hooks, for the search to offer.
pub(super) async fn hooks(visitor: Visitor) -> PageAnswer {
    let names = known_hooks(&visitor).await?;
    Ok(page(&NameOptions { names }))
}

/// The names of the hooks that are live, and of those that agents have in their own code.
async fn known_hooks(visitor: &Visitor) -> Result<Vec<String>, Problem> {
    let live = visitor
        .api
        .order(visitor.tenant(), OrderSource::InForce)
        .await?;
    let compiled = visitor.api.compiled(visitor.tenant(), None, None).await?;
    let compiled = compiled.into_iter().map(|(_, hook)| hook.hook);
    let live = live.items.iter().map(|hook| hook.hook.clone());
    let names: BTreeSet<String> = live.chain(compiled).collect();
    Ok(names.into_iter().collect())
}

/// The newest executions on which a hook ran.
pub(super) async fn of_hook(
    visitor: &Visitor,
    hook: &str,
    count: u32,
) -> Result<Vec<ExecutionRow>, Problem> {
    let filter = ExecutionFilter {
        hook: Some(hook.to_owned()),
        ..ExecutionFilter::default()
    };
    let found = visitor.tenant().executions(&filter, None, count).await?;
    rows(visitor, found.items).await
}

/// Tells a live page that there is something new, as server-sent events. What is new, the page asks for itself.
pub(super) async fn news(visitor: Visitor) -> PageAnswer {
    let stays = visitor.caller.stay(&visitor.api)?;
    let rows = visitor.tenant().rows();
    let tokens = visitor.tenant().follow(|news| news.tokens);
    let alive = tokio::time::interval(ALIVE);
    let seen = visitor.tenant().newest_execution().await?;
    let told = futures::stream::unfold(
        (visitor, rows, tokens, alive, seen, stays),
        async |(mut visitor, mut rows, mut tokens, mut alive, seen, stays)| {
            loop {
                let is_news = tokio::select! {
                    _ = rows.changed() => true,
                    // The token may have been revoked.
                    _ = tokens.next() => false,
                    _ = alive.tick() => {
                        let told = Bytes::from_static(b": alive\n\n");
                        return Some((Ok(told), (visitor, rows, tokens, alive, seen, stays)));
                    }
                    _ = visitor.end.changed() => return None,
                    () = visitor.api.shutdown.softly() => return None,
                };
                visitor.caller.again(&visitor.api).await.ok()?;
                if !is_news {
                    continue;
                }
                tokio::time::sleep(NEWS).await;
                let newest = visitor.tenant().newest_execution().await.ok()?;
                if newest > seen {
                    let told = Bytes::from(format!("event: news\ndata: {newest}\n\n"));
                    return Some((
                        Ok::<_, Infallible>(told),
                        (visitor, rows, tokens, alive, newest, stays),
                    ));
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
    frame: PageFrame,
    execution: Execution,
    /// What each hook did, as the simulator shows it.
    shown: Simulation,
    /// The event as it came.
    input: Option<Value>,
    /// Whether the event is left out because a page of others has sent the visitor here.
    is_sent: bool,
}

/// Shows one execution: which hooks were asked, what each said, which decided, and what they changed.
pub(super) async fn one(visitor: Visitor, Path(seq): Path<u64>) -> PageAnswer {
    let tenant = visitor.tenant();
    let execution = found(tenant.execution(seq).await?, "execution", seq)?;
    let input = input(&visitor, &execution).await?;
    let input = input.map(|mut input| input["event"].take());
    let record = &execution.record;
    let set = if record.unmet.is_empty() {
        None
    } else {
        tenant.revision(record.revision).await?
    };
    let simulated = Simulated::recorded(record, set.as_ref());
    let event = input.clone().unwrap_or_default();
    let mut shown = Simulation::of(&event, simulated);
    shown.link(&tenant.ids().await?);
    Ok(page(&One {
        frame: PageFrame::new(&visitor, "/executions", format!("Execution {seq}")).await?,
        shown,
        input,
        is_sent: visitor.site == Site::Other && visitor.at_least(Role::Operator).is_ok(),
        execution,
    }))
}

/// The event of an execution and its context, if they were kept and the visitor may read them.
async fn input(visitor: &Visitor, of: &Execution) -> Result<Option<Value>, Problem> {
    let Ok(by) = visitor.at_least(Role::Operator) else {
        return Ok(None);
    };
    // The store notes who reads an event. A page of another site cannot make a visitor read one.
    if visitor.site == Site::Other || !of.has_detail {
        return Ok(None);
    }
    let detail = visitor.tenant().detail(of.seq, &by).await?;
    let input = detail.map(|mut detail| detail["input"].take());
    Ok(input.filter(|input| !input.is_null()))
}

/// An execution with its event and context, which must have been kept.
pub(super) async fn kept(visitor: &Visitor, seq: u64) -> Result<(Execution, Value), Problem> {
    let execution = found(visitor.tenant().execution(seq).await?, "execution", seq)?;
    let why = "the event of this execution was not kept: a store keeps events if it has a key";
    let input = input(visitor, &execution).await?;
    Ok((execution, input.ok_or_else(|| Problem::at("", why))?))
}

#[derive(Template)]
#[template(path = "session.html")]
struct Timeline {
    frame: PageFrame,
    id: String,
    rows: Vec<ExecutionRow>,
    /// How many events the session has, when it began, and how long those of the page took.
    count: u64,
    begin: Timestamp,
    length: Duration,
    line: SessionChart,
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
) -> PageAnswer {
    let tenant = visitor.tenant();
    let mut found = tenant.session(&id, begin.after, TIMELINE + 1).await?;
    let (Some(first), Some(count)) = (found.first(), tenant.session_count(&id).await?) else {
        return Err(Problem::no("session", &id).into());
    };
    let first = first.record.at;
    let is_part = found.len() > TIMELINE as usize;
    found.truncate(TIMELINE as usize);
    let last = found.last();
    let end = last.map_or(first, |last| last.record.at);
    let next = last.map(|execution| execution.seq).filter(|_| is_part);
    let line = SessionChart::of(&found);
    Ok(page(&Timeline {
        frame: PageFrame::new(&visitor, "/executions", format!("Session {id}")).await?,
        rows: rows(&visitor, found).await?,
        count,
        begin: first,
        length: end.duration_since(first).try_into().unwrap_or_default(),
        line,
        next,
        id,
    }))
}

/// Saves the event of an execution as a sample, with the decision that is expected.
pub(super) async fn save(
    visitor: Visitor,
    Path(seq): Path<u64>,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let by = visitor.at_least(Role::Author)?;
    let (execution, mut input) = kept(&visitor, seq).await?;
    let sample = TestEntry {
        name: sent.text("sample"),
        event: execution.record.event,
        cx: input["cx"].take(),
        body: input["event"].take(),
        expect: sent.written("expect").as_deref().map(Into::into),
        ..TestEntry::default()
    };
    let saved = visitor.tenant().save_sample(&sample, &by).await?;
    Ok(done(&format!("/simulator?sample={}", saved.id), "sample"))
}
