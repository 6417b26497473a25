//! The processes of a child, even outside of its process group.
//!
//! A process belongs to a child if it descends from it, or if an environment variable says so. So one that neither
//! descends from the child any more (its parent has ended) nor has the variable (it was cleared) is not found.

use std::fmt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The variable.
pub(super) const VARIABLE: &str = "HOOKS_RUN_ID";

/// The number of a child of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark(pub(super) u64);

static NEXT: AtomicU64 = AtomicU64::new(1);

/// The common prefix of all marks of this process.
pub(super) static PREFIX: LazyLock<String> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_nanos());
    format!("{}-{now:x}-", std::process::id())
});

impl Mark {
    pub(super) fn next() -> Self {
        Mark(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The full stop distinguishes 1 from 12.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}.", *PREFIX, self.0)
    }
}

pub(super) use self::system::Kin;

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeMap;
    use std::os::fd::OwnedFd;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::{Mark, VARIABLE};

    /// The processes of a child. Their handles stay valid when their numbers are used again.
    #[derive(Debug, Default)]
    pub(in super::super) struct Kin(BTreeMap<u32, OwnedFd>);

    /// A process of this machine.
    struct Process {
        id: u32,
        parent: u32,
        is_marked: bool,
        handle: OwnedFd,
    }

    impl Kin {
        /// Finds more of them. Returns whether there are more.
        pub(in super::super) fn find(&mut self, mark: Mark, child: Option<u32>) -> bool {
            self.search(mark, child, |_| {})
        }

        /// Kills all of them.
        ///
        /// Each is stopped first. So none starts another, or ends and leaves one without a parent, while they are
        /// searched for.
        pub(in super::super) fn kill(&mut self, mark: Mark, child: Option<u32>) {
            const ROUNDS: usize = 5;
            let stop = |one: &OwnedFd| {
                let _ = pidfd_send_signal(one, Signal::STOP);
            };
            self.0.values().for_each(stop);
            for _ in 0..ROUNDS {
                if !self.search(mark, child, stop) {
                    break;
                }
            }
            for one in self.0.values() {
                // Whoever has ended already is an error, which is expected.
                let _ = pidfd_send_signal(one, Signal::KILL);
            }
        }

        fn search(&mut self, mark: Mark, child: Option<u32>, found: impl Fn(&OwnedFd)) -> bool {
            let mut others = processes(mark);
            others.retain(|one| !self.0.contains_key(&one.id));
            let mut is_any = false;
            loop {
                let belongs = |one: &mut Process| {
                    one.is_marked || child == Some(one.parent) || self.0.contains_key(&one.parent)
                };
                let new: Vec<_> = others.extract_if(.., belongs).collect();
                if new.is_empty() {
                    return is_any;
                }
                is_any = true;
                for one in new {
                    found(&one.handle);
                    self.0.insert(one.id, one.handle);
                }
            }
        }
    }

    fn processes(mark: Mark) -> Vec<Process> {
        let wanted = format!("{VARIABLE}={mark}");
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let process = |entry: std::fs::DirEntry| {
            let id: u32 = entry.file_name().to_str()?.parse().ok()?;
            let pid = Pid::from_raw(i32::try_from(id).ok()?)?;
            // The process is opened before it is read, so the same process gets the signal.
            let handle = pidfd_open(pid, PidfdFlags::empty()).ok()?;
            let status = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name before it may contain anything.
            let (_, status) = status.rsplit_once(')')?;
            let parent = status.split_whitespace().nth(1)?.parse().ok()?;
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let mut variables = environment.split(|byte| *byte == 0);
            Some(Process {
                id,
                parent,
                is_marked: variables.any(|variable| variable == wanted.as_bytes()),
                handle,
            })
        };
        entries.filter_map(process).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Mark;

    /// Elsewhere, nobody finds a process that has left its group.
    #[derive(Debug, Default)]
    pub(in super::super) struct Kin;

    impl Kin {
        pub(in super::super) fn find(&mut self, _: Mark, _: Option<u32>) -> bool {
            false
        }

        pub(in super::super) fn kill(&mut self, _: Mark, _: Option<u32>) {}
    }
}
