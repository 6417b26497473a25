//! Harming other processes, learning from them, and staying alive.

use nix::sys::ptrace;
use nix::unistd::Pid;

use super::{Escape, Needs, rust, shell};

fn victim(words: &[String]) -> Result<Pid, Box<dyn std::error::Error>> {
    Ok(Pid::from_raw(words[4].parse()?))
}

pub(super) const ALL: &[Escape] = &[
    shell("kills", "kill -9 $5 && until grep -q ') Z' /proc/$5/stat; do :; done"),
    shell("slows_down", "renice 19 $5"),
    shell("limits", "prlimit --pid $5 --nofile=7"),
    shell("stops_with_a_signal_of_a_queue", "/bin/kill -s KILL -q 1 $5 && until grep -q ') Z' /proc/$5/stat; do :; done"),
    rust("traces", |words| {
        ptrace::attach(victim(words)?)?;
        println!("OUT");
        Ok(())
    }),
    rust("lets_itself_be_traced", |_| {
        ptrace::traceme()?;
        println!("OUT");
        Ok(())
    }),
    shell("reads_the_environment_of_another", "tr '\\0' '\\n' < /proc/$5/environ"),
    shell("reads_the_environment_of_all", "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done"),
    shell("reads_the_environment_of_the_agent", "tr '\\0' '\\n' < /proc/$PPID/environ; tr '\\0' '\\n' < /proc/1/environ"),
    shell("reads_its_own_environment", "env; printenv SECRET_TOKEN"),
    shell("reads_the_memory_of_another", "head -c 1 /proc/$5/mem > /dev/null; cat /proc/$5/maps > /dev/null && echo OUT"),
    shell("writes_the_memory_of_another", "( : >> /proc/$5/mem ) && echo OUT"),
    shell("opens_the_files_of_another", "ls -l /proc/$5/fd | grep -q null && echo OUT"),
    shell("lists_all_processes", "ps -e -o args= | grep -v grep | grep -q 'sleep 1000' && echo OUT"),
    shell("starts_a_debugger", "gdb -p $5 -batch -ex 'info inferiors' 2> /dev/null | grep -q \"process $5\" && echo OUT"),
    shell(
        "leaves_a_process_behind",
        "head -n 1 < <(sh -c 'echo; exec > /dev/null 2>&1; sleep 1000; :' $1/left-behind)",
    ),
    shell(
        "leaves_a_daemon_behind",
        "head -n 1 < <(setsid sh -c 'echo; exec > /dev/null 2>&1; sleep 1000; :' $1/left-behind)",
    ),
    shell(
        "leaves_a_deaf_process_behind",
        "head -n 1 < <(setsid sh -c 'trap : TERM HUP INT; echo; exec > /dev/null 2>&1; sleep 1000; sleep 1000' $1/left-behind)",
    ),
    shell("becomes_another_user", "setpriv --reuid=1 true && echo OUT").needs(Needs::Root),
    shell("gains_rights", "grep -q 'NoNewPrivs:.0' /proc/self/status && echo OUT"),
    shell("has_capabilities", "grep -E 'Cap(Inh|Prm|Eff|Amb):' /proc/self/status | grep -qv 0000000000000000 && echo OUT").needs(Needs::Root),
    shell("could_get_capabilities", "grep CapBnd: /proc/self/status | grep -qv 0000000000000000 && test $(id -u) = 0 && echo OUT").needs(Needs::Root),
    shell("is_root_in_a_new_namespace", "unshare -Ur true && echo OUT"),
    shell("makes_namespaces_as_root", "unshare -mnpuif true && echo OUT").needs(Needs::Root),
    shell("enters_a_namespace", "nsenter -t $5 -m true && echo OUT").needs(Needs::Root),
    shell("enters_the_namespace_of_the_first", "nsenter -t 1 -m -n true && echo OUT").needs(Needs::Luck),
    shell("changes_its_root", "chroot / true && echo OUT").needs(Needs::Root),
    shell("loads_a_module", "modprobe -n dummy 2>/dev/null; insmod /dev/null 2>&1 | grep -qi 'invalid' && echo OUT").needs(Needs::Luck),
    shell("keeps_a_terminal", "ps -o tty= -p $$ | grep -qv '?' && echo OUT").needs(Needs::Luck),
    shell("is_in_the_session_of_the_agent", "own=$(ps -o sid= -p $$); test -n \"$own\" && test \"$own\" = \"$(ps -o sid= -p $5)\" && echo OUT"),
    shell("shares_memory", "ipcmk -M 64 > /dev/null && ipcs -m | grep -q 0x && test $(readlink /proc/self/ns/ipc) = $(readlink /proc/$5/ns/ipc) && echo OUT; ipcrm -a"),
];
