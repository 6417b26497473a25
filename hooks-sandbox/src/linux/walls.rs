//! Landlock: the second wall around the view, and the only one around files where there are no namespaces.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    NetPort, PathBeneath, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError,
    RulesetStatus, Scope,
};

use super::view;
use crate::SandboxError;
use crate::error::ErrorContext as _;
use crate::protect::PathHold;
use crate::rules::PathAccess;
use crate::supervisor::ConfinementOrder;

/// The newest version of Landlock that this code knows: all that the kernel has of it is used.
const NEWEST: ABI = ABI::V9;
/// What a program may read of `/proc` where that shows other processes, too.
const PROC: [&str; 13] = [
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/version",
    "/proc/sys/fs/file-max",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/ostype",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/random",
    "/proc/sys/vm/overcommit_memory",
];

/// Restricts this process and everything that it starts. `proxy` is the port of the proxy.
pub(crate) fn raise(order: &ConfinementOrder, proxy: Option<u16>) -> Result<(), SandboxError> {
    let mut files = FileRules {
        order,
        rules: Vec::new(),
    };
    files.allow_all()?;
    let restrict = || {
        let rules = files.rules.into_iter().map(Ok::<_, RulesetError>);
        let mut ruleset = handled(order)?.create()?.add_rules(rules)?;
        if order.limits_ports() {
            for port in order.rules.connect.iter().copied().chain(proxy) {
                ruleset = ruleset.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
            }
        }
        ruleset.restrict_self()
    };
    let status = restrict().or_fail("cannot confine the program (landlock_restrict_self)")?;
    if status.ruleset == RulesetStatus::NotEnforced {
        if !order.rules.effort.best {
            return Err(SandboxError::kernel("files", "this kernel has no Landlock"));
        }
        eprintln!("hooks-sandbox: warning: this kernel has no Landlock");
    }
    Ok(())
}

/// The version of Landlock that this kernel has, or 0. It restricts this process a little.
pub(crate) fn version() -> i32 {
    let ruleset = Ruleset::default()
        .scope(Scope::Signal)
        .and_then(Ruleset::create);
    match ruleset
        .and_then(landlock::RulesetCreated::restrict_self)
        .map(|status| status.landlock)
    {
        Ok(LandlockStatus::Available { effective_abi, .. }) => effective_abi as i32,
        _ => 0,
    }
}

/// Whether this kernel's Landlock alone limits all that is done with files, their length included. It restricts nothing.
pub(crate) fn limits_files() -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V3))
        .and_then(Ruleset::create)
        .is_ok()
}

/// What is refused unless a rule allows it. What the rules need, the kernel must have; the rest is taken if it is there.
fn handled(order: &ConfinementOrder) -> Result<Ruleset, RulesetError> {
    let best = order.rules.effort.best;
    let strict = if best {
        CompatLevel::BestEffort
    } else {
        CompatLevel::HardRequirement
    };
    // Namespaces do some of it, too.
    let alone = if order.has_namespaces {
        CompatLevel::BestEffort
    } else {
        strict
    };
    let sockets = if order.rules.unix && !order.is_island() {
        strict
    } else {
        alone
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(strict)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(alone)
        .handle_access(AccessFs::from_all(ABI::V5))?
        .set_compatibility(sockets)
        .scope(Scope::from_all(ABI::V6))?
        .set_compatibility(strict);
    if order.limits_ports() {
        ruleset = ruleset.handle_access(AccessNet::from_all(ABI::V4))?;
    }
    let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort);
    ruleset.handle_access(AccessFs::from_all(NEWEST))
}

/// The rules about files.
struct FileRules<'o> {
    order: &'o ConfinementOrder,
    rules: Vec<PathBeneath<OwnedFd>>,
}

impl FileRules<'_> {
    fn allow_all(&mut self) -> Result<(), SandboxError> {
        let (order, read, all) = (
            self.order,
            AccessFs::from_read(NEWEST),
            AccessFs::from_all(NEWEST),
        );
        for device in view::DEVICES {
            self.allow(device.as_ref(), all)?;
        }
        if order.has_namespaces {
            // The folders between the root and what is granted are empty but for that.
            self.allow("/".as_ref(), AccessFs::ReadDir.into())?;
            self.allow("/proc".as_ref(), read)?;
            for path in ["/dev/pts", "/dev/shm", "/tmp"] {
                self.allow(path.as_ref(), all)?;
            }
        } else {
            let own = format!("/proc/{}", std::process::id());
            for path in PROC.into_iter().chain([own.as_str()]).map(Path::new) {
                if path.exists() {
                    self.allow(path, read)?;
                }
            }
            self.allow(&order.scratch, all)?;
        }
        for grant in order
            .rules
            .grants
            .iter()
            .filter(|grant| grant.access != PathAccess::Hide)
        {
            // In the view, a path is what it was when it was mounted.
            if order.has_namespaces {
                self.allow(&grant.path, rights(grant.access))?;
            } else {
                drop(grant.open()?);
                self.walk(&grant.path, grant.access)?;
            }
        }
        Ok(())
    }

    /// Allows a path and all below, except what is hidden or protected. Where something of that is in a folder, nothing
    /// new can be made in the folder, since Landlock cannot tell one new name from another.
    fn walk(&mut self, path: &Path, access: PathAccess) -> Result<(), SandboxError> {
        let (rules, held) = (&self.order.rules, &self.order.held);
        let hidden = || {
            rules
                .grants
                .iter()
                .filter(|grant| grant.access == PathAccess::Hide)
        };
        if hidden().any(|hidden| hidden.path == path) {
            return Ok(());
        }
        let is_still = held
            .iter()
            .any(|(held, hold)| held == path && *hold == PathHold::Still);
        let access = if is_still { PathAccess::Read } else { access };
        let hides = hidden().any(|hidden| hidden.path.starts_with(path));
        let holds = || held.iter().any(|(held, _)| held.starts_with(path));
        if !(hides || access == PathAccess::Write && holds()) {
            return self.allow(path, rights(access));
        }
        let whole = if hides {
            AccessFs::ReadDir.into()
        } else {
            rights(PathAccess::Read)
        };
        self.allow(path, whole)?;
        for entry in fs::read_dir(path).at(path)?.flatten() {
            let kind = entry.file_type().at(path)?;
            let is_held =
                || access == PathAccess::Write && kind.is_file() && self.is_held(&entry.path());
            if !kind.is_symlink() && !is_held() {
                self.walk(&entry.path(), access)?;
            }
        }
        Ok(())
    }

    /// Whether a file is a protected one under another name: Landlock knows files, and not names.
    fn is_held(&self, path: &Path) -> bool {
        let Ok(file) = fs::metadata(path) else {
            return false;
        };
        let held = self
            .order
            .held
            .iter()
            .filter(|(held, _)| file.nlink() > 1 && *held != path);
        let mut held = held.filter_map(|(held, _)| fs::metadata(held).ok());
        held.any(|held| (held.dev(), held.ino()) == (file.dev(), file.ino()))
    }

    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), SandboxError> {
        let file = view::opened(path)?;
        let may = if path.is_dir() {
            access
        } else {
            access & AccessFs::from_file(NEWEST)
        };
        self.rules.push(PathBeneath::new(file, may));
        Ok(())
    }
}

fn rights(access: PathAccess) -> BitFlags<AccessFs> {
    match access {
        PathAccess::Hide => BitFlags::EMPTY,
        PathAccess::Read => AccessFs::from_read(NEWEST),
        // Who makes a device reaches a disk or the memory through it.
        PathAccess::Write => {
            AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
        }
    }
}
