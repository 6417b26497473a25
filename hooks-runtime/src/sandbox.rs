//! A program that can do no more than is listed, by Landlock.
//!
//! Landlock restricts a thread, and whatever that thread starts. So a fresh thread restricts itself, starts the program
//! and ends. The program cannot take the restriction away, and the rest of the agent is free.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use hooks_builtin::config::SandboxEntry;

/// What a program may do at most. The kernel enforces it, on Linux with Landlock.
///
/// It may read what every program needs: `/usr`, `/bin`, `/sbin`, `/lib`, `/lib64`, `/etc`, `/proc` and `/dev`. All else
/// has to be named. By default it writes nowhere, and connects to nothing by TCP.
///
/// Landlock knows neither UDP nor sockets of the file system, such as `/run/docker.sock`: these are not restricted.
///
/// ```
/// use std::process::Command;
///
/// use hooks_runtime::Sandbox;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let sandbox = Sandbox::new().write(folder.path()).connect(443);
/// # let sandbox = sandbox.best_effort(); // So that this also runs where the kernel has no Landlock.
/// let mut child = sandbox.spawn(Command::new("touch").arg(folder.path().join("file")))?;
/// assert!(child.wait()?.success());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Sandbox {
    write: Vec<PathBuf>,
    read: Vec<PathBuf>,
    connect: Vec<u16>,
    has_network: bool,
    is_best_effort: bool,
}

/// Why a program cannot be restricted. It is then not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A path that is to be read or written is not there, or cannot be opened.
    #[error("{} cannot be opened for the sandbox: {why}", path.display())]
    #[non_exhaustive]
    Path {
        /// The path.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The kernel cannot enforce all of it, and [`Sandbox::best_effort`] was not asked for.
    #[error("this kernel cannot restrict the program: {why}")]
    #[non_exhaustive]
    Kernel {
        /// What it cannot do.
        why: String,
    },
}

impl Sandbox {
    /// A program that reads what every program needs, and does nothing else.
    ///
    /// ```
    /// use hooks_runtime::Sandbox;
    ///
    /// assert_eq!(Sandbox::new(), Sandbox::default());
    /// ```
    pub fn new() -> Self {
        Sandbox::default()
    }

    /// Lets it read and change a file, or a folder and all in it.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().write(".");
    /// ```
    pub fn write(mut self, path: impl Into<PathBuf>) -> Self {
        self.write.push(path.into());
        self
    }

    /// Lets it read a file, or a folder and all in it, and run programs from there. `/` is everything.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().read("/opt/tools");
    /// ```
    pub fn read(mut self, path: impl Into<PathBuf>) -> Self {
        self.read.push(path.into());
        self
    }

    /// Lets it connect to a TCP port, of any host.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().connect(443);
    /// ```
    pub fn connect(mut self, port: u16) -> Self {
        self.connect.push(port);
        self
    }

    /// Lets it connect to everything, and listen.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().network();
    /// ```
    pub fn network(mut self) -> Self {
        self.has_network = true;
        self
    }

    /// Runs it with what the kernel can enforce, which may be nothing. Without this, it does not run where the kernel
    /// cannot enforce everything.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().best_effort();
    /// ```
    pub fn best_effort(mut self) -> Self {
        self.is_best_effort = true;
        self
    }

    /// What a file says. Relative paths start at its folder.
    pub(crate) fn of(entry: &SandboxEntry, folder: &Path) -> Self {
        let from_folder = |paths: &[PathBuf]| paths.iter().map(|path| folder.join(path)).collect();
        Sandbox {
            write: from_folder(&entry.write),
            read: from_folder(&entry.read),
            connect: entry.connect.clone(),
            has_network: entry.network,
            is_best_effort: entry.best_effort,
        }
    }

    /// Whether the kernel can enforce it, and every path is there. Nothing is restricted.
    ///
    /// # Errors
    ///
    /// As [`spawn`](Sandbox::spawn) would say.
    ///
    /// ```
    /// use hooks_runtime::Sandbox;
    ///
    /// assert!(Sandbox::new().write("/is/not/there").check().is_err());
    /// ```
    pub fn check(&self) -> Result<(), SandboxError> {
        system::prepare(self).map(drop)
    }

    /// Restricts the calling thread, and all that it starts from now on, for good. Other threads are free. Returns
    /// whether the kernel enforces anything: only with [`best_effort`](Sandbox::best_effort) it may not.
    ///
    /// This is for a program of one thread that then becomes another one. Use [`spawn`](Sandbox::spawn) elsewhere.
    ///
    /// # Errors
    ///
    /// If a path is not there, or the kernel cannot enforce it. Nothing is restricted then.
    ///
    /// ```
    /// use hooks_runtime::Sandbox;
    ///
    /// let restricted = std::thread::spawn(|| {
    ///     let _ = Sandbox::new().best_effort().restrict_thread()?;
    ///     Ok::<_, hooks_runtime::SandboxError>(())
    /// });
    /// assert!(restricted.join().unwrap().is_ok());
    /// ```
    pub fn restrict_thread(&self) -> Result<bool, SandboxError> {
        system::restrict(system::prepare(self)?)
    }

    /// Starts a program that is restricted. The calling thread is not.
    ///
    /// The program's own file may be read. The interpreter of a script has to be in a folder that may be read.
    ///
    /// # Errors
    ///
    /// If a path is not there, if the kernel cannot enforce it, or if the program cannot be started. A [`SandboxError`]
    /// is the source of the error in the first two cases.
    ///
    /// ```
    /// use std::process::Command;
    ///
    /// use hooks_runtime::{Sandbox, SandboxError};
    ///
    /// let error = Sandbox::new().write("/is/not/there").spawn(&mut Command::new("true")).unwrap_err();
    /// assert!(error.get_ref().is_some_and(|error| error.is::<SandboxError>()));
    /// ```
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let mut sandbox = self.clone();
        let program = Path::new(command.get_program());
        if program.is_absolute() && program.exists() {
            sandbox.read.push(program.to_owned());
        }
        std::thread::scope(|scope| {
            let restricted = std::thread::Builder::new()
                .name("hooks-sandbox".into())
                .spawn_scoped(scope, || {
                    sandbox.restrict_thread().map_err(io::Error::other)?;
                    command.spawn()
                })?;
            restricted
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("the thread of the sandbox panicked")))
        })
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::path::Path;

    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort,
        PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _,
        RulesetError, RulesetStatus, Scope,
    };

    use super::{Sandbox, SandboxError};

    /// What every program needs to read, as far as it is there.
    const SYSTEM: [&str; 8] = [
        "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev",
    ];
    /// What every program may write to: it keeps nothing.
    const DEVICES: [&str; 5] = [
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/dev/tty",
        "/dev/ptmx",
    ];
    /// The version whose rights are meant: files with truncation, and TCP.
    const VERSION: ABI = ABI::V4;

    /// Everything but the restriction itself.
    pub(super) fn prepare(sandbox: &Sandbox) -> Result<RulesetCreated, SandboxError> {
        // All paths are opened before anything is restricted.
        let opened = opened(sandbox)?;
        ruleset(sandbox, opened).map_err(refused)
    }

    /// Whether anything is enforced.
    pub(super) fn restrict(ruleset: RulesetCreated) -> Result<bool, SandboxError> {
        let status = ruleset.restrict_self().map_err(refused)?;
        Ok(status.ruleset != RulesetStatus::NotEnforced)
    }

    fn refused(error: RulesetError) -> SandboxError {
        SandboxError::Kernel {
            why: error.to_string(),
        }
    }

    /// The paths with the rights on them. One that is misspelled is an error.
    fn opened(sandbox: &Sandbox) -> Result<Vec<PathBeneath<PathFd>>, SandboxError> {
        let there = |paths: &'static [&'static str]| {
            let paths = paths.iter().map(Path::new);
            paths.filter(|path| path.exists())
        };
        let read = there(&SYSTEM).chain(sandbox.read.iter().map(|path| &**path));
        let write = there(&DEVICES).chain(sandbox.write.iter().map(|path| &**path));
        let read = read.map(|path| beneath(path, AccessFs::from_read(VERSION)));
        let write = write.map(|path| beneath(path, AccessFs::from_all(VERSION)));
        read.chain(write).collect()
    }

    /// Rights on a path; on a file only those that a file can have.
    fn beneath(
        path: &Path,
        access: BitFlags<AccessFs>,
    ) -> Result<PathBeneath<PathFd>, SandboxError> {
        let access = if path.is_dir() {
            access
        } else {
            access & AccessFs::from_file(VERSION)
        };
        let opened = PathFd::new(path).map_err(|error| SandboxError::Path {
            path: path.to_owned(),
            why: std::error::Error::source(&error)
                .map_or_else(|| error.to_string(), ToString::to_string),
        })?;
        Ok(PathBeneath::new(opened, access))
    }

    fn ruleset(
        sandbox: &Sandbox,
        opened: Vec<PathBeneath<PathFd>>,
    ) -> Result<RulesetCreated, RulesetError> {
        let level = if sandbox.is_best_effort {
            CompatLevel::BestEffort
        } else {
            CompatLevel::HardRequirement
        };
        let mut rules = Ruleset::default()
            .set_compatibility(level)
            .handle_access(AccessFs::from_all(VERSION))?;
        if !sandbox.has_network {
            rules = rules.handle_access(AccessNet::from_all(VERSION))?;
        }
        let mut rules = rules
            // What newer kernels can do beside: signals, sockets without a path.
            .set_compatibility(CompatLevel::BestEffort)
            .scope(Scope::from_all(ABI::V6))?
            .set_compatibility(level)
            .create()?;
        for path in opened {
            rules = rules.add_rule(path)?;
        }
        if !sandbox.has_network {
            for port in &sandbox.connect {
                rules = rules.add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
            }
        }
        Ok(rules)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Sandbox, SandboxError};

    pub(super) fn prepare(sandbox: &Sandbox) -> Result<(), SandboxError> {
        if sandbox.is_best_effort {
            return Ok(());
        }
        Err(SandboxError::Kernel {
            why: "Landlock is a part of Linux, and this is another system".into(),
        })
    }

    pub(super) fn restrict((): ()) -> Result<bool, SandboxError> {
        Ok(false)
    }
}
