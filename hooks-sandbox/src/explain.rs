//! What the rules are, where each comes from, and what this machine cannot enforce.

use std::fmt;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::launcher;
use crate::protect::{PathHold, ProtectedPaths};
use crate::rules::{ConfinementRules, PathAccess};
use crate::{Confinement, SandboxError};

/// The rules of a [`Confinement`] in words: [`Display`](fmt::Display) prints a line for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// What the program may do, and who asked for it: you, the system, or a preset.
    pub rules: Vec<(String, String)>,
    /// What is not enforced on this machine, or enforced by forbidding more than the rules say.
    pub gaps: Vec<String>,
}

/// What this machine has.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct KernelFeatures {
    pub(crate) has_namespaces: bool,
    /// The version of Landlock, or 0.
    pub(crate) landlock: i32,
}

impl Confinement {
    /// Explains the rules, and what this machine cannot enforce. It starts the launcher to find that out.
    ///
    /// ```no_run
    /// use hooks_sandbox::Sandbox;
    ///
    /// hooks_sandbox::enter_if_asked();
    /// println!("{}", Sandbox::new().write(".").prepare()?.explain()?);
    /// # Ok::<_, hooks_sandbox::SandboxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the launcher cannot be started, or is none.
    pub fn explain(&self) -> Result<Explanation, SandboxError> {
        let mut probe = Command::new(&self.launcher);
        let output = probe.arg(launcher::PROBE).stdin(Stdio::null()).output();
        let machine = output
            .ok()
            .and_then(|output| serde_json::from_slice(&output.stdout).ok());
        let mut machine: KernelFeatures = machine.ok_or_else(|| SandboxError::Launcher {
            path: self.launcher.clone(),
        })?;
        machine.has_namespaces &= !self.rules.effort.without_namespaces;
        let whole = self.rules.clone().complete()?;
        let held = ProtectedPaths::find(&whole, false)?;
        Ok(Explanation {
            rules: rules(&whole, &held),
            gaps: gaps(&whole, machine),
        })
    }
}

fn rules(rules: &ConfinementRules, held: &ProtectedPaths) -> Vec<(String, String)> {
    let you = || "your rule".to_owned();
    let files = rules.grants.iter().map(|grant| {
        let access = match grant.access {
            PathAccess::Hide => "hides",
            PathAccess::Read => "reads",
            PathAccess::Write => "writes",
        };
        (
            format!("{access} {}", grant.path.display()),
            grant.from.clone(),
        )
    });
    let own = [(
        "writes /tmp and /dev/shm of its own".to_owned(),
        "always".to_owned(),
    )];
    let still = held
        .paths
        .iter()
        .filter(|(_, hold)| **hold == PathHold::Still);
    let protected = still.map(|(path, _)| {
        let is_yours = rules.protect.contains(path);
        let from = if is_yours {
            you()
        } else {
            "protected".to_owned()
        };
        (format!("keeps {}", path.display()), from)
    });
    let network = rules
        .network
        .then(|| ("reaches every host, and listens".to_owned(), you()));
    let domains = rules
        .domains
        .iter()
        .map(|host| (format!("reaches {host} through the proxy"), you()));
    let ports = rules
        .connect
        .iter()
        .map(|port| (format!("connects to port {port} of every host"), you()));
    let all = own
        .into_iter()
        .chain(files)
        .chain(protected)
        .chain(network)
        .chain(domains);
    all.chain(ports).collect()
}

fn gaps(rules: &ConfinementRules, machine: KernelFeatures) -> Vec<String> {
    let alone = !machine.has_namespaces;
    let is_island = machine.has_namespaces && rules.is_island();
    let can_write = rules
        .grants
        .iter()
        .any(|grant| grant.access == PathAccess::Write);
    let gaps = [
        (
            alone,
            "without user namespaces, the program sees the names and sizes of all files",
        ),
        (
            alone,
            "without user namespaces, it cannot change modes, owners and times of files, listen, or open a terminal",
        ),
        (
            alone && can_write,
            "without user namespaces, nothing new can be made directly in a folder that holds protected names, or is above one that does",
        ),
        (
            alone && rules.unix,
            "without user namespaces, nothing limits which sockets it connects to",
        ),
        (
            alone && machine.landlock < 6,
            "without Landlock 6, it can send signals to your other processes",
        ),
        (
            alone && machine.landlock < 3,
            "without Landlock 3, it can truncate files that it may only read",
        ),
        (
            machine.landlock < 1,
            "without Landlock, it can reopen what it gets as its standard input and output",
        ),
        (
            !rules.network && !is_island && machine.landlock < 4,
            "without Landlock 4, it connects to every port",
        ),
        (
            !is_island && !rules.domains.is_empty(),
            "the port of the proxy is open on other hosts, too",
        ),
        (
            can_write,
            "a hard link that was made before leads to a protected file",
        ),
        (
            rules.limits.processes.is_some(),
            "the kernel does not count the processes of root",
        ),
    ];
    gaps.into_iter()
        .filter(|(applies, _)| *applies)
        .map(|(_, gap)| gap.to_owned())
        .collect()
}

impl fmt::Display for Explanation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rule, from) in &self.rules {
            writeln!(out, "{rule}  ({from})")?;
        }
        for gap in &self.gaps {
            writeln!(out, "limit of the sandbox here: {gap}")?;
        }
        Ok(())
    }
}
