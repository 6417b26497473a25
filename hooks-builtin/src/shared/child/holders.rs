//! Kills what still holds the outputs of a process that has ended.

use std::fs::{read_dir, read_link, read_to_string};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::fstat;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Whether a process can still write to one of these pipes.
fn are_held(pipes: &[OwnedFd]) -> bool {
    let ends = pipes.iter();
    let mut ends: Vec<_> = ends
        .map(|end| PollFd::new(end, PollFlags::empty()))
        .collect();
    poll(&mut ends, Some(&Timespec::default())).is_ok_and(|ended| ended < ends.len())
}

/// Kills the processes that can write to these pipes. What one has started holds them, too, or has closed them.
///
/// One that can also read them is this process, or a copy of it that is about to start another program. One that is older
/// than this process was handed them, and belongs to another program.
pub(super) fn kill_holders(pipes: &[OwnedFd]) {
    let own = Path::new("/proc/self");
    // The numbers may be those of another namespace.
    let is_ours = |number| number == Path::new(&std::process::id().to_string());
    if !are_held(pipes) || !read_link(own).is_ok_and(is_ours) {
        return;
    }
    let begun = started(own);
    let names = pipes.iter().filter_map(|pipe| fstat(pipe).ok());
    let names = names.map(|pipe| format!("pipe:[{}]", pipe.st_ino).into());
    let names: Vec<PathBuf> = names.collect();
    let all = read_dir("/proc").into_iter().flatten().flatten();
    for process in all.map(|one| one.path()) {
        if let Some(handle) = open(&process)
            && started(&process) >= begun
            && rights(&process, &names) == WRITE
        {
            let _ = pidfd_send_signal(handle, Signal::KILL);
        }
    }
}

fn open(process: &Path) -> Option<OwnedFd> {
    let number = process.file_name()?.to_str()?.parse().ok()?;
    pidfd_open(Pid::from_raw(number)?, PidfdFlags::empty()).ok()
}

fn started(process: &Path) -> Option<u64> {
    let status = read_to_string(process.join("stat")).ok()?;
    // The name before it may contain anything.
    let (_, status) = status.rsplit_once(')')?;
    status.split_ascii_whitespace().nth(19)?.parse().ok()
}

const WRITE: u32 = 0o200;

/// What a process can do with these files.
fn rights(process: &Path, names: &[PathBuf]) -> u32 {
    let open = read_dir(process.join("fd")).into_iter().flatten().flatten();
    let open = open.filter(|one| read_link(one.path()).is_ok_and(|name| names.contains(&name)));
    let rights = open.filter_map(|one| Some(one.metadata().ok()?.mode() & 0o600));
    rights.fold(0, |all, one| all | one)
}
