//! `hooks log` shows records to people.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use hooks_runtime::{Record, RecordFilter, RecordOutcome, RecordStep};

use super::fire::{style_of, style_of_step};
use crate::paint::{self, DIM, Visible, WARN, painted, say};
use crate::{Done, Failure};

/// How often the file is checked for more.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn run(path: &Path, follow: bool, condition: Option<&str>, json: bool) -> Done {
    let filter = condition
        .map(RecordFilter::new)
        .transpose()
        .map_err(|error| Failure::usage(format!("`--where`: {error}")))?;
    let of_file = |error| Failure::usage(format!("{}: {error}", path.display()));
    let mut lines = BufReader::new(File::open(path).map_err(of_file)?);
    let mut line = String::new();
    let mut number = 0;
    loop {
        let read = lines.read_line(&mut line).map_err(of_file)?;
        let is_whole = line.ends_with('\n');
        if read == 0 || !is_whole {
            if follow {
                // The rest of an unfinished line comes later.
                std::thread::sleep(PAUSE);
                continue;
            }
            if line.is_empty() {
                return Ok(ExitCode::SUCCESS);
            }
        }
        number += 1;
        let text = std::mem::take(&mut line);
        if text.trim().is_empty() {
            continue;
        }
        let record: Record = match serde_json::from_str(&text) {
            Ok(record) => record,
            Err(error) => {
                let place = format!("{}:{number}", path.display());
                let is_event = text.contains("\"payload\":");
                let why = if is_event {
                    "this is an event of `jsonl_log`: `hooks log` reads the records that `--records` writes".to_owned()
                } else {
                    error.to_string()
                };
                anstream::eprintln!("{}: {place}: not a record: {why}", painted(WARN, "warning"));
                continue;
            }
        };
        let is_wanted = match &filter {
            None => true,
            Some(filter) => filter
                .matches(&record)
                .map_err(|error| Failure::found(format!("`--where`: {error}")))?,
        };
        if !is_wanted {
            continue;
        }
        if json {
            say!("{}", text.trim_end());
        } else {
            show(&record);
        }
    }
}

fn show(record: &Record) {
    let at = painted(DIM, record.at.strftime("%F %T"));
    let style = style_of(record.outcome);
    let outcome = painted(style, format_args!("{:<10}", record.outcome));
    let subject = record.subject.as_deref().unwrap_or_default();
    let event = format!("{} {subject}", record.event);
    let reason = record.reason.clone().unwrap_or_default();
    let parts = [record.hook.clone(), event, asked(record), reason];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let line = parts.collect::<Vec<_>>().join("  ").replace('\n', " ");
    let line = Visible(line.trim_end());
    let time = painted(DIM, paint::time(record.duration));
    say!("{at}  {outcome}  {line}  {time}");
    // The line above has what came to be of the one that decided.
    let is_told = |step: &&RecordStep| {
        step.outcome == RecordOutcome::Continue
            || step.hook == record.hook && step.outcome == record.outcome
    };
    for step in record.steps.iter().filter(|step| !is_told(step)) {
        let shadow = if step.shadow { " (shadow)" } else { "" };
        let outcome = painted(style_of_step(step), format_args!("{:<10}", step.outcome));
        let more = [Some(&step.why), step.reason.as_ref()];
        let more = more.into_iter().flatten().filter(|text| !text.is_empty());
        let more = more.map(|text| format!("  {}", text.replace('\n', " ")));
        let line = format!("{}{shadow}{}", step.hook, more.collect::<String>());
        say!("{:21}  {outcome}{}", "", Visible(&line));
    }
}

/// What the event was about: the arguments of the tool, or the first text of another event, cut.
fn asked(record: &Record) -> String {
    let Some(event) = record.input.as_ref().map(|input| &input["event"]) else {
        return String::new();
    };
    let mut texts = ["content", "prompt", "response"].iter();
    let text = match &event["args"] {
        serde_json::Value::Null => texts
            .find_map(|key| event[key].as_str())
            .unwrap_or_default()
            .to_owned(),
        args => args.to_string(),
    };
    paint::short(&text.replace('\n', " "))
}
