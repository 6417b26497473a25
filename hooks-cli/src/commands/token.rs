//! `hooks token` makes, lists and ends the tokens of a store, with which people, agents and nodes ask its daemon.

use std::iter;
use std::process::ExitCode;

use anstyle::Style;
use hooks_store::{By, PlainToken, Role, Store, StoreError, Tenant, Token};
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};
use serde_json::json;

use crate::commands::store;
use crate::paint::{self, say};
use crate::{Done, Failure, file};

#[derive(Debug, clap::Args)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    tokens: Tokens,
}

/// Where the tokens are.
#[derive(Debug, clap::Args)]
pub(crate) struct TokenStoreArgs {
    /// The store: `sqlite:hooks.db`, or `postgres://…`. `hooks serve` has made it.
    #[arg(long, value_name = "URL", env = "HOOKS_STORE", hide_env_values = true)]
    store: String,
}

#[derive(Debug, clap::Subcommand)]
enum Tokens {
    /// Print a new token. It is stored as a hash, and shown only once.
    New(New),
    /// List the tokens, which shows none of them.
    List {
        #[command(flatten)]
        of: TokenStoreArgs,
        /// Only those of this tenant.
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Print a new token with the name and the rights of another, which ends.
    Rotate {
        /// The id of the other one, from the list.
        id: String,
        #[command(flatten)]
        of: TokenStoreArgs,
        /// How long the other one is still good.
        #[arg(long, value_name = "TIME", default_value = "1h", value_parser = length)]
        grace: SignedDuration,
    },
    /// End a token now, and the sessions that it has opened.
    Revoke {
        /// Its id, from the list.
        id: String,
        #[command(flatten)]
        of: TokenStoreArgs,
    },
}

#[derive(Debug, clap::Args)]
struct New {
    #[command(flatten)]
    of: TokenStoreArgs,
    /// What it may do: viewer, operator, author, publisher or owner.
    #[arg(long)]
    role: Role,
    /// The tenant that it is for; by default the global one, whose hooks all tenants have.
    #[arg(long, default_value = "")]
    tenant: String,
    /// The agent that it is for.
    #[arg(long)]
    agent: Option<String>,
    /// What it is called in the list of tokens and in the log of changes; by default `command line`, and a number if that is taken.
    #[arg(long)]
    name: Option<String>,
    /// After what time it is refused, such as `90d` or `12h`; by default never.
    #[arg(long, value_name = "TIME", value_parser = length)]
    expires: Option<SignedDuration>,
}

/// Reads a length of time, such as `90d`.
fn length(text: &str) -> Result<SignedDuration, jiff::Error> {
    let span: Span = text.parse()?;
    span.to_duration(SpanRelativeTo::days_are_24_hours())
}

pub(crate) fn run(args: TokenArgs, as_json: bool) -> Done {
    let (Tokens::New(New { of, .. })
    | Tokens::List { of, .. }
    | Tokens::Rotate { of, .. }
    | Tokens::Revoke { of, .. }) = &args.tokens;
    file::block_on(async {
        let store = store::open(&of.store).await?;
        let done = act(&store, &args.tokens, as_json).await;
        store.close().await;
        done.map(|()| ExitCode::SUCCESS)
    })?
}

async fn act(store: &Store, tokens: &Tokens, as_json: bool) -> Result<(), Failure> {
    let by = By::new("command line").from("cli");
    match tokens {
        Tokens::New(new) => {
            let made = make(&store.tenant(&new.tenant), new, &by).await;
            show(&made.map_err(Failure::found)?, as_json);
        }
        Tokens::List { tenant, .. } => {
            let mut all = every(store).await.map_err(Failure::found)?;
            all.retain(|(of, _)| tenant.as_ref().is_none_or(|tenant| tenant == of.id()));
            list(&all, as_json);
        }
        Tokens::Rotate { id, grace, .. } => {
            let tenant = whose(store, id).await?;
            let made = tenant.rotate_token(id, *grace, &by).await;
            show(&made.map_err(Failure::found)?, as_json);
        }
        Tokens::Revoke { id, .. } => {
            let tenant = whose(store, id).await?;
            tenant.revoke_token(id, &by).await.map_err(Failure::found)?;
        }
    }
    Ok(())
}

async fn make(tenant: &Tenant, new: &New, by: &By) -> Result<PlainToken, StoreError> {
    let name = match &new.name {
        Some(name) => name.clone(),
        None => free_name(&tenant.tokens().await?),
    };
    let end = |after| Timestamp::now().saturating_add(after).unwrap_or_default();
    let (agent, ends) = (new.agent.as_deref(), new.expires.map(end));
    tenant.token_until(&name, new.role, agent, ends, by).await
}

fn free_name(tokens: &[Token]) -> String {
    let first = iter::once("command line".to_owned());
    let mut names = first.chain((2..).map(|number| format!("command line {number}")));
    let is_free = |name: &String| tokens.iter().all(|token| token.name != *name);
    names.find(is_free).unwrap_or_default()
}

fn show(token: &PlainToken, as_json: bool) {
    if as_json {
        paint::json(&json!({ "id": token.id(), "token": token.to_string() }));
    } else {
        say!("{token}");
    }
}

/// All tokens of a store, each with its tenant.
async fn every(store: &Store) -> Result<Vec<(Tenant, Token)>, StoreError> {
    let mut all = Vec::new();
    for id in store.tenants().await? {
        let tenant = store.tenant(&id);
        let tokens = tenant.tokens().await?.into_iter();
        all.extend(tokens.map(|token| (tenant.clone(), token)));
    }
    Ok(all)
}

/// The tenant of a token.
async fn whose(store: &Store, id: &str) -> Result<Tenant, Failure> {
    let mut all = every(store).await.map_err(Failure::found)?.into_iter();
    let found = all.find(|(_, token)| token.id == id);
    let missing = || {
        Failure::usage(format!(
            "there is no token `{id}`: `hooks token list` has the ids"
        ))
    };
    found.map(|(tenant, _)| tenant).ok_or_else(missing)
}

fn list(all: &[(Tenant, Token)], as_json: bool) {
    if as_json {
        let all = all.iter().map(|(tenant, token)| {
            let mut token = json!(token);
            token["tenant"] = tenant.id().into();
            token
        });
        paint::json(&all.collect());
        return;
    }
    let time = |time: Option<Timestamp>| time.map(|time| time.strftime("%F %R").to_string());
    let rows = all.iter().map(|(tenant, token)| {
        let has_ended = token.ends.is_some_and(|end| end <= Timestamp::now());
        let cells = vec![
            token.id.clone(),
            token.name.clone(),
            token.role.to_string(),
            tenant.id().to_owned(),
            token.agent.clone().unwrap_or_default(),
            time(Some(token.at)).unwrap_or_default(),
            time(token.used).unwrap_or_else(|| "never".to_owned()),
            time(token.ends).unwrap_or_else(|| "never".to_owned()),
        ];
        (if has_ended { paint::DIM } else { Style::new() }, cells)
    });
    let titles = [
        "id", "name", "role", "tenant", "agent", "made", "used", "ends",
    ];
    paint::table(&titles, &rows.collect::<Vec<_>>());
}
