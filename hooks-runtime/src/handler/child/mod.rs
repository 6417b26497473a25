//! A child process of which nothing is left when it is over.
//!
//! | what happens | what becomes of it |
//! | --- | --- |
//! | the process ends | its group is killed (unless [`Background::Lives`]), then the process is reaped |
//! | nobody waits for it any more: a timeout, a cancelled agent | its group gets TERM, and KILL after [`GRACE`]; a thread of its own sees to that, so it works without an async runtime |
//! | a descendant has left the group (`setsid`) | on Linux it is found by a variable of its environment, [`mark::VARIABLE`], and killed as well |
//! | the agent is killed | the watchdog, a shell that waits for the end of a pipe, kills all that still runs |
//!
//! A descendant that leaves the group, closes the hook's pipes, and whose hook then ends by itself is let go: that is how
//! a program starts a daemon. Elsewhere than on Linux, nobody finds a descendant that has left the group.
//!
//! Nothing here needs code between `fork` and `exec`, so the standard library uses `posix_spawn`: starting a child costs
//! the same, however much memory the agent has.

mod mark;
mod reaper;
mod watchdog;

use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use self::mark::Mark;
use crate::Sandbox;
use crate::dialect::Exit;

/// How long a process has to end after TERM, before it is killed.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// How long to wait for the rest of what a process has written, after it has ended.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// What becomes of processes that a child has left running in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Background {
    /// They are killed.
    Ends,
    /// They go on, without the child's pipes.
    Lives,
}

/// A process in a group of its own.
#[derive(Debug)]
pub(crate) struct Child {
    /// There until it was reaped, or handed to the reaper.
    process: Option<std::process::Child>,
    mark: Mark,
    background: Background,
    outputs: Outputs,
}

/// Our ends of a process's outputs once more. They stay open until it has ended: otherwise a process that cleans up
/// after TERM, and says so, would be killed by SIGPIPE.
#[derive(Debug, Default)]
struct Outputs {
    #[cfg(unix)]
    _open: Vec<std::os::fd::OwnedFd>,
}

impl Outputs {
    #[cfg(unix)]
    fn of(process: &std::process::Child) -> Self {
        use std::os::fd::AsFd;
        let stdout = process.stdout.as_ref().map(AsFd::as_fd);
        let stderr = process.stderr.as_ref().map(AsFd::as_fd);
        let outputs = stdout.into_iter().chain(stderr);
        Outputs {
            _open: outputs
                .filter_map(|one| one.try_clone_to_owned().ok())
                .collect(),
        }
    }

    #[cfg(not(unix))]
    fn of(_: &std::process::Child) -> Self {
        Outputs::default()
    }
}

/// The ends of a child's pipes.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl Child {
    /// Starts a command with pipes, in a sandbox if there is one.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub(crate) fn spawn(
        mut command: Command,
        background: Background,
        sandbox: Option<&Sandbox>,
    ) -> io::Result<(Self, Pipes)> {
        let mark = Mark::next();
        command
            .env(mark::VARIABLE, mark.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = match sandbox {
            Some(sandbox) => sandbox.spawn(&mut command)?,
            None => command.spawn()?,
        };
        watchdog::watch(mark, process.id());
        let outputs = Outputs::of(&process);
        let pipes = (
            process.stdin.take(),
            process.stdout.take(),
            process.stderr.take(),
        );
        // From here on, the process ends with this.
        let child = Child {
            process: Some(process),
            mark,
            background,
            outputs,
        };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("a pipe is missing"));
        };
        let pipes = Pipes {
            stdin: ChildStdin::from_std(stdin)?,
            stdout: ChildStdout::from_std(stdout)?,
            stderr: ChildStderr::from_std(stderr)?,
        };
        Ok((child, pipes))
    }

    /// Waits for its end.
    ///
    /// # Errors
    ///
    /// If it cannot be waited for. It is then killed when this is dropped.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let Some(process) = self.process.as_mut() else {
            return Err(io::Error::other("the process has been waited for"));
        };
        ended(process).await?;
        // The number of the group is not another's before its leader is reaped.
        if self.background == Background::Ends {
            signal_group(process, true);
        }
        watchdog::forget(self.mark);
        let status = process.wait()?;
        self.process = None;
        Ok(status)
    }

    /// Hands over the input, and collects what the process writes until it ends.
    ///
    /// A process that does not read its input is none the worse. At most `most` bytes of each output are kept; the rest is
    /// read and dropped, so that the process is not held up.
    ///
    /// # Errors
    ///
    /// If it cannot be waited for.
    pub(crate) async fn talk(
        mut self,
        pipes: Pipes,
        input: &[u8],
        most: usize,
    ) -> io::Result<Exit> {
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let (mut is_cut, mut are_errors_cut) = (false, false);
        let (mark, ends) = (self.mark, self.background == Background::Ends);
        let status = {
            let mut talk = std::pin::pin!(async {
                tokio::join!(
                    tell(pipes.stdin, input),
                    hear(pipes.stdout, &mut output, most, &mut is_cut),
                    hear(pipes.stderr, &mut errors, most, &mut are_errors_cut),
                )
            });
            let mut end = std::pin::pin!(self.wait());
            let mut is_silent = false;
            let status = loop {
                tokio::select! {
                    _ = &mut talk, if !is_silent => is_silent = true,
                    status = &mut end => break status?,
                }
            };
            // Whoever still holds the pipes has left the group.
            if !is_silent && timeout(LAST_WORDS, talk).await.is_err() && ends {
                reaper::sweep(mark);
            }
            status
        };
        Ok(Exit {
            code: status.code(),
            stdout: output,
            stderr: errors,
            is_cut,
        })
    }

    /// Sends KILL to the whole group. The process still has to be waited for.
    pub(crate) fn kill(&mut self) {
        if let Some(process) = &mut self.process {
            signal_group(process, true);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            reaper::finish(process, self.mark, std::mem::take(&mut self.outputs));
        }
    }
}

/// Hands over the input, and closes the pipe.
async fn tell(mut pipe: impl AsyncWrite + Unpin, input: &[u8]) {
    let _ = pipe.write_all(input).await;
}

/// Keeps so much of what is written, and reads the rest as well.
async fn hear(
    mut pipe: impl AsyncRead + Unpin,
    kept: &mut Vec<u8>,
    most: usize,
    is_cut: &mut bool,
) {
    let mut buffer = [0; 4096];
    while let Ok(bytes @ 1..) = pipe.read(&mut buffer).await {
        let room = most.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..bytes.min(room)]);
        *is_cut |= bytes > room;
    }
}

/// Waits until the process has ended, and leaves it to be reaped.
#[cfg(target_os = "linux")]
async fn ended(process: &mut std::process::Child) -> io::Result<()> {
    use rustix::process::{PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    let Some(pid) = pid(process) else {
        return Ok(());
    };
    match pidfd_open(pid, PidfdFlags::NONBLOCK) {
        Ok(descriptor) => {
            #[expect(
                deprecated,
                reason = "its successor is unsafe, for types whose descriptor may change; an `OwnedFd` keeps its own"
            )]
            let descriptor = AsyncFd::with_interest(descriptor, Interest::READABLE)?;
            descriptor.readable().await?.retain_ready();
            Ok(())
        }
        // Kernels before 5.3, and sandboxes that do not know the call.
        Err(_) => ended_by_thread(pid).await,
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
async fn ended(process: &mut std::process::Child) -> io::Result<()> {
    match pid(process) {
        Some(pid) => ended_by_thread(pid).await,
        None => Ok(()),
    }
}

/// As [`ended`], where a process cannot be polled.
#[cfg(unix)]
async fn ended_by_thread(pid: rustix::process::Pid) -> io::Result<()> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};

    let wait = move || {
        loop {
            match waitid(
                WaitId::Pid(pid),
                WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
            ) {
                Err(rustix::io::Errno::INTR) => {}
                other => return other.map(drop).map_err(io::Error::from),
            }
        }
    };
    tokio::task::spawn_blocking(wait)
        .await
        .map_err(io::Error::other)?
}

#[cfg(not(unix))]
async fn ended(process: &mut std::process::Child) -> io::Result<()> {
    while process.try_wait()?.is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

#[cfg(unix)]
fn pid(process: &std::process::Child) -> Option<rustix::process::Pid> {
    let id = i32::try_from(process.id()).ok()?;
    rustix::process::Pid::from_raw(id)
}

/// Sends TERM, or KILL, to the group of a process that has not been reaped.
fn signal_group(process: &mut std::process::Child, kills: bool) {
    #[cfg(unix)]
    if let Some(leader) = pid(process) {
        use rustix::process::{Signal, kill_process_group};
        let signal = if kills { Signal::KILL } else { Signal::TERM };
        // An empty group is an error, and as it should be.
        let _ = kill_process_group(leader, signal);
    }
    #[cfg(not(unix))]
    {
        let _ = kills;
        let _ = process.kill();
    }
}
