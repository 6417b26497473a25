//! `hooks trust` lets a file run that the program finds by itself.
//!
//! A user who clones a project has not read its hooks. So the user reads them here first, and the program keeps the
//! fingerprint of what was read.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks_runtime::{Trust, entries};
use serde_json::json;

use crate::paint::{self, BOLD, GOOD, Visible, painted, say};
use crate::{Done, Failure, file};

#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// The file; by default the hooks.toml here or in a folder above.
    file: Option<PathBuf>,
    /// List the files that you trust.
    #[arg(long, conflicts_with_all = ["file", "remove", "yes"])]
    list: bool,
    /// No longer trust the file.
    #[arg(long, conflicts_with = "yes")]
    remove: bool,
    /// Trust the file without a question, for scripts.
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(args: &TrustArgs, json: bool) -> Done {
    let (kept, trust) = kept()?;
    if args.list {
        if json {
            paint::json(&json!(trust.files().collect::<Vec<_>>()));
        } else {
            for file in trust.files() {
                say!("{}", Visible(&file.display().to_string()));
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let file = file::find(args.file.clone())?.path;
    if args.remove {
        let before = trust.files().count();
        let trust = trust.without(&file);
        if trust.files().count() == before {
            let message = format!(
                "{} is not trusted: see `hooks trust --list`",
                file.display()
            );
            return Err(Failure::found(message));
        }
        trust.write(&kept).map_err(Failure::found)?;
        say!("{} {}", painted(GOOD, "no longer trusted:"), file.display());
        return Ok(ExitCode::SUCCESS);
    }
    let builder = file::builder_as(&file.into(), file::FormatArgs::default(), &mut Vec::new());
    let texts = builder.texts().map_err(Failure::found)?;
    for (path, text) in &texts {
        let entries = entries(text);
        if json {
            paint::json(&json!({ "file": path, "entries": entries }));
            continue;
        }
        let shown = path.display().to_string();
        say!("{}", painted(BOLD, Visible(&shown)));
        for entry in entries {
            say!("  {entry}");
        }
    }
    if !args.yes {
        ask()?;
    }
    let texts = texts.iter().map(|(path, text)| (path.as_path(), &**text));
    keep(texts)?;
    Ok(ExitCode::SUCCESS)
}

/// Asks the person at the terminal, who is not the model.
fn ask() -> Result<(), Failure> {
    let mut answer = String::new();
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "this needs a terminal to say yes: run the command in a terminal, or read the above and add `--yes`",
        ));
    }
    anstream::eprint!("\nMay this run whenever the program finds it? [y/N] ");
    let _ = std::io::stderr().flush();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(Failure::found)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::found("nothing was changed")),
    }
}

/// Trusts files with these texts from now on.
pub(crate) fn keep<'a>(texts: impl Iterator<Item = (&'a Path, &'a str)>) -> Result<(), Failure> {
    let (kept, trust) = kept()?;
    let add = |trust: Trust, (path, text): (&Path, &str)| {
        // The same file may be found by another path.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        trust
            .without(&path)
            .with_text(path, &Trust::fingerprint(text))
    };
    texts.fold(trust, add).write(&kept).map_err(Failure::found)
}

/// The file with what the user trusts, and what it says.
fn kept() -> Result<(PathBuf, Trust), Failure> {
    let kept = Trust::user_file().ok_or_else(|| {
        Failure::found("you have no home folder: set `XDG_STATE_HOME` to a folder of your own")
    })?;
    let trust = Trust::read(&kept).map_err(Failure::found)?;
    Ok((kept, trust))
}
