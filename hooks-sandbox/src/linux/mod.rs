//! The process inside: it takes everything from itself that the rules do not give, and then becomes the program.
//!
//! Whatever fails on the way ends it. So there is no program that runs with less than all walls around it.

pub(crate) mod channel;
mod limits;
mod loopback;
mod syscalls;
pub(crate) mod user_namespace;
mod view;
mod walls;

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use rustix::process::{set_parent_process_death_signal, setsid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

pub(crate) use self::walls::limits_files;
use crate::SandboxError;
use crate::error::Context as _;
use crate::explain::Machine;
use crate::supervisor::Order;

/// The signals that ask a program to end.
pub(crate) const ENDING: [i32; 3] = [SIGTERM, SIGINT, SIGHUP];
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
pub(crate) fn run(order: &str, command: &[OsString]) -> Result<i32, SandboxError> {
    let order: Order = serde_json::from_str(order).or_fail("the order cannot be read")?;
    let Some((name, arguments)) = command.split_first() else {
        return Err(SandboxError::no_program());
    };
    set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .or_fail("it would survive")?;
    setsid().or_fail("there is no session of its own")?;
    close_fds::set_fds_cloexec(3, &[]);
    // The first process of a namespace would not get a signal that it does not handle.
    let signals = order
        .has_namespaces
        .then(|| Signals::new([SIGCHLD].iter().chain(&ENDING)));
    let signals = signals.transpose().or_fail("signals cannot be handed on")?;
    let mut program = Command::new(name);
    program.args(arguments);
    if order.has_namespaces {
        let mut apart =
            CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWCGROUP;
        apart.set(CloneFlags::CLONE_NEWNET, order.is_island());
        unshare(apart).or_fail("namespaces cannot be made")?;
        view::build(&order)?;
    } else {
        program.env("TMPDIR", &order.scratch);
    }
    if let Some(port) = network(&order).or_fail("there is no network of its own")? {
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
        walls::raise(&order, Some(port))?;
    } else {
        walls::raise(&order, None)?;
    }
    limits::set(&order.rules.limits)?;
    limits::drop_capabilities().or_fail("capabilities cannot be dropped")?;
    let is_traced = channel::wait(order.channel).or_fail("the supervisor is gone")?;
    syscalls::confine(is_traced, |group| match group {
        "view" => order.has_namespaces,
        "island" => order.is_island(),
        "network" => order.rules.network,
        "unix" => order.rules.unix,
        group => group == "always",
    })?;
    let ended = match signals {
        Some(signals) => lead(&mut program, signals),
        None => Err(program.exec()),
    };
    Ok(ended.unwrap_or_else(|error| {
        eprintln!("hooks-sandbox: {}: {error}", name.display());
        // As shells say that a program is not there, or cannot be run.
        if error.kind() == ErrorKind::NotFound {
            127
        } else {
            126
        }
    }))
}

/// Prints what this machine has.
pub(crate) fn probe(_: &str, _: &[OsString]) -> Result<i32, SandboxError> {
    let machine = Machine {
        has_namespaces: user_namespace::enter()?,
        landlock: walls::version(),
    };
    println!(
        "{}",
        serde_json::to_string(&machine).or_fail("it cannot be told")?
    );
    Ok(0)
}

/// Makes a network of its own, if there is to be one. Returns the port of the proxy.
fn network(order: &Order) -> io::Result<Option<u16>> {
    if !order.is_island() {
        return Ok(order.proxy);
    }
    loopback::up()?;
    if order.rules.domains.is_empty() {
        return Ok(None);
    }
    // Only the supervisor accepts here, and connects from outside.
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    channel::send(order.channel, &listener)?;
    Ok(Some(listener.local_addr()?.port()))
}

/// Runs the program as the first process of a namespace, which adopts orphans and hands on signals. Returns the
/// program's exit code: all processes that it leaves behind end with this one.
fn lead(program: &mut Command, mut signals: Signals) -> io::Result<i32> {
    let program = Pid::from_raw(program.spawn()?.id().cast_signed());
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG))? {
            WaitStatus::Exited(pid, code) if pid == program => return Ok(code),
            WaitStatus::Signaled(pid, signal, _) if pid == program => {
                return Ok(128 + signal as i32);
            }
            WaitStatus::StillAlive => {
                for signal in signals.wait().filter(|signal| *signal != SIGCHLD) {
                    kill(program, Signal::try_from(signal)?)?;
                }
            }
            _ => {}
        }
    }
}
