//! The signals that a process waits for, instead of being interrupted by them.

use std::io;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, WaitOptions, WaitStatus};

/// How long a process waits at most for a child that may not tell it about its end, because the caller ignores that signal.
const LONGEST: Duration = Duration::from_secs(1);

/// The signals that ask a program to end, and the one that a child has done something. They wait until they are read.
#[derive(Debug)]
pub(crate) struct Signals {
    before: SigSet,
    queue: SignalFd,
}

impl Signals {
    /// Holds them back from now on, in what is forked, too.
    pub(crate) fn hold() -> nix::Result<Self> {
        let all = [
            Signal::SIGCHLD,
            Signal::SIGTERM,
            Signal::SIGINT,
            Signal::SIGHUP,
        ];
        let held: SigSet = all.into_iter().collect();
        Ok(Signals {
            before: held.thread_swap_mask(SigmaskHow::SIG_BLOCK)?,
            queue: SignalFd::with_flags(&held, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?,
        })
    }

    /// Holds back only what this process held back before.
    pub(crate) fn release(&self) -> nix::Result<()> {
        self.before.thread_set_mask()
    }

    /// Waits for signals, for a second if not for less, and hands on to a process those that ask it to end.
    pub(crate) fn hand_on(
        &self,
        process: nix::unistd::Pid,
        longest: Option<Duration>,
    ) -> io::Result<()> {
        let longest = Timespec::try_from(longest.unwrap_or(LONGEST)).ok();
        let mut queue = [PollFd::new(&self.queue, PollFlags::IN)];
        match poll(&mut queue, longest.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(()),
            polled => polled?,
        };
        while let Some(read) = self.queue.read_signal().or_else(interrupted)? {
            let signal = Signal::try_from(read.ssi_signo.cast_signed())?;
            if signal != Signal::SIGCHLD {
                // It may have ended.
                let _ = nix::sys::signal::kill(process, signal);
            }
        }
        Ok(())
    }

    /// Waits until a child ends, and hands signals on to it. Other children that end meanwhile are forgotten.
    pub(crate) fn wait_for(&self, child: Pid) -> io::Result<WaitStatus> {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG)? {
                Some((ended, status)) if ended == child => return Ok(status),
                Some(_) => {}
                None => self.hand_on(nix::unistd::Pid::from_raw(child.as_raw_pid()), None)?,
            }
        }
    }
}

fn interrupted<T>(error: Errno) -> nix::Result<Option<T>> {
    match error {
        Errno::EINTR => Ok(None),
        error => Err(error),
    }
}
