//! Reads the text of a file that others may have put there: a regular file, and not too much of it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The longest file, in bytes. Settings with a thousand hooks have less than one.
const LONGEST: u64 = 4 << 20;

/// Returns the text of a regular file.
///
/// A link to a device never ends, and a pipe waits for a writer. A project that is not trusted yet must hold up neither
/// the agent nor its memory.
///
/// # Errors
///
/// If the file cannot be opened, is not a regular file, is too long, or is not UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    let file = open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut text = String::new();
    // A file may grow while it is read.
    if about.len() > LONGEST || file.take(LONGEST + 1).read_to_string(&mut text)? as u64 > LONGEST {
        let most = LONGEST >> 20;
        return Err(io::Error::other(format!(
            "the file is longer than {most} MiB"
        )));
    }
    Ok(text)
}

/// Opening a pipe does not wait for its other end.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
