//! `hooks verify` walks the chain of records, and finds what was changed afterwards. The exit code is 1 if anything was.

use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

use hooks_store::{Store, StoreError, Verified, verify_lines};
use serde_json::{Value, json};

use crate::paint::{self, Visible, say};
use crate::{Done, Failure, file};

/// How many records are read at once.
const PART: u32 = 1000;

/// What is checked.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A store, or a file of lines that `--lines` has printed.
    what: String,
    /// Print the records of this tenant of the store instead, oldest first and one a line, for somebody who checks them
    /// without the store. The name of the global tenant is empty.
    #[arg(long, value_name = "TENANT")]
    lines: Option<String>,
}

pub(crate) fn run(args: &Args, as_json: bool) -> Done {
    let what = &*args.what;
    let is_store = ["sqlite:", "postgres:", "postgresql:"]
        .iter()
        .any(|scheme| what.starts_with(scheme));
    if !is_store && args.lines.is_some() {
        let message = "only a store has lines to print: name one, such as `sqlite:hooks.db`";
        return Err(Failure::usage(message));
    }
    if let Some(tenant) = &args.lines {
        file::block_on(print(what, tenant))?.map_err(failure)?;
        return Ok(ExitCode::SUCCESS);
    }
    let walked = if is_store {
        file::block_on(walk(what))?.map_err(failure)?
    } else {
        let lines = File::open(what).map_err(|error| Failure::usage(format!("{what}: {error}")))?;
        let verified = verify_lines(BufReader::new(lines)).map_err(Failure::found)?;
        vec![(what.to_owned(), verified)]
    };
    for (named, verified) in &walked {
        tell(named, verified, as_json);
    }
    let is_whole = walked.iter().all(|(_, verified)| verified.broken.is_none());
    Ok(ExitCode::from(u8::from(!is_whole)))
}

/// Says what a chain was found to be.
fn tell(named: &str, verified: &Verified, as_json: bool) {
    let Verified {
        rows,
        unread,
        broken,
        ..
    } = verified;
    if as_json {
        paint::json(&json!({ "chain": named, "rows": rows, "unread": unread, "broken": broken }));
        return;
    }
    let named = Visible(named);
    match broken {
        Some(broken) => {
            let what = paint::lines(&broken.what);
            say!(
                "{named}: row {} is not as it was written: {what}",
                broken.seq
            );
        }
        None => say!("{named}: {rows} rows are as they were written"),
    }
    if *unread > 0 {
        say!(
            "{named}: the details of {unread} rows were not read, because their key is not in `HOOKS_STORE_KEY`"
        );
    }
}

/// Opens a store that is there already, to read it.
async fn open(url: &str) -> Result<Store, StoreError> {
    Store::builder(url).existing().open().await
}

/// What went wrong: a store that is not there is a wrong name on the command line.
fn failure(error: StoreError) -> Failure {
    match error {
        StoreError::NotFound(_) => Failure::usage(format!(
            "{error}: name the one that `hooks serve --store` uses"
        )),
        error => Failure::found(error),
    }
}

/// Walks both chains of each tenant: what hooks did, and what people changed.
async fn walk(url: &str) -> Result<Vec<(String, Verified)>, StoreError> {
    let store = open(url).await?;
    let mut walked = Vec::new();
    for id in store.tenants().await? {
        let tenant = store.tenant(&id);
        let named = if id.is_empty() { "global" } else { &id };
        walked.push((format!("executions of {named}"), tenant.verify().await?));
        walked.push((
            format!("changes of {named}"),
            tenant.verify_admin_log().await?,
        ));
    }
    store.close().await;
    Ok(walked)
}

/// Prints the records of a tenant as lines.
async fn print(url: &str, tenant: &str) -> Result<(), StoreError> {
    let store = open(url).await?;
    let tenant = store.tenant(tenant);
    let mut last = Some(0);
    while let Some(seq) = last {
        let lines = tenant.lines(seq, PART).await?;
        for line in &lines {
            say!("{line}");
        }
        let read = lines.last().and_then(|line| line.parse::<Value>().ok());
        last = read.and_then(|line| line["seq"].as_u64());
    }
    store.close().await;
    Ok(())
}
