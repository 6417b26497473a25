//! `hooks scan` judges the shell scripts of a folder, for CI. Nothing runs.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks_builtin::SecurityPolicy;
use hooks_builtin::config::HooksConfig;
use hooks_core::agent::AgentContext;
use serde_json::{Value, json};

use crate::paint::{self, BAD, GOOD, Visible, painted, say};
use crate::{Done, Failure, file};

/// What is scanned.
#[derive(Debug, clap::Args)]
pub(crate) struct ScanArgs {
    /// The folder: the workspace of the policy, in which the scripts would run.
    folder: PathBuf,
    /// Only these scripts; by default every script in the folder.
    files: Vec<PathBuf>,
    /// The file whose policy judges; by default the hooks.toml of the folder or of one above, or else the default policy.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

/// Folders of what is not written by hand, and changes with each build.
const SKIPPED: [&str; 3] = [".git", "target", "node_modules"];

pub(crate) fn run(args: &ScanArgs, json: bool) -> Done {
    let folder = args.folder.canonicalize().map_err(|error| {
        let folder = args.folder.display();
        Failure::usage(format!("cannot read the folder `{folder}`: {error}"))
    })?;
    let policy = policy(args, &folder)?;
    let cx = AgentContext::new("scan").with_cwd(folder.to_string_lossy());
    let mut scripts = args.files.clone();
    let mut found = Vec::new();
    if scripts.is_empty() {
        collect(&args.folder, &mut scripts, &mut found);
        scripts.sort();
    }
    for script in &scripts {
        match std::fs::read_to_string(script) {
            Ok(text) => {
                let wrong = policy.findings(&cx, &text).into_iter();
                found.extend(wrong.map(|(line, reason)| (script.clone(), line, reason)));
            }
            Err(error) => found.push(unread(script, &error)),
        }
    }
    let code = ExitCode::from(u8::from(!found.is_empty()));
    if json {
        let found = found
            .iter()
            .map(|(path, line, reason)| json!({ "path": path, "line": line, "reason": reason }));
        let found: Value = found.collect();
        paint::json(&json!({ "scripts": scripts.len(), "findings": found }));
        return Ok(code);
    }
    for (path, line, reason) in &found {
        let path = path.display().to_string();
        say!("{}:{line}: {}", Visible(&path), Visible(reason));
    }
    let style = if found.is_empty() { GOOD } else { BAD };
    let count = format_args!("scripts: {}, findings: {}", scripts.len(), found.len());
    anstream::eprintln!("{}", painted(style, count));
    Ok(code)
}

type Finding = (PathBuf, usize, String);

/// What could not be read was not judged.
fn unread(path: &Path, error: &std::io::Error) -> Finding {
    (
        path.to_owned(),
        1,
        format!("the script cannot be read: {error}"),
    )
}

/// Returns the policy of the file, or the default one, for the folder.
fn policy(args: &ScanArgs, folder: &Path) -> Result<SecurityPolicy, Failure> {
    let named = args.policy.clone();
    let file = named.or_else(|| file::above(folder).ok().map(|file| file.path));
    let mut config = match file {
        None => {
            let mut config = hooks_builtin::SecurityPolicyConfig::default();
            // The scripts of a repository build it.
            config
                .allowed_commands
                .extend(["cargo", "npm"].map(String::from));
            config
        }
        Some(file) => {
            let config = HooksConfig::load(&file).map_err(Failure::usage)?;
            let policy = config.builtin.security_policy.as_on().cloned();
            policy.ok_or_else(|| {
                let file = file.display();
                Failure::usage(format!(
                    "{file} turns no policy on: write `security_policy = true` under `[hooks.builtin]`, or name another file by `--policy`"
                ))
            })?
        }
    };
    config.workspace.get_or_insert_with(|| folder.to_owned());
    SecurityPolicy::from_config(&config).map_err(Failure::usage)
}

/// Finds the scripts in a folder. A link is skipped: what it leads to is found in its own place.
fn collect(folder: &Path, scripts: &mut Vec<PathBuf>, found: &mut Vec<Finding>) {
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) => return found.push(unread(folder, &error)),
    };
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                found.push(unread(folder, &error));
                continue;
            }
        };
        let path = entry.path();
        let path = path.strip_prefix(".").unwrap_or(&path).to_owned();
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(error) => {
                found.push(unread(&path, &error));
                continue;
            }
        };
        if kind.is_dir() && !SKIPPED.iter().any(|name| entry.file_name() == *name) {
            collect(&path, scripts, found);
        } else if kind.is_file() {
            match is_script(&path) {
                Ok(true) => scripts.push(path),
                Ok(false) => {}
                Err(error) => found.push(unread(&path, &error)),
            }
        }
    }
}

/// Whether a file is a shell script, by its name or by its first line.
fn is_script(path: &Path) -> std::io::Result<bool> {
    let ending = path.extension();
    if ending.is_some_and(|ending| ending == "sh" || ending == "bash") {
        return Ok(true);
    }
    let mut start = Vec::new();
    std::fs::File::open(path)?
        .take(256)
        .read_to_end(&mut start)?;
    Ok(SecurityPolicy::shell_of(&String::from_utf8_lossy(&start)).is_some())
}
