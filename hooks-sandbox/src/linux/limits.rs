//! What the program may use up, and the capabilities that it does not get.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::SandboxError;
use crate::error::ErrorContext as _;
use crate::rules::ResourceLimits;

/// Sets the limits of this process and of what it starts. A limit that is lower already stays.
pub(crate) fn set(limits: &ResourceLimits) -> Result<(), SandboxError> {
    let all = [
        (Resource::Nproc, limits.processes),
        (Resource::Data, limits.memory),
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Fsize, limits.file_size),
        // No file with the memory of a process that has crashed.
        (Resource::Core, Some(0)),
    ];
    for (resource, most) in all {
        let Some(most) = most else { continue };
        let most = getrlimit(resource)
            .maximum
            .map_or(most, |now| now.min(most));
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit).or_fail("cannot set a limit (setrlimit)")?;
    }
    Ok(())
}

/// Gives up all capabilities, also those that a program could get by being root.
pub(crate) fn drop_capabilities() -> rustix::io::Result<()> {
    let can_bound = rustix::thread::capabilities(None)?
        .effective
        .contains(CapabilitySet::SETPCAP);
    for capability in CapabilitySet::all().iter().filter(|_| can_bound) {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // Older kernels do not have the newest ones.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error),
        }
    }
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )?;
    rustix::thread::set_no_new_privs(true)
}
