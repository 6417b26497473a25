//! `hooks token new` makes a token for a store, with which a person, an agent or a node asks its daemon.

use std::iter;
use std::process::ExitCode;

use hooks_store::{By, Role, Store, Token};
use serde_json::json;

use crate::paint::{self, say};
use crate::{Done, Failure, file};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Tokens {
    /// Print a new token. It is stored as a hash, and shown only once.
    New(Args),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The store: `sqlite:hooks.db`, or `postgres://…`.
    #[arg(long, value_name = "URL")]
    store: String,
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
}

pub(crate) fn run(command: Tokens, as_json: bool) -> Done {
    let Tokens::New(args) = command;
    let token = file::block_on(async {
        let store = Store::open(&args.store).await?;
        let tenant = store.tenant(&args.tenant);
        let by = By::new("command line").from("cli");
        let name = match args.name {
            Some(name) => name,
            None => free_name(&tenant.tokens().await?),
        };
        let token = tenant
            .token_new(&name, args.role, args.agent.as_deref(), &by)
            .await;
        store.close().await;
        token
    })?
    .map_err(Failure::found)?;
    if as_json {
        paint::json(&json!({ "token": token.to_string() }));
    } else {
        say!("{token}");
    }
    Ok(ExitCode::SUCCESS)
}

fn free_name(tokens: &[Token]) -> String {
    let first = iter::once("command line".to_owned());
    let mut names = first.chain((2..).map(|number| format!("command line {number}")));
    let is_free = |name: &String| tokens.iter().all(|token| token.name != *name);
    names.find(is_free).unwrap_or_default()
}
