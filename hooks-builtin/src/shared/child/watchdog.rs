//! Kills the children when the agent is killed.
//!
//! A process cannot react to KILL, and the kernel informs children of their parent's death only if they ask for it
//! between `fork` and `exec`, which needs unsafe code and a slow start. So the first child starts a shell, one for the
//! whole agent. The shell reads from a pipe which children run. When the agent ends, for any reason, the pipe closes,
//! and the shell kills all children that still run.
//!
//! The shell learns about a child before it starts, and about its process group afterwards. If the agent is killed in
//! between, the shell finds the child by its environment, on systems that show it.
//!
//! There is one shell at a time: a new one starts only if the old one has ended. If somebody stops the shell, the agent
//! keeps what the shell does not read. Then the shell hears nothing of children that have ended before it goes on.

#[cfg(not(unix))]
pub(super) fn expect(_: super::kin::Mark) {}

#[cfg(not(unix))]
pub(super) fn watch(_: super::kin::Mark, _: u32) {}

#[cfg(not(unix))]
pub(super) fn forget(_: super::kin::Mark) {}

#[cfg(unix)]
pub(super) use unix::{expect, forget, watch};

#[cfg(unix)]
mod unix {
    use std::collections::{BTreeMap, BTreeSet};
    use std::io::{self, PipeReader, PipeWriter, Write};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::{Mutex, PoisonError};

    use super::super::kin::{Mark, PREFIX, VARIABLE};

    /// `+ RUN` is a child that is about to start, `+ RUN GROUP` one that runs, `- RUN` one that has ended.
    ///
    /// In the end, the shell kills what descends from the children, what is in their groups, and what their variable
    /// marks. All of these are stopped before, so none escapes while the others are searched for. The second round finds
    /// a child that was just starting: its environment was still that of the agent.
    ///
    /// An agent that ends closes the pipe a moment before it is gone. Then the kernel hangs up on groups that it leaves alone
    /// with a stopped process in them: a child would end before what descends from it is found. So the shell waits until
    /// its parent is another.
    const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
mark=$1
agent=$PPID
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
[ "$runs" != ' ' ] || exit
tries=100
while [ $tries -gt 0 ] && read -r status <"/proc/$$/stat"; do
  set -- ${status##*)}
  [ "$2" = "$agent" ] || break
  tries=$((tries - 1))
  sleep 0.05
done 2>/dev/null
groups=' '
for run in $runs; do
  group=${run#*:}
  [ -z "$group" ] || groups="$groups$group "
done
doomed=' '
add() {
  doomed="$doomed$1 "
  kill -s STOP "$1"
  more=1
}
search() {
  for run in $runs; do
    for file in $(grep -lsaF "$mark${run%%:*}." /proc/[0-9]*/environ); do
      pid=${file#/proc/}
      pid=${pid%/environ}
      case $doomed in *" $pid "*) ;; *) add "$pid" ;; esac
    done
  done
  for file in /proc/[0-9]*/stat; do
    read -r status <"$file" || continue
    pid=${status%% *}
    set -- ${status##*)}
    case $doomed in *" $pid "*) continue ;; esac
    case $groups in *" $3 "*) add "$pid"; continue ;; esac
    case $doomed in *" $2 "*) add "$pid" ;; esac
  done
}
for round in 1 2; do
  more=1
  while [ -n "$more" ]; do
    more=
    search
  done 2>/dev/null
  for pid in $doomed; do kill -s KILL "$pid"; done
  for group in $groups; do kill -s KILL -- "-$group"; done
  doomed=' ' groups=' '
  [ $round = 2 ] || sleep 1
done
"#;

    /// The running children with their groups, and the shell.
    struct Watchdog {
        running: BTreeMap<Mark, Option<u32>>,
        shell: Option<Shell>,
        is_refused: bool,
    }

    struct Shell {
        process: Child,
        pipe: PipeWriter,
        /// As long as this end is open, too, a shell that has ended is no broken pipe: see [`Input`](super::super::Input).
        _other_end: PipeReader,
        /// The lines for which the pipe had no room.
        waiting: Vec<(Mark, String)>,
        /// The children that it knows.
        known: BTreeSet<Mark>,
    }

    static WATCHDOG: Mutex<Watchdog> = Mutex::new(Watchdog {
        running: BTreeMap::new(),
        shell: None,
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
        watchdog.tell(mark, line_of(mark, group));
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
            watchdog.tell(mark, format!("- {}\n", mark.0));
        }
    }

    impl Watchdog {
        fn tell(&mut self, mark: Mark, line: String) {
            if let Some(shell) = &mut self.shell
                && shell.is_alive()
            {
                return shell.tell(mark, line);
            }
            // The shell is missing or was killed. A new one is told about all running children.
            self.shell = None;
            if self.is_refused || self.running.is_empty() {
                return;
            }
            match Shell::start() {
                Ok(mut shell) => {
                    for (mark, group) in &self.running {
                        shell.tell(*mark, line_of(*mark, *group));
                    }
                    self.shell = Some(shell);
                }
                Err(error) => {
                    self.is_refused = true;
                    tracing::warn!(%error, "the watchdog did not start: if this program is killed, the commands of its hooks keep running");
                }
            }
        }
    }

    impl Shell {
        fn start() -> io::Result<Self> {
            let (theirs, pipe) = io::pipe()?;
            // A stopped shell must not block the agent.
            rustix::io::ioctl_fionbio(&pipe, true)?;
            let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
            let process = Command::new("/bin/sh")
                .args(["-c", SCRIPT, "hooks-watchdog"])
                .arg(format!("{VARIABLE}={}", *PREFIX))
                .env_clear()
                .env("PATH", path)
                .current_dir("/")
                .stdin(theirs.try_clone()?)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()?;
            Ok(Shell {
                process,
                pipe,
                _other_end: theirs,
                waiting: Vec::new(),
                known: BTreeSet::new(),
            })
        }

        fn is_alive(&mut self) -> bool {
            matches!(self.process.try_wait(), Ok(None))
        }

        fn tell(&mut self, mark: Mark, line: String) {
            let is_end = line.starts_with('-');
            if is_end {
                self.waiting.retain(|(waiting, _)| *waiting != mark);
            }
            if !is_end || self.known.remove(&mark) {
                self.waiting.push((mark, line));
            }
            // A line is written whole or not at all, because it is short.
            let mut written = 0;
            while let Some((mark, line)) = self.waiting.get(written) {
                match self.pipe.write(line.as_bytes()) {
                    Ok(_) => {
                        if line.starts_with('+') {
                            self.known.insert(*mark);
                        }
                        written += 1;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            self.waiting.drain(..written);
        }
    }

    #[cfg(test)]
    mod tests {
        use rustix::process::{Pid, Signal, kill_process};

        use super::*;

        fn tell(shell: &mut Shell, begins: bool, number: u64) {
            let mark = Mark(number);
            let sign = if begins { '+' } else { '-' };
            shell.tell(mark, format!("{sign} {number}\n"));
        }

        #[test]
        fn a_shell_that_was_stopped_knows_what_runs_when_it_goes_on() {
            const CALLS: u64 = 20_000;
            let mut command = Command::new("sleep");
            let mut child = command.arg("1000").process_group(0).spawn().unwrap();
            let mut shell = Shell::start().unwrap();
            let own = Mark(CALLS + 1);
            shell.tell(own, line_of(own, Some(child.id())));
            let pid = Pid::from_child(&shell.process);
            kill_process(pid, Signal::STOP).unwrap();
            // More than its pipe holds. These children come and go.
            for number in 1..=CALLS {
                tell(&mut shell, true, number);
                tell(&mut shell, false, number);
            }
            assert!(shell.is_alive() && !shell.known.is_empty());
            assert!(shell.waiting.len() <= 1, "{:?}", shell.waiting);
            kill_process(pid, Signal::CONT).unwrap();
            for _ in 0..10_000 {
                tell(&mut shell, false, 0);
                if shell.waiting.is_empty() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            assert!(shell.waiting.is_empty(), "it does not read");
            assert_eq!(child.try_wait().unwrap(), None);
            let Shell {
                mut process, pipe, ..
            } = shell;
            drop(pipe);
            // It kills the one that still runs, and ends.
            assert_eq!(child.wait().unwrap().code(), None);
            process.wait().unwrap();
        }
    }
}
