//! `/secrets`, `/budgets`, `/tokens`, `/admin-log`: what an owner keeps.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use hooks_store::Role;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ApiAnswer;
use super::caller::{ApiCaller, Author, Operator, Owner, Publisher};
use super::extract::{JsonBody, Path, Query};
use super::problem::Problem;
use super::wire::{AdminEntry, Budget, List, PageQuery, Secret, Token};

/// Lists the secrets, without their values.
#[utoipa::path(get, path = "/secrets", responses((status = 200, body = List<Secret>)))]
pub(super) async fn secrets(Author(caller, _): Author) -> ApiAnswer<List<Secret>> {
    Ok(axum::Json(List::whole(caller.tenant.secrets().await?)))
}

/// The value of a secret. It is never read back.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SecretValue {
    /// The value.
    value: String,
}

/// A version that is new.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Version {
    /// Its number.
    version: u64,
}

/// Sets a secret. Hooks read it as `secret:NAME`.
#[utoipa::path(put, path = "/secrets/{name}", params(("name" = String, Path, description = "The name")), request_body = SecretValue, responses((status = 200, body = Version)))]
pub(super) async fn put_secret(
    Publisher(caller, by): Publisher,
    Path(name): Path<String>,
    JsonBody(secret): JsonBody<SecretValue>,
) -> ApiAnswer<Version> {
    let version = caller.tenant.put_secret(&name, &secret.value, &by).await?;
    Ok(axum::Json(Version { version }))
}

/// Removes a secret.
#[utoipa::path(delete, path = "/secrets/{name}", params(("name" = String, Path, description = "The name")), responses((status = 204)))]
pub(super) async fn delete_secret(
    Publisher(caller, by): Publisher,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    caller.tenant.delete_secret(&name, &by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists what was used, by month.
#[utoipa::path(get, path = "/budgets", responses((status = 200, body = List<Budget>)))]
pub(super) async fn budgets(caller: ApiCaller) -> ApiAnswer<List<Budget>> {
    Ok(axum::Json(List::whole(caller.tenant.budgets().await?)))
}

/// A limit.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct BudgetLimit {
    /// The month, as in `2026-11`; by default, every month.
    month: Option<String>,
    /// The most tokens of a model that hooks use in it; none for no limit.
    limit: Option<u64>,
}

/// Sets the most that hooks use in a month.
#[utoipa::path(put, path = "/budgets", request_body = BudgetLimit, responses((status = 204)))]
pub(super) async fn put_budget(
    Owner(caller, by): Owner,
    JsonBody(set): JsonBody<BudgetLimit>,
) -> Result<StatusCode, Problem> {
    caller
        .tenant
        .set_budget(set.month.as_deref(), set.limit, &by)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the tokens, without their texts.
#[utoipa::path(get, path = "/tokens", responses((status = 200, body = List<Token>)))]
pub(super) async fn tokens(Owner(caller, _): Owner) -> ApiAnswer<List<Token>> {
    Ok(axum::Json(List::whole(caller.tenant.tokens().await?)))
}

/// A token to make.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewToken {
    /// What it is for.
    name: String,
    /// `viewer`, `operator`, `author`, `publisher` or `owner`.
    #[schema(value_type = String)]
    role: Role,
    /// The agent that it is for.
    agent: Option<String>,
    /// From when on it is refused, as in `2027-01-31T00:00:00Z`; never if nothing is said.
    #[schema(value_type = Option<String>, format = DateTime)]
    ends: Option<Timestamp>,
}

/// A token that is new.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedToken {
    /// Its text, which is shown only here.
    token: String,
}

/// Makes a token for the caller's tenant.
#[utoipa::path(post, path = "/tokens", request_body = NewToken, responses((status = 201, body = CreatedToken)))]
pub(super) async fn new_token(
    Owner(caller, by): Owner,
    JsonBody(new): JsonBody<NewToken>,
) -> Result<impl IntoResponse, Problem> {
    // The token of an agent makes tokens for that agent only.
    let agent = caller.reads_of(new.agent)?;
    let made = caller
        .tenant
        .token_until(&new.name, new.role, agent.as_deref(), new.ends, &by)
        .await?;
    let token = made.to_string();
    Ok((StatusCode::CREATED, axum::Json(CreatedToken { token })))
}

/// Revokes a token.
#[utoipa::path(delete, path = "/tokens/{id}", params(("id" = String, Path, description = "The id of the token")), responses((status = 204)))]
pub(super) async fn delete_token(
    Owner(caller, by): Owner,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    caller.tenant.revoke_token(&id, &by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists what people have changed, newest first.
#[utoipa::path(get, path = "/admin-log", params(PageQuery), responses((status = 200, body = List<AdminEntry>)))]
pub(super) async fn admin_log(
    Operator(caller, _): Operator,
    Query(page): Query<PageQuery>,
) -> ApiAnswer<List<AdminEntry>> {
    let found = caller.tenant.admin_log(page.cursor, page.limit()).await?;
    Ok(axum::Json(List::page(found)))
}
