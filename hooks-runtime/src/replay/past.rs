//! Finds out whose a file is, and reads our own records.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_core::agent::AgentContext;
use jiff::Timestamp;
use serde_json::Value;

use super::{OwnedEvent, Record, RecordOutcome, RecordStep, is_meant, session};

/// How many lines of records are a job.
const LINES: usize = 256;

/// How many records are a job, if they are in no file: an event may be long.
const FEW: usize = 16;

/// How long the lines of a job are at most, in bytes, but for the last one.
const LONGEST: usize = 16 << 20;

/// An event of the past, and what was decided about it.
pub(super) struct Past {
    pub(super) cx: AgentContext,
    pub(super) event: OwnedEvent,
    pub(super) at: Option<Timestamp>,
    pub(super) outcome: RecordOutcome,
    /// What became of it, if it is a call.
    pub(super) fate: Fate,
    /// The hook that decided, if one did and is known.
    pub(super) hook: Option<String>,
    /// Whether a hook of the agent's own code decided, which is not here.
    pub(super) is_elsewhere: bool,
    /// What single hooks said.
    pub(super) known: Vec<RecordStep>,
    /// Its number in a store.
    pub(super) number: Option<u64>,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Hooks or the user have refused it, or its fate is not known.
    NotRun,
    /// It ran, and says that it has failed.
    Failed,
    /// It ran, and does not say that it has failed.
    Ran,
}

/// What one thread does at once.
pub(super) enum Job {
    /// Some lines of records: the file, the number of the first line, and the lines.
    Records(Arc<Path>, usize, Vec<String>),
    /// Some records that are in no file.
    Given(Vec<Record>),
    /// A whole session of another agent.
    Session(PathBuf),
}

impl Job {
    /// Hands out each event, and what cannot be read.
    pub(super) fn each(self, each: &mut dyn FnMut(Past), unread: &mut dyn FnMut(String)) {
        match self {
            Job::Records(file, first, lines) => {
                for (number, line) in (first..).zip(&lines) {
                    match past(line) {
                        Ok(past) => past.into_iter().for_each(&mut *each),
                        Err(why) => unread(format!("{}:{number}: {why}", file.display())),
                    }
                }
            }
            Job::Given(records) => {
                for record in records {
                    let at = record.at;
                    match past_of(record) {
                        Ok(past) => past.into_iter().for_each(&mut *each),
                        Err(why) => unread(format!("the event of {at}: {why}")),
                    }
                }
            }
            Job::Session(file) => {
                if let Err(why) = session::each(&file, each) {
                    unread(format!("{}: {why}", file.display()));
                }
            }
        }
    }
}

/// Reads a line.
fn past(line: &str) -> Result<Option<Past>, String> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let record = serde_json::from_str(line).map_err(|error| error.to_string())?;
    past_of(record)
}

/// The record of an event is an event of the past. A part of one is not.
fn past_of(record: Record) -> Result<Option<Past>, String> {
    if !record.is_event() {
        return Ok(None);
    }
    let Some(again) = OwnedEvent::of_record(&record) else {
        return Err("the event is not kept, because it is too long".to_owned());
    };
    let (cx, event) = again.map_err(|error| error.to_string())?;
    Ok(Some(Past {
        cx,
        event,
        at: Some(record.at),
        outcome: record.outcome,
        fate: match record.outcome {
            RecordOutcome::Continue | RecordOutcome::Modify | RecordOutcome::Approve => Fate::Ran,
            _ => Fate::NotRun,
        },
        is_elsewhere: record
            .decisive()
            .is_some_and(|step| step.handler == "compiled"),
        number: record.number,
        hook: Some(record.hook).filter(|hook| !hook.is_empty()),
        known: record.steps,
    }))
}

/// Returns the files, and those in the folders.
pub(super) fn files(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path
            .metadata()
            .map_err(|error| named(path, &error))?
            .is_dir()
        {
            below(path, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn below(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = folder.read_dir().map_err(|error| named(folder, &error))?;
    let mut entries: Vec<_> = entries.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        // A link may lead back.
        if entry.file_type()?.is_dir() {
            below(&entry.path(), files)?;
        } else if is_meant(&entry.path()) {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Reads files, and hands out jobs until they are no longer taken.
pub(super) fn read(files: &[PathBuf], hand_out: &mut dyn FnMut(Job) -> bool) -> io::Result<()> {
    for file in files {
        let of_file = |error: io::Error| named(file, &error);
        let mut lines = BufReader::new(File::open(file).map_err(of_file)?);
        let mut line = String::new();
        lines.read_line(&mut line).map_err(of_file)?;
        if !is_record(&line) {
            if !hand_out(Job::Session(file.clone())) {
                return Ok(());
            }
            continue;
        }
        let name: Arc<Path> = file.as_path().into();
        let (mut first, mut batch, mut has_event) = (1, Vec::new(), false);
        let mut length = 0;
        while !line.is_empty() {
            has_event |= line.contains(r#""input":{"#);
            length += line.len();
            batch.push(std::mem::take(&mut line));
            if length >= LONGEST || batch.len() >= LINES {
                let next = first + batch.len();
                let batch = std::mem::take(&mut batch);
                if !hand_out(Job::Records(name.clone(), first, batch)) {
                    return Ok(());
                }
                (first, length) = (next, 0);
            }
            lines.read_line(&mut line).map_err(of_file)?;
        }
        if !has_event {
            let why = "the file has records without their events: `hooks run --records` and `hooks serve --records` write them \
                       with their events, and so does `JsonlRecorder` with `keeping_events()`";
            return Err(named(file, &io::Error::other(why)));
        }
        if !batch.is_empty() && !hand_out(Job::Records(name, first, batch)) {
            return Ok(());
        }
    }
    Ok(())
}

/// Hands out records until they are no longer taken.
pub(super) fn hand_out(
    records: impl IntoIterator<Item = Record>,
    hand_out: &mut dyn FnMut(Job) -> bool,
) {
    let mut batch = Vec::new();
    for record in records {
        batch.push(record);
        if batch.len() >= FEW && !hand_out(Job::Given(std::mem::take(&mut batch))) {
            return;
        }
    }
    if !batch.is_empty() {
        hand_out(Job::Given(batch));
    }
}

/// Whether a line is a record of ours.
fn is_record(line: &str) -> bool {
    let value: Value = serde_json::from_str(line).unwrap_or_default();
    value.get("at").is_some() && value.get("outcome").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_in_parts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("records.jsonl");
        let line = "{\"at\":\"\",\"outcome\":\"continue\",\"input\":{}}\n";
        let long = format!(
            "{{\"outcome\":\"continue\",\"why\":\"{}\"}}\n",
            "x".repeat(LONGEST / 2)
        );
        let text = [line.repeat(2 * LINES), long.repeat(4)].concat();
        std::fs::write(&file, text).unwrap();
        let (mut next, mut jobs) = (1, 0);
        let read = read(&[file], &mut |job| {
            let Job::Records(_, first, lines) = job else {
                panic!("these are records");
            };
            assert_eq!(first, next);
            assert!(lines.len() <= LINES);
            let length: usize = lines.iter().map(String::len).sum();
            assert!(length <= LONGEST * 3 / 2 + 100);
            next += lines.len();
            jobs += 1;
            true
        });
        read.unwrap();
        assert_eq!(next, 2 * LINES + 5);
        assert!(jobs >= 4);
    }
}
