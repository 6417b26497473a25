//! The process outside: it starts the one that confines itself, waits for it, and cleans up.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::SandboxError;
use crate::error::Context as _;
use crate::protect::Hold;
use crate::rules::{Access, Grant, Rules};

/// What the process that confines itself must know.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) rules: Rules,
    /// What is protected, and how.
    pub(crate) held: Vec<(PathBuf, Hold)>,
    /// The folder of this run: for temporary files, or where the view is mounted.
    pub(crate) scratch: PathBuf,
    /// Where the program starts.
    pub(crate) folder: PathBuf,
    /// Whether it is in a user namespace, and may make others.
    pub(crate) has_namespaces: bool,
    /// The port of the proxy, if that is outside.
    pub(crate) proxy: Option<u16>,
    /// The descriptor of the socket to the supervisor.
    pub(crate) channel: i32,
}

impl Order {
    /// Whether the program gets a network of its own, where nobody else is.
    pub(crate) fn is_island(&self) -> bool {
        self.has_namespaces && self.rules.is_island()
    }

    /// Whether only some ports of the network are allowed.
    pub(crate) fn limits_ports(&self) -> bool {
        !self.rules.network && !self.is_island()
    }
}

/// Runs a program under rules, and returns its exit code.
pub(crate) fn run(rules: &str, command: &[OsString]) -> Result<i32, SandboxError> {
    let rules: Rules = serde_json::from_str(rules).or_fail("the rules cannot be read")?;
    let mut rules = rules.complete()?;
    let program = Path::new(command.first().ok_or_else(SandboxError::no_program)?);
    // Who names a program by its path means that it may be read.
    if program.components().count() > 1
        && let Ok(path) = program.canonicalize()
        && rules.grant(&path).is_none()
    {
        rules
            .grants
            .push(Grant::of(path, Access::Read, "the program")?);
    }
    system::run(rules, command)
}

/// Gives the command the part of the environment that is allowed. A star ends the beginning of a name.
fn set_environment(command: &mut Command, allowed: &[String]) {
    let is_allowed = |name: &str| {
        allowed
            .iter()
            .any(|allowed| match allowed.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => name == allowed,
            })
    };
    let all = std::env::vars_os();
    let environment = all.filter(|(name, _)| name.to_str().is_some_and(is_allowed));
    command.env_clear().envs(environment);
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::OsString;
    use std::io;
    use std::net::TcpListener;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Child, Command};
    use std::sync::Arc;
    use std::sync::mpsc::{self, Receiver, Sender};

    use nix::sched::{CloneFlags, unshare};
    use nix::sys::signal::kill;
    use rustix::io::FdFlags;
    use rustix::process::{Pid, Signal, WaitOptions};

    use signal_hook::iterator::Signals;

    use super::{Order, set_environment};
    use crate::SandboxError;
    use crate::error::Context as _;
    use crate::linux::{ENDING, channel, user_namespace};
    use crate::protect::Held;
    use crate::proxy::{self, Hosts};
    use crate::report::Teller;
    use crate::rules::Rules;
    use crate::trace::{Seen, Tracer};

    pub(super) fn run(mut rules: Rules, command: &[OsString]) -> Result<i32, SandboxError> {
        close_fds::set_fds_cloexec(3, &[]);
        let teller = Arc::new(Teller::of(&mut rules).or_fail("there is no report")?);
        let has_namespaces = !rules.effort.without_namespaces && user_namespace::enter()?;
        if rules.unix && !has_namespaces && !rules.effort.best {
            return Err(SandboxError::kernel(
                "sockets by path",
                "only namespaces limit which ones",
            ));
        }
        let held = Held::find(&rules, has_namespaces)?;
        let scratch = scratch(has_namespaces).at(&std::env::temp_dir())?;
        let (ours, theirs) = channel().or_fail("there is no channel")?;
        let mut inner = Command::new("/proc/self/exe");
        set_environment(&mut inner, &std::mem::take(&mut rules.env));
        let mut order = Order {
            held: held
                .paths
                .iter()
                .map(|(path, hold)| (path.clone(), *hold))
                .collect(),
            scratch: scratch.path().to_owned(),
            folder: std::env::current_dir().at(".".as_ref())?,
            has_namespaces,
            proxy: None,
            channel: theirs.as_raw_fd(),
            rules,
        };
        let has_proxy = !order.rules.domains.is_empty();
        let mut listener = None;
        if has_proxy && !order.is_island() {
            let outside = TcpListener::bind(("127.0.0.1", 0)).or_fail("there is no proxy")?;
            order.proxy = Some(outside.local_addr().or_fail("there is no proxy")?.port());
            listener = Some(outside);
        }
        let text = serde_json::to_string(&order).or_fail("the order cannot be written")?;
        inner
            .args([crate::launcher::INNER, &text, "--"])
            .args(command);
        let signals = Signals::new(ENDING).or_fail("signals cannot be handed on")?;
        let (child, alive) = start(inner, has_namespaces).or_fail("it cannot be started")?;
        drop(theirs);
        forward_signals(&child, signals);
        if has_proxy && order.is_island() {
            listener = channel::receive(&ours);
        }
        if let Some(listener) = listener {
            let hosts = Hosts::new(&order.rules.domains).or_fail("there is no proxy")?;
            let teller = teller.clone();
            let told = move |refused| teller.add(refused);
            proxy::serve(listener, hosts, Box::new(told)).or_fail("there is no proxy")?;
        }
        let tracer = Some(&child).filter(|_| !order.rules.untraced);
        let tracer = tracer.and_then(|child| Tracer::seize(child.id(), false).ok());
        channel::go(&ours, tracer.is_some());
        let code = wait(child, tracer, &teller).or_fail("it cannot be run to its end");
        teller.tell();
        drop((alive, held));
        code
    }

    /// A folder for this run, which is removed at its end. Nothing is written into one that is only mounted on, so it is made
    /// in memory, where that costs least.
    fn scratch(is_mounted_on: bool) -> io::Result<tempfile::TempDir> {
        let mut named = tempfile::Builder::new();
        named.prefix("hooks-sandbox-");
        let in_memory = is_mounted_on.then(|| named.tempdir_in("/dev/shm"));
        in_memory
            .and_then(Result::ok)
            .map_or_else(|| named.tempdir(), Ok)
    }

    /// A pair of sockets. The second one is inherited.
    fn channel() -> io::Result<(UnixStream, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        rustix::io::fcntl_setfd(&theirs, FdFlags::empty())?;
        Ok((ours, theirs))
    }

    /// Starts the process inside. It ends when the sender is dropped.
    fn start(mut inner: Command, has_namespaces: bool) -> io::Result<(Child, Sender<()>)> {
        let (alive, ended): (_, Receiver<()>) = mpsc::channel();
        let (started, child) = mpsc::channel();
        if !has_namespaces {
            rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
            return Ok((inner.spawn()?, alive));
        }
        // What this thread starts is in the new namespace. It can start no thread any more, so it is one of its own.
        std::thread::spawn(move || {
            let apart = unshare(CloneFlags::CLONE_NEWPID).map_err(io::Error::from);
            let _ = started.send(apart.and_then(|()| inner.spawn()));
            let _ = ended.recv();
        });
        let child = child.recv().map_err(io::Error::other)?;
        Ok((child?, alive))
    }

    /// Hands on the signals that ask this process to end.
    fn forward_signals(child: &Child, mut signals: Signals) {
        let child = nix::unistd::Pid::from_raw(child.id().cast_signed());
        std::thread::spawn(move || {
            for signal in signals
                .forever()
                .filter_map(|signal| signal.try_into().ok())
            {
                let _ = kill::<nix::sys::signal::Signal>(child, signal);
            }
        });
    }

    /// Waits for the process inside. Those that it has left behind end with it.
    fn wait(mut child: Child, tracer: Option<Tracer>, teller: &Teller) -> io::Result<i32> {
        let mut seen = |seen: Seen| {
            if let Some(refused) = seen.refused() {
                teller.add(refused);
            }
        };
        let status = match tracer {
            Some(tracer) => tracer.follow(&mut seen),
            None => child.wait(),
        };
        let own = format!("/proc/self/task/{}/children", std::process::id());
        loop {
            let left = std::fs::read_to_string(&own).unwrap_or_default();
            let left = left
                .split_ascii_whitespace()
                .filter_map(|pid| pid.parse().ok());
            for pid in left.filter_map(Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
            if rustix::process::wait(WaitOptions::empty()).is_err() {
                break;
            }
        }
        let status = status?;
        Ok(status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or_default()))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ffi::OsString;
    use std::process::Command;

    use super::set_environment;
    use crate::SandboxError;
    use crate::error::Context as _;
    use crate::protect::Held;
    use crate::rules::Rules;

    #[cfg(target_os = "macos")]
    pub(super) fn run(rules: Rules, command: &[OsString]) -> Result<i32, SandboxError> {
        use std::os::unix::process::ExitStatusExt as _;

        let scratch = tempfile::tempdir().at(&std::env::temp_dir())?;
        let folder = scratch.path().canonicalize().at(scratch.path())?;
        let held = Held::find(&rules, false)?;
        let profile = crate::seatbelt::profile(&rules, held.paths.iter(), &folder, None);
        let mut inner = Command::new("/usr/bin/sandbox-exec");
        set_environment(&mut inner, &rules.env);
        inner
            .arg("-p")
            .arg(profile)
            .args(command)
            .env("TMPDIR", &folder);
        let status = inner.status().or_fail("`sandbox-exec` cannot be started")?;
        Ok(status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or_default()))
    }

    #[cfg(not(target_os = "macos"))]
    pub(super) fn run(_: Rules, _: &[OsString]) -> Result<i32, SandboxError> {
        Err(SandboxError::kernel(
            "no sandbox",
            "there is one on Linux and macOS only",
        ))
    }
}
