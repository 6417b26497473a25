//! Who hears of what is refused while the program runs, and writes the report at its end.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::{Refused, Report};

/// Collects a report from several threads.
pub(crate) struct Teller {
    report: Mutex<Report>,
    file: Option<File>,
}

impl Teller {
    /// Returns a teller that writes to a file, or else to standard error. The file is opened now: what the program puts in
    /// its place is not.
    pub(crate) fn new(path: Option<&Path>, note: Option<String>) -> io::Result<Teller> {
        let mut options = File::options();
        options.append(true).create(true);
        options.custom_flags(nix::libc::O_NOFOLLOW);
        Ok(Teller {
            report: Mutex::new(Report {
                note,
                ..Report::default()
            }),
            file: path.map(|path| options.open(path)).transpose()?,
        })
    }

    pub(crate) fn add(&self, refused: Refused) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.add(refused);
    }

    /// Writes the report, as far as anybody can be told.
    pub(crate) fn tell(&self) {
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        if report.refused.is_empty() && self.file.is_none() {
            return;
        }
        let _ = match self.file.as_ref() {
            Some(mut file) => writeln!(file, "{}", serde_json::json!(*report)),
            None => write!(io::stderr(), "{report}"),
        };
    }
}
