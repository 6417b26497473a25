//! `hooks check` reports every mistake in files, and every entry of another system's file that cannot be used.

use std::path::PathBuf;
use std::process::ExitCode;

use hooks_runtime::{ConfigError, Dialect};
use serde_json::{Value, json};

use crate::paint::{self, BAD, GOOD, lines, painted, say};
use crate::{Done, file};

pub(crate) fn run(files: Vec<PathBuf>, from: Option<Dialect>, json: bool) -> Done {
    let files = if files.is_empty() {
        vec![file::find(None)?.path]
    } else {
        files
    };
    let mut are_fine = true;
    let mut all = Vec::new();
    for file in files {
        let built = file::block_on(file::builder_as(&file.clone().into(), from).build())?;
        are_fine &= built.is_ok();
        match built {
            Ok(runtime) => {
                let status = runtime.status();
                are_fine &= status.left_out == 0;
                if json {
                    all.push(json!({
                        "file": file, "ok": status.left_out == 0, "mistakes": [],
                        "notices": status.notices, "left_out": status.left_out,
                        "definitions": status.hooks.len(),
                    }));
                    continue;
                }
                paint::notices(&status.notices);
                if status.left_out > 0 {
                    let entries = if status.left_out == 1 {
                        "entry"
                    } else {
                        "entries"
                    };
                    let found = format_args!("{} {entries} cannot be used", status.left_out);
                    say!("{}: {}", file.display(), painted(BAD, found));
                    continue;
                }
                let fine = match status.notices.len() {
                    0 => "fine".to_owned(),
                    1 => "fine, with 1 notice".to_owned(),
                    many => format!("fine, with {many} notices"),
                };
                say!("{}: {}", file.display(), painted(GOOD, fine));
            }
            Err(error) if json => {
                let mistakes: Vec<Value> = error.mistakes().map(mistake).collect();
                all.push(json!({ "file": file, "ok": false, "mistakes": mistakes, "notices": [] }));
            }
            Err(error) => {
                let count = error.mistakes().count();
                let mistakes = if count == 1 { "mistake" } else { "mistakes" };
                say!("{}\n", lines(&error.to_string()));
                let found = format_args!("{count} {mistakes}");
                say!("{}: {}", file.display(), painted(BAD, found));
            }
        }
    }
    if json {
        paint::json(&Value::Array(all));
    }
    Ok(ExitCode::from(u8::from(!are_fine)))
}

/// Formats one mistake for programs.
pub(crate) fn mistake(error: &ConfigError) -> Value {
    json!({
        "file": error.file(),
        "line": error.line(),
        "column": error.column(),
        "path": error.path(),
        "message": error.message(),
        "help": error.help(),
    })
}
