//! Publishing: what the draft changes, what else there is to know, which decisions of the past would change, and the way
//! back.

use std::cmp::Ordering;
use std::collections::HashMap;

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use hooks_runtime::{Bundle, RecordOutcome, Replayed};
use hooks_store::{Hook, Published, Revision, Role};
use serde::Deserialize;
use serde_json::Value;
use url::form_urlencoded::Serializer;

use super::diff::{self, DiffLine};
use super::frame::{PageAnswer, PageFrame, PageRange, done, page, told};
use super::name::SafeName;
use super::sent::FormBody;
use super::session::Visitor;
use super::when::TimeElement;
use crate::api::aside::aside;
use crate::api::changes::{self, Change, WHAT};
use crate::api::order::OrderSource;
use crate::api::problem::Problem;
use crate::api::replay;
use crate::api::revisions;
use crate::api::samples::SampleOutcome;

/// How many revisions the page lists.
const REVISIONS: u32 = 20;

/// How many deleted hooks can be put back here.
const DELETED: u32 = 100;

/// Which changes show.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct PublishPageQuery {
    /// A part of the name.
    q: String,
    /// By `name`; by default, by what happens to the hooks.
    sort: String,
    /// How many changes are on the pages before, of each list.
    from: usize,
    back: usize,
}

/// A change, as people read it.
struct Shown {
    name: String,
    /// What happens to it.
    what: &'static str,
    lines: Vec<DiffLine>,
    /// The newest version of the hook in the draft, which says who has changed it.
    draft: Option<Hook>,
}

impl Shown {
    fn of(change: &Change) -> Self {
        Shown {
            name: change.hook.trim_start_matches('/').to_owned(),
            what: change.what(),
            lines: diff::hooks(change.before.as_ref(), change.after.as_ref()),
            draft: None,
        }
    }
}

/// The newest versions of the hooks that are changed in the draft, by their names: they say who has changed them.
async fn drafts(visitor: &Visitor, changes: &[Change]) -> Result<HashMap<String, Hook>, Problem> {
    if changes.is_empty() {
        return Ok(HashMap::new());
    }
    let tenant = visitor.tenant();
    // Of several with a name, the newest counts, and before them the one that is there.
    let deleted = tenant.deleted(DELETED).await?.into_iter().rev();
    let all = deleted.chain(tenant.hooks().await?);
    Ok(all.map(|hook| (hook.name.clone(), hook)).collect())
}

/// How it looks.
fn look(what: &str) -> &'static str {
    match what {
        "new" => "good",
        "deleted" => "bad",
        _ => "note",
    }
}

/// A part of many changes.
struct Listed {
    /// How many there are of each kind.
    counts: [(&'static str, usize); 3],
    /// Those that show, together by what happens to them if they are sorted by that.
    groups: Vec<(&'static str, Vec<Shown>)>,
    part: PageRange,
}

impl Listed {
    /// The part that begins behind `from` changes. The address of a part ends with that number.
    fn of(changes: &[Change], asked: &PublishPageQuery, from: usize, address: &str) -> Self {
        let found = changes.iter().filter(|one| one.hook.contains(&asked.q));
        let mut found: Vec<&Change> = found.collect();
        let is_by_name = asked.sort == "name";
        if is_by_name {
            found.sort_by_key(|one| &one.hook);
        } else {
            found.sort_by_key(|one| WHAT.iter().position(|what| *what == one.what()));
        }
        let count = |what| found.iter().filter(|one| one.what() == what).count();
        let counts = WHAT.map(|what| (what, count(what)));
        let mut query = Serializer::new(String::new());
        query
            .append_pair("q", &asked.q)
            .append_pair("sort", &asked.sort);
        let (path, name) = address.split_once('?').unwrap_or((address, "from="));
        let (found, part) =
            PageRange::of(found, from, &format!("{path}?{}&{name}", query.finish()));
        let mut groups: Vec<(_, Vec<_>)> = Vec::new();
        for one in found {
            let what = if is_by_name { "" } else { one.what() };
            match groups.last_mut() {
                Some((last, shown)) if *last == what => shown.push(Shown::of(one)),
                _ => groups.push((what, vec![Shown::of(one)])),
            }
        }
        Listed {
            counts,
            groups,
            part,
        }
    }

    /// Says who has changed what.
    fn by(mut self, mut drafts: HashMap<String, Hook>) -> Self {
        for shown in self.groups.iter_mut().flat_map(|(_, shown)| shown) {
            shown.draft = drafts.remove(&shown.name);
        }
        self
    }

    /// How many there are of a kind, and whether these few show unfolded.
    fn count(&self, what: &str) -> usize {
        let mut counts = self.counts.iter().filter(|(known, _)| *known == what);
        counts.next().map_or(self.part.count, |(_, count)| *count)
    }

    fn is_short(&self) -> bool {
        self.part.count < 6
    }
}

#[derive(Template)]
#[template(path = "publish.html")]
struct Page {
    frame: PageFrame,
    /// The hash of the draft whose changes show: what is published is what was read.
    draft: String,
    asked: PublishPageQuery,
    /// How many changes there are.
    total: usize,
    changes: Listed,
    notices: Vec<String>,
    comment: String,
    /// What the draft decides about the samples that expect something.
    samples: Vec<SampleOutcome>,
    replayed: Option<Replayed>,
    may_replay: bool,
    revisions: Vec<Revision>,
    deleted: Vec<Hook>,
}

impl Page {
    /// Where to go on after a hook is put back; nowhere if the visitor may not do it.
    fn back(&self) -> Option<&str> {
        self.frame.may(Role::Author).then_some("/publish")
    }

    /// Whether the page asks about the past as soon as it shows.
    fn asks_itself(&self) -> bool {
        self.replayed.is_none() && self.may_replay
    }

    /// How many events of the past the draft blocks, beside what is live.
    fn says(&self) -> Option<String> {
        let replayed = self.replayed.as_ref()?;
        let mut counts = replayed.decisions.iter();
        let blocked = counts.find(|one| one.decision == RecordOutcome::Block.as_str());
        let (before, now) = blocked.map_or((0, 0), |one| (one.before, one.now));
        let than_now = match now.cmp(&before) {
            Ordering::Equal => "as now".to_owned(),
            Ordering::Greater => format!("{} more than now", now - before),
            Ordering::Less => format!("{} fewer than now", before - now),
        };
        let asked = replayed.asked;
        Some(format!(": blocks {now} of the last {asked}, {than_now}"))
    }

    /// The samples about which the draft decides something else than they expect.
    fn failed(&self) -> Vec<&SampleOutcome> {
        self.samples
            .iter()
            .filter(|sample| sample.fails())
            .collect()
    }
}

async fn show(
    visitor: &Visitor,
    asked: PublishPageQuery,
    comment: String,
    replayed: Result<Option<Replayed>, Problem>,
) -> PageAnswer {
    let tenant = visitor.tenant();
    let changes = visitor.api.changes(tenant).await?;
    let order = visitor.api.order(tenant, OrderSource::Draft).await;
    // What does not load has no notices: its mistakes are what there is to know.
    let (notices, unloaded) = match order {
        Ok(order) => (order.notices.clone(), None),
        Err(wrong) => (Vec::new(), Some(wrong)),
    };
    let (replayed, refused) = match replayed {
        Ok(replayed) => (replayed, None),
        Err(wrong) => (None, Some(wrong)),
    };
    let mut frame = PageFrame::new(visitor, "/publish", "Publish").await?;
    frame.problem = refused.or(unloaded);
    let status = frame.status();
    let mut samples = if changes.items.is_empty() || frame.problem.is_some() {
        Vec::new()
    } else {
        visitor.api.try_samples(tenant, &Value::Bool(true)).await?
    };
    samples.retain(|sample| sample.expect.is_some());
    let shown = page(&Page {
        frame,
        samples,
        draft: changes.draft.clone(),
        total: changes.items.len(),
        changes: Listed::of(&changes.items, &asked, asked.from, "/publish").by(drafts(
            visitor,
            &changes.items,
        )
        .await?),
        asked,
        notices,
        comment,
        replayed,
        may_replay: visitor.api.may_replay(&visitor.caller).is_ok(),
        revisions: tenant.revisions(None, REVISIONS).await?.items,
        deleted: tenant.deleted(DELETED).await?,
    });
    Ok((status, shown).into_response())
}

/// Shows what publishing would change.
pub(super) async fn get(visitor: Visitor, Query(asked): Query<PublishPageQuery>) -> PageAnswer {
    show(&visitor, asked, String::new(), Ok(None)).await
}

#[derive(Deserialize)]
pub(super) struct PublishForm {
    #[serde(default)]
    comment: String,
    /// The hash of the draft that was read.
    #[serde(default)]
    draft: String,
    /// How many of the last events are asked about.
    #[serde(default)]
    limit: String,
    /// Publish although samples fail.
    #[serde(default)]
    despite_samples: String,
}

/// Asks which decisions of the past would change.
pub(super) async fn replay(visitor: Visitor, FormBody(sent): FormBody<PublishForm>) -> PageAnswer {
    let asked = replay::ReplayRequest {
        draft: Value::Bool(true),
        since: None,
        limit: sent.limit.parse().ok(),
    };
    let replayed = visitor.api.replay(&visitor.caller, &asked).await;
    show(
        &visitor,
        PublishPageQuery::default(),
        sent.comment,
        replayed.map(Some),
    )
    .await
}

/// Publishes the draft that was read. If it is another one by now, the page shows what changes instead.
pub(super) async fn publish(visitor: Visitor, FormBody(sent): FormBody<PublishForm>) -> PageAnswer {
    let by = visitor.at_least(Role::Publisher)?.comment(&sent.comment);
    if sent.despite_samples.is_empty()
        && let Err(failed) = visitor.api.expect_samples(visitor.tenant()).await
    {
        return show(
            &visitor,
            PublishPageQuery::default(),
            sent.comment,
            Err(failed),
        )
        .await;
    }
    let (tenant, by) = (visitor.tenant().clone(), by.after(sent.draft));
    match aside(async move { tenant.publish(&by).await }).await {
        Ok(published) => Ok(said(&published)),
        Err(mut wrong) => {
            if wrong.status() == StatusCode::PRECONDITION_FAILED {
                let why = "Another editor changed the draft. This is the new difference: check it and publish again.";
                wrong = Problem::new(wrong.status(), why);
            }
            show(
                &visitor,
                PublishPageQuery::default(),
                sent.comment,
                Err(wrong),
            )
            .await
        }
    }
}

/// Goes back to the page, which says what became of a publication.
fn said(published: &Published) -> Response {
    let word = if published.is_new {
        "published"
    } else {
        "unchanged"
    };
    done("/publish", word)
}

#[derive(Template)]
#[template(path = "revision.html")]
struct One {
    frame: PageFrame,
    set: Bundle,
    /// What this revision changed, and what going back to it would change now.
    changed: Listed,
    back: Listed,
    asked: PublishPageQuery,
    is_newest: bool,
    /// What the draft has changed, and keeps.
    unpublished: Listed,
}

/// Shows a revision: what it changed, and what going back to it would change.
pub(super) async fn revision(
    visitor: Visitor,
    Path(number): Path<u64>,
    Query(asked): Query<PublishPageQuery>,
) -> PageAnswer {
    let tenant = visitor.tenant();
    let set = tenant.revision(number).await?;
    let set = set.ok_or_else(|| Problem::no("revision", number))?;
    let before = match tenant.revisions(Some(number), 1).await?.items.first() {
        Some(before) => tenant.revision(before.number).await?,
        None => None,
    };
    let newest = tenant.newest_set().await?;
    let unpublished = visitor.api.changes(tenant).await?;
    let shown = |before: Option<&Bundle>, from, name| {
        let before = before.map(changes::parts).unwrap_or_default();
        let changes = changes::between(before, changes::parts(&set));
        let address = format!("/revisions/{number}?{name}=");
        Listed::of(&changes, &asked, from, &address)
    };
    Ok(page(&One {
        frame: PageFrame::new(&visitor, "/publish", format!("Revision {number}")).await?,
        changed: shown(before.as_ref(), asked.from, "from"),
        back: shown(newest.as_ref(), asked.back, "back"),
        unpublished: Listed::of(&unpublished.items, &PublishPageQuery::default(), 0, "")
            .by(drafts(&visitor, &unpublished.items).await?),
        is_newest: newest.is_some_and(|newest| newest.revision == number),
        asked,
        set,
    }))
}

#[derive(Deserialize)]
pub(super) struct Back {
    #[serde(default)]
    comment: String,
    /// What becomes of what is not published: it is kept, unless the publisher says otherwise.
    #[serde(default)]
    draft: String,
}

/// Publishes what an older revision had.
pub(super) async fn rollback(
    visitor: Visitor,
    Path(number): Path<u64>,
    FormBody(sent): FormBody<Back>,
) -> PageAnswer {
    let by = visitor.at_least(Role::Publisher)?.comment(sent.comment);
    let keeps = sent.draft != "discard";
    let back = revisions::roll_back(visitor.tenant().clone(), number, keeps, by).await?;
    if !back.is_new {
        return Ok(said(&back));
    }
    let numbers = [number, back.revision].map(|number| number.to_string());
    Ok(done("/publish", &told("live", "what", numbers)))
}
