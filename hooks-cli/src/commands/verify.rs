//! `hooks verify` finds what was changed in a store other than by the store. The exit code is 1 if anything was, and 3 if not all
//! could be checked. It only reads.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks_store::{Anchored, Audited, Heads, Store, StoreError, Verified, verify_lines};
use serde_json::{Value, json};

use crate::paint::{self, Visible, say};
use crate::{Done, Failure, file};

/// How many records are read at once.
const PART: u32 = 1000;

/// What is checked.
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    /// A store, or a file of lines that `--lines` has printed.
    what: String,
    /// Print the records of this tenant of the store instead, oldest first and one a line, for a check without the
    /// store. The name of the global tenant is empty.
    #[arg(long, value_name = "TENANT", conflicts_with_all = ["heads", "expect"])]
    lines: Option<String>,
    /// Also print the newest row of each chain, in one signed line: keep it where it cannot be changed.
    #[arg(long)]
    heads: bool,
    /// Fail if a line of this file is not in the past of the store. The file has lines of `--heads`, here or of `hooks serve`.
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
}

/// The exit code if nothing was found, and not all could be checked.
const UNSURE: u8 = 3;

pub(crate) fn run(args: &VerifyArgs, as_json: bool) -> Done {
    let what = &*args.what;
    let is_store = ["sqlite:", "postgres:", "postgresql:"]
        .iter()
        .any(|scheme| what.starts_with(scheme));
    if !is_store && (args.lines.is_some() || args.heads || args.expect.is_some()) {
        let message = "only a store has lines and heads: name one, such as `sqlite:hooks.db`";
        return Err(Failure::usage(message));
    }
    if let Some(tenant) = &args.lines {
        file::block_on(print(what, tenant))?.map_err(failure)?;
        return Ok(ExitCode::SUCCESS);
    }
    if is_store {
        return file::block_on(audit(what, args, as_json))?;
    }
    let lines = open_file(Path::new(what))?;
    let verified = verify_lines(lines).map_err(Failure::found)?;
    tell(what, &verified, as_json);
    Ok(code(&[&verified], 0))
}

fn open_file(path: &Path) -> Result<BufReader<File>, Failure> {
    let opened = File::open(path).map(BufReader::new);
    opened.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// The exit code; `unread` lines of heads could not be checked.
fn code(found: &[&Verified], unread: u64) -> ExitCode {
    let is_unsure = |one: &&Verified| one.unread > 0 || one.unsure.is_some();
    if found.iter().any(|one| one.broken.is_some()) {
        ExitCode::from(1)
    } else if unread > 0 || found.iter().any(is_unsure) {
        ExitCode::from(UNSURE)
    } else {
        ExitCode::SUCCESS
    }
}

/// Says what a chain was found to be.
fn tell(named: &str, verified: &Verified, as_json: bool) {
    let Verified {
        rows,
        unread,
        unsigned,
        unsure,
        broken,
        ..
    } = verified;
    if as_json {
        let told = json!({ "chain": named, "rows": rows, "unread": unread, "unsigned": unsigned, "unsure": unsure, "broken": broken });
        paint::json(&told);
        return;
    }
    let named = Visible(named);
    match broken {
        Some(broken) => {
            let what = paint::lines(&broken.what);
            match broken.seq {
                0 => say!("{named}: {what}"),
                seq => say!("{named}: row {seq} is not as it was written: {what}"),
            }
        }
        None => say!("{named}: {rows} rows are as they were written"),
    }
    if *unread > 0 {
        say!(
            "{named}: the details of {unread} rows were not read, because their key is not in `HOOKS_STORE_KEY`"
        );
    }
    if let Some(unsure) = unsure {
        say!("{named}: {unsure}");
    }
    if *unsigned > 0 {
        say!("{named}: the rows up to {unsigned} were written before the store had a key");
    }
}

/// Opens a store that is there already, to read it.
async fn open(url: &str) -> Result<Store, StoreError> {
    Store::builder(url).read_only().open().await
}

/// What went wrong: a store that is not there is a wrong name on the command line, and a key comes from the environment.
pub(crate) fn failure(error: StoreError) -> Failure {
    match error {
        StoreError::NotFound(_) => Failure::usage(format!(
            "{error}: name the one that `hooks serve --store` uses"
        )),
        StoreError::Key(_) => Failure::usage(error),
        error => Failure::found(error),
    }
}

/// Checks a store: what hooks did, what people changed, and what the budgets say.
async fn audit(url: &str, args: &VerifyArgs, as_json: bool) -> Done {
    let store = open(url).await.map_err(failure)?;
    let anchored = match &args.expect {
        Some(file) => store.anchored(open_file(file)?).map_err(Failure::found)?,
        None => Anchored::default(),
    };
    let audited = store.audit(&anchored).await.map_err(failure)?;
    for Audited {
        tenant,
        log,
        verified,
    } in &audited
    {
        let tenant = if tenant.is_empty() { "global" } else { tenant };
        let what = match &**log {
            "admin" => "changes",
            "budget" => "budget",
            _ => "executions",
        };
        tell(&format!("{what} of {tenant}"), verified, as_json);
    }
    let found: Vec<_> = audited.iter().map(|one| &one.verified).collect();
    let is_signed = |one: &&Verified| one.is_signed || one.unsure.is_some();
    if !as_json && args.expect.is_none() && !found.iter().all(is_signed) {
        say!(
            "the store has no key: who can write it can make all of this anew, unless you compare it with heads that you have kept (`--expect`)"
        );
    }
    if anchored.unread() > 0 {
        file::warn(&format!(
            "{} lines of heads were signed with a key that is not in `HOOKS_STORE_KEY`",
            anchored.unread()
        ));
    }
    if args.heads
        && let Some(line) = Heads::default().next(&store).await.map_err(failure)?
    {
        say!("{line}");
    }
    store.close().await;
    Ok(code(&found, anchored.unread()))
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
