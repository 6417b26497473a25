//! The file of a database: whether it still has its name, and begins as one does.
//!
//! Who removes or replaces the file leaves the connections with one that is gone when they close. And what other programs write
//! into it shows late, because SQLite reads what it has in memory, and in its log.

use std::path::PathBuf;

use crate::error::{Result, StoreError};

/// A file that was opened.
pub(super) struct DatabaseFile {
    path: PathBuf,
    #[cfg(unix)]
    file: &'static unix::Opened,
}

impl DatabaseFile {
    /// Watches the file of a database that is open.
    pub(super) fn new(path: PathBuf) -> Result<Self> {
        #[cfg(unix)]
        let file = unix::Opened::of(&path).map_err(|error| wrong(&path, &error.to_string()))?;
        Ok(DatabaseFile {
            path,
            #[cfg(unix)]
            file,
        })
    }

    /// Expects that it is there as it was.
    pub(super) fn check(&self) -> Result<()> {
        #[cfg(unix)]
        let what = self.file.wrong(&self.path);
        #[cfg(not(unix))]
        let what = (!self.path.is_file()).then(|| "was removed".to_owned());
        what.map_or(Ok(()), |what| Err(wrong(&self.path, &what)))
    }
}

fn wrong(path: &std::path::Path, what: &str) -> StoreError {
    StoreError::Unavailable(format!("{} {what}", path.display()))
}

#[cfg(unix)]
mod unix {
    use std::collections::HashMap;
    use std::fs::{File, metadata};
    use std::io;
    use std::os::unix::fs::{FileExt as _, MetadataExt as _};
    use std::path::Path;
    use std::sync::{LazyLock, Mutex, PoisonError};

    /// How the file of a database begins.
    const BEGINNING: &[u8; 16] = b"SQLite format 3\0";

    /// All files that were watched. A process that closes a file gives up the locks that SQLite has on it, so none of these is
    /// ever closed.
    static OPENED: LazyLock<Mutex<HashMap<[u64; 2], &'static Opened>>> =
        LazyLock::new(Mutex::default);

    pub(super) struct Opened {
        file: File,
        number: [u64; 2],
    }

    fn number(path: &Path) -> io::Result<[u64; 2]> {
        let about = metadata(path)?;
        Ok([about.dev(), about.ino()])
    }

    impl Opened {
        pub(super) fn of(path: &Path) -> io::Result<&'static Self> {
            let number = number(path)?;
            let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = opened.get(&number) {
                return Ok(known);
            }
            let file = File::open(path)?;
            let new: &'static Opened = Box::leak(Box::new(Opened { file, number }));
            opened.insert(number, new);
            Ok(new)
        }

        /// What is wrong with it, if something is.
        pub(super) fn wrong(&self, path: &Path) -> Option<String> {
            match number(path) {
                Err(error) => return Some(format!("cannot be read: {error}")),
                Ok(number) if number != self.number => {
                    return Some("was replaced by another file".to_owned());
                }
                Ok(_) => {}
            }
            let mut head = [0; BEGINNING.len()];
            match self.file.read_exact_at(&mut head, 0) {
                Ok(()) if head == *BEGINNING => None,
                // Everything may still be in the log beside it.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
                Ok(()) => Some("does not begin as a database any more".to_owned()),
                Err(error) => Some(format!("cannot be read: {error}")),
            }
        }
    }
}
