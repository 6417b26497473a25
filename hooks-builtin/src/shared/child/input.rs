//! Our end of a child's standard input.

use std::io;
use std::process::{Child, Command};

pub use self::system::Input;

#[cfg(unix)]
mod system {
    use std::io::PipeReader;
    use std::os::fd::OwnedFd;

    use tokio::net::unix::pipe::Sender;

    use super::{Child, Command, io};

    /// A pipe whose other end stays open here, too. So a child that closes its input early is no broken pipe, and the
    /// kernel never sends SIGPIPE, which would end an agent that does not ignore it.
    ///
    /// (A socket would do the same, but nobody can open `/dev/stdin` then.)
    #[derive(Debug)]
    pub struct Input {
        pipe: OwnedFd,
        /// The same pipe, once it was full.
        full: Option<Sender>,
        _other_end: PipeReader,
    }

    impl Input {
        /// Connects the input of a command.
        pub(in super::super) fn of(command: &mut Command) -> io::Result<Self> {
            let (theirs, ours) = io::pipe()?;
            command.stdin(theirs.try_clone()?);
            rustix::io::ioctl_fionbio(&ours, true)?;
            Ok(Input {
                pipe: ours.into(),
                full: None,
                _other_end: theirs,
            })
        }

        #[expect(clippy::unnecessary_wraps, reason = "it may fail on other systems")]
        pub(in super::super) fn started(self, _: &mut Child) -> io::Result<Self> {
            Ok(self)
        }

        /// Writes all of it. If the child does not read, this waits until it does.
        ///
        /// What fits into the pipe is written at once.
        ///
        /// # Errors
        ///
        /// If the pipe fails.
        pub async fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
            while !bytes.is_empty() {
                let written = match &self.full {
                    None => rustix::io::write(&self.pipe, bytes).map_err(io::Error::from),
                    Some(pipe) => {
                        pipe.writable().await?;
                        pipe.try_write(bytes)
                    }
                };
                match written {
                    Ok(written) => bytes = &bytes[written..],
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        if self.full.is_none() {
                            self.full = Some(Sender::from_owned_fd(self.pipe.try_clone()?)?);
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::process::Stdio;

    use tokio::io::AsyncWriteExt;
    use tokio::process::ChildStdin;

    use super::{Child, Command, io};

    /// A pipe.
    #[derive(Debug)]
    pub struct Input(Option<ChildStdin>);

    impl Input {
        pub(in super::super) fn of(command: &mut Command) -> io::Result<Self> {
            command.stdin(Stdio::piped());
            Ok(Input(None))
        }

        pub(in super::super) fn started(self, child: &mut Child) -> io::Result<Self> {
            let pipe = child.stdin.take();
            let pipe = pipe.ok_or_else(|| io::Error::other("a pipe is missing"))?;
            Ok(Input(Some(ChildStdin::from_std(pipe)?)))
        }

        /// Writes all of it.
        ///
        /// # Errors
        ///
        /// If the pipe fails.
        pub async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
            match &mut self.0 {
                Some(pipe) => pipe.write_all(bytes).await,
                None => Ok(()),
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The kernel sends SIGPIPE exactly where a write fails with "broken pipe".
    #[tokio::test]
    async fn a_child_that_closes_its_input_is_no_broken_pipe() {
        let mut command = Command::new("true");
        let mut input = Input::of(&mut command).unwrap();
        assert!(command.status().unwrap().success());
        drop(command);
        input.write_all(b"nobody reads this").await.unwrap();
    }
}
