//! A child process that leaves no process behind.
//!
//! | event | what ends |
//! | --- | --- |
//! | the process ends | its group, and what still holds its outputs (unless [`Background::Lives`]) |
//! | what it does is not waited for any more: a timeout, a cancelled agent | its group gets TERM. Half a second later, its group, what descends from it and what still holds its outputs get KILL |
//! | the agent is killed | the group of a process that has run for a while, and what descends from it: see `watched` |
//!
//! The kernel knows all of these, so a process that ends by itself costs no other process and no search: its group is a
//! number, its descendants are the children of its children, and an end of a pipe shows whether the other is held. All
//! processes are looked at only where a process has ended and an output is still held.
//!
//! What has left the group (`setsid`), has lost its parent and has closed the outputs is not found: that is how a program
//! starts a daemon. Only a control group would find it, which an agent rarely may create.
//!
//! Nothing here needs code between `fork` and `exec`, so the standard library uses `posix_spawn`: the cost of starting a
//! child does not depend on the agent's memory. (`process-wrap` knows groups, which are two calls here, and neither what
//! has left one nor an agent that is killed.)

#[cfg_attr(not(target_os = "linux"), path = "no_holders.rs")]
mod holders;
mod watched;

use std::future::pending;
use std::io;
#[cfg(unix)]
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{Builder, sleep};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use self::holders::kill_holders;
use self::watched::WatchedShell;

/// How long a process has to end after TERM, before it is killed.
const GRACE: Duration = Duration::from_millis(500);

/// How long to wait for the remaining output of a process that has ended.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// How long a process runs before it is watched. Most have ended by then.
const UNWATCHED: Duration = Duration::from_millis(100);

/// How often a process that is ending is looked at.
const TICK: Duration = Duration::from_millis(10);

#[cfg(unix)]
type End = OwnedFd;
#[cfg(not(unix))]
type End = ();

/// What happens to processes that a child leaves in its group, or that hold its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// They are killed.
    Ends,
    /// They keep running, without the child's pipes.
    Lives,
}

/// A process in a group of its own.
#[derive(Debug)]
pub struct Child {
    /// Present until the process is reaped.
    process: Option<tokio::process::Child>,
    /// The number of the process, which is that of its group.
    group: u32,
    background: Background,
    watched: Option<WatchedShell>,
    /// The other end of its input, so that a child that closes its input does not break the pipe: the kernel never sends
    /// SIGPIPE, which would end an agent that does not ignore it.
    #[cfg(unix)]
    _input: std::io::PipeReader,
    /// Duplicates of our ends of its outputs, so that a process that writes while it cleans up after TERM does not break
    /// them.
    outputs: Vec<End>,
}

/// Our ends of a child's pipes.
#[derive(Debug)]
pub struct Pipes {
    /// Its standard input.
    pub stdin: ChildStdin,
    /// Its standard output.
    pub stdout: ChildStdout,
    /// Its standard error.
    pub stderr: ChildStderr,
}

/// How a process ended, and what it wrote.
#[derive(Debug)]
pub struct ChildEnd {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: ChildOutput,
    /// What it wrote to standard error.
    pub stderr: ChildOutput,
}

/// What a process wrote.
#[derive(Debug, Default)]
pub struct ChildOutput {
    /// What was kept.
    pub kept: Vec<u8>,
    /// Whether there was more.
    pub is_cut: bool,
}

impl Child {
    /// Starts a command with pipes.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn spawn(command: Command, background: Background) -> io::Result<(Self, Pipes)> {
        // tokio panics where it cannot wait for a pipe, and would take the agent along.
        let spawned = catch_unwind(AssertUnwindSafe(|| Self::start(command, background)));
        spawned.unwrap_or_else(|_| Err(io::Error::other(super::clock::MISSING)))
    }

    fn start(mut command: Command, background: Background) -> io::Result<(Self, Pipes)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        #[cfg(unix)]
        let (input, stdin) = {
            use std::os::unix::process::CommandExt;
            let (theirs, ours) = io::pipe()?;
            command.process_group(0).stdin(theirs.try_clone()?);
            (theirs, ChildStdin::from_std(OwnedFd::from(ours).into())?)
        };
        let mut process = tokio::process::Command::from(command).spawn()?;
        #[cfg(unix)]
        process.stdin.replace(stdin);
        let missing = || io::Error::other("a pipe is missing");
        let pipes = Pipes {
            stdin: process.stdin.take().ok_or_else(missing)?,
            stdout: process.stdout.take().ok_or_else(missing)?,
            stderr: process.stderr.take().ok_or_else(missing)?,
        };
        // From here on, dropping this ends the process.
        let mut child = Child {
            group: process.id().unwrap_or_default(),
            process: Some(process),
            background,
            watched: None,
            #[cfg(unix)]
            _input: input,
            outputs: Vec::new(),
        };
        #[cfg(unix)]
        for output in [pipes.stdout.as_fd(), pipes.stderr.as_fd()] {
            child.outputs.push(output.try_clone_to_owned()?);
        }
        #[cfg(not(unix))]
        let _ = &mut child;
        Ok((child, pipes))
    }

    /// Waits until the process ends.
    ///
    /// # Errors
    ///
    /// If it cannot be waited for. It is then killed when this is dropped.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let Some(process) = &mut self.process else {
            return Err(io::Error::other("the process has been waited for"));
        };
        let status = if let Ok(status) = timeout(UNWATCHED, process.wait()).await {
            status?
        } else {
            self.watched = WatchedShell::new(self.group);
            process.wait().await?
        };
        // As long as something is in the group, its number is not used again.
        if self.background == Background::Ends {
            kill_group(self.group);
        }
        (self.process, self.watched) = (None, None);
        Ok(status)
    }

    /// Writes the input, and collects the output until the process ends.
    ///
    /// A process may ignore its input. At most `most` bytes of each output are kept. The rest is read and dropped, so
    /// that the process does not block.
    ///
    /// # Errors
    ///
    /// If it cannot be waited for.
    pub async fn talk(
        mut self,
        mut pipes: Pipes,
        input: &[u8],
        most: usize,
    ) -> io::Result<ChildEnd> {
        let (mut stdout, mut stderr) = (ChildOutput::default(), ChildOutput::default());
        let status = {
            let mut heard = pin!(async {
                tokio::join!(
                    stdout.hear(pipes.stdout, most),
                    stderr.hear(pipes.stderr, most),
                )
            });
            let told = async {
                let _ = pipes.stdin.write_all(input).await;
                drop(pipes.stdin);
                pending().await
            };
            let mut ended = pin!(async {
                tokio::select! {
                    status = self.wait() => status,
                    status = told => status,
                }
            });
            tokio::select! {
                _ = &mut heard => ended.await?,
                status = &mut ended => {
                    let _ = timeout(LAST_WORDS, heard).await;
                    status?
                }
            }
        };
        Ok(ChildEnd {
            status,
            stdout,
            stderr,
        })
    }
}

/// A dropped future cannot wait, and the async runtime may be gone. So a thread waits for the end of the grace period.
impl Drop for Child {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else {
            if self.background == Background::Ends {
                kill_holders(&self.outputs);
            }
            return;
        };
        let watched = self.watched.take();
        let mut watched = watched.or_else(|| WatchedShell::new(self.group));
        watched.iter_mut().for_each(WatchedShell::end);
        let (group, outputs) = (self.group, std::mem::take(&mut self.outputs));
        let end = move || {
            drop(watched);
            // If there is no shell, they still run.
            kill_group(group);
            let _ = process.start_kill();
            while let Ok(None) = process.try_wait() {
                sleep(TICK);
            }
            kill_holders(&outputs);
        };
        let thread = Builder::new().name("hooks-reaper".into());
        if let Err(error) = thread.spawn(end) {
            tracing::warn!(%error, "what a hook has started is left to the shell that watches it");
        }
    }
}

fn kill_group(group: u32) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(group.cast_signed()) {
        // An empty group is an error, which is expected.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = group;
}

impl ChildOutput {
    /// Keeps at most that much of the output, and discards the rest.
    async fn hear(&mut self, mut pipe: impl AsyncRead + Unpin, most: usize) {
        let mut buffer = [0; 4096];
        while let Ok(bytes @ 1..) = pipe.read(&mut buffer).await {
            let room = most.saturating_sub(self.kept.len());
            self.kept.extend_from_slice(&buffer[..bytes.min(room)]);
            self.is_cut |= bytes > room;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The kernel sends SIGPIPE exactly where a write fails with "broken pipe".
    #[tokio::test]
    async fn a_child_that_closes_its_input_does_not_break_the_pipe() {
        let spawned = Child::spawn(Command::new("true"), Background::Ends);
        let (mut child, mut pipes) = spawned.unwrap();
        assert!(child.wait().await.unwrap().success());
        pipes.stdin.write_all(b"the child has ended").await.unwrap();
    }
}
