//! Ends processes that nobody waits for any more.
//!
//! A dropped future cannot wait, and the async runtime may be gone. So one thread ends all of them: it sends TERM at
//! once and KILL after the grace period, and then reaps them.

use std::process::Child;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::kin::{Kin, Mark};
use super::{GRACE, Outputs, signal_group, watchdog};

/// How often the thread checks the processes that are ending.
const TICK: Duration = Duration::from_millis(10);

enum Job {
    Finish(Ending),
    /// Kills descendants outside of the group.
    Sweep(Mark),
}

struct Ending {
    process: Child,
    mark: Mark,
    outputs: Outputs,
}

struct Doomed {
    process: Child,
    mark: Mark,
    /// Its descendants. They are searched for before it gets TERM: when it has ended, they are nobody's.
    kin: Kin,
    /// When it gets KILL.
    deadline: Instant,
    _outputs: Outputs,
}

static REAPER: LazyLock<Option<Sender<Job>>> = LazyLock::new(|| {
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().name("hooks-reaper".into());
    match thread.spawn(move || work(&receiver)) {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::warn!(%error, "cannot start the thread that ends processes of hooks: they are killed at once");
            None
        }
    }
});

/// Ends a process and all its descendants.
pub(super) fn finish(process: Child, mark: Mark, outputs: Outputs) {
    let ending = Ending {
        process,
        mark,
        outputs,
    };
    let left = match &*REAPER {
        Some(reaper) => reaper.send(Job::Finish(ending)).err().map(|error| error.0),
        None => Some(Job::Finish(ending)),
    };
    if let Some(Job::Finish(ending)) = left {
        Doomed::of(ending).bury();
    }
}

/// Kills descendants that have left the group of a process that has ended.
pub(super) fn sweep(mark: Mark) {
    match &*REAPER {
        Some(reaper) if reaper.send(Job::Sweep(mark)).is_ok() => {}
        _ => Kin::default().kill(mark, None),
    }
}

impl Doomed {
    /// Sends TERM.
    fn of(ending: Ending) -> Self {
        let Ending {
            mut process,
            mark,
            outputs,
        } = ending;
        let mut kin = Kin::default();
        kin.find(mark, Some(process.id()));
        signal_group(&mut process, false);
        Doomed {
            process,
            mark,
            kin,
            deadline: Instant::now() + GRACE,
            _outputs: outputs,
        }
    }

    /// Whether it has ended. It is not reaped yet, so the number of its group is not reused.
    fn has_ended(&mut self) -> bool {
        #[cfg(unix)]
        {
            use rustix::process::{WaitId, WaitIdOptions, waitid};
            let Some(pid) = super::pid(&self.process) else {
                return true;
            };
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            match waitid(WaitId::Pid(pid), options) {
                Ok(status) => status.is_some(),
                Err(error) => error != rustix::io::Errno::INTR,
            }
        }
        #[cfg(not(unix))]
        {
            !matches!(self.process.try_wait(), Ok(None))
        }
    }

    fn kill(&mut self) {
        self.kin.kill(self.mark, Some(self.process.id()));
        signal_group(&mut self.process, true);
    }

    /// Kills the rest of the group, and reaps the process.
    fn bury(&mut self) {
        self.kill();
        watchdog::forget(self.mark);
        let _ = self.process.wait();
    }
}

fn work(jobs: &Receiver<Job>) {
    let mut doomed: Vec<Doomed> = Vec::new();
    loop {
        let job = if doomed.is_empty() {
            match jobs.recv() {
                Ok(job) => Some(job),
                Err(_) => return,
            }
        } else {
            match jobs.recv_timeout(TICK) {
                Ok(job) => Some(job),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        };
        match job {
            Some(Job::Finish(ending)) => doomed.push(Doomed::of(ending)),
            Some(Job::Sweep(mark)) => Kin::default().kill(mark, None),
            None => {}
        }
        let now = Instant::now();
        doomed.retain_mut(|one| {
            if one.has_ended() {
                one.bury();
                return false;
            }
            if now >= one.deadline {
                one.kill();
                // If the process survives, it is checked again.
                one.deadline = now + GRACE;
            }
            true
        });
    }
}
