//! Publishing: what the draft changes, what else there is to know, which decisions of the past would be others, and the way
//! back.

use askama::Template;
use axum::Form;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use hooks_runtime::Replayed;
use hooks_store::{Published, Revision, Role};
use serde::Deserialize;
use serde_json::Value;

use super::Console;
use super::diff::{self, Line};
use super::failed::Failed;
use super::frame::{Frame, done, page};
use super::session::Visitor;
use super::when::When;
use crate::api::changes::{self, Change};
use crate::api::problem::Problem;
use crate::api::replay;

/// How many revisions the page lists.
const REVISIONS: u32 = 20;

/// A change, as people read it.
struct Shown {
    name: String,
    /// What happens to it, and how that looks.
    what: &'static str,
    look: &'static str,
    lines: Vec<Line>,
}

impl Shown {
    fn of(change: &Change) -> Self {
        let (what, look) = match (&change.before, &change.after) {
            (None, _) => ("new", "good"),
            (_, None) => ("removed", "bad"),
            _ => ("changed", "note"),
        };
        Shown {
            name: change.hook.trim_start_matches('/').to_owned(),
            what,
            look,
            lines: diff::hooks(change.before.as_ref(), change.after.as_ref()),
        }
    }
}

#[derive(Template)]
#[template(path = "publish.html")]
struct Page {
    frame: Frame,
    title: &'static str,
    changes: Vec<Shown>,
    notices: Vec<String>,
    comment: String,
    problem: Option<Problem>,
    replayed: Option<Replayed>,
    revisions: Vec<Revision>,
}

impl Page {
    fn percent(replayed: &Replayed) -> u64 {
        (replayed.changed * 100)
            .checked_div(replayed.asked)
            .unwrap_or(0)
    }
}

async fn show(
    console: &Console,
    visitor: &Visitor,
    comment: String,
    replayed: Option<Result<Replayed, Problem>>,
    mut problem: Option<Problem>,
) -> Result<Response, Failed> {
    let tenant = &visitor.caller.tenant;
    let changes = console.api.changes(tenant).await?;
    // What does not load has no notices: its mistakes are what there is to know.
    let notices = match console.api.order(tenant, true).await {
        Ok(order) => order.notices.clone(),
        Err(wrong) => {
            problem = problem.or(Some(wrong));
            Vec::new()
        }
    };
    let replayed = replayed.transpose().unwrap_or_else(|failed| {
        problem = Some(failed);
        None
    });
    let status = problem.as_ref().map_or(StatusCode::OK, Problem::status);
    let shown = page(&Page {
        frame: Frame::new(console, visitor, "/publish").await?,
        title: "Publish",
        changes: changes.iter().map(Shown::of).collect(),
        notices,
        comment,
        problem,
        replayed,
        revisions: tenant.revisions(None, REVISIONS).await?.items,
    });
    Ok((status, shown).into_response())
}

/// Shows what publishing would change.
pub(super) async fn get(
    State(console): State<Console>,
    visitor: Visitor,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Viewer)?;
    show(&console, &visitor, String::new(), None, None).await
}

#[derive(Deserialize)]
pub(super) struct Sent {
    #[serde(default)]
    comment: String,
    /// How many of the last events are asked about.
    #[serde(default)]
    limit: String,
}

/// Asks which decisions of the past would be others.
pub(super) async fn replay(
    State(console): State<Console>,
    visitor: Visitor,
    Form(sent): Form<Sent>,
) -> Result<Response, Failed> {
    let asked = replay::Asked {
        draft: Value::Bool(true),
        since: None,
        limit: sent.limit.parse().ok(),
    };
    let replayed = console.api.replay(&visitor.caller, &asked).await;
    show(&console, &visitor, sent.comment, Some(replayed), None).await
}

/// Publishes the draft.
pub(super) async fn publish(
    State(console): State<Console>,
    visitor: Visitor,
    Form(sent): Form<Sent>,
) -> Result<Response, Failed> {
    let by = visitor
        .caller
        .at_least(Role::Publisher)?
        .comment(&sent.comment);
    match visitor.caller.tenant.publish(&by).await {
        Ok(published) => Ok(said(&published)),
        Err(error) => show(&console, &visitor, sent.comment, None, Some(error.into())).await,
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
    frame: Frame,
    title: String,
    revision: Revision,
    at: When,
    /// What this revision changed, and what going back to it would change now.
    changed: Vec<Shown>,
    back: Vec<Shown>,
    is_newest: bool,
}

/// Shows a revision: what it changed, and what going back to it would change.
pub(super) async fn revision(
    State(console): State<Console>,
    visitor: Visitor,
    Path(number): Path<u64>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Viewer)?;
    let tenant = &visitor.caller.tenant;
    let revision = tenant
        .revision(number)
        .await?
        .ok_or_else(|| Problem::no("revision", number))?;
    let before = tenant
        .revisions(Some(number), 1)
        .await?
        .items
        .into_iter()
        .next();
    let newest = tenant.revisions(None, 1).await?.items.into_iter().next();
    let shown = |from: Option<&Revision>, to: &Revision| {
        let from = from
            .map(|revision| changes::parts(&revision.bundle))
            .unwrap_or_default();
        let changes = changes::between(from, changes::parts(&to.bundle));
        changes.iter().map(Shown::of).collect()
    };
    Ok(page(&One {
        frame: Frame::new(&console, &visitor, "/publish").await?,
        title: format!("Revision {number}"),
        at: When(revision.at),
        changed: shown(before.as_ref(), &revision),
        back: shown(newest.as_ref(), &revision),
        is_newest: newest.is_some_and(|newest| newest.number == number),
        revision,
    }))
}

/// Publishes what an older revision had.
pub(super) async fn rollback(
    visitor: Visitor,
    Path(number): Path<u64>,
    Form(sent): Form<Sent>,
) -> Result<Response, Failed> {
    let by = visitor
        .caller
        .at_least(Role::Publisher)?
        .comment(sent.comment);
    let published = visitor.caller.tenant.rollback(number, &by).await?;
    Ok(said(&published))
}
