//! A hook: its form and its TOML as two views of one document, and what came of it.
//!
//! The document is the text in TOML, which travels with the form. Of the two views, the one that was changed last counts.

use askama::Template;
use axum::Form;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use hooks_store::{Hook, Role, StoreError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Console;
use super::diff::{Line, lines};
use super::executions::{Row, of_hook};
use super::failed::Failed;
use super::form::{HookForm, Sent, laid};
use super::frame::{Frame, done, page};
use super::session::Visitor;
use super::trial::Trial;
use super::when::When;
use crate::api::convert::{self, Converted, TextError};
use crate::api::problem::Problem;

/// The id in the address of a hook that is not saved yet.
const NEW: &str = "new";

/// How many executions the page shows.
const EXECUTIONS: u32 = 10;

/// A mistake, with the place in the page that it is about.
struct Shown {
    error: TextError,
    label: String,
    at: String,
    /// The text of its line.
    code: String,
}

/// The two views.
struct Views {
    id: String,
    toml: String,
    hook: Value,
    form: HookForm,
    mistakes: Vec<Shown>,
    /// Whether the view in TOML is shown if there is no script.
    is_toml: bool,
    /// Whether both are shown, and follow each other.
    is_live: bool,
    is_author: bool,
}

impl Views {
    fn new(
        console: &Console,
        visitor: &Visitor,
        id: &str,
        converted: Converted,
        view: &str,
    ) -> Self {
        let Converted { toml, hook, errors } = converted;
        let tenant = &visitor.caller.tenant;
        let form = HookForm::new(
            &hook,
            &errors,
            &console.api.capabilities(),
            tenant.id().is_empty(),
        );
        let is_toml = view == "toml";
        let mistakes = errors.into_iter().map(|error| {
            let place = form.place(&error).filter(|_| !is_toml);
            let (label, at) = place.map_or_else(
                || {
                    (
                        error.path.trim_start_matches('/').to_owned(),
                        "toml".to_owned(),
                    )
                },
                |(label, id)| (label.to_owned(), id),
            );
            let code = error.line.and_then(|line| toml.lines().nth(line - 1));
            Shown {
                code: code.unwrap_or_default().to_owned(),
                label,
                at,
                error,
            }
        });
        Views {
            id: id.to_owned(),
            mistakes: mistakes.collect(),
            toml,
            hook,
            form,
            is_toml,
            is_live: false,
            is_author: visitor.caller.role >= Role::Author,
        }
    }

    /// Reads what was sent.
    async fn sent(
        console: &Console,
        visitor: &Visitor,
        id: &str,
        sent: &Sent,
    ) -> Result<Self, Failed> {
        let (tenant, text) = (&visitor.caller.tenant, sent.text("toml"));
        let saved = if id == NEW { "" } else { id };
        let view = sent.text("view");
        let hook = convert::hook(&text);
        let new = if view == "form" {
            hook.as_ref().and_then(|hook| laid(hook, sent))
        } else {
            None
        };
        let mut converted = match new {
            Some(hook) => convert::of_hook(tenant, saved, hook).await?,
            None => convert::of_toml(tenant, saved, text).await?,
        };
        if hook.is_none() && view == "form" {
            // Nobody can read the text, and what was typed into the form stays there.
            converted.hook = laid(&json!({}), sent).unwrap_or_default();
        }
        // What cannot be read is no form, so the text is shown.
        let chosen = if hook.is_none() {
            "toml".to_owned()
        } else {
            sent.get("show").unwrap_or(view)
        };
        Ok(Views::new(console, visitor, id, converted, &chosen))
    }
}

/// What somebody else has saved meanwhile, beside what was to be saved.
struct Conflict {
    theirs: Hook,
    lines: Vec<Line>,
}

#[derive(Template)]
#[template(path = "hook.html")]
struct Page {
    frame: Frame,
    title: String,
    views: Views,
    stored: Option<Hook>,
    at: Option<When>,
    /// The version that a save follows.
    version: u64,
    comment: String,
    conflict: Option<Conflict>,
    /// Why nothing was saved, apart from mistakes.
    problem: Option<Problem>,
    trial: Trial,
    rows: Vec<Row>,
}

#[derive(Template)]
#[template(path = "hook.html", block = "views")]
struct Live {
    views: Views,
}

impl Page {
    async fn new(
        console: &Console,
        visitor: &Visitor,
        stored: Option<Hook>,
        views: Views,
        sent: &Sent,
    ) -> Result<Self, Failed> {
        let rows = match &stored {
            Some(hook) => of_hook(visitor, &hook.name, EXECUTIONS).await?,
            None => Vec::new(),
        };
        let newest = stored.as_ref().map_or(0, |hook| hook.version);
        Ok(Page {
            frame: Frame::new(console, visitor, "/").await?,
            title: stored
                .as_ref()
                .map_or_else(|| "New hook".to_owned(), |hook| hook.name.clone()),
            at: stored.as_ref().map(|hook| When(hook.at)),
            version: sent.text("version").parse().unwrap_or(newest),
            comment: sent.text("comment"),
            conflict: None,
            problem: None,
            trial: Trial::new(visitor, &views.hook, sent).await?,
            rows,
            stored,
            views,
        })
    }

    fn has_switch(&self) -> bool {
        self.stored
            .as_ref()
            .is_some_and(|hook| hook.body.get("event").is_some())
    }

    fn mode(&self) -> &str {
        let mode = self
            .stored
            .as_ref()
            .and_then(|hook| hook.body["mode"].as_str());
        mode.unwrap_or("enforce")
    }
}

/// The hook of an address; nothing if it is a new one.
async fn stored(visitor: &Visitor, id: &str) -> Result<Option<Hook>, Problem> {
    if id == NEW {
        return Ok(None);
    }
    let hook = visitor.caller.tenant.hook(id).await?;
    hook.map(Some).ok_or_else(|| Problem::no("hook", id))
}

/// Shows a hook, or the form for a new one.
pub(super) async fn get(
    State(console): State<Console>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Viewer)?;
    let tenant = &visitor.caller.tenant;
    let stored = match stored(&visitor, &id).await {
        Err(_) if !tenant.versions(&id).await?.is_empty() => {
            // It is deleted, and its versions can come back.
            return Ok(Redirect::to(&format!("/hook/{id}/versions")).into_response());
        }
        stored => stored?,
    };
    let mut converted = match &stored {
        Some(hook) => convert::of_hook(tenant, &id, hook.body.clone()).await?,
        None => {
            convert::of_hook(
                tenant,
                "",
                json!({ "event": "BeforeToolCall", "block": "" }),
            )
            .await?
        }
    };
    if stored.is_none() {
        // Nobody has made a mistake yet.
        converted.errors.clear();
    }
    let views = Views::new(&console, &visitor, &id, converted, "form");
    Ok(page(
        &Page::new(&console, &visitor, stored, views, &Sent(Vec::new())).await?,
    ))
}

/// Saves a hook, tries it, or shows its other view.
pub(super) async fn post(
    State(console): State<Console>,
    visitor: Visitor,
    Path(id): Path<String>,
    Form(sent): Form<Vec<(String, String)>>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Viewer)?;
    let sent = Sent(sent);
    let views = Views::sent(&console, &visitor, &id, &sent).await?;
    let stored = stored(&visitor, &id).await;
    let (stored, gone) = match stored {
        Ok(stored) => (stored, None),
        Err(problem) => (None, Some(problem)),
    };
    let mut shown = Page::new(&console, &visitor, stored, views, &sent).await?;
    let mut status = StatusCode::OK;
    if sent.text("do") == "save" {
        match save(&visitor, &id, &mut shown).await? {
            Ok(saved) => return Ok(done(&format!("/hook/{saved}"), "saved")),
            Err(why) => status = why,
        }
    } else if sent.text("do") == "try" {
        let hook = shown.views.hook.clone();
        shown.trial.run(&console, &visitor, &hook, &sent).await?;
    }
    if let Some(gone) = gone {
        status = gone.status();
        shown.problem = Some(gone);
    }
    Ok((status, page(&shown)).into_response())
}

/// Saves what was sent, and returns the id; or says in the page why not.
async fn save(
    visitor: &Visitor,
    id: &str,
    shown: &mut Page,
) -> Result<Result<String, StatusCode>, Failed> {
    let by = visitor
        .caller
        .at_least(Role::Author)?
        .comment(&shown.comment);
    if !shown.views.mistakes.is_empty() {
        return Ok(Err(StatusCode::UNPROCESSABLE_ENTITY));
    }
    let (tenant, hook) = (&visitor.caller.tenant, &shown.views.hook);
    let saved = if id == NEW {
        tenant.create(hook, &by).await
    } else {
        tenant.update(id, shown.version, hook, &by).await
    };
    match saved {
        Ok(hook) => Ok(Ok(hook.id)),
        Err(StoreError::Conflict { current }) => {
            if let Some(theirs) = stored(visitor, id).await? {
                let text = convert::write(&theirs.body).unwrap_or_default();
                let lines = lines(&text, &shown.views.toml);
                shown.conflict = Some(Conflict { theirs, lines });
            }
            shown.version = current;
            Ok(Err(StatusCode::PRECONDITION_FAILED))
        }
        Err(error) => {
            let problem = Problem::from(error);
            let status = problem.status();
            shown.problem = Some(problem);
            Ok(Err(status))
        }
    }
}

/// Shows what was changed in one view in the other, with all mistakes.
pub(super) async fn convert(
    State(console): State<Console>,
    visitor: Visitor,
    Form(sent): Form<Vec<(String, String)>>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Author)?;
    let sent = Sent(sent);
    let mut views = Views::sent(&console, &visitor, &sent.text("id"), &sent).await?;
    views.is_live = true;
    Ok(page(&Live { views }))
}

#[derive(Deserialize)]
pub(super) struct Switched {
    version: u64,
    mode: String,
}

/// Turns a hook of the draft on or off.
pub(super) async fn mode(
    visitor: Visitor,
    Path(id): Path<String>,
    Form(switched): Form<Switched>,
) -> Result<Response, Failed> {
    let by = visitor
        .caller
        .at_least(Role::Author)?
        .comment("another mode");
    let hook = stored(&visitor, &id)
        .await?
        .ok_or_else(|| Problem::no("hook", &id))?;
    let mut body = hook.body;
    body["mode"] = switched.mode.into();
    visitor
        .caller
        .tenant
        .update(&id, switched.version, &body, &by)
        .await?;
    Ok(done(&format!("/hook/{id}"), "saved"))
}

#[derive(Template)]
#[template(path = "delete.html")]
struct Confirm {
    frame: Frame,
    title: String,
    hook: Hook,
}

/// Asks whether a hook is to be deleted.
pub(super) async fn confirm(
    State(console): State<Console>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Author)?;
    let hook = stored(&visitor, &id)
        .await?
        .ok_or_else(|| Problem::no("hook", &id))?;
    Ok(page(&Confirm {
        frame: Frame::new(&console, &visitor, "/").await?,
        title: format!("Delete {}", hook.name),
        hook,
    }))
}

#[derive(Deserialize)]
pub(super) struct Deleted {
    version: u64,
}

/// Deletes a hook from the draft.
pub(super) async fn delete(
    visitor: Visitor,
    Path(id): Path<String>,
    Form(deleted): Form<Deleted>,
) -> Result<Response, Failed> {
    let by = visitor.caller.at_least(Role::Author)?;
    visitor
        .caller
        .tenant
        .delete(&id, deleted.version, &by)
        .await?;
    Ok(done("/?of=draft", "deleted"))
}
