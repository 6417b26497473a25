//! A user namespace, in which an ordinary user may make the other ones.

use std::fs;

use nix::sched::{CloneFlags, unshare};
use rustix::thread::CapabilitySet;

use crate::SandboxError;
use crate::error::ErrorContext as _;

/// What the process that builds the view needs, and gives up afterwards.
const NEEDED: [CapabilitySet; 3] = [
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::NET_ADMIN,
    CapabilitySet::SETPCAP,
];

/// Enters a user namespace with the same user in it, and lets what this process starts make other namespaces. Returns
/// whether this system permits both.
pub(crate) fn enter() -> Result<bool, SandboxError> {
    let (user, group) = (
        rustix::process::geteuid().as_raw(),
        rustix::process::getegid().as_raw(),
    );
    if unshare(CloneFlags::CLONE_NEWUSER).is_err() {
        return Ok(false);
    }
    let write = |path: &str, text: String| fs::write(path, text).at(path.as_ref());
    write("/proc/self/setgroups", "deny".into())?;
    write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    // Some systems permit a user namespace, and nothing in it. One for names is the cheapest to try.
    if unshare(CloneFlags::CLONE_NEWUTS).is_err() {
        return Ok(false);
    }
    let kept = || {
        let mut sets = rustix::thread::capabilities(None)?;
        sets.inheritable = NEEDED.into_iter().collect();
        rustix::thread::set_capabilities(None, sets)?;
        NEEDED.into_iter().try_for_each(|capability| {
            rustix::thread::configure_capability_in_ambient_set(capability, true)
        })
    };
    kept().or_fail("cannot hand on capabilities (capset, prctl PR_CAP_AMBIENT)")?;
    Ok(true)
}
