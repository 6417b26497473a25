//! `hooks store` is for the operator of a store: backups, upgrades, and new keys.

use std::path::PathBuf;
use std::process::ExitCode;

use hooks_store::{By, Store, StoreError};
use serde_json::{Value, json};
use url::Url;

use crate::commands::verify;
use crate::paint::{self, say};
use crate::{Done, Failure, file};

/// A store that is there.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreArgs {
    /// The store: `sqlite:hooks.db`, or `postgres://…`.
    #[arg(value_name = "STORE", env = "HOOKS_STORE", hide_env_values = true)]
    url: String,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Stores {
    /// Copy a store of SQLite into one new file, while daemons work with it. Its keys are not in it.
    Backup {
        #[command(flatten)]
        of: StoreArgs,
        /// The file. It must not exist.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Check a backup, and make a store of it.
    Restore {
        /// The backup.
        file: PathBuf,
        /// The store of SQLite. It must not exist.
        #[arg(long, value_name = "STORE")]
        to: String,
    },
    /// After a backup was put back: make what is in it newer than what running daemons and agents have seen.
    Restored(StoreArgs),
    /// Bring the tables to the version of this program.
    Migrate {
        #[command(flatten)]
        of: StoreArgs,
        /// Change nothing, and say what would change. The exit code is 1 if anything would.
        #[arg(long)]
        check: bool,
    },
    /// Encrypt everything with the first key of `HOOKS_STORE_KEY`, so that the others can go.
    Reencrypt(StoreArgs),
}

pub(crate) fn run(command: Stores, as_json: bool) -> Done {
    let (done, said) = file::block_on(act(&command))??;
    if as_json {
        paint::json(&done);
    } else {
        say!("{}", paint::lines(&said));
    }
    let is_due =
        matches!(command, Stores::Migrate { check: true, .. }) && done["changes"] != json!([]);
    Ok(ExitCode::from(u8::from(is_due)))
}

/// Opens a store that is there already, with the tables of this version.
pub(crate) async fn open(url: &str) -> Result<Store, Failure> {
    let store = Store::builder(url).existing().open().await;
    store.map_err(verify::failure)
}

/// Does it, and says what was done to programs and to people.
async fn act(command: &Stores) -> Result<(Value, String), Failure> {
    let by = By::new("command line").from("cli");
    Ok(match command {
        Stores::Backup { of, output } => {
            let name = output.display().to_string();
            expect_file(
                &of.url,
                &["pg_dump", "--format=custom", "--file", &name],
                None,
            )?;
            let made = open(&of.url).await?.backup(output).await;
            made.map_err(Failure::found)?;
            let said = format!("{name} has everything but the keys: keep these elsewhere");
            (json!({ "backup": name }), said)
        }
        Stores::Restore { file, to } => {
            let name = file.display().to_string();
            let words = ["pg_restore", "--clean", "--if-exists", "--dbname"];
            expect_file(to, &words, Some(&name))?;
            let made = Store::builder(to).restore(file).await;
            made.map_err(verify::failure)?;
            let said = "restored. The keys were not in it: put the key file beside it. If daemons or agents have seen something newer, run `hooks store restored`. Tokens that were \
                        revoked since the backup are good again: see `hooks token list`";
            (json!({ "restored": to }), said.to_owned())
        }
        Stores::Restored(of) => {
            let count = open(&of.url).await?.restored(&by).await;
            let count = count.map_err(Failure::found)?;
            let said = format!("{count} tenants have a new revision, which all agents take");
            (json!({ "tenants": count }), said)
        }
        Stores::Migrate { of, check } => {
            let changes = Store::builder(&of.url).pending().await;
            let changes = changes.map_err(verify::failure)?;
            if !check && !changes.is_empty() {
                let migrated = Store::builder(&of.url).migrated().open().await;
                migrated.map_err(verify::failure)?;
            }
            let what = if *check { "to be done" } else { "done" };
            let said = match &*changes {
                [] => "nothing is to be done".to_owned(),
                changes => format!("{what}: {}", changes.join(", ")),
            };
            (json!({ "changes": changes }), said)
        }
        Stores::Reencrypt(of) => {
            let count = open(&of.url).await?.reencrypt(&by).await;
            let count = count.map_err(Failure::found)?;
            let said = format!(
                "{count} values are encrypted anew. The first key is enough now: leave the others out"
            );
            (json!({ "values": count }), said)
        }
    })
}

/// Refuses Postgres, which has programs for this, with the words to call them.
fn expect_file(url: &str, words: &[&str], last: Option<&str>) -> Result<(), Failure> {
    if !url.starts_with("postgres") {
        return Ok(());
    }
    // The words are shown.
    let mut address = Url::parse(url)
        .map_err(|_| Failure::usage(StoreError::Address("postgres:…".to_owned())))?;
    let _ = address.set_password(None);
    let words = words.iter().copied().chain([address.as_str()]).chain(last);
    let words = shlex::try_join(words).map_err(Failure::usage)?;
    Err(Failure::usage(format!("for Postgres, run: {words}")))
}
