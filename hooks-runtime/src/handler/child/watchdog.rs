//! Kills the children when the agent is killed.
//!
//! A process cannot react to KILL, and the kernel informs children of their parent's death only if they ask for it
//! between `fork` and `exec`, which needs unsafe code and a slow start. So the first child starts a shell, one for the
//! whole agent. The shell reads from a pipe which children run. When the agent ends, for any reason, the pipe closes,
//! and the shell kills all children that still run.
//!
//! The shell learns about a child before it starts, and about its process group afterwards. If the agent is killed in
//! between, the shell finds the child by its environment, on systems that show it.

#[cfg(not(unix))]
pub(super) fn expect(_: super::mark::Mark) {}

#[cfg(not(unix))]
pub(super) fn watch(_: super::mark::Mark, _: u32) {}

#[cfg(not(unix))]
pub(super) fn forget(_: super::mark::Mark) {}

#[cfg(unix)]
pub(super) use unix::{expect, forget, watch};

#[cfg(unix)]
mod unix {
    use std::collections::BTreeMap;
    use std::io::{self, Write};
    use std::os::unix::process::CommandExt;
    use std::process::{ChildStdin, Command, Stdio};
    use std::sync::{Mutex, PoisonError};

    use super::super::mark::{Mark, PREFIX, VARIABLE};

    /// `+ RUN` is a child that is about to start, `+ RUN GROUP` one that runs, `- RUN` one that has ended.
    ///
    /// A descendant that has left its group is identified by its environment, on systems that show it. The second round
    /// finds a child that was just starting: its environment was still that of the agent.
    const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
runs=' '
while read -r sign run group; do
  case $sign in
    +) runs="$runs$run:$group " ;;
    -) while
         case $runs in *" $run:"*) ;; *) false ;; esac
       do
         rest=${runs#*" $run:"}
         runs="${runs%%" $run:"*} ${rest#* }"
       done ;;
  esac
done
for run in $runs; do
  group=${run#*:}
  [ -z "$group" ] || kill -s KILL -- "-$group"
done
for round in 1 2; do
  for run in $runs; do
    for file in $(grep -lsaF "$1${run%%:*}." /proc/[0-9]*/environ); do
      pid=${file#/proc/}
      kill -s KILL "${pid%/environ}"
    done
  done
  [ $round = 2 ] || [ "$runs" = ' ' ] || sleep 1
done
"#;

    /// The running children with their groups, and the shell.
    struct Watchdog {
        running: BTreeMap<Mark, Option<u32>>,
        pipe: Option<ChildStdin>,
        is_refused: bool,
    }

    static WATCHDOG: Mutex<Watchdog> = Mutex::new(Watchdog {
        running: BTreeMap::new(),
        pipe: None,
        is_refused: false,
    });

    /// A child is about to start. If it does not, [`forget`] it.
    pub(in super::super) fn expect(mark: Mark) {
        tell(mark, None);
    }

    /// A child has started.
    pub(in super::super) fn watch(mark: Mark, group: u32) {
        tell(mark, Some(group));
    }

    fn tell(mark: Mark, group: Option<u32>) {
        let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
        watchdog.running.insert(mark, group);
        watchdog.tell(&line_of(mark, group));
    }

    fn line_of(mark: Mark, group: Option<u32>) -> String {
        match group {
            None => format!("+ {}\n", mark.0),
            Some(group) => format!("+ {} {group}\n", mark.0),
        }
    }

    pub(in super::super) fn forget(mark: Mark) {
        let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
        if watchdog.running.remove(&mark).is_some() {
            watchdog.tell(&format!("- {}\n", mark.0));
        }
    }

    impl Watchdog {
        fn tell(&mut self, line: &str) {
            let told = self
                .pipe
                .as_mut()
                .map(|pipe| pipe.write_all(line.as_bytes()));
            if let Some(Ok(())) = told {
                return;
            }
            // The shell is missing or was killed. A new one is told about all running children.
            self.pipe = None;
            if self.is_refused || self.running.is_empty() {
                return;
            }
            let all: Vec<_> = self
                .running
                .iter()
                .map(|(mark, group)| line_of(*mark, *group))
                .collect();
            let all = all.concat();
            let started =
                start().and_then(|mut pipe| pipe.write_all(all.as_bytes()).map(|()| pipe));
            match started {
                Ok(pipe) => self.pipe = Some(pipe),
                Err(error) => {
                    self.is_refused = true;
                    tracing::warn!(%error, "the watchdog did not start: if this program is killed, the commands of its hooks keep running");
                }
            }
        }
    }

    fn start() -> io::Result<ChildStdin> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let mut child = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "hooks-watchdog"])
            .arg(format!("{VARIABLE}={}", *PREFIX))
            .env_clear()
            .env("PATH", path)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let pipe = child
            .stdin
            .take()
            .ok_or_else(|| io::Error::other("a pipe is missing"))?;
        // A stopped watchdog must not block the agent.
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(pipe)
    }
}
