//! The process inside: it takes everything from itself that the rules do not give, and then becomes the program.
//!
//! Whatever fails on the way ends it. So there is no program that runs with less than all walls around it.
//!
//! # Why it is so
//!
//! After `execve`, nothing can be taken away any more, and each wall needs a right that a later one takes. So the order is
//! fixed: namespaces, the [view] and the network need capabilities; [Landlock](walls) names files, so it needs the view;
//! then the [limits], and the capabilities go; the filter of [system calls](syscalls) is last, because it refuses the calls
//! that raise the others.
//!
//! No wall is enough. The view hides files, but many kernels give an ordinary user no namespaces: there, Landlock is the
//! only wall around files, and elsewhere it holds where a mount is mistaken. Neither knows of calls that reach the kernel in
//! other ways, such as new namespaces or keys: that is the filter.
//!
//! There are three processes. The supervisor has the user's files open, so it stays outside, and nothing inside can look
//! into it. This process is the first of its namespace: orphans come to it, and it ends with all that is left. The program
//! is its child, because the kernel ignores most signals to a first process, and no program expects to be one.

pub(crate) mod channel;
mod limits;
mod loopback;
mod signals;
mod syscalls;
pub(crate) mod user_namespace;
mod view;
mod walls;

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use fork::Fork;
use nix::sched::{CloneFlags, unshare};
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitStatus, getppid, set_dumpable_behavior,
    set_parent_process_death_signal, setsid,
};

pub(crate) use self::signals::Signals;
pub(crate) use self::walls::limits_files;
use crate::SandboxError;
use crate::error::ErrorContext as _;
use crate::explain::KernelFeatures;
use crate::supervisor::ConfinementOrder;

/// Where programs look for a proxy.
const PROXY: [&str; 6] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
];

/// Confines this process, and runs the program in it. Returns the program's exit code.
pub(crate) fn run(
    order: &ConfinementOrder,
    mut program: Command,
    supervisor: &UnixStream,
    signals: &Signals,
) -> Result<i32, SandboxError> {
    end_with_parent(None)?;
    setsid().or_fail("cannot start a new session (setsid)")?;
    if order.has_namespaces {
        let mut apart =
            CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWCGROUP;
        apart.set(CloneFlags::CLONE_NEWNET, order.is_island());
        unshare(apart).or_fail("cannot make namespaces (unshare)")?;
        view::build(order)?;
    } else {
        program.env("TMPDIR", &order.scratch);
    }
    if let Some(port) = network(order, supervisor).or_fail("cannot set up a network of its own")? {
        program.envs(PROXY.map(|name| (name, format!("http://127.0.0.1:{port}"))));
        // A server of this machine is behind the proxy, too, if it may be reached.
        if !order
            .rules
            .domains
            .iter()
            .any(|host| host.starts_with("localhost"))
        {
            program.envs(["NO_PROXY", "no_proxy"].map(|name| (name, "localhost,127.0.0.1")));
        }
        walls::raise(order, Some(port))?;
    } else {
        walls::raise(order, None)?;
    }
    limits::set(&order.rules.limits)?;
    limits::drop_capabilities().or_fail("cannot drop capabilities (prctl, capset)")?;
    let is_traced = channel::wait(supervisor).or_fail("cannot hear the supervisor (read)")?;
    // No program inside looks into this process: it has what the supervisor has open and knows.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .or_fail("cannot forbid to look into the process (prctl PR_SET_DUMPABLE)")?;
    syscalls::confine(is_traced, |group| match group {
        "view" => order.has_namespaces,
        "island" => order.is_island(),
        "network" => order.rules.network,
        "unix" => order.rules.unix,
        group => group == "always",
    })?;
    // The first process of a namespace adopts orphans and hands on signals. All that is left behind ends with it.
    if order.has_namespaces
        && let Some(program) = fork()?
    {
        let ended = signals.wait_for(program);
        return ended
            .map(code)
            .or_fail("cannot wait for the program (waitpid)");
    }
    signals
        .release()
        .or_fail("cannot release signals (sigprocmask)")?;
    set_dumpable_behavior(DumpableBehavior::Dumpable)
        .or_fail("cannot allow to trace the program (prctl PR_SET_DUMPABLE)")?;
    let error = program.exec();
    eprintln!(
        "hooks-sandbox: {}: {error}",
        program.get_program().display()
    );
    // As shells say that a program is not there, or cannot be run.
    Ok(if error.kind() == ErrorKind::NotFound {
        127
    } else {
        126
    })
}

/// Forks this process, which has one thread. Returns the child, or nothing in the child itself.
pub(crate) fn fork() -> Result<Option<Pid>, SandboxError> {
    match fork::fork().or_fail("cannot start a process (fork)")? {
        Fork::Parent(child) => Ok(Pid::from_raw(child)),
        Fork::Child => Ok(None),
    }
}

/// Lets this process end with the one that has forked it, of which it may know the number.
pub(crate) fn end_with_parent(parent: Option<Pid>) -> Result<(), SandboxError> {
    set_parent_process_death_signal(Some(Signal::KILL))
        .or_fail("cannot end with the parent process (prctl PR_SET_PDEATHSIG)")?;
    match parent {
        Some(parent) if getppid() != Some(parent) => Err("ended").or_fail("the parent process"),
        _ => Ok(()),
    }
}

/// The exit code that says how a process has ended.
pub(crate) fn code(status: WaitStatus) -> i32 {
    let signal = || 128 + status.terminating_signal().unwrap_or_default();
    status.exit_status().unwrap_or_else(signal)
}

/// Prints what this machine has.
pub(crate) fn probe(_: &str, _: &[OsString]) -> Result<i32, SandboxError> {
    let machine = KernelFeatures {
        has_namespaces: user_namespace::enter()?,
        landlock: walls::version(),
    };
    println!(
        "{}",
        serde_json::to_string(&machine).or_fail("cannot write JSON")?
    );
    Ok(0)
}

/// Makes a network of its own, if there is to be one. Returns the port of the proxy.
fn network(order: &ConfinementOrder, supervisor: &UnixStream) -> io::Result<Option<u16>> {
    if !order.is_island() {
        return Ok(order.proxy);
    }
    loopback::up()?;
    if order.rules.domains.is_empty() {
        return Ok(None);
    }
    // Only the supervisor accepts here, and connects from outside.
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    channel::send(supervisor, &listener)?;
    Ok(Some(listener.local_addr()?.port()))
}
