//! What a program may do at most, as a table of a configuration file.

use std::path::{Path, PathBuf};

use hooks_sandbox::Sandbox;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::caller;

/// What a program, and every process that it starts, may do at most. The kernel enforces it.
///
/// The program may read the system's own folders, and what the programs that people use need besides: `~/.gitconfig`,
/// `~/.rustup` and the like. It writes only to a temporary folder of its own, and reaches no host. You must name
/// everything else. [`hooks_sandbox`] says what holds where.
///
/// ```
/// use hooks_builtin::SandboxConfig;
///
/// let config: SandboxConfig = toml::from_str(r#"
///     write = ["target"]
///     domain = ["static.crates.io"]
/// "#)?;
/// let sandbox = hooks_sandbox::Sandbox::new().write("/work/target").domain("static.crates.io");
/// assert_eq!(config.sandbox("/work".as_ref()), sandbox);
/// # Ok::<_, toml::de::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxConfig {
    /// The files and folders that it may change. A relative path starts at the folder of the configuration file, or at
    /// the workspace of a policy. `~` is the home directory. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<PathBuf>,
    /// The files and folders that it may read, and run programs from, in addition. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
    /// What stays hidden in a folder that it may read. The default is none, besides well-known places of credentials.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<PathBuf>,
    /// What stays as it is in a folder that it may change. The default is none, besides what runs or decides outside,
    /// such as `.git/hooks`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<PathBuf>,
    /// Protected paths that it may change all the same, such as `.vscode`. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_writing: Vec<PathBuf>,
    /// The Unix sockets that it may connect to. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unix: Vec<PathBuf>,
    /// The hosts that it reaches, through a proxy: `example.com`, `*.example.org`, `example.com:8443`. The default is
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub domain: Vec<String>,
    /// The TCP ports that it may connect to, on any host. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub connect: Vec<u16>,
    /// Whether it may connect to any address and listen, over TCP and UDP. The default is `false`.
    pub network: bool,
    /// More variables of the environment that it sees. A star ends a prefix. The default is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// The most processes and threads of the user, except of root. By default, there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// The most memory of a process, in bytes. By default, there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The most processor time of a process, in seconds. By default, there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<u64>,
    /// The largest file that it may write, in bytes. By default, there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_size: Option<u64>,
    /// Whether it also runs if the kernel can enforce only a part of this, or nothing. The default is `false`: then it
    /// does not run.
    pub best_effort: bool,
}

/// Adds one rule.
type Add<T> = fn(Sandbox, T) -> Sandbox;

impl SandboxConfig {
    /// Returns the sandbox. Relative paths start at a folder.
    pub fn sandbox(&self, folder: &Path) -> Sandbox {
        let place = |path: &PathBuf| match (path.strip_prefix("~"), caller::home_dir()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => folder.join(path),
        };
        let mut sandbox = Sandbox::new();
        let paths: [(_, Add<PathBuf>); 6] = [
            (&self.write, Sandbox::write),
            (&self.read, Sandbox::read),
            (&self.hide, Sandbox::hide),
            (&self.protect, Sandbox::protect),
            (&self.allow_writing, Sandbox::allow_writing),
            (&self.unix, Sandbox::unix),
        ];
        for (paths, add) in paths {
            sandbox = paths.iter().map(place).fold(sandbox, add);
        }
        let limits: [(_, Add<u64>); 4] = [
            (self.processes, Sandbox::processes),
            (self.memory, Sandbox::memory),
            (self.cpu_seconds, Sandbox::cpu_seconds),
            (self.file_size, Sandbox::file_size),
        ];
        for (limit, add) in limits {
            sandbox = limit.into_iter().fold(sandbox, add);
        }
        sandbox = self.domain.iter().fold(sandbox, Sandbox::domain);
        sandbox = self.env.iter().fold(sandbox, Sandbox::env);
        sandbox = self.connect.iter().copied().fold(sandbox, Sandbox::connect);
        if self.network {
            sandbox = sandbox.network();
        }
        if self.best_effort {
            sandbox = sandbox.best_effort();
        }
        sandbox
    }
}
