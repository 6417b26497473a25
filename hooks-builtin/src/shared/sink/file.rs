//! The file that lines are appended to, by its path. If it is moved away or removed, a new one is opened there.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::{Progress, Sink};
use crate::shared::caller;

/// How long to wait after a failure.
const RETRY: Duration = Duration::from_millis(500);

/// The file at a path.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: File,
    /// Whether a part of a line was written.
    is_in_line: bool,
}

impl LogFile {
    /// Opens the file. Creates it, and its folders, if they do not exist.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        // A program may change its directory; the log keeps its place.
        let path = if path.is_absolute() {
            path.to_owned()
        } else {
            caller::current_dir()?.join(path)
        };
        let file = open(&path)?;
        Ok(LogFile {
            path,
            file,
            is_in_line: false,
        })
    }

    /// Whether the path still leads to the file.
    fn is_there(&self) -> io::Result<bool> {
        match fs::metadata(&self.path) {
            Ok(there) => Ok(is_same(&self.file.metadata()?, &there)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<usize> {
        if !self.is_in_line && !self.is_there()? {
            self.file = open(&self.path)?;
        }
        match self.file.write(lines)? {
            0 => Err(io::ErrorKind::WriteZero.into()),
            bytes => {
                self.is_in_line = lines[bytes - 1] != b'\n';
                Ok(bytes)
            }
        }
    }
}

impl Sink for LogFile {
    const NAME: &'static str = "hooks-log-file";

    async fn write(&mut self, lines: &[u8]) -> Progress {
        match self.append(lines) {
            Ok(bytes) => Progress::Taken(bytes),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Progress::Taken(0),
            Err(error) => Progress::Again(RETRY, error),
        }
    }

    fn close(&mut self) -> io::Result<()> {
        match self.file.sync_data() {
            // A device or a pipe has nothing to sync.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        }
    }

    fn gap(&self, dropped: u64) -> Option<String> {
        let now = Timestamp::now();
        Some(format!(
            "{{\"time\":\"{now:.3}\",\"event\":\"Dropped\",\"count\":{dropped}}}\n"
        ))
    }
}

#[cfg(unix)]
fn is_same(opened: &Metadata, there: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (opened.dev(), opened.ino()) == (there.dev(), there.ino())
}

/// On other systems, an open file cannot be moved or removed, or this goes unnoticed.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    open_at_end(path)
}

/// Opens the file for appending. If a crash left an unfinished line, ends that line first.
fn open_at_end(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        if path
            .metadata()
            .is_ok_and(|found| found.file_type().is_fifo())
        {
            let reason = "the file is a named pipe, and to open one may wait forever";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    let found = file.metadata()?;
    if found.is_file() && found.len() > 0 {
        let mut last = [0];
        let mut reader = File::open(path)?;
        reader.seek(SeekFrom::End(-1))?;
        reader.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}
