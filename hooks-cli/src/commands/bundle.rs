//! `hooks bundle` builds, signs, checks and compares bundles: revisions of hooks as files.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::Style;
use clap::Subcommand;
use hooks_runtime::{Bundle, BundleError, Change, PublicKey, SigningKey};
use jiff::Timestamp;
use serde_json::json;

use crate::paint::{self, Visible, say};
use crate::{Done, Failure};

#[derive(Debug, Subcommand)]
pub(crate) enum Bundles {
    /// Make a bundle of a hooks.toml. The same file gives the same bundle.
    Build(BuildArgs),
    /// Add a signature to a bundle, in its place.
    Sign {
        /// The bundle.
        file: PathBuf,
        /// The file of the private key.
        #[arg(long, value_name = "KEYFILE")]
        key: PathBuf,
    },
    /// Check that a key has signed a bundle. The exit code is 1 if it has not.
    Verify {
        /// The bundle.
        file: PathBuf,
        /// The public key. Several may be named, and one is enough.
        #[arg(long = "key", value_name = "PUBLIC", required = true)]
        keys: Vec<PublicKey>,
    },
    /// Show what changes from one bundle to another.
    Diff {
        /// The bundle before.
        old: PathBuf,
        /// The bundle after.
        new: PathBuf,
    },
    /// Print a bundle as a hooks.toml.
    Toml {
        /// The bundle.
        file: PathBuf,
    },
    /// Keys that sign bundles.
    #[command(subcommand)]
    Key(KeyCommand),
}

#[derive(Debug, clap::Args)]
pub(crate) struct BuildArgs {
    /// The file of hooks.
    file: PathBuf,
    /// The file of the bundle; by default standard output.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Sign it with the private key in this file.
    #[arg(long, value_name = "KEYFILE")]
    sign: Option<PathBuf>,
    /// The tenant whose hooks these are.
    #[arg(long, default_value = "")]
    tenant: String,
    /// The number of the revision. A runtime refuses one that is lower than its own.
    #[arg(long, default_value_t = 0)]
    revision: u64,
    /// The hash of the revision before.
    #[arg(long)]
    parent: Option<String>,
    /// When it was published. Without it, the same file gives the same bundle.
    #[arg(long)]
    created: Option<Timestamp>,
    /// Who published it.
    #[arg(long, default_value = "")]
    author: String,
    /// Why.
    #[arg(long, default_value = "")]
    comment: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a new key. The file is the private one, and only you may read it.
    New {
        /// The file of the private key. It must not exist.
        #[arg(short, long)]
        output: PathBuf,
    },
}

pub(crate) fn run(command: Bundles, json: bool) -> Done {
    match command {
        Bundles::Build(build) => built(build),
        Bundles::Sign { file, key } => {
            let mut bundle = read(&file)?;
            bundle.sign(&key_of(&key)?);
            write(&file, &bundle)?;
            Ok(ExitCode::SUCCESS)
        }
        Bundles::Verify { file, keys } => {
            let bundle = read(&file)?;
            bundle.verify(&keys).map_err(|error| of(&file, &error))?;
            if json {
                paint::json(&json!({ "ok": true, "sha256": bundle.sha256() }));
            } else {
                let bundle = bundle.to_string();
                say!("{}: {} is signed", file.display(), Visible(&bundle));
            }
            Ok(ExitCode::SUCCESS)
        }
        Bundles::Diff { old, new } => {
            differ(&read(&old)?, &read(&new)?, json);
            Ok(ExitCode::SUCCESS)
        }
        Bundles::Toml { file } => {
            let text = read(&file)?.to_toml().map_err(|error| of(&file, &error))?;
            say!("{}", text.trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Bundles::Key(KeyCommand::New { output }) => {
            let key = SigningKey::generate();
            private(&output, &key.to_pem())
                .map_err(|error| Failure::usage(format!("{}: {error}", output.display())))?;
            if json {
                paint::json(&json!({ "public": key.public() }));
            } else {
                say!("{}", key.public());
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn built(build: BuildArgs) -> Done {
    let mut bundle = Bundle::of_file(&build.file).map_err(Failure::found)?;
    bundle.tenant = build.tenant;
    bundle.revision = build.revision;
    bundle.parent = build.parent;
    bundle.created = build.created;
    bundle.author = build.author;
    bundle.comment = build.comment;
    if let Some(key) = &build.sign {
        bundle.sign(&key_of(key)?);
    }
    match &build.output {
        Some(file) => write(file, &bundle)?,
        None => say!("{}", bundle.to_json()),
    }
    Ok(ExitCode::SUCCESS)
}

fn differ(old: &Bundle, new: &Bundle, json: bool) {
    let diff = old.diff(new);
    if json {
        paint::json(&json!(diff));
        return;
    }
    if diff.is_empty() {
        say!("the hooks are the same");
        return;
    }
    let rows = diff.changes.iter().map(|change| {
        let (word, keys) = match change {
            Change::Added { .. } => ("added", String::new()),
            Change::Removed { .. } => ("removed", String::new()),
            Change::Changed { keys, .. } => ("changed", keys.join(", ")),
        };
        let cells = vec![change.hook().to_owned(), word.to_owned(), keys];
        (Style::new(), cells)
    });
    paint::table(&["hook", "change", "keys"], &rows.collect::<Vec<_>>());
}

fn text(file: &Path) -> Result<String, Failure> {
    hooks_runtime::__read_text(file)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
}

fn of(file: &Path, error: &BundleError) -> Failure {
    Failure::found(format!("{}: {error}", file.display()))
}

fn read(file: &Path) -> Result<Bundle, Failure> {
    Bundle::read(&text(file)?).map_err(|error| of(file, &error))
}

/// Reads a private key.
pub(crate) fn key_of(file: &Path) -> Result<SigningKey, Failure> {
    SigningKey::from_pem(&text(file)?).map_err(|error| of(file, &error))
}

/// Writes a bundle as a whole, so that no reader gets half of one. What a link leads to is written, and keeps its mode.
fn write(file: &Path, bundle: &Bundle) -> Result<(), Failure> {
    let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = real.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let written = || -> io::Result<()> {
        let mut new = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        writeln!(new, "{}", bundle.to_json())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let before = real.metadata().map(|about| about.permissions());
            let mode = before.unwrap_or_else(|_| std::fs::Permissions::from_mode(0o644));
            new.as_file().set_permissions(mode)?;
        }
        new.persist(&real)?;
        Ok(())
    };
    written().map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
}

/// Writes a new file that only this user may read.
fn private(file: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text.as_bytes())
}
