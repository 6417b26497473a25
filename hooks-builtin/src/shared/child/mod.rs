//! A child process that leaves no process behind.
//!
//! | event | effect |
//! | --- | --- |
//! | the process ends | its group is killed (unless [`Background::Lives`]), then the process is reaped |
//! | nobody waits for it any more: a timeout, a cancelled agent | its group gets TERM, and all its processes get KILL after [`GRACE`]; a separate thread does this, so it works without an async runtime |
//! | the agent is killed | the watchdog, a shell that waits for the end of a pipe, kills everything that still runs |
//!
//! What has left the group (`setsid`) is found on Linux, see `kin`. If such a process closes the hook's pipes, and the
//! hook then ends by itself, it keeps running: that is how a program starts a daemon. A process also survives if it has
//! left the group, has lost its parent and has cleared its environment. Only a control group would find it, which an
//! agent rarely may create.
//!
//! Nothing here needs code between `fork` and `exec`, so the standard library uses `posix_spawn`: the cost of starting
//! a child does not depend on the agent's memory.

mod input;
mod kin;
mod reaper;
mod watchdog;

use std::io;
use std::panic::catch_unwind;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::time::timeout;

pub use self::input::Input;
use self::kin::Mark;

/// How long a process has to end after TERM, before it is killed.
pub const GRACE: Duration = Duration::from_millis(500);

/// How long to wait for the remaining output of a process that has ended.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// What happens to processes that a child leaves in its group.
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
    /// Present until the process is reaped, or passed to the reaper.
    process: Option<std::process::Child>,
    mark: Mark,
    background: Background,
    outputs: Outputs,
}

/// Duplicates of our ends of a process's outputs. They stay open until the process has ended. Otherwise, a process that
/// writes while it cleans up after TERM would be killed by SIGPIPE.
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

/// Our ends of a child's pipes.
#[derive(Debug)]
pub struct Pipes {
    /// Its standard input.
    pub stdin: Input,
    /// Its standard output.
    pub stdout: ChildStdout,
    /// Its standard error.
    pub stderr: ChildStderr,
}

/// How a process ended, and what it wrote.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: Output,
    /// What it wrote to standard error.
    pub stderr: Output,
}

/// What a process wrote.
#[derive(Debug, Default)]
pub struct Output {
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
    pub fn spawn(mut command: Command, background: Background) -> io::Result<(Self, Pipes)> {
        let mark = Mark::next();
        command
            .env(kin::VARIABLE, mark.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let stdin = Input::of(&mut command)?;
        watchdog::expect(mark);
        let mut process = command.spawn().inspect_err(|_| watchdog::forget(mark))?;
        watchdog::watch(mark, process.id());
        let outputs = Outputs::of(&process);
        let stdin = stdin.started(&mut process);
        let outputs_of_process = (process.stdout.take(), process.stderr.take());
        // From here on, dropping this ends the process.
        let child = Child {
            process: Some(process),
            mark,
            background,
            outputs,
        };
        let (Some(stdout), Some(stderr)) = outputs_of_process else {
            return Err(io::Error::other("a pipe is missing"));
        };
        // tokio panics where it cannot wait for a pipe, and would take the agent along.
        let outputs = catch_unwind(|| {
            Ok((
                ChildStdout::from_std(stdout)?,
                ChildStderr::from_std(stderr)?,
            ))
        });
        let no_io = |_| Err(io::Error::other(super::clock::MISSING));
        let (stdout, stderr) = outputs.unwrap_or_else(no_io)?;
        let pipes = Pipes {
            stdin: stdin?,
            stdout,
            stderr,
        };
        Ok((child, pipes))
    }

    /// Waits until the process ends.
    ///
    /// # Errors
    ///
    /// If it cannot be waited for. It is then killed when this is dropped.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let Some(process) = self.process.as_mut() else {
            return Err(io::Error::other("the process has been waited for"));
        };
        ended(process).await?;
        // The number of the group cannot be reused before its leader is reaped.
        if self.background == Background::Ends {
            signal_group(process, true);
        }
        watchdog::forget(self.mark);
        let status = process.wait()?;
        self.process = None;
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
    pub async fn talk(mut self, pipes: Pipes, input: &[u8], most: usize) -> io::Result<Ended> {
        let (mut stdout, mut stderr) = (Output::default(), Output::default());
        let (mark, ends) = (self.mark, self.background == Background::Ends);
        let status = {
            let mut talk = std::pin::pin!(async {
                tokio::join!(
                    stdout.hear(pipes.stdout, most),
                    stderr.hear(pipes.stderr, most),
                )
            });
            let mut told = std::pin::pin!(tell(pipes.stdin, input));
            let mut end = std::pin::pin!(self.wait());
            let (mut is_told, mut is_silent) = (false, false);
            let status = loop {
                tokio::select! {
                    () = &mut told, if !is_told => is_told = true,
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
        Ok(Ended {
            status,
            stdout,
            stderr,
        })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            reaper::finish(process, self.mark, std::mem::take(&mut self.outputs));
        }
    }
}

/// Writes the input, and closes the pipe.
async fn tell(mut pipe: Input, input: &[u8]) {
    let _ = pipe.write_all(input).await;
}

impl Output {
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

/// Waits until the process has ended, without reaping it.
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
        // Kernels before 5.3 do not have the call, nor do some sandboxes.
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

/// Does the same as [`ended`], on systems where a process cannot be polled.
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

/// Sends TERM or KILL to the group of a process that is not reaped yet.
fn signal_group(process: &mut std::process::Child, kills: bool) {
    #[cfg(unix)]
    if let Some(leader) = pid(process) {
        use rustix::process::{Signal, kill_process_group};
        let signal = if kills { Signal::KILL } else { Signal::TERM };
        // An empty group is an error, which is expected.
        let _ = kill_process_group(leader, signal);
    }
    #[cfg(not(unix))]
    {
        let _ = kills;
        let _ = process.kill();
    }
}
