//! Settings: who may what, secrets, limits, what this deployment runs, and who changed what.

use askama::Template;
use axum::extract::{Path, Query};
use axum::response::IntoResponse as _;
use hooks_store::{AdminEntry, BudgetUse, Hook, Role, SecretInfo, Token};
use serde::Deserialize;

use super::frame::{Answer, Frame, done, page};
use super::sent::Form;
use super::session::Visitor;
use super::when::When;
use crate::api::capabilities::Capabilities;
use crate::api::convert;
use crate::api::problem::Problem;

/// How many entries of the change log a page has.
const ENTRIES: u32 = 50;

/// What was just done, and shows once.
#[derive(Default)]
struct Shown {
    /// A new token.
    token: Option<String>,
    problem: Option<Problem>,
    /// What was typed for the tables of the set.
    tables: Option<String>,
}

#[derive(Template)]
#[template(path = "settings.html")]
struct Page {
    frame: Frame,
    token: Option<String>,
    tokens: Vec<Token>,
    secrets: Vec<SecretInfo>,
    budgets: Vec<BudgetUse>,
    settings: Hook,
    tables: String,
    runs: Capabilities,
    log: Vec<AdminEntry>,
    older: Option<u64>,
}

#[derive(Default, Deserialize)]
pub(super) struct Asked {
    /// Entries of the change log before this one.
    before: Option<u64>,
}

async fn show(visitor: &Visitor, asked: &Asked, shown: Shown) -> Answer {
    let tenant = visitor.tenant();
    let mut frame = Frame::new(visitor, "/settings", "Settings").await?;
    frame.problem = shown.problem;
    let settings = tenant.settings().await?;
    let mut read = Page {
        token: shown.token,
        tokens: Vec::new(),
        secrets: Vec::new(),
        budgets: tenant.budgets().await?,
        tables: match shown.tables {
            Some(typed) => typed,
            None => convert::write(&settings.body).unwrap_or_default(),
        },
        settings,
        runs: visitor.api.capabilities(),
        log: Vec::new(),
        older: None,
        frame,
    };
    // What a role may not see is not read.
    if read.frame.may(Role::Owner) {
        read.tokens = tenant.tokens().await?;
    }
    if read.frame.may(Role::Author) {
        read.secrets = tenant.secrets().await?;
    }
    if read.frame.may(Role::Operator) {
        let log = tenant.admin_log(asked.before, ENTRIES).await?;
        (read.log, read.older) = (log.items, log.next);
    }
    Ok((read.frame.status(), page(&read)).into_response())
}

/// Shows the settings.
pub(super) async fn get(visitor: Visitor, Query(asked): Query<Asked>) -> Answer {
    show(&visitor, &asked, Shown::default()).await
}

/// Goes back to the settings, or shows what is wrong and what was typed.
async fn told(
    visitor: &Visitor,
    word: &str,
    tried: Result<(), Problem>,
    tables: Option<String>,
) -> Answer {
    let Err(problem) = tried else {
        return Ok(done("/settings", word));
    };
    let shown = Shown {
        problem: Some(problem),
        tables,
        ..Shown::default()
    };
    show(visitor, &Asked::default(), shown).await
}

#[derive(Deserialize)]
pub(super) struct NewToken {
    name: String,
    role: String,
    #[serde(default)]
    agent: String,
}

/// Makes a token, and shows it once.
pub(super) async fn new_token(visitor: Visitor, Form(new): Form<NewToken>) -> Answer {
    let made = async {
        let by = visitor.at_least(Role::Owner)?;
        let role = new.role.parse();
        let role = role.map_err(|_| Problem::at("/role", "choose one of the roles"))?;
        let agent = Some(new.agent.trim()).filter(|agent| !agent.is_empty());
        let tenant = visitor.tenant();
        Ok::<_, Problem>(tenant.token_new(new.name.trim(), role, agent, &by).await?)
    };
    let mut shown = Shown::default();
    match made.await {
        Ok(token) => shown.token = Some(token.to_string()),
        Err(problem) => shown.problem = Some(problem),
    }
    show(&visitor, &Asked::default(), shown).await
}

/// Revokes a token.
pub(super) async fn revoke_token(visitor: Visitor, Path(id): Path<String>) -> Answer {
    let revoked = async {
        let by = visitor.at_least(Role::Owner)?;
        Ok(visitor.tenant().revoke_token(&id, &by).await?)
    };
    told(&visitor, "gone", revoked.await, None).await
}

#[derive(Deserialize)]
pub(super) struct Secret {
    name: String,
    value: String,
}

/// Sets a secret, which is never shown.
pub(super) async fn put_secret(visitor: Visitor, Form(secret): Form<Secret>) -> Answer {
    let put = async {
        let by = visitor.at_least(Role::Publisher)?;
        let (tenant, name) = (visitor.tenant(), secret.name.trim());
        tenant.put_secret(name, &secret.value, &by).await?;
        Ok(())
    };
    told(&visitor, "kept", put.await, None).await
}

/// Deletes a secret.
pub(super) async fn delete_secret(visitor: Visitor, Path(name): Path<String>) -> Answer {
    let deleted = async {
        let by = visitor.at_least(Role::Publisher)?;
        Ok(visitor.tenant().delete_secret(&name, &by).await?)
    };
    told(&visitor, "gone", deleted.await, None).await
}

#[derive(Deserialize)]
pub(super) struct Budget {
    limit: String,
}

/// Sets how many tokens of a model the hooks may use in a month.
pub(super) async fn put_budget(visitor: Visitor, Form(budget): Form<Budget>) -> Answer {
    let put = async {
        let by = visitor.at_least(Role::Owner)?;
        let text = Some(budget.limit.trim()).filter(|text| !text.is_empty());
        let limit = text.map(str::parse).transpose();
        let limit = limit.map_err(|_| Problem::at("/limit", "this is no number of tokens"))?;
        Ok(visitor.tenant().set_budget(None, limit, &by).await?)
    };
    told(&visitor, "kept", put.await, None).await
}

#[derive(Deserialize)]
pub(super) struct Tables {
    version: u64,
    toml: String,
}

/// Saves the tables of the set, such as its limits, as a draft.
pub(super) async fn put_tables(visitor: Visitor, Form(tables): Form<Tables>) -> Answer {
    let put = async {
        let by = visitor.at_least(Role::Author)?;
        let read = toml::from_str(&tables.toml);
        let read = read.map_err(|error| Problem::at("/toml", error.to_string()))?;
        let tenant = visitor.tenant();
        tenant.put_settings(tables.version, &read, &by).await?;
        Ok(())
    };
    told(&visitor, "saved", put.await, Some(tables.toml)).await
}
