//! The Unix socket: a file that only its owner can reach, and a peer that must be the same user.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

/// A socket that this process listens on. It is removed in the end.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) listener: UnixListener,
    pub(crate) path: PathBuf,
    /// The number of the file: another daemon's socket at the same path has another number.
    number: u64,
}

impl Drop for Socket {
    fn drop(&mut self) {
        let about = self.path.symlink_metadata();
        if about.is_ok_and(|about| about.ino() == self.number) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn wrong(why: String) -> io::Error {
    io::Error::other(why)
}

impl Socket {
    /// Listens on a path. A socket without a listener is replaced.
    pub(crate) async fn bind(path: &Path) -> io::Result<Self> {
        let folder = path.parent().filter(|folder| folder.is_absolute());
        let folder = folder.ok_or_else(|| wrong("the path of a socket is absolute".into()))?;
        private(folder)?;
        if let Ok(about) = path.symlink_metadata() {
            use std::os::unix::fs::FileTypeExt as _;
            if !about.file_type().is_socket() {
                return Err(wrong("there is another file, which is not a socket".into()));
            }
            if UnixStream::connect(path).await.is_ok() {
                return Err(wrong("another daemon listens there".into()));
            }
            std::fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
        Ok(Socket {
            listener,
            path: path.to_owned(),
            number: path.symlink_metadata()?.ino(),
        })
    }
}

/// Makes a folder, or checks that no other user can put a file there.
fn private(folder: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let about = folder.metadata()?;
    if about.uid() != own_uid() || about.mode() & 0o022 != 0 {
        return Err(wrong(format!(
            "others can write into {}: name a socket in a folder of your own, with the mode 0700",
            folder.display()
        )));
    }
    Ok(())
}

/// The user of this process.
fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether the program at the other end is the user's own.
pub(crate) fn is_own(stream: &UnixStream) -> bool {
    stream
        .peer_cred()
        .is_ok_and(|peer| may_ask(peer.uid(), own_uid()))
}

/// Only the user who has started the daemon may ask it: its answers come from that user's files, and its hooks run with
/// that user's rights.
fn may_ask(peer: u32, own: u32) -> bool {
    peer == own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_user_is_not_answered() {
        assert!(may_ask(1000, 1000));
        assert!(!may_ask(1001, 1000));
        assert!(!may_ask(0, 1000), "root has a daemon of its own");
        assert!(!may_ask(1000, 0));
    }

    #[tokio::test]
    async fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inner/hooks.sock");
        let first = Socket::bind(&path).await.unwrap();
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let error = Socket::bind(&path).await.unwrap_err();
        assert!(error.to_string().contains("another daemon"), "{error}");
        // As if it had been killed.
        let Socket { listener, .. } = &first;
        let _ = listener;
        std::mem::forget(first);
        let stale = folder.path().join("stale.sock");
        drop(std::os::unix::net::UnixListener::bind(&stale).unwrap());
        let second = Socket::bind(&stale).await.unwrap();
        drop(second);
        assert!(!stale.exists(), "the socket is removed in the end");
    }

    #[tokio::test]
    async fn a_socket_is_no_other_file_and_in_no_folder_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hooks.sock");
        std::fs::write(&path, "mine").unwrap();
        assert!(Socket::bind(&path).await.is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        let open = folder.path().join("open");
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        let error = Socket::bind(&open.join("hooks.sock")).await.unwrap_err();
        assert!(error.to_string().contains("others can write"), "{error}");
    }
}
