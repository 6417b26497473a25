//! Settings: who may what, secrets, limits, what this deployment runs, and who changed what.

use std::collections::HashMap;

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::IntoResponse as _;
use hooks_store::{AdminEntry, BudgetUse, Hook, Role, SETTINGS, SecretInfo, Token};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::frame::{self, PageAnswer, PageFrame, done, page};
use super::name::SafeName;
use super::sent::{FormBody, FormFields};
use super::session::Visitor;
use super::when::TimeElement;
use crate::api::capabilities::Capabilities;
use crate::api::convert;
use crate::api::problem::Problem;

/// How many entries of the change log a page has.
const ENTRIES: usize = 50;

/// How many times 200 entries one page searches.
const SEARCHED: usize = 10;

#[derive(Template)]
#[template(path = "settings.html")]
struct Page {
    frame: PageFrame,
    /// A new token, which shows once.
    token: Option<String>,
    tokens: Vec<Token>,
    secrets: Vec<SecretInfo>,
    budgets: Vec<BudgetUse>,
    settings: Hook,
    tables: String,
    runs: Capabilities,
    asked: SettingsPageQuery,
    log: Vec<Logged>,
    older: Option<u64>,
}

#[derive(Default, Deserialize)]
pub(super) struct SettingsPageQuery {
    /// Entries of the change log before this one.
    before: Option<u64>,
    /// Those of a hook, by its name, and those of a person.
    #[serde(default)]
    hook: String,
    #[serde(default)]
    who: String,
}

/// A line of the change log.
struct Logged {
    entry: AdminEntry,
    /// What was changed, as people call it.
    name: String,
    /// How many there were: one person opens many events.
    count: u64,
}

/// The action that has one line for a person and an hour.
const READ: &str = "execution.detail";

/// The change log as people read it, and where it goes on.
async fn log(
    visitor: &Visitor,
    asked: &SettingsPageQuery,
) -> Result<(Vec<Logged>, Option<u64>), Problem> {
    let tenant = visitor.tenant();
    let ids = tenant.ids().await?.into_iter();
    let mut names: HashMap<_, _> = ids.map(|(name, (id, _))| (id, name)).collect();
    let deleted = tenant.deleted(1000).await?.into_iter();
    names.extend(deleted.map(|hook| (hook.id, hook.name)));
    let hour = |entry: &AdminEntry| entry.at.as_second() / 3600;
    let (mut shown, mut before) = (Vec::<Logged>::new(), asked.before);
    for _ in 0..SEARCHED {
        let page = tenant.admin_log(before, 200).await?;
        for entry in page.items {
            let known = names.get(&entry.entity);
            // The log says the name of a token beside its id.
            let is_named = entry.action.starts_with("token.") && !entry.comment.is_empty();
            let said = if is_named {
                &entry.comment
            } else {
                &entry.entity
            };
            let name = known.unwrap_or(said);
            let is_hook = entry.action.starts_with("hook.");
            let is_asked = (asked.who.is_empty() || asked.who == entry.actor)
                && (asked.hook.is_empty() || is_hook && asked.hook == *name);
            let is_same = |one: &&mut Logged| {
                let one = &one.entry;
                one.action == READ && one.actor == entry.actor && hour(one) == hour(&entry)
            };
            let mut views = shown.iter_mut().filter(|_| entry.action == READ);
            if !is_asked {
                continue;
            }
            if let Some(same) = views.find(is_same) {
                same.count += 1;
            } else if shown.len() == ENTRIES {
                return Ok((shown, Some(entry.seq + 1)));
            } else {
                let (name, count) = (name.clone(), 1);
                shown.push(Logged { entry, name, count });
            }
        }
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    Ok((shown, before))
}

async fn read(visitor: &Visitor, asked: SettingsPageQuery) -> Result<Page, Problem> {
    let tenant = visitor.tenant();
    let settings = tenant.settings().await?;
    let mut read = Page {
        token: None,
        tokens: Vec::new(),
        secrets: Vec::new(),
        budgets: tenant.budgets().await?,
        tables: convert::write(&settings.body).unwrap_or_default(),
        settings,
        runs: visitor.api.capabilities(),
        asked,
        log: Vec::new(),
        older: None,
        frame: PageFrame::new(visitor, "/settings", "Settings").await?,
    };
    // What a role may not see is not read.
    if read.frame.may(Role::Owner) {
        read.tokens = tenant.tokens().await?;
    }
    if read.frame.may(Role::Author) {
        read.secrets = tenant.secrets().await?;
    }
    if read.frame.may(Role::Operator) {
        (read.log, read.older) = log(visitor, &read.asked).await?;
    }
    Ok(read)
}

/// Shows the settings.
pub(super) async fn get(visitor: Visitor, Query(asked): Query<SettingsPageQuery>) -> PageAnswer {
    Ok(page(&read(&visitor, asked).await?))
}

/// Goes back to the settings, or shows what is wrong and what was typed for the tables of the set.
async fn told(
    visitor: &Visitor,
    tried: Result<String, Problem>,
    tables: Option<String>,
) -> PageAnswer {
    let problem = match tried {
        Ok(word) => return Ok(done("/settings", &word)),
        Err(problem) => problem,
    };
    let mut shown = read(visitor, SettingsPageQuery::default()).await?;
    shown.frame.problem = Some(problem);
    shown.tables = tables.unwrap_or(shown.tables);
    Ok((shown.frame.status(), page(&shown)).into_response())
}

/// Makes a token, and shows it once.
pub(super) async fn new_token(
    visitor: Visitor,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let made = async {
        let by = visitor.at_least(Role::Owner)?;
        let role = sent.text("role").parse();
        let role = role.map_err(|_| Problem::at("/role", "choose one of the roles"))?;
        let (name, agent) = (sent.text("name"), sent.written("agent"));
        let days = sent.written("days").map(|days| days.trim().parse::<u16>());
        let wrong = "write a whole number of days, such as 90";
        let days = days.transpose().map_err(|_| Problem::at("/days", wrong))?;
        let end = |days| Timestamp::now() + SignedDuration::from_hours(24 * i64::from(days));
        let ends = days.map(end);
        let tenant = visitor.tenant();
        let made = tenant.token_until(name.trim(), role, agent.as_deref(), ends, &by);
        Ok::<_, Problem>(made.await?)
    };
    match made.await {
        Ok(token) => {
            let mut shown = read(&visitor, SettingsPageQuery::default()).await?;
            shown.token = Some(token.to_string());
            Ok(page(&shown))
        }
        Err(problem) => told(&visitor, Err(problem), None).await,
    }
}

#[derive(Template)]
#[template(path = "confirm.html")]
struct Confirm {
    frame: PageFrame,
    /// What happens then, and why it cannot.
    then: String,
    refused: bool,
    /// The token that would be revoked.
    token: Option<Token>,
}

async fn token(visitor: &Visitor, id: &str) -> Result<Token, Problem> {
    let mut tokens = visitor.tenant().tokens().await?.into_iter();
    tokens
        .find(|token| token.id == id)
        .ok_or_else(|| Problem::no("token", id))
}

/// Asks whether a token is to be revoked.
pub(super) async fn ask_revoke(visitor: Visitor, Path(id): Path<String>) -> PageAnswer {
    visitor.at_least(Role::Owner)?;
    let token = token(&visitor, &id).await?;
    Ok(page(&Confirm {
        frame: PageFrame::new(&visitor, "/settings", format!("Revoke {}", token.name)).await?,
        then:
            "Programs that use it are refused at once, and its sessions end. It cannot come back."
                .to_owned(),
        refused: false,
        token: Some(token),
    }))
}

/// Revokes a token.
pub(super) async fn revoke_token(visitor: Visitor, Path(id): Path<String>) -> PageAnswer {
    let revoked = async {
        let by = visitor.at_least(Role::Owner)?;
        let name = token(&visitor, &id).await?.name;
        let by = by.comment(&*name);
        visitor.tenant().revoke_token(&id, &by).await?;
        Ok(frame::told("revoked", "what", [name]))
    };
    told(&visitor, revoked.await, None).await
}

/// Asks whether a secret is to be deleted.
pub(super) async fn ask_delete(visitor: Visitor, Path(name): Path<String>) -> PageAnswer {
    visitor.at_least(Role::Publisher)?;
    let hooks = visitor.tenant().hooks_with_secret(&name).await?;
    let then = match &*hooks {
        [] => "No live hook names it. All its values are removed, and cannot come back.".to_owned(),
        hooks => format!(
            "Live hooks name it: {}. Publish a set without it first.",
            hooks.join(", ")
        ),
    };
    Ok(page(&Confirm {
        frame: PageFrame::new(&visitor, "/settings", format!("Delete {name}")).await?,
        refused: !hooks.is_empty(),
        then,
        token: None,
    }))
}

/// Sets a secret, which is never shown.
pub(super) async fn put_secret(
    visitor: Visitor,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let name = sent.text("name");
    let put = async {
        let (by, name) = (visitor.at_least(Role::Publisher)?, name.trim());
        visitor
            .tenant()
            .put_secret(name, &sent.text("value"), &by)
            .await?;
        Ok(frame::told("secret", "what", [name.to_owned()]))
    };
    told(&visitor, put.await, None).await
}

/// Deletes a secret.
pub(super) async fn delete_secret(visitor: Visitor, Path(name): Path<String>) -> PageAnswer {
    let deleted = async {
        let by = visitor.at_least(Role::Publisher)?;
        visitor.tenant().delete_secret(&name, &by).await?;
        Ok(frame::told("gone", "what", [name]))
    };
    told(&visitor, deleted.await, None).await
}

/// Sets how many tokens of a model the hooks may use in a month.
pub(super) async fn put_budget(
    visitor: Visitor,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let put = async {
        let by = visitor.at_least(Role::Owner)?;
        // People write 1,000,000.
        let digits = sent.text("limit").replace(|c: char| ",_' ".contains(c), "");
        let limit = Some(digits).filter(|digits| !digits.is_empty());
        let limit = limit.map(|digits| digits.parse()).transpose();
        let wrong = "write a whole number, such as 1000000";
        let limit = limit.map_err(|_| Problem::at("/limit", wrong))?;
        visitor.tenant().set_budget(None, limit, &by).await?;
        Ok("budget".to_owned())
    };
    told(&visitor, put.await, None).await
}

/// Saves the tables of the set, such as its limits, as a draft.
pub(super) async fn put_tables(
    visitor: Visitor,
    FormBody(sent): FormBody<FormFields>,
) -> PageAnswer {
    let put = async {
        let by = visitor.at_least(Role::Author)?;
        let read = toml::from_str(&sent.text("toml"));
        let read = read.map_err(|error| Problem::at("/toml", error.to_string()))?;
        let tenant = visitor.tenant();
        let saved = tenant
            .put_settings(sent.parsed("version")?, &read, &by)
            .await?;
        // Before the first version there is nothing to go back to.
        Ok(match saved.version {
            1 => "saved".to_owned(),
            version => frame::undo("saved", SETTINGS, version),
        })
    };
    told(&visitor, put.await, Some(sent.text("toml"))).await
}
