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
use serde_json::json;

use super::Console;
use super::chart::Chart;
use super::diff::{self, Line};
use super::executions::{Row, of_hook};
use super::failed::Failed;
use super::form::{Field, Sent, fields, laid};
use super::frame::{Frame, done, page};
use super::overview::{self, Of};
use super::session::Visitor;
use super::trial::Trial;
use super::when::When;
use crate::api::convert::{self, Converted, TextError};
use crate::api::problem::Problem;

/// The id in the address of a hook that is not saved yet.
const NEW: &str = "new";

/// How many executions the page shows.
const EXECUTIONS: u32 = 10;

/// The two views.
struct Views {
    id: String,
    document: Converted,
    fields: Vec<Field>,
    /// Whether the TOML counts. Without a script, the one that counts is the one that shows.
    is_toml: bool,
    /// Whether both show and follow each other.
    is_live: bool,
    is_author: bool,
}

impl Views {
    fn new(console: &Console, visitor: &Visitor, id: &str, document: Converted) -> Self {
        let is_global = visitor.caller.tenant.id().is_empty();
        let runs = console.api.capabilities();
        Views {
            id: id.to_owned(),
            fields: fields(&document.hook, &runs, is_global),
            document,
            is_toml: false,
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
        let is_form = sent.text("view") == "form";
        let hook = convert::hook(&text);
        let read = hook.as_ref().filter(|_| is_form);
        let mut document = match read.and_then(|hook| laid(hook, sent)) {
            Some(hook) => convert::of_hook(tenant, saved, hook).await?,
            None => convert::of_toml(tenant, saved, text).await?,
        };
        if hook.is_none() && is_form {
            // Nobody can read the text. What was typed into the form stays there.
            document.hook = laid(&json!({}), sent).unwrap_or_default();
        }
        let mut views = Views::new(console, visitor, id, document);
        let shown = sent.get("show");
        // What cannot be read has no form yet.
        views.is_toml = hook.is_none() || shown.map_or(!is_form, |shown| shown == "toml");
        Ok(views)
    }

    /// The fields of a part of the form.
    fn part<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a Field> {
        self.fields.iter().filter(move |field| field.part == part)
    }

    /// The field that a mistake is in: the one that says it most exactly stands behind the others.
    fn field_of(&self, error: &TextError) -> Option<&Field> {
        // The whole hook has no line. What has one and no key is about the text, and is in no field.
        let is_of_text = error.path.is_empty() && error.line.is_some();
        let mut fields = self.fields.iter().filter(|_| !is_of_text);
        fields.rfind(|field| field.has(&error.path))
    }

    /// The mistakes in a field.
    fn mistakes(&self, field: &Field) -> Vec<&TextError> {
        let errors = self.document.errors.iter();
        let is_in = |error: &&TextError| {
            let found = self.field_of(error);
            found.is_some_and(|found| found.path == field.path)
        };
        errors.filter(is_in).collect()
    }

    /// Where a mistake shows: what it is called there, and the id.
    fn place<'a>(&'a self, error: &'a TextError) -> (&'a str, String) {
        let key = error.path.trim_start_matches('/');
        match self.field_of(error) {
            Some(field) if self.is_live || !self.is_toml => (field.label, field.id()),
            _ => (
                if key.is_empty() { "the hook" } else { key },
                "toml".to_owned(),
            ),
        }
    }

    /// The text of a line, from 1.
    fn code(&self, line: usize) -> &str {
        let mut lines = self.document.toml.lines();
        lines.nth(line.saturating_sub(1)).unwrap_or_default()
    }
}

#[derive(Template)]
#[template(path = "hook.html")]
struct Page {
    frame: Frame,
    title: String,
    views: Views,
    stored: Option<Hook>,
    /// The version that a save follows.
    version: u64,
    comment: String,
    /// What somebody else has saved meanwhile, beside what was to be saved.
    theirs: Vec<Line>,
    /// Why nothing was saved, apart from mistakes.
    problem: Option<Problem>,
    trial: Trial,
    rows: Vec<Row>,
    /// The last day, hour by hour.
    day: Chart,
    /// What it took in this time.
    times: Of,
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
        let (day, times) = overview::day(&visitor.caller.tenant, stored.as_ref()).await?;
        let (title, newest, rows) = match &stored {
            Some(hook) => {
                let rows = of_hook(visitor, &hook.name, EXECUTIONS).await?;
                (hook.name.clone(), hook.version, rows)
            }
            None => ("New hook".to_owned(), 0, Vec::new()),
        };
        Ok(Page {
            frame: Frame::new(console, visitor, "/").await?,
            version: sent.text("version").parse().unwrap_or(newest),
            comment: sent.text("comment"),
            theirs: Vec::new(),
            problem: None,
            trial: Trial::new(visitor, &views.document.hook, sent).await?,
            title,
            day,
            times,
            rows,
            stored,
            views,
        })
    }

    fn mode(&self, hook: &Hook) -> String {
        hook.body["mode"].as_str().unwrap_or("enforce").to_owned()
    }
}

/// Shows a hook, or the form for a new one.
pub(super) async fn get(
    State(console): State<Console>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    visitor.caller.at_least(Role::Viewer)?;
    let tenant = &visitor.caller.tenant;
    let stored = tenant.hook(&id).await?;
    let document = match &stored {
        Some(hook) => convert::of_hook(tenant, &id, hook.body.clone()).await?,
        None if id == NEW => {
            let hook = json!({ "event": "BeforeToolCall", "block": "" });
            let document = convert::of_hook(tenant, "", hook).await?;
            // Nobody has made a mistake yet.
            Converted {
                errors: Vec::new(),
                ..document
            }
        }
        // If it is deleted, its versions can come back.
        None => return Ok(Redirect::to(&format!("/hook/{id}/versions")).into_response()),
    };
    let views = Views::new(&console, &visitor, &id, document);
    let sent = Sent(Vec::new());
    Ok(page(
        &Page::new(&console, &visitor, stored, views, &sent).await?,
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
    let stored = visitor.caller.tenant.hook(&id).await?;
    let mut shown = Page::new(&console, &visitor, stored, views, &sent).await?;
    let mut status = StatusCode::OK;
    match &*sent.text("do") {
        "save" => match save(&visitor, &id, &mut shown).await? {
            Ok(saved) => return Ok(done(&format!("/hook/{}", saved.id), "saved")),
            Err(why) => status = why,
        },
        "try" => {
            let hook = &shown.views.document.hook;
            shown.trial.run(&console, &visitor, hook, &sent).await?;
        }
        _ => {}
    }
    Ok((status, page(&shown)).into_response())
}

/// Saves what was sent, or says in the page why not.
async fn save(
    visitor: &Visitor,
    id: &str,
    shown: &mut Page,
) -> Result<Result<Hook, StatusCode>, Failed> {
    let by = visitor.caller.at_least(Role::Author)?;
    let (tenant, by) = (&visitor.caller.tenant, by.comment(&shown.comment));
    let document = &shown.views.document;
    if !document.errors.is_empty() {
        return Ok(Err(StatusCode::UNPROCESSABLE_ENTITY));
    }
    let saved = if id == NEW {
        tenant.create(&document.hook, &by).await
    } else {
        tenant.update(id, shown.version, &document.hook, &by).await
    };
    let problem = match saved {
        Ok(hook) => return Ok(Ok(hook)),
        Err(StoreError::Conflict { .. }) if let Some(theirs) = &shown.stored => {
            shown.theirs = diff::hooks(Some(&theirs.body), Some(&document.hook));
            shown.version = theirs.version;
            return Ok(Err(StatusCode::PRECONDITION_FAILED));
        }
        Err(error) => Problem::from(error),
    };
    let status = problem.status();
    shown.problem = Some(problem);
    Ok(Err(status))
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
    let hook = visitor.caller.tenant.hook(&id).await?;
    let hook = hook.ok_or_else(|| Problem::no("hook", &id))?;
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
    let tenant = &visitor.caller.tenant;
    tenant.delete(&id, deleted.version, &by).await?;
    Ok(done("/?of=draft", "deleted"))
}
