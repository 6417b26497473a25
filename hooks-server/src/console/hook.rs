//! A hook: its form and its TOML as two views of one document, and what came of it.
//!
//! The document is the text in TOML, which travels with the form. Of the two views, the one that was changed last counts.

use askama::Template;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use hooks_runtime::{Replayed, Warning};
use hooks_store::{By, Hook, Role, StoreError, Tenant};
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use super::chart::Chart;
use super::diff::{self, DiffLine};
use super::executions::{ExecutionRow, of_hook};
use super::form::{FormField, fields, laid};
use super::frame::{PageAnswer, PageFrame, done, page, to, undo};
use super::name::SafeName;
use super::overview::{self, HookActivity};
use super::sent::{FormBody, FormFields};
use super::session::Visitor;
use super::trial::Trial;
use super::when::TimeElement;
use crate::api::convert::{self, Converted, TextError};
use crate::api::problem::{Problem, found};

/// The id in the address of a hook that is not saved yet.
const NEW: &str = "new";

/// How many executions the page shows.
const EXECUTIONS: u32 = 10;

/// How much of a line with a mistake shows, in bytes.
const CODE: usize = 160;

/// The two views.
struct Views {
    id: String,
    document: Converted,
    fields: Vec<FormField>,
    /// Whether the TOML counts. Without a script, the one that counts is the one that shows.
    is_toml: bool,
    /// Whether both show and follow each other.
    is_live: bool,
    is_author: bool,
    /// What is probably not intended.
    warnings: Vec<Warning>,
    /// `yes` if the author has said that what is grave is intended.
    sure: String,
    past: Past,
}

/// Events of the past, judged by the hook alone.
enum Past {
    /// None is kept, or the visitor may not ask.
    Hidden,
    NotAsked,
    Judged(Box<Replayed>),
}

impl Views {
    fn new(visitor: &Visitor, id: &str, document: Converted) -> Self {
        let is_global = visitor.tenant().id().is_empty();
        Views {
            id: id.to_owned(),
            fields: fields(&document.hook, &visitor.api.capabilities(), is_global),
            document,
            is_toml: false,
            is_live: false,
            is_author: visitor.caller.role >= Role::Author,
            warnings: Vec::new(),
            sure: String::new(),
            past: match visitor.api.may_replay(&visitor.caller) {
                Ok(_) if visitor.caller.role >= Role::Author => Past::NotAsked,
                _ => Past::Hidden,
            },
        }
    }

    /// The same, with what is probably not intended.
    async fn warned(mut self, visitor: &Visitor) -> Result<Self, Problem> {
        if self.document.errors.is_empty() {
            let warnings = visitor.api.warnings(visitor.tenant(), &self.document.hook);
            self.warnings = warnings.await?;
        }
        Ok(self)
    }

    /// The same, with what the hook would have done with events of the past.
    async fn judged(mut self, visitor: &Visitor) -> Result<Self, Problem> {
        if self.document.errors.is_empty() {
            let (api, hook) = (&visitor.api, &self.document.hook);
            let asked = api.replay_alone(&visitor.caller, hook).await?;
            self.past = Past::Judged(Box::new(asked));
        }
        Ok(self)
    }

    /// Reads what was sent.
    async fn sent(visitor: &Visitor, id: &str, sent: &FormFields) -> Result<Self, Problem> {
        let (tenant, text) = (visitor.tenant(), sent.text("toml"));
        let saved = if id == NEW { "" } else { id };
        let is_form = sent.text("view") == "form";
        let hook = convert::hook(&text);
        let read = hook.as_ref().filter(|_| is_form);
        let mut document = match read.and_then(|hook| laid(hook, sent)) {
            Some(hook) => convert::of_hook(tenant, saved, hook, &text).await?,
            None => convert::of_toml(tenant, saved, text).await?,
        };
        if hook.is_none() && is_form {
            // The text cannot be read. What was typed into the form stays there.
            document.hook = laid(&json!({}), sent).unwrap_or_default();
        }
        let mut views = Views::new(visitor, id, document);
        let shown = sent.get("show");
        // What cannot be read has no form yet.
        views.is_toml = hook.is_none() || shown.map_or(!is_form, |shown| shown == "toml");
        views.sure = sent.text("sure");
        views.warned(visitor).await
    }

    /// The fields of a part of the form.
    fn part<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a FormField> {
        self.fields.iter().filter(move |field| field.part == part)
    }

    /// The field that a mistake is in: the one that says it most exactly comes last.
    fn field_of(&self, error: &TextError) -> Option<&FormField> {
        // The whole hook has no line. What has one and no key is about the text, and is in no field.
        let is_of_text = error.path.is_empty() && error.line.is_some();
        let mut fields = self.fields.iter().filter(|_| !is_of_text);
        fields.rfind(|field| field.has(&error.path))
    }

    /// The mistakes in a field.
    fn mistakes(&self, field: &FormField) -> Vec<&TextError> {
        let is_own = |error: &&TextError| {
            let found = self.field_of(error);
            found.is_some_and(|found| found.path == field.path)
        };
        self.document.errors.iter().filter(is_own).collect()
    }

    /// Whether the view that counts shows a mistake: at its field, or at its line. Otherwise the head of the page shows
    /// it.
    fn is_placed(&self, error: &TextError) -> bool {
        if self.is_toml {
            error.line.is_some()
        } else {
            self.field_of(error).is_some()
        }
    }

    /// Where a mistake or a warning is: what that is called, and the id.
    fn place<'a>(&'a self, error: &'a TextError) -> (&'a str, String) {
        match self.field_of(error) {
            Some(field) if !self.is_toml => (field.label, field.id()),
            Some(field) => (field.label, "toml".to_owned()),
            None if error.path.is_empty() => ("TOML", "toml".to_owned()),
            None => (error.path.trim_start_matches('/'), "toml".to_owned()),
        }
    }

    /// Asks whether something grave is meant.
    fn asked(warning: &Warning) -> String {
        format!(
            "This {}. Really?",
            warning.text.trim_start_matches("the hook ")
        )
    }

    /// What an author should not save by mistake.
    fn grave(&self) -> impl Iterator<Item = &Warning> {
        self.warnings.iter().filter(|warning| warning.is_grave)
    }

    /// The view that does not show, and its name.
    fn other(&self) -> (&str, &str) {
        if self.is_toml {
            ("form", "Show as form")
        } else {
            ("toml", "Show as TOML")
        }
    }

    /// The beginning of a line, from 1.
    fn code(&self, line: usize) -> &str {
        let mut lines = self.document.toml.lines();
        let line = lines.nth(line.saturating_sub(1)).unwrap_or_default();
        &line[..line.floor_char_boundary(CODE)]
    }
}

#[derive(Template)]
#[template(path = "hook.html")]
struct Page {
    frame: PageFrame,
    views: Views,
    stored: Option<Hook>,
    /// The version that a save follows.
    version: u64,
    comment: String,
    /// What another author has saved meanwhile, beside what was to be saved.
    theirs: Vec<DiffLine>,
    trial: Trial,
    rows: Vec<ExecutionRow>,
    /// The last day, hour by hour.
    day: Chart,
    /// What it took in this time.
    times: HookActivity,
    /// The version and the mode that are live.
    live: Option<(u64, String)>,
    /// The nodes on which it is not asked, because it has failed too often.
    paused: Vec<String>,
}

#[derive(Template)]
#[template(path = "hook.html", block = "views")]
struct Live {
    views: Views,
}

#[derive(Template)]
#[template(path = "judged.html")]
struct TestVerdict {
    views: Views,
}

impl Page {
    async fn new(
        visitor: &Visitor,
        stored: Option<Hook>,
        views: Views,
        sent: &FormFields,
    ) -> Result<Self, Problem> {
        let (day, times) = overview::day(visitor.tenant(), stored.as_ref()).await?;
        let (title, newest, rows) = match &stored {
            Some(hook) => {
                let rows = of_hook(visitor, &hook.name, EXECUTIONS).await?;
                (&*hook.name, hook.version, rows)
            }
            None => ("New hook", 0, Vec::new()),
        };
        let name = stored.as_ref().map(|hook| &*hook.name);
        let newest_set = visitor.tenant().newest_set().await?;
        let mut live = newest_set.iter().flat_map(|set| &set.hooks);
        let live = live.find(|hook| hook["name"].as_str() == name);
        let open = visitor.tenant().breakers().await?.into_iter();
        let open = open.filter(|breaker| Some(&*breaker.hook) == name);
        Ok(Page {
            frame: PageFrame::new(visitor, "/", title).await?,
            version: sent.text("version").parse().unwrap_or(newest),
            comment: sent.text("comment"),
            theirs: Vec::new(),
            trial: Trial::new(visitor, &views.document.hook, sent).await?,
            live: live.map(|hook| {
                let version = hook["version"].as_u64().unwrap_or_default();
                (version, Self::mode(hook).to_owned())
            }),
            paused: open.map(|breaker| breaker.node).collect(),
            day,
            times,
            rows,
            stored,
            views,
        })
    }

    /// Says why nothing was saved.
    fn refused(&mut self, why: Option<StoreError>) -> StatusCode {
        match (why, &self.stored) {
            (None, _) => StatusCode::UNPROCESSABLE_ENTITY,
            (Some(StoreError::Conflict { .. }), Some(theirs)) => {
                self.theirs = diff::hooks(Some(&theirs.body), Some(&self.views.document.hook));
                self.version = theirs.version;
                StatusCode::PRECONDITION_FAILED
            }
            (Some(StoreError::NotFound(_)), None) => {
                self.frame.title = String::from("Deleted hook");
                let why = "the hook was deleted meanwhile: put it back at Publish, and save again. What you typed is here";
                self.frame.problem = Some(Problem::new(StatusCode::NOT_FOUND, why));
                StatusCode::NOT_FOUND
            }
            (Some(error), _) => {
                self.frame.problem = Some(error.into());
                self.frame.status()
            }
        }
    }

    fn mode(hook: &Value) -> &str {
        hook["mode"].as_str().unwrap_or("enforce")
    }
}

/// Shows a hook, or the form for a new one.
pub(super) async fn get(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(asked): Query<FormFields>,
) -> PageAnswer {
    let tenant = visitor.tenant();
    let stored = tenant.hook(&id).await?;
    let document = match &stored {
        Some(hook) => convert::of_hook(tenant, &id, hook.body.clone(), &hook.text).await?,
        None if id == NEW => {
            let hook = json!({ "name": "", "event": "BeforeToolCall", "block": "" });
            let mut document = convert::of_hook(tenant, "", hook, "").await?;
            // What is missing does not count as a mistake yet.
            document.errors.clear();
            document
        }
        // If it is deleted, its versions can come back.
        None => {
            let id: String = byte_serialize(id.as_bytes()).collect();
            return Ok(to(&format!("/hook/{id}/versions")));
        }
    };
    let mut views = Views::new(&visitor, &id, document);
    views.is_toml = asked.text("show") == "toml";
    if stored.is_some() {
        views = views.warned(&visitor).await?;
    }
    let shown = Page::new(&visitor, stored, views, &FormFields::default()).await?;
    Ok(page(&shown))
}

/// Saves a hook, tries it, or shows its other view.
pub(super) async fn post(
    visitor: Visitor,
    Path(id): Path<String>,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let what = sent.text("do");
    // An author changes what is shown, and an operator only tries it.
    let role = if what == "try" {
        Role::Operator
    } else {
        Role::Author
    };
    let by = visitor.at_least(role)?.comment(sent.text("comment"));
    let (views, tenant) = (Views::sent(&visitor, &id, &sent).await?, visitor.tenant());
    let mut refused = None;
    if what == "save" {
        match save(tenant, &id, &views, &sent, by).await {
            Ok(saved) => {
                let word = undo("saved", &saved.id, saved.version);
                return Ok(done(&format!("/hook/{}", saved.id), &word));
            }
            Err(why) => refused = Some(why),
        }
    }
    let mut shown = Page::new(&visitor, tenant.hook(&id).await?, views, &sent).await?;
    let status = refused.map_or(StatusCode::OK, |why| shown.refused(why));
    match &*what {
        "try" => {
            let hook = &shown.views.document.hook;
            shown.trial.run(&visitor, hook, &sent).await?;
        }
        "past" => shown.views = shown.views.judged(&visitor).await?,
        _ => {}
    }
    Ok((status, page(&shown)).into_response())
}

/// Saves what was sent, or returns why not: nothing if its mistakes say so, or a question is open.
async fn save(
    tenant: &Tenant,
    id: &str,
    views: &Views,
    sent: &FormFields,
    by: By,
) -> Result<Hook, Option<StoreError>> {
    let (document, by) = (&views.document, by.text(&views.document.toml));
    if !document.errors.is_empty() || (views.grave().next().is_some() && views.sure != "yes") {
        return Err(None);
    }
    let saved = if id == NEW {
        tenant.create(&document.hook, &by).await
    } else {
        let version = sent.text("version").parse().unwrap_or(0);
        tenant.update(id, version, &document.hook, &by).await
    };
    saved.map_err(Some)
}

/// Shows what was changed in one view in the other, with all mistakes.
pub(super) async fn convert(visitor: Visitor, FormBody(sent): FormBody<FormFields>) -> PageAnswer {
    visitor.at_least(Role::Author)?;
    let mut views = Views::sent(&visitor, &sent.text("id"), &sent).await?;
    views.is_live = true;
    Ok(page(&Live { views }))
}

/// Judges events of the past with a hook as it is typed.
pub(super) async fn past(visitor: Visitor, FormBody(sent): FormBody<FormFields>) -> PageAnswer {
    visitor.at_least(Role::Author)?;
    let views = Views::sent(&visitor, &sent.text("id"), &sent).await?;
    let views = views.judged(&visitor).await?;
    Ok(page(&TestVerdict { views }))
}

#[derive(Template)]
#[template(path = "delete.html")]
struct Confirm {
    frame: PageFrame,
    hook: Hook,
}

/// Asks whether a hook is to be deleted.
pub(super) async fn confirm(visitor: Visitor, Path(id): Path<String>) -> PageAnswer {
    visitor.at_least(Role::Author)?;
    let hook = found(visitor.tenant().hook(&id).await?, "hook", &id)?;
    Ok(page(&Confirm {
        frame: PageFrame::new(&visitor, "/", format!("Delete {}", hook.name)).await?,
        hook,
    }))
}

/// Deletes a hook from the draft.
pub(super) async fn delete(
    visitor: Visitor,
    Path(id): Path<String>,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let by = visitor.at_least(Role::Author)?;
    let version: u64 = sent.parsed("version")?;
    visitor.tenant().delete(&id, version, &by).await?;
    Ok(done("/?of=draft", &undo("deleted", &id, version + 1)))
}
