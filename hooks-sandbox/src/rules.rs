//! The rules as they travel from the caller to the process that confines itself: one word of JSON.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// All that the confined program may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rules {
    /// What it finds of the file system.
    pub(crate) grants: Vec<Grant>,
    /// Links on the way to what is granted, and where they lead.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Names that stay unwritable in addition to the table's.
    pub(crate) protect: Vec<PathBuf>,
    /// The TCP ports that it may connect to, on any host.
    pub(crate) connect: Vec<u16>,
    /// The hosts that it reaches through the proxy, as patterns.
    pub(crate) domains: Vec<String>,
    /// Whether it may use the network without limits.
    pub(crate) network: bool,
    /// The sockets that it may connect to by path.
    pub(crate) unix: Vec<PathBuf>,
    /// The variables of the environment that it sees.
    pub(crate) env: Vec<String>,
    /// What it may use up.
    pub(crate) limits: Limits,
    /// Whether it runs although the kernel cannot enforce everything.
    pub(crate) best_effort: bool,
    /// Whether namespaces are not tried.
    pub(crate) without_namespaces: bool,
    /// Where the report goes as a line of JSON, instead of standard error.
    pub(crate) report: Option<PathBuf>,
}

/// One path, and what may be done with it and with all below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Grant {
    /// The path, without links.
    pub(crate) path: PathBuf,
    /// What may be done.
    pub(crate) access: Access,
    /// The device and the inode that were there when the rules were made.
    pub(crate) identity: (u64, u64),
    /// Who asked for it.
    #[serde(skip)]
    pub(crate) from: String,
}

/// What may be done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Access {
    /// Nothing: it looks empty.
    Hide,
    /// Read it, and run programs from there.
    Read,
    /// Change it.
    Write,
}

/// What the program may use up. `None` is what the caller may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Limits {
    /// Processes and threads of the user.
    pub(crate) processes: Option<u64>,
    /// Bytes of memory of one process.
    pub(crate) memory: Option<u64>,
    /// Seconds of processor time of one process.
    pub(crate) cpu_seconds: Option<u64>,
    /// Bytes of one file.
    pub(crate) file_size: Option<u64>,
}

impl Rules {
    /// The access to a path: that of the grant that is nearest above it.
    #[allow(dead_code, reason = "the launcher comes next")]
    pub(crate) fn access(&self, path: &Path) -> Option<Access> {
        let above = self
            .grants
            .iter()
            .filter(|grant| path.starts_with(&grant.path));
        above
            .max_by_key(|grant| grant.path.as_os_str().len())
            .map(|grant| grant.access)
    }
}
