//! The process outside: it forks the one that confines itself, waits for it, and cleans up.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::SandboxError;
use crate::error::ErrorContext as _;
use crate::protect::PathHold;
use crate::rules::{ConfinementRules, Grant, PathAccess};

/// What the process that confines itself must know.
#[derive(Debug)]
pub(crate) struct ConfinementOrder {
    pub(crate) rules: ConfinementRules,
    /// What is protected, and how.
    pub(crate) held: BTreeMap<PathBuf, PathHold>,
    /// The folder of this run: for temporary files, or where the view is mounted.
    pub(crate) scratch: PathBuf,
    /// Where the program starts.
    pub(crate) folder: PathBuf,
    /// Whether it is in a user namespace, and may make others.
    pub(crate) has_namespaces: bool,
    /// The port of the proxy, if that is outside.
    pub(crate) proxy: Option<u16>,
}

impl ConfinementOrder {
    /// Whether the program gets a network for itself alone.
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
    let rules: ConfinementRules = serde_json::from_str(rules).or_fail("cannot read the rules")?;
    let mut rules = rules.complete()?;
    let program = Path::new(command.first().ok_or_else(SandboxError::no_program)?);
    // Who names a program by its path means that it may be read.
    if program.components().count() > 1
        && let Ok(path) = program.canonicalize()
        && rules.grant(&path).is_none()
    {
        rules
            .grants
            .push(Grant::of(path, PathAccess::Read, "the program")?);
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
    use std::io::{self, Read as _, Write as _};
    use std::net::TcpListener;
    use std::os::unix::net::UnixStream;
    use std::process::Command;
    use std::sync::{Mutex, PoisonError};

    use nix::sched::{CloneFlags, unshare};
    use rustix::process::{Pid, Signal, WaitOptions};

    use super::{ConfinementOrder, set_environment};
    use crate::SandboxError;
    use crate::error::ErrorContext as _;
    use crate::launcher::end_with;
    use crate::linux::{self, Signals, channel, fork, user_namespace};
    use crate::protect::ProtectedPaths;
    use crate::proxy::{self, ProxyHosts};
    use crate::report::{Report, Teller};
    use crate::rules::ConfinementRules;
    use crate::trace::{Seen, Tracer};

    pub(super) fn run(
        mut rules: ConfinementRules,
        command: &[OsString],
    ) -> Result<i32, SandboxError> {
        let threads =
            std::fs::read_dir("/proc/self/task").or_fail("cannot read /proc/self/task")?;
        if threads.count() > 1 {
            let why = "`hooks_sandbox::enter_if_asked()` must come before anything starts threads";
            return Err(SandboxError::rule(why));
        }
        close_fds::set_fds_cloexec(3, &[]);
        let mut teller = Teller::of(&mut rules).or_fail("cannot open the file of the report")?;
        let has_namespaces = !rules.effort.without_namespaces && user_namespace::enter()?;
        if rules.unix && !has_namespaces && !rules.effort.best {
            return Err(SandboxError::kernel(
                "sockets by path",
                "only namespaces limit which ones",
            ));
        }
        let held = ProtectedPaths::find(&rules, has_namespaces)?;
        let scratch = scratch(has_namespaces).at(&std::env::temp_dir())?;
        let (ours, theirs) = UnixStream::pair().or_fail("cannot open a channel (socketpair)")?;
        let mut program = Command::new(&command[0]);
        program.args(&command[1..]);
        set_environment(&mut program, &rules.env);
        let mut order = ConfinementOrder {
            held: held.paths.clone(),
            scratch: scratch.path().to_owned(),
            folder: std::env::current_dir().at(".".as_ref())?,
            has_namespaces,
            proxy: None,
            rules,
        };
        let signals = Signals::hold().or_fail("cannot hold signals (sigprocmask, signalfd)")?;
        let refusals = start_proxy(&mut order, &ours)?;
        if has_namespaces {
            // From now on, this process can start no thread.
            unshare(CloneFlags::CLONE_NEWPID)
                .or_fail("cannot hide other processes (unshare CLONE_NEWPID)")?;
        } else {
            rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
                .or_fail("cannot adopt orphans (prctl PR_SET_CHILD_SUBREAPER)")?;
        }
        let Some(inside) = fork()? else {
            drop(ours);
            end_with(|| linux::run(&order, program, &theirs, &signals));
        };
        drop(theirs);
        let tracer = (!order.rules.untraced).then(|| Tracer::seize(inside, false));
        let tracer = tracer.and_then(Result::ok);
        channel::go(&ours, tracer.is_some());
        let code = match tracer {
            Some(tracer) => {
                let mut seen = |seen: Seen| {
                    if let Some(refused) = seen.refused() {
                        teller.add(refused);
                    }
                };
                tracer.follow(Some(&signals), &mut seen)
            }
            None => signals.wait_for(inside),
        };
        kill_children();
        if let Some(mut refusals) = refusals {
            let mut lines = String::new();
            let _ = refusals.read_to_string(&mut lines);
            let all = lines
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok());
            all.for_each(|refused| teller.add(refused));
        }
        teller.tell();
        drop(held);
        code.map(linux::code)
            .or_fail("cannot wait for the program (waitpid)")
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

    /// Starts the process that has threads: the proxy, if there are hosts for one. It hears of its listener over the channel
    /// if that is inside. Returns where it tells what it refuses, a line of JSON for each.
    fn start_proxy(
        order: &mut ConfinementOrder,
        channel: &UnixStream,
    ) -> Result<Option<UnixStream>, SandboxError> {
        const WHAT: &str = "cannot start the proxy";
        if order.rules.domains.is_empty() {
            return Ok(None);
        }
        let mut listener = None;
        if !order.is_island() {
            let outside = TcpListener::bind(("127.0.0.1", 0)).or_fail(WHAT)?;
            order.proxy = Some(outside.local_addr().or_fail(WHAT)?.port());
            listener = Some(outside);
        }
        let hosts = ProxyHosts::new(&order.rules.domains).or_fail(WHAT)?;
        let (ours, theirs) = UnixStream::pair().or_fail(WHAT)?;
        let supervisor = rustix::process::getpid();
        if fork()?.is_some() {
            return Ok(Some(ours));
        }
        end_with(|| {
            linux::end_with_parent(Some(supervisor))?;
            let Some(listener) = listener.or_else(|| channel::receive(channel)) else {
                return Ok(0);
            };
            let told = Mutex::new((Report::default(), theirs));
            let told = move |refused| {
                let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                let (report, supervisor) = &mut *told;
                if report.add(refused)
                    && let Some(last) = report.refused.last()
                {
                    let _ = writeln!(supervisor, "{}", serde_json::json!(last));
                }
            };
            proxy::serve(&listener, hosts, Box::new(told))
        })
    }

    /// Ends what the program has left behind, and the proxy.
    fn kill_children() {
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
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ffi::OsString;
    use std::process::Command;

    use super::set_environment;
    use crate::SandboxError;
    use crate::error::ErrorContext as _;
    use crate::protect::ProtectedPaths;
    use crate::rules::ConfinementRules;

    #[cfg(target_os = "macos")]
    pub(super) fn run(rules: ConfinementRules, command: &[OsString]) -> Result<i32, SandboxError> {
        use std::os::unix::process::ExitStatusExt as _;

        let scratch = tempfile::tempdir().at(&std::env::temp_dir())?;
        let folder = scratch.path().canonicalize().at(scratch.path())?;
        let held = ProtectedPaths::find(&rules, false)?;
        let profile = crate::seatbelt::profile(&rules, held.paths.iter(), &folder, None);
        let mut inner = Command::new("/usr/bin/sandbox-exec");
        set_environment(&mut inner, &rules.env);
        inner
            .arg("-p")
            .arg(profile)
            .args(command)
            .env("TMPDIR", &folder);
        let status = inner.status().or_fail("cannot start `sandbox-exec`")?;
        Ok(status
            .code()
            .unwrap_or_else(|| 128 + status.signal().unwrap_or_default()))
    }

    #[cfg(not(target_os = "macos"))]
    pub(super) fn run(_: ConfinementRules, _: &[OsString]) -> Result<i32, SandboxError> {
        Err(SandboxError::kernel(
            "no sandbox",
            "there is one on Linux and macOS only",
        ))
    }
}
