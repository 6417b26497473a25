//! The rules as they travel from the caller to the process that confines itself: one word of JSON.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::SandboxError;
use crate::error::ErrorContext as _;

/// All that the confined program may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ConfinementRules {
    /// What it finds of the file system.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) grants: Vec<Grant>,
    /// Links on the way to what is granted, and where they lead.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Paths that stay unwritable in addition to the table's.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) protect: Vec<PathBuf>,
    /// Paths that it may write although they are protected.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) opened: Vec<PathBuf>,
    /// The TCP ports that it may connect to, on any host.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) connect: Vec<u16>,
    /// The hosts that it reaches through the proxy, as patterns.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) domains: Vec<String>,
    /// Whether it may use the network without limits.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) network: bool,
    /// Whether it may connect to sockets by path.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) unix: bool,
    /// The presets, if they are not all.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) presets: Option<Vec<String>>,
    /// The variables of the environment that it sees.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) env: Vec<String>,
    /// What it may use up.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) limits: ResourceLimits,
    /// What the kernel cannot enforce does not stop it from starting.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) effort: Effort,
    /// Where the report goes as a line of JSON, instead of standard error.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) report: Option<PathBuf>,
    /// What was expected of the program.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) note: Option<String>,
    /// The beginnings of paths that a report does not name.
    #[serde(skip)]
    pub(crate) quiet: Vec<String>,
    /// Whether the supervisor does not look at what it tries.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) untraced: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What must be enforced for the program to start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Effort {
    /// The program starts although the kernel cannot enforce everything.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) best: bool,
    /// Namespaces are not even tried.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) without_namespaces: bool,
}

/// One path, and what may be done with it and with all below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Grant {
    /// The path, without links.
    pub(crate) path: PathBuf,
    /// What may be done.
    pub(crate) access: PathAccess,
    /// The device and the inode that were there when the rules were made. What is there later is not opened instead.
    pub(crate) identity: (u64, u64),
    /// Who asked for it.
    #[serde(skip)]
    pub(crate) from: String,
}

/// What may be done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PathAccess {
    /// Nothing: it looks empty.
    Hide,
    /// Read it, and run programs from there.
    Read,
    /// Change it.
    Write,
}

/// What the program may use up. `None` is what the caller may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResourceLimits {
    /// Processes and threads of the user.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) processes: Option<u64>,
    /// Bytes of memory of one process.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) memory: Option<u64>,
    /// Seconds of processor time of one process.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) cpu_seconds: Option<u64>,
    /// Bytes of one file.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) file_size: Option<u64>,
}

impl Grant {
    /// Grants a path without links, as it is now.
    pub(crate) fn of(path: PathBuf, access: PathAccess, from: &str) -> Result<Self, SandboxError> {
        let found = fs::metadata(&path).at(&path)?;
        if path.to_str().is_none() {
            return Err(SandboxError::path(&path, "the name is not UTF-8"));
        }
        Ok(Grant {
            identity: (found.dev(), found.ino()),
            path,
            access,
            from: from.to_owned(),
        })
    }
}

impl ConfinementRules {
    /// The grant that decides about a path: the nearest above it, or its own.
    pub(crate) fn grant(&self, path: &Path) -> Option<&Grant> {
        let own = |path: &Path| {
            let mut grants = self.grants.iter();
            grants.find(|grant| grant.path.as_os_str() == path.as_os_str())
        };
        path.ancestors().find_map(own)
    }

    /// Whether the program has a network for itself alone, if there are namespaces.
    pub(crate) fn is_island(&self) -> bool {
        !self.network && self.connect.is_empty()
    }
}

/// A path whose folder exists, while it need not exist itself, without links on the way.
pub(crate) fn real_place(path: &Path) -> Result<PathBuf, SandboxError> {
    let absolute = std::path::absolute(path).at(path)?;
    match (absolute.parent(), absolute.file_name()) {
        (Some(folder), Some(name)) => match fs::canonicalize(folder) {
            Ok(folder) => Ok(folder.join(name)),
            Err(_) => Ok(real_place(folder)?.join(name)),
        },
        _ => Err(SandboxError::path(path, "the path has no file name")),
    }
}
