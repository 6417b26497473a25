//! Says what a program and all its children do: for the report of what was refused, and for tests.
//!
//! The tracer only looks. The kernel stops the program at some calls, and the tracer reads what they were (`ptrace`); but
//! what may be done is decided by the kernel alone. All that is traced ends with the tracer.

mod call;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;
use std::{io, thread};

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Event, Options};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::fs::OFlags;
use rustix::process::{WaitOptions, WaitStatus};
use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
use syscalls::Sysno;

use self::call::SystemCall;
use crate::linux::Signals;
use crate::{Attempt, Reason, Refused};

/// How often a halted thread is asked whether it goes on.
const PAUSE: Duration = Duration::from_millis(5);

/// One thing that a traced program has tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// What it tried to do.
    pub attempt: Attempt,
    /// With what, as in [`Refused`]. A path leads through the links that the program has written.
    pub target: String,
    /// The error number with which the kernel has answered; `None` if it worked.
    pub error: Option<i32>,
}

impl Seen {
    /// Returns what a report says about it.
    pub(crate) fn refused(self) -> Option<Refused> {
        // What libraries try in passing and do without.
        const PASSING: [&str; 4] = [
            "/dev/tty",
            "/sys",
            "socket for Unix sockets",
            "socket for netlink",
        ];
        let target = Path::new(&self.target);
        let is_passing = PASSING.iter().any(|passing| target.starts_with(passing));
        (!is_passing).then_some(Refused {
            attempt: self.attempt,
            target: self.target,
            reason: Reason::NotAllowed,
        })
    }
}

/// The tracer of a program and its children. It stays on the thread that has made it.
#[derive(Debug)]
pub(crate) struct Tracer {
    root: Pid,
    /// Whether it stops at every call, and not only at those of [`watched`].
    every: bool,
    /// All threads, and what they are about to do if they are within a call.
    threads: HashMap<Pid, Option<Vec<(Attempt, String)>>>,
    /// The threads that a signal has halted.
    halted: Vec<Pid>,
}

impl Tracer {
    /// Begins to trace a process, which must not have children yet. This is for x86-64 only.
    pub(crate) fn seize(root: rustix::process::Pid, every: bool) -> io::Result<Tracer> {
        if cfg!(not(target_arch = "x86_64")) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let root = Pid::from_raw(root.as_raw_pid());
        let mut options = Options::PTRACE_O_EXITKILL
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEEXEC
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_TRACEVFORK;
        options.set(Options::PTRACE_O_TRACESECCOMP, !every);
        ptrace::seize(root, options)?;
        let threads = HashMap::from([(root, None)]);
        let halted = Vec::new();
        Ok(Tracer {
            root,
            every,
            threads,
            halted,
        })
    }

    /// Follows the process until it ends, and tells what it and its children have tried: what was refused, or all if it
    /// stops at every call. What outlives the process is killed.
    ///
    /// It waits for all children of this thread, and hands signals on to the process.
    pub(crate) fn follow(
        mut self,
        signals: Option<&Signals>,
        seen: &mut dyn FnMut(Seen),
    ) -> io::Result<WaitStatus> {
        let ended = loop {
            let (thread, status) = self.wait(signals)?;
            if status.stopped() {
                match self.stopped(thread, status.as_raw() >> 8, seen) {
                    // It was killed meanwhile.
                    Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                    Err(error) => break Err(error),
                    Ok(()) => {}
                }
            } else {
                self.threads.remove(&thread);
                if thread == self.root {
                    break Ok(status);
                }
            }
        };
        for thread in self.threads.keys() {
            let _ = kill(*thread, Signal::SIGKILL);
        }
        ended
    }

    /// Waits until a thread stops or ends.
    fn wait(&mut self, signals: Option<&Signals>) -> io::Result<(Pid, WaitStatus)> {
        // Children of each kind, but only of this thread.
        let ours = (libc::__WALL | libc::__WNOTHREAD).cast_unsigned();
        let mut how = WaitOptions::from_bits_retain(ours);
        loop {
            how.set(
                WaitOptions::NOHANG,
                signals.is_some() || !self.halted.is_empty(),
            );
            match rustix::process::wait(how) {
                Ok(Some((thread, status))) => {
                    return Ok((Pid::from_raw(thread.as_raw_pid()), status));
                }
                Err(error) if error != rustix::io::Errno::INTR => return Err(error.into()),
                _ => match signals {
                    Some(signals) if self.halted.is_empty() => signals.hand_on(self.root, None)?,
                    Some(signals) => signals.hand_on(self.root, Some(PAUSE))?,
                    None => thread::sleep(PAUSE),
                },
            }
            // Nothing says when a halted thread may go on. If it is stopped anew, it says whether it is still halted, and
            // has not run in between.
            for thread in self.halted.drain(..) {
                let _ = ptrace::interrupt(thread).and_then(|()| ptrace::cont(thread, None));
            }
        }
    }

    /// Looks at a thread that has stopped, and lets it go on.
    fn stopped(&mut self, thread: Pid, status: i32, seen: &mut dyn FnMut(Seen)) -> io::Result<()> {
        const CALL: i32 = Signal::SIGTRAP as i32 | 0x80;
        const EXEC: i32 = Event::PTRACE_EVENT_EXEC as i32;
        const SECCOMP: i32 = Event::PTRACE_EVENT_SECCOMP as i32;
        const STOP: i32 = Event::PTRACE_EVENT_STOP as i32;
        self.threads.entry(thread).or_default();
        let mut signal = None;
        match (status >> 8, status & 0xff) {
            (0, CALL) => self.called(thread, seen)?,
            (0, number) => {
                let sent = Signal::try_from(number).map_err(|_| real_time(number))?;
                signal = (sent != Signal::SIGSYS || !self.refused(thread, seen)?).then_some(sent);
            }
            // It stops once more after the call.
            (SECCOMP, _) => return Ok(ptrace::syscall(thread, None)?),
            (STOP, number) if number != Signal::SIGTRAP as i32 => {
                self.halted.push(thread);
                return Ok(());
            }
            // A thread that becomes another program takes the place of the process' first one.
            (EXEC, _) => {
                let before =
                    Pid::from_raw(i32::try_from(ptrace::getevent(thread)?).unwrap_or_default());
                let within = self.threads.remove(&before).flatten();
                self.threads.insert(thread, within);
            }
            _ => {}
        }
        let resume = if self.every {
            ptrace::syscall
        } else {
            ptrace::cont
        };
        Ok(resume(thread, signal)?)
    }

    /// A thread is about to make a call, or has made it.
    fn called(&mut self, thread: Pid, seen: &mut dyn FnMut(Seen)) -> io::Result<()> {
        let call = SystemCall::of(thread)?;
        let within = self.threads.entry(thread).or_default();
        let attempts = match (within.take(), call.error) {
            (Some(attempts), _) => attempts,
            (None, _) if self.every => {
                *within = Some(call.attempts());
                return Ok(());
            }
            (None, Some(error)) if REFUSALS.contains(&error) => call.attempts(),
            _ => return Ok(()),
        };
        for (attempt, target) in attempts {
            if self.every || is_refused(thread, attempt, &target, call.error) {
                seen(Seen {
                    attempt,
                    target,
                    error: call.error.map(|error| error as i32),
                });
            }
        }
        Ok(())
    }

    /// Whether a signal is the kernel's answer to a call that the sandbox refuses. Then the call fails like others.
    fn refused(&self, thread: Pid, seen: &mut dyn FnMut(Seen)) -> io::Result<bool> {
        let info = ptrace::getsiginfo(thread)?;
        // SYS_SECCOMP. A filter of the program itself would have sent data along.
        if self.every || info.si_code != 1 || info.si_errno != 0 {
            return Ok(false);
        }
        let call = SystemCall::of(thread)?;
        call.fail(Errno::EPERM)?;
        seen(Seen {
            attempt: Attempt::Call,
            target: call.name(),
            error: Some(Errno::EPERM as i32),
        });
        Ok(true)
    }
}

/// A program that does not get its signals is not the same program, and these cannot be handed on.
fn real_time(signal: i32) -> io::Error {
    let why = format!(
        "a traced program does not get real-time signals, and it uses number {signal}: do not trace it"
    );
    io::Error::new(io::ErrorKind::Unsupported, why)
}

/// The errors with which a call may have been refused.
const REFUSALS: [Errno; 6] = [
    Errno::EACCES,
    Errno::EBUSY,
    Errno::ENETUNREACH,
    Errno::ENOENT,
    Errno::EPERM,
    Errno::EROFS,
];

/// Whether the sandbox is the cause of an error of [`REFUSALS`].
fn is_refused(thread: Pid, attempt: Attempt, target: &str, error: Option<Errno>) -> bool {
    let path = Path::new(target);
    let writes = attempt == Attempt::Write;
    match error {
        // Who looks for a program also looks where it may not.
        Some(Errno::EACCES) if attempt == Attempt::Run => path.symlink_metadata().is_ok(),
        Some(Errno::EACCES | Errno::EPERM | Errno::EROFS) => true,
        // What is protected is a mount point, and that cannot be moved away.
        Some(Errno::EBUSY) => writes,
        Some(Errno::ENETUNREACH) => !path.is_absolute(),
        Some(Errno::ENOENT) => path
            .ancestors()
            .take(1 + usize::from(writes))
            .any(|path| is_hidden(thread, path)),
        _ => false,
    }
}

/// Whether a path leads to something that is there, but not for a thread.
fn is_hidden(thread: Pid, path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| {
        let inside = format!("/proc/{thread}/root{}", real.display());
        Path::new(&inside).symlink_metadata().is_err()
    })
}

/// Returns the calls at which a tracer stops a program, as a filter does; without a tracer they fail. An empty list of
/// rules means any arguments.
///
/// Two stops cost more than most calls. So what walks through trees is left out: opening for reading what is in a folder
/// that the program has open already.
pub(crate) fn watched() -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let calls = call::watched().map(|call| (call.id().into(), Vec::new()));
    let mut calls: BTreeMap<_, _> = calls.collect();
    let rule = |argument, operator, value: i32| {
        let length = SeccompCmpArgLen::Dword;
        let condition =
            SeccompCondition::new(argument, length, operator, value.cast_unsigned().into())?;
        SeccompRule::new(vec![condition])
    };
    let create = OFlags::CREATE.bits();
    let opens = calls.entry(Sysno::openat.id().into()).or_default();
    opens.push(rule(0, SeccompCmpOp::Eq, libc::AT_FDCWD)?);
    opens.push(rule(
        2,
        SeccompCmpOp::MaskedEq(create.into()),
        create.cast_signed(),
    )?);
    Ok(calls)
}

/// A program to be traced to its end: for tests, which want to know all that it does.
///
/// ```
/// use hooks_sandbox::Attempt;
/// use hooks_sandbox::trace::Traced;
///
/// let mut program = Traced::new("cat");
/// program.command().arg("/etc/hostname");
/// let (_, seen) = program.run()?;
/// assert!(seen.iter().any(|seen| seen.attempt == Attempt::Read && seen.target == "/etc/hostname"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Traced(Command);

impl Traced {
    /// Returns a program that has not started yet.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new("/bin/sh");
        // It halts itself until it is traced.
        command.args(["-c", "kill -STOP $$; exec \"$@\"", "sh"]);
        command.arg(program);
        Traced(command)
    }

    /// Returns the command, for its arguments, its folder and its environment.
    pub fn command(&mut self) -> &mut Command {
        &mut self.0
    }

    /// Runs the program. Returns how it ended, and what it and its children have tried, in this order.
    ///
    /// # Errors
    ///
    /// If the program cannot be started or traced, or if it gets a real-time signal. Then it is ended.
    pub fn run(mut self) -> io::Result<(ExitStatus, Vec<Seen>)> {
        // A tracer waits for all children of its thread.
        let traced = thread::spawn(move || {
            let child = self.0.spawn()?;
            let pid = rustix::process::Pid::from_child(&child);
            rustix::process::waitpid(Some(pid), WaitOptions::UNTRACED)?;
            let tracer = Tracer::seize(pid, true)?;
            kill(tracer.root, Signal::SIGCONT)?;
            let mut all = Vec::new();
            let ended = tracer.follow(None, &mut |seen| all.push(seen))?;
            Ok((ExitStatus::from_raw(ended.as_raw()), all))
        });
        traced
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
