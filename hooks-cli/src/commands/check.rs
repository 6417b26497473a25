//! `hooks check` reports every mistake in files.

use std::path::PathBuf;
use std::process::ExitCode;

use hooks_runtime::{ConfigError, Dialect, Runtime};
use serde_json::{Value, json};

use crate::paint::{self, BAD, GOOD, WARN, painted, say};
use crate::{Done, file};

pub(crate) fn run(files: Vec<PathBuf>, from: Dialect, json: bool) -> Done {
    let files = if files.is_empty() {
        vec![file::find(None)?]
    } else {
        files
    };
    let mut are_fine = true;
    let mut all = Vec::new();
    for file in files {
        let builder = Runtime::builder().file_as(from, &file);
        let built = file::block_on(builder.build())?;
        are_fine &= built.is_ok();
        match built {
            Ok(runtime) => {
                let status = runtime.status();
                if json {
                    all.push(json!({
                        "file": file, "ok": true, "mistakes": [], "notices": status.notices,
                        "definitions": status.hooks.len(),
                    }));
                    continue;
                }
                for notice in &status.notices {
                    say!("{}: {notice}", painted(WARN, "notice"));
                }
                say!("{}: {}", file.display(), painted(GOOD, "fine"));
            }
            Err(error) if json => {
                let mistakes: Vec<Value> = error.mistakes().map(mistake).collect();
                all.push(json!({ "file": file, "ok": false, "mistakes": mistakes, "notices": [] }));
            }
            Err(error) => {
                let count = error.mistakes().count();
                let mistakes = if count == 1 { "mistake" } else { "mistakes" };
                say!("{error}\n");
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
