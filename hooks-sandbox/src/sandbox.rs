//! The rules as you write them, and their check.

use std::fs;
use std::path::PathBuf;

use crate::confinement::Confinement;
use crate::found::ResolvedPaths;
use crate::presets;
use crate::proxy::ProxyHosts;
use crate::rules::{ConfinementRules, PathAccess, real_place};
use crate::{SandboxError, launcher};

/// What a program may do at most.
///
/// By default, it may read the system's own folders and what the [presets](Sandbox::presets) name, and write only to a
/// temporary folder of its own, which is in memory if there are namespaces. It reaches no host, sees only a part of the
/// environment, and has none of the user's special rights, even if the user is root.
///
/// ```no_run
/// use hooks_sandbox::Sandbox;
///
/// // The first line of `main`: this executable is also the one that confines programs.
/// hooks_sandbox::enter_if_asked();
///
/// let sandbox = Sandbox::new().write(".").domain("static.crates.io").prepare()?;
/// let status = sandbox.command("cargo", ["test"]).status()?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Sandbox {
    paths: Vec<(PathAccess, PathBuf)>,
    sockets: Vec<PathBuf>,
    launcher: Option<PathBuf>,
    rules: ConfinementRules,
}

impl Sandbox {
    /// Creates a sandbox in which a program may write nothing of yours and reach no host.
    ///
    /// ```
    /// use hooks_sandbox::Sandbox;
    ///
    /// assert_eq!(Sandbox::new(), Sandbox::default());
    /// ```
    pub fn new() -> Self {
        Sandbox::default()
    }

    /// Allows the program to read and change a file, or a folder and everything in it but what is
    /// [protected](Sandbox::protect).
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().write(".");
    /// ```
    pub fn write(mut self, path: impl Into<PathBuf>) -> Self {
        self.paths.push((PathAccess::Write, path.into()));
        self
    }

    /// Allows the program to read a file, or a folder and everything in it, and to run programs from there.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().read("/srv/data");
    /// ```
    pub fn read(mut self, path: impl Into<PathBuf>) -> Self {
        self.paths.push((PathAccess::Read, path.into()));
        self
    }

    /// Hides a path within a folder that the program may read: it is there, but empty, and cannot be opened.
    ///
    /// Credentials in well-known places are hidden anyway, unless you name them yourself: `~/.ssh`, `~/.aws`,
    /// `~/.netrc`, `/etc/shadow` and others.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().read(".").hide(".env");
    /// ```
    pub fn hide(mut self, path: impl Into<PathBuf>) -> Self {
        self.paths.push((PathAccess::Hide, path.into()));
        self
    }

    /// Keeps a path as it is, within a folder that the program may write to, also if it does not exist yet.
    ///
    /// What runs or decides outside is protected anyway, here and in the folders below: `.git/hooks`, `.git/config`,
    /// `hooks.toml`, the settings of agents and editors, the start-up files of shells. Only
    /// [`allow_writing`](Sandbox::allow_writing) lifts that. [`protected`](crate::protected) has the list.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().write(".").protect("deploy.sh");
    /// ```
    pub fn protect(mut self, path: impl Into<PathBuf>) -> Self {
        self.rules.protect.push(path.into());
        self
    }

    /// Allows the program to change a protected path, and what is in it. It need not exist, but the folder in which the
    /// program makes it must be writable.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().write(".").allow_writing(".vscode");
    /// ```
    pub fn allow_writing(mut self, path: impl Into<PathBuf>) -> Self {
        self.rules.opened.push(path.into());
        self
    }

    /// Allows the program to connect to a TCP port, on any host. [`domain`](Sandbox::domain) is stricter.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().connect(5432);
    /// ```
    pub fn connect(mut self, port: u16) -> Self {
        self.rules.connect.push(port);
        self
    }

    /// Allows the program to reach a host by name, through a proxy that resolves it: `example.com`, `*.example.org`
    /// (not `example.org` itself), `example.com:8443`. The ports are 80 and 443 unless you name one.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().domain("*.example.org");
    /// ```
    pub fn domain(mut self, pattern: impl Into<String>) -> Self {
        self.rules.domains.push(pattern.into());
        self
    }

    /// Allows the program to connect to any address, over TCP and UDP, and to listen.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().network();
    /// ```
    pub fn network(mut self) -> Self {
        self.rules.network = true;
        self
    }

    /// Allows the program to connect to a Unix socket by its path. What listens there is not confined.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().unix("/run/postgresql/.s.PGSQL.5432");
    /// ```
    pub fn unix(mut self, path: impl Into<PathBuf>) -> Self {
        self.sockets.push(path.into());
        self
    }

    /// Lets the program see a variable of the environment, or with a star at the end, all that begin so.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().env("DATABASE_URL").env("MYAPP_*");
    /// ```
    pub fn env(mut self, name: impl Into<String>) -> Self {
        self.rules.env.push(name.into());
        self
    }

    /// Limits the processes and threads that the user has. The kernel does not count those of root.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().processes(200);
    /// ```
    pub fn processes(mut self, most: u64) -> Self {
        self.rules.limits.processes = Some(most);
        self
    }

    /// Limits the memory of each process, in bytes.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().memory(2 << 30);
    /// ```
    pub fn memory(mut self, bytes: u64) -> Self {
        self.rules.limits.memory = Some(bytes);
        self
    }

    /// Limits the time for which each process may compute, in seconds.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().cpu_seconds(60);
    /// ```
    pub fn cpu_seconds(mut self, seconds: u64) -> Self {
        self.rules.limits.cpu_seconds = Some(seconds);
        self
    }

    /// Limits the size of each file that is written, in bytes.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().file_size(1 << 30);
    /// ```
    pub fn file_size(mut self, bytes: u64) -> Self {
        self.rules.limits.file_size = Some(bytes);
        self
    }

    /// Chooses the programs whose own files and variables come along, such as `~/.gitconfig` and `~/.rustup`: `git`,
    /// `cargo`, `node`, `python`, `make`, `go`, `java`. By default, all of them. They give nothing to write.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().presets(["git"]);
    /// ```
    pub fn presets<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.rules.presets = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Names the executable that confines programs, whose `main` begins with
    /// [`enter_if_asked`](crate::enter_if_asked). By default, it is this one, or else the program `hooks` in `PATH`.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().launcher("/usr/bin/hooks");
    /// ```
    pub fn launcher(mut self, executable: impl Into<PathBuf>) -> Self {
        self.launcher = Some(executable.into());
        self
    }

    /// Writes the [report](crate::Report) as a line of JSON to the end of a file, instead of to standard error. Name one
    /// that the program cannot change.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().report("/var/log/agent/refused.jsonl");
    /// ```
    pub fn report(mut self, path: impl Into<PathBuf>) -> Self {
        self.rules.report = Some(path.into());
        self
    }

    /// Says what was expected of the program: the [report](crate::Report) ends with it if something was refused.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().note("`cat a.txt` was expected to read a.txt");
    /// ```
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.rules.note = Some(text.into());
        self
    }

    /// Does not trace the program. Then the [report](crate::Report) has the hosts that the proxy has refused, but neither
    /// paths nor system calls.
    ///
    /// By default, the kernel stops the program at calls that name a file or an address, which costs it some 20 µs each. A
    /// traced program cannot use real-time signals, as .NET does: it is ended, and the error says so. Where tracing is not
    /// permitted, and on other processors than x86-64, programs run untraced.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().untraced();
    /// ```
    pub fn untraced(mut self) -> Self {
        self.rules.untraced = true;
        self
    }

    /// Lets the program start even if the kernel lacks something that the rules need. A warning on standard error names
    /// it. A path that cannot be opened stays an error.
    ///
    /// ```
    /// let sandbox = hooks_sandbox::Sandbox::new().best_effort();
    /// ```
    pub fn best_effort(mut self) -> Self {
        self.rules.effort.best = true;
        self
    }

    /// Does without namespaces, as on a machine that does not permit them. For tests.
    #[doc(hidden)]
    pub fn without_namespaces(mut self) -> Self {
        self.rules.effort.without_namespaces = true;
        self
    }

    /// Checks the rules, and opens every path once: what takes the place of one later is not opened instead.
    ///
    /// # Errors
    ///
    /// If a path does not exist, if rules contradict each other, if there is no way to confine programs on this system,
    /// or if the launcher cannot do so.
    ///
    /// ```
    /// use hooks_sandbox::Sandbox;
    ///
    /// assert!(Sandbox::new().write("/is/not/there").prepare().is_err());
    /// ```
    pub fn prepare(mut self) -> Result<Confinement, SandboxError> {
        if cfg!(not(any(target_os = "linux", target_os = "macos"))) {
            return Err(SandboxError::kernel(
                "no sandbox",
                "there is one on Linux and macOS only",
            ));
        }
        if self.rules.network && !(self.rules.connect.is_empty() && self.rules.domains.is_empty()) {
            return Err(SandboxError::rule(
                "`network` allows every host, so `connect` and `domain` would limit nothing: leave one out",
            ));
        }
        ProxyHosts::new(&self.rules.domains)
            .map_err(|error| SandboxError::rule(error.to_string()))?;
        let launcher = launcher::found(self.launcher.take())?;
        presets::check(self.rules.presets.as_deref())?;
        let mut found = ResolvedPaths::default();
        for (access, path) in &self.paths {
            found.require(*access, path)?;
        }
        for socket in &self.sockets {
            found.require(PathAccess::Write, socket)?;
        }
        for path in self.rules.opened.iter().filter(|path| path.exists()) {
            found.require(PathAccess::Write, path)?;
        }
        self.rules.unix = !self.sockets.is_empty();
        found.end(&mut self.rules);
        // What confines the next program is not for this one to change.
        let place = fs::canonicalize(&launcher).unwrap_or_else(|_| launcher.clone());
        if self
            .rules
            .grant(&place)
            .is_some_and(|grant| grant.access == PathAccess::Write)
        {
            self.rules.protect.push(place);
        }
        for path in self.rules.protect.iter_mut().chain(&mut self.rules.opened) {
            *path = real_place(path)?;
        }
        Ok(Confinement {
            rules: self.rules,
            launcher,
        })
    }
}
