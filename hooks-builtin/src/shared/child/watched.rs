//! Ends a process, and what belongs to it, when the agent says so or is killed.
//!
//! A process cannot react to KILL, and the kernel informs a process of its parent's death only if it asks for that between
//! `fork` and `exec`, which needs unsafe code and a slow start. So a shell waits for the end of a pipe that only the agent
//! holds. Then it sends TERM to the group, and half a second later KILL, also to what descends from the process. The
//! shell reads only what the kernel says about these processes: the children of each.

use std::process::{Child, Command, Stdio};

use super::GRACE;

/// Each is stopped first. So none starts another, or ends and leaves one without a parent, while they are listed. (Not
/// earlier: the kernel hangs up on a group with a stopped process when the agent ends.) Where `/proc` is missing, or that of
/// other processes, only the group ends.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
all=$1
list() {
  for file in "/proc/$1/task"/*/children; do
    children=
    read -r children <"$file"
    for child in $children; do all="$all $child"; list "$child"; done
  done
}
read -r own _ </proc/self/stat && [ "$own" = $$ ] || list() { :; }
read -r _
list "$1"
kill -s TERM -- "-$1"
sleep "$2"
kill -s STOP -- "-$1" $all
for one in $all; do list "$one"; done
kill -s KILL -- "-$1" $all
"#;

/// The shell.
#[derive(Debug)]
pub(super) struct WatchedShell(Child);

impl WatchedShell {
    /// The process has this number, and so has its group.
    pub(super) fn new(group: u32) -> Option<Self> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "hooks-watch"]);
        shell.args([group.to_string(), GRACE.as_secs_f32().to_string()]);
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        shell.env_clear().env("PATH", path).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null());
        shell.stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let shell = shell.spawn().inspect_err(|error| {
            tracing::warn!(%error, "no shell watches the command of a hook: if this program is killed, it keeps running");
        });
        shell.ok().map(WatchedShell)
    }

    /// Lets it end the process. Dropping it waits until it has done so.
    pub(super) fn end(&mut self) {
        self.0.stdin = None;
    }
}

/// A process that has ended is not watched any more.
impl Drop for WatchedShell {
    fn drop(&mut self) {
        if self.0.stdin.is_some() {
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}
