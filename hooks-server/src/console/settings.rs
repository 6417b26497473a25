//! Settings: who may what, secrets, limits, and who changed what.

use askama::Template;
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use hooks_store::{AdminEntry, BudgetUse, Hook, Role, SecretInfo, Token};
use serde::Deserialize;
use serde_json::Value;

use super::Console;
use super::failed::Failed;
use super::frame::{Frame, done, page};
use super::session::Visitor;
use super::when::When;
use crate::api::problem::Problem;

/// How many entries of the change log a page has.
const ENTRIES: u32 = 50;

/// The roles, from the one that may the least.
const ROLES: &[Role] = &[
    Role::Viewer,
    Role::Operator,
    Role::Author,
    Role::Publisher,
    Role::Owner,
];

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
    title: &'static str,
    shown: Shown,
    roles: &'static [Role],
    tokens: Vec<Token>,
    secrets: Vec<SecretInfo>,
    budgets: Vec<BudgetUse>,
    settings: Hook,
    tables: String,
    log: Vec<AdminEntry>,
    older: Option<u64>,
}

#[derive(Default, Deserialize)]
pub(super) struct Asked {
    /// Entries of the change log before this one.
    before: Option<u64>,
}

async fn show(
    console: &Console,
    visitor: &Visitor,
    asked: &Asked,
    shown: Shown,
) -> Result<Response, Failed> {
    let (caller, tenant) = (&visitor.caller, &visitor.caller.tenant);
    caller.at_least(Role::Viewer)?;
    let settings = tenant.settings().await?;
    // What a role may not see is not read.
    let tokens = match caller.at_least(Role::Owner) {
        Ok(_) => tenant.tokens().await?,
        Err(_) => Vec::new(),
    };
    let secrets = match caller.at_least(Role::Author) {
        Ok(_) => tenant.secrets().await?,
        Err(_) => Vec::new(),
    };
    let (log, older) = match caller.at_least(Role::Operator) {
        Ok(_) => {
            let log = tenant.admin_log(asked.before, ENTRIES).await?;
            (log.items, log.next)
        }
        Err(_) => (Vec::new(), None),
    };
    let written = || toml::to_string_pretty(&settings.body).unwrap_or_default();
    let status = shown
        .problem
        .as_ref()
        .map_or(StatusCode::OK, Problem::status);
    let shown = page(&Page {
        frame: Frame::new(console, visitor, "/settings").await?,
        title: "Settings",
        tables: shown.tables.clone().unwrap_or_else(written),
        shown,
        roles: ROLES,
        tokens,
        secrets,
        budgets: tenant.budgets().await?,
        settings,
        log,
        older,
    });
    Ok((status, shown).into_response())
}

/// Shows the settings.
pub(super) async fn get(
    State(console): State<Console>,
    visitor: Visitor,
    Query(asked): Query<Asked>,
) -> Result<Response, Failed> {
    show(&console, &visitor, &asked, Shown::default()).await
}

/// Goes back to the settings, or shows what is wrong.
async fn told(
    console: &Console,
    visitor: &Visitor,
    word: &str,
    result: Result<(), Problem>,
) -> Result<Response, Failed> {
    match result {
        Ok(()) => Ok(done("/settings", word)),
        Err(problem) => {
            let shown = Shown {
                problem: Some(problem),
                ..Shown::default()
            };
            show(console, visitor, &Asked::default(), shown).await
        }
    }
}

#[derive(Deserialize)]
pub(super) struct NewToken {
    name: String,
    role: String,
    #[serde(default)]
    agent: String,
}

/// Makes a token, and shows it once.
pub(super) async fn new_token(
    State(console): State<Console>,
    visitor: Visitor,
    Form(new): Form<NewToken>,
) -> Result<Response, Failed> {
    let made = async {
        let by = visitor.caller.at_least(Role::Owner)?;
        let role = new
            .role
            .parse()
            .map_err(|_| Problem::at("/role", "choose one of the roles"))?;
        let agent = Some(new.agent.trim()).filter(|agent| !agent.is_empty());
        Ok::<_, Problem>(
            visitor
                .caller
                .tenant
                .token_new(new.name.trim(), role, agent, &by)
                .await?,
        )
    };
    let shown = match made.await {
        Ok(token) => Shown {
            token: Some(token.to_string()),
            ..Shown::default()
        },
        Err(problem) => Shown {
            problem: Some(problem),
            ..Shown::default()
        },
    };
    show(&console, &visitor, &Asked::default(), shown).await
}

/// Revokes a token.
pub(super) async fn revoke_token(
    State(console): State<Console>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    let revoked = async {
        let by = visitor.caller.at_least(Role::Owner)?;
        Ok(visitor.caller.tenant.revoke_token(&id, &by).await?)
    };
    told(&console, &visitor, "gone", revoked.await).await
}

#[derive(Deserialize)]
pub(super) struct Secret {
    name: String,
    value: String,
}

/// Sets a secret, which is never shown.
pub(super) async fn put_secret(
    State(console): State<Console>,
    visitor: Visitor,
    Form(secret): Form<Secret>,
) -> Result<Response, Failed> {
    let put = async {
        let by = visitor.caller.at_least(Role::Publisher)?;
        visitor
            .caller
            .tenant
            .put_secret(secret.name.trim(), &secret.value, &by)
            .await?;
        Ok(())
    };
    told(&console, &visitor, "kept", put.await).await
}

/// Deletes a secret.
pub(super) async fn delete_secret(
    State(console): State<Console>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<Response, Failed> {
    let deleted = async {
        let by = visitor.caller.at_least(Role::Publisher)?;
        Ok(visitor.caller.tenant.delete_secret(&name, &by).await?)
    };
    told(&console, &visitor, "gone", deleted.await).await
}

#[derive(Deserialize)]
pub(super) struct Budget {
    limit: String,
}

/// Sets how many tokens of a model the hooks may use in a month.
pub(super) async fn put_budget(
    State(console): State<Console>,
    visitor: Visitor,
    Form(budget): Form<Budget>,
) -> Result<Response, Failed> {
    let put = async {
        let by = visitor.caller.at_least(Role::Owner)?;
        let limit = match budget.limit.trim() {
            "" => None,
            text => Some(
                text.parse()
                    .map_err(|_| Problem::at("/limit", "this is no number of tokens"))?,
            ),
        };
        Ok(visitor.caller.tenant.set_budget(None, limit, &by).await?)
    };
    told(&console, &visitor, "kept", put.await).await
}

#[derive(Deserialize)]
pub(super) struct Tables {
    version: u64,
    toml: String,
}

/// Saves the tables of the set, such as its limits, as a draft.
pub(super) async fn put_tables(
    State(console): State<Console>,
    visitor: Visitor,
    Form(tables): Form<Tables>,
) -> Result<Response, Failed> {
    let put = async {
        let by = visitor.caller.at_least(Role::Author)?;
        let read: Value = toml::from_str(&tables.toml)
            .map_err(|error| Problem::at("/toml", error.to_string()))?;
        visitor
            .caller
            .tenant
            .put_settings(tables.version, &read, &by)
            .await?;
        Ok::<_, Problem>(())
    };
    match put.await {
        Ok(()) => Ok(done("/settings", "saved")),
        Err(problem) => {
            let tables = Some(tables.toml);
            let shown = Shown {
                problem: Some(problem),
                tables,
                ..Shown::default()
            };
            show(&console, &visitor, &Asked::default(), shown).await
        }
    }
}
