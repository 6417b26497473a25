//! What a confined program tried and was refused, in words that a model can act on.
//!
//! A line of a report says one thing, and can be read back as what it was: a [`Report`] is written to the standard error
//! of the program, and [`Report::parse`] finds it there.

#[cfg(target_os = "linux")]
mod teller;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
pub(crate) use self::teller::Teller;

/// What precedes each line of a report.
const PREFIX: &str = "sandbox: tried to ";

/// What precedes what was expected instead.
const NOTE: &str = "sandbox: expected: ";

/// The lines that a report has at most. More of them would not tell more about a program.
const LINES: usize = 50;

/// What a confined program tried and was refused: each thing once, in the order of the first attempts, and 50 at most.
///
/// ```
/// use hooks_sandbox::{Attempt, Reason, Refused, Report};
///
/// let refused = Refused {
///     attempt: Attempt::Write,
///     target: "/home/u/.bashrc".into(),
///     reason: Reason::NotAllowed,
/// };
/// let report: Report = [refused].into_iter().collect();
/// assert_eq!(report.to_string(), "sandbox: tried to write /home/u/.bashrc: not allowed\n");
/// assert_eq!(Report::parse(&format!("some text\n{report}")), report);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// What was refused.
    pub refused: Vec<Refused>,
    /// What was [expected](crate::Sandbox::note) instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Report {
    /// Adds what was refused, if it is new and there is room. Returns whether it was.
    pub fn add(&mut self, refused: Refused) -> bool {
        let adds = self.refused.len() < LINES && !self.refused.contains(&refused);
        if adds {
            self.refused.push(refused);
        }
        adds
    }

    /// Finds a report in what a program has written to its standard error.
    ///
    /// A confined program can write such lines itself: they are words for a model, and prove nothing.
    #[must_use]
    pub fn parse(stderr: &str) -> Report {
        let mut report: Report = stderr.lines().filter_map(read).collect();
        let mut lines = stderr.lines().rev();
        report.note = lines.find_map(|line| Some(line.strip_prefix(NOTE)?.to_owned()));
        report
    }
}

impl FromIterator<Refused> for Report {
    fn from_iter<I: IntoIterator<Item = Refused>>(all: I) -> Self {
        let mut report = Report::default();
        all.into_iter().for_each(|refused| _ = report.add(refused));
        report
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = self.refused.iter();
        all.try_for_each(|refused| writeln!(f, "{refused}"))?;
        match &self.note {
            Some(note) if !self.refused.is_empty() => {
                write!(f, "{NOTE}")?;
                write_line(f, note)?;
                writeln!(f)
            }
            _ => Ok(()),
        }
    }
}

/// One thing that a confined program tried and was refused. `Display` writes it as one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// What it tried to do.
    pub attempt: Attempt,
    /// With what: an absolute path, a host with its port, a Unix socket at a path or (with `@`) without one, or the name of
    /// a system call.
    pub target: String,
    /// Why it was refused.
    pub reason: Reason,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{} ", self.attempt)?;
        write_line(f, &self.target)?;
        write!(f, ": {}", self.reason)
    }
}

/// Writes a text that must neither begin a line nor speak to the terminal.
fn write_line(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for char in text.chars() {
        if char.is_control() {
            write!(f, "{}", char.escape_default())?;
        } else {
            write!(f, "{char}")?;
        }
    }
    Ok(())
}

/// Reads what `Display` has written.
fn read(line: &str) -> Option<Refused> {
    let (what, reason) = line.strip_prefix(PREFIX)?.rsplit_once(": ")?;
    let mut spaces = what.match_indices(' ');
    let (attempt, target) = spaces.find_map(|(space, _)| {
        let attempt = word(&what[..space])?;
        Some((attempt, what[space + 1..].to_owned()))
    })?;
    let reason = word(reason)?;
    Some(Refused {
        attempt,
        target,
        reason,
    })
}

fn word<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let text: StrDeserializer<'a, Error> = text.into_deserializer();
    T::deserialize(text).ok()
}

/// What a program tried to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attempt {
    /// To read a file, or to list a folder.
    Read,
    /// To make, change, move or remove something.
    Write,
    /// To run a program.
    Run,
    /// To connect to a host or a socket.
    #[serde(rename = "connect to")]
    Connect,
    /// To make a socket that others connect to.
    #[serde(rename = "listen on")]
    Listen,
    /// To make a system call that no confined program may make.
    #[serde(rename = "make the system call")]
    Call,
}

/// Why it was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// No rule allows it.
    #[serde(rename = "not allowed")]
    NotAllowed,
    /// The host is not one of the allowed ones.
    #[serde(rename = "not among the allowed hosts")]
    NotListed,
    /// The host is allowed, but on other ports.
    #[serde(rename = "allowed, but not on this port")]
    OtherPort,
    /// The name leads to an address of this machine or of its network.
    #[serde(rename = "its address is not public")]
    NotPublic,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
