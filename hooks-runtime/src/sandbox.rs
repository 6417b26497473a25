//! Limits what a program may do, with Landlock.
//!
//! Landlock restricts a thread, and everything that the thread starts. So a new thread restricts itself, starts the
//! program and ends. The program cannot lift the restriction, and the rest of the agent stays unrestricted.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::entry::SandboxEntry;

/// What a program may do at most. The kernel enforces it, on Linux with Landlock.
///
/// The program may read what every program needs: `/usr`, `/bin`, `/sbin`, `/lib`, `/lib64`, `/etc`, `/proc` and
/// `/dev`. You must name everything else. By default, it may not write files, and may not connect to anything over TCP.
///
/// Landlock restricts neither UDP, MPTCP and TCP Fast Open, nor sockets in the file system, such as `/run/docker.sock`, nor
/// the mode, times and attributes of files. A program that runs as root keeps all other rights of root.
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

/// Why a program cannot be restricted. Then the program is not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// A path in the sandbox does not exist, or cannot be opened.
    #[error("{} cannot be opened for the sandbox: {why}", path.display())]
    #[non_exhaustive]
    Path {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        why: String,
    },
    /// The kernel cannot enforce all limits, and [`Sandbox::best_effort`] is off.
    #[error("this kernel cannot restrict the program: {why}")]
    #[non_exhaustive]
    Kernel {
        /// What the kernel cannot enforce.
        why: String,
    },
}

impl Sandbox {
    /// Creates a sandbox in which a program may read what every program needs, and may write nothing.
    ///
    /// ```
    /// use hooks_runtime::Sandbox;
    ///
    /// assert_eq!(Sandbox::new(), Sandbox::default());
    /// ```
    pub fn new() -> Self {
        Sandbox::default()
    }

    /// Allows the program to read and change a file, or a folder and everything in it.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().write(".");
    /// ```
    pub fn write(mut self, path: impl Into<PathBuf>) -> Self {
        self.write.push(path.into());
        self
    }

    /// Allows the program to read a file, or a folder and everything in it, and to run programs from there. `/` is
    /// everything.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().read("/opt/tools");
    /// ```
    pub fn read(mut self, path: impl Into<PathBuf>) -> Self {
        self.read.push(path.into());
        self
    }

    /// Allows the program to connect to a TCP port, on any host.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().connect(443);
    /// ```
    pub fn connect(mut self, port: u16) -> Self {
        self.connect.push(port);
        self
    }

    /// Allows the program to connect to any address, and to listen.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().network();
    /// ```
    pub fn network(mut self) -> Self {
        self.has_network = true;
        self
    }

    /// Runs the program even if the kernel can enforce only a part of the limits, or none of them. Otherwise the
    /// program does not run on such a kernel.
    ///
    /// ```
    /// let sandbox = hooks_runtime::Sandbox::new().best_effort();
    /// ```
    pub fn best_effort(mut self) -> Self {
        self.is_best_effort = true;
        self
    }

    /// Creates the sandbox of a file's entry. Relative paths start at the folder of the file.
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

    /// Checks that the kernel can enforce the limits, and that every path exists. It restricts nothing.
    ///
    /// # Errors
    ///
    /// If [`spawn`](Sandbox::spawn) would return a [`SandboxError`].
    ///
    /// ```
    /// use hooks_runtime::Sandbox;
    ///
    /// assert!(Sandbox::new().write("/is/not/there").check().is_err());
    /// ```
    pub fn check(&self) -> Result<(), SandboxError> {
        system::prepare(self).map(drop)
    }

    /// Restricts the calling thread, and everything that it starts from now on, permanently. Other threads stay
    /// unrestricted. Returns whether the kernel enforces anything. It can be `false` only with
    /// [`best_effort`](Sandbox::best_effort).
    ///
    /// Use this in a single-threaded program that then replaces itself with another one. In all other cases, use
    /// [`spawn`](Sandbox::spawn).
    ///
    /// # Errors
    ///
    /// If a path does not exist, or the kernel cannot enforce the limits. Then nothing is restricted.
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

    /// Starts a program in the sandbox. The calling thread stays unrestricted.
    ///
    /// The program's own file may be read. The interpreter of a script must be in a folder that the program may read.
    ///
    /// # Errors
    ///
    /// If a path does not exist, if the kernel cannot enforce the limits, or if the program cannot be started. In the
    /// first two cases, the error contains a [`SandboxError`].
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

    use crate::sandbox::{Sandbox, SandboxError};

    /// What every program needs to read, if it exists.
    const SYSTEM: [&str; 8] = [
        "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev",
    ];
    /// What every program may write to and control, because it stores nothing. The agent's terminal is not among them:
    /// who writes to it or controls it can type into it.
    const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/ptmx"];
    /// The version of Landlock whose rights the sandbox uses: files with truncation, and TCP.
    const VERSION: ABI = ABI::V4;

    /// Prepares everything but the restriction itself.
    pub(super) fn prepare(sandbox: &Sandbox) -> Result<RulesetCreated, SandboxError> {
        // All paths are opened before anything is restricted.
        let (opened, devices) = (opened(sandbox)?, devices()?);
        ruleset(sandbox, opened, devices).map_err(refused)
    }

    /// Whether the kernel enforces anything.
    pub(super) fn restrict(ruleset: RulesetCreated) -> Result<bool, SandboxError> {
        let status = ruleset.restrict_self().map_err(refused)?;
        Ok(status.ruleset != RulesetStatus::NotEnforced)
    }

    fn refused(error: RulesetError) -> SandboxError {
        SandboxError::Kernel {
            why: error.to_string(),
        }
    }

    /// Returns the paths with their rights. A misspelled path is an error.
    fn opened(sandbox: &Sandbox) -> Result<Vec<PathBeneath<PathFd>>, SandboxError> {
        let read = there(&SYSTEM).chain(sandbox.read.iter().map(|path| &**path));
        let write = sandbox.write.iter().map(|path| &**path);
        let read = read.map(|path| beneath(path, AccessFs::from_read(VERSION)));
        // Who makes a device reaches a disk or the memory through it.
        let devices = AccessFs::MakeChar | AccessFs::MakeBlock;
        let write = write.map(|path| beneath(path, AccessFs::from_all(VERSION) & !devices));
        read.chain(write).collect()
    }

    fn devices() -> Result<Vec<PathBeneath<PathFd>>, SandboxError> {
        let access = AccessFs::from_all(VERSION) | AccessFs::IoctlDev;
        there(&DEVICES).map(|path| beneath(path, access)).collect()
    }

    fn there<'p>(paths: &'p [&'p str]) -> impl Iterator<Item = &'p Path> {
        let paths = paths.iter().map(Path::new);
        paths.filter(|path| path.exists())
    }

    /// Returns the rights on a path. A file gets only those rights that files can have.
    fn beneath(
        path: &Path,
        access: BitFlags<AccessFs>,
    ) -> Result<PathBeneath<PathFd>, SandboxError> {
        let access = if path.is_dir() {
            access
        } else {
            access & (AccessFs::from_file(VERSION) | AccessFs::IoctlDev)
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
        devices: Vec<PathBeneath<PathFd>>,
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
            // What newer kernels can restrict in addition: control of devices, signals, and sockets without a path.
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::IoctlDev)?
            .scope(Scope::from_all(ABI::V6))?
            .create()?
            .add_rules(devices.into_iter().map(Ok::<_, RulesetError>))?
            .set_compatibility(level);
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
    use crate::sandbox::{Sandbox, SandboxError};

    pub(super) fn prepare(sandbox: &Sandbox) -> Result<(), SandboxError> {
        if sandbox.is_best_effort {
            return Ok(());
        }
        Err(SandboxError::Kernel {
            why: "Landlock exists only on Linux".into(),
        })
    }

    pub(super) fn restrict((): ()) -> Result<bool, SandboxError> {
        Ok(false)
    }
}
