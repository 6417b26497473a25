//! Who hears of what is refused while the program runs, and writes the report at its end.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use super::{Refused, Report};
use crate::rules::ConfinementRules;

/// Collects a report.
pub(crate) struct Teller {
    report: Report,
    file: Option<File>,
    quiet: Vec<String>,
}

impl Teller {
    /// Takes from the rules what a report needs, which the process inside does not get. It goes to the file that they
    /// name, or else to standard error. The file is opened now: what the program puts in its place is not.
    pub(crate) fn of(rules: &mut ConfinementRules) -> io::Result<Teller> {
        let mut options = File::options();
        options.append(true).create(true);
        options.custom_flags(nix::libc::O_NOFOLLOW);
        let open = |path| options.open(path);
        Ok(Teller {
            report: Report {
                note: rules.note.take(),
                ..Report::default()
            },
            file: rules.report.take().map(open).transpose()?,
            quiet: std::mem::take(&mut rules.quiet),
        })
    }

    pub(crate) fn add(&mut self, refused: Refused) {
        let is_begun = |path: &String| refused.target.starts_with(path);
        if !self.quiet.iter().any(is_begun) {
            self.report.add(refused);
        }
    }

    /// Writes the report, as far as anybody can be told.
    pub(crate) fn tell(&self) {
        let report = &self.report;
        if report.refused.is_empty() && self.file.is_none() {
            return;
        }
        let _ = match self.file.as_ref() {
            Some(mut file) => writeln!(file, "{}", serde_json::json!(report)),
            None => write!(io::stderr(), "{report}"),
        };
    }
}
