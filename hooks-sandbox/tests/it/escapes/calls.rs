//! System calls that nobody may make, each by its number. Most do nothing with arguments that are 0, and are tried only
//! inside: there, they fail before the kernel looks at one.

use std::str::FromStr as _;

use libtest_mimic::Trial;
use syscalls::Sysno;

use crate::agent::Mode;
use crate::place::Place;
use crate::{check, test};

const REFUSED: [&str; 66] = [
    "acct",
    "add_key",
    "bpf",
    "chroot",
    "clock_adjtime",
    "clock_settime",
    "create_module",
    "delete_module",
    "fanotify_init",
    "fanotify_mark",
    "finit_module",
    "fsconfig",
    "fsmount",
    "fsopen",
    "fspick",
    "init_module",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "ioperm",
    "iopl",
    "kcmp",
    "kexec_file_load",
    "kexec_load",
    "keyctl",
    "lookup_dcookie",
    "mbind",
    "memfd_secret",
    "migrate_pages",
    "modify_ldt",
    "mount",
    "mount_setattr",
    "move_mount",
    "move_pages",
    "nfsservctl",
    "open_by_handle_at",
    "open_tree",
    "perf_event_open",
    "pidfd_getfd",
    "pivot_root",
    "process_madvise",
    "process_mrelease",
    "process_vm_readv",
    "process_vm_writev",
    "ptrace",
    "quotactl",
    "quotactl_fd",
    "reboot",
    "request_key",
    "set_mempolicy",
    "set_mempolicy_home_node",
    "setdomainname",
    "sethostname",
    "setns",
    "settimeofday",
    "swapoff",
    "swapon",
    "sysfs",
    "syslog",
    "umount2",
    "unshare",
    "uselib",
    "userfaultfd",
    "vhangup",
    "_sysctl",
    "adjtimex",
];

pub(super) fn trials() -> Vec<Trial> {
    let mut trials = vec![test(
        "escapes::makes_a_call_of_another_architecture",
        || {
            // The calls of x32 have the bit 30: 39 is `getpid`, which every program may call.
            expect("39", "0")?;
            if cfg!(target_arch = "x86_64") {
                expect(&format!("{}", 0x4000_0000 + 39), "1")?;
            }
            Ok(())
        },
    )];
    trials.extend(REFUSED.into_iter().filter_map(|name| {
        let call = Sysno::from_str(name).ok()?;
        Some(test(format!("escapes::calls_{name}"), move || {
            expect(&call.id().to_string(), "1")
        }))
    }));
    trials.push(test("escapes::clones_with_flags_nobody_sees", || {
        let call = Sysno::from_str("clone3").expect("it is known");
        // ENOSYS, so that libraries fall back to a call whose flags the filter sees.
        expect(&call.id().to_string(), "38")
    }));
    trials
}

/// Makes a call by its number with zeros, and expects an error number: 1 is EPERM, 0 is success.
fn expect(call: &str, error: &str) -> crate::Tested {
    let script = "my $r = syscall($ARGV[0] + 0, 0, 0, 0, 0, 0, 0); print $r == -1 ? $! + 0 : 0";
    for mode in Mode::all() {
        let place = Place::new(mode);
        let output = mode.run(place.path(), "", &["perl", "-e", script, call]);
        let text = String::from_utf8_lossy(&output.stdout);
        check(
            text == error,
            format!("{mode:?}: call {call} says {text}, and not {error}"),
        )?;
    }
    Ok(())
}
