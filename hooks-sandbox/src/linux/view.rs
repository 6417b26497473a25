//! The file system that the program sees: built from nothing, so what was not granted is not there at all.
//!
//! An empty root gets what the rules name, each at its own path. What may only be read is mounted so, and protected paths
//! are mount points of their own. A path is opened once, without following links, and must be what it was when the rules
//! were made.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount,
    mount_change, mount_remount, move_mount, open_tree, unmount,
};
use rustix::process::{chdir, pivot_root};

use crate::SandboxError;
use crate::error::ErrorContext as _;
use crate::protect::PathHold;
use crate::rules::{Grant, PathAccess};
use crate::supervisor::ConfinementOrder;

/// The devices that every program may use, because they store nothing. No terminal is among them: who writes to one can
/// type into it.
pub(crate) const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// The links that programs expect.
const LINKS: [(&str, &str); 5] = [
    ("dev/fd", "/proc/self/fd"),
    ("dev/stdin", "/proc/self/fd/0"),
    ("dev/stdout", "/proc/self/fd/1"),
    ("dev/stderr", "/proc/self/fd/2"),
    ("dev/ptmx", "pts/ptmx"),
];
/// What a new mount is anyway, unless it has a reason not to be.
const PLAIN: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// Builds the view, and makes it the root of this process.
pub(crate) fn build(order: &ConfinementOrder) -> Result<(), SandboxError> {
    let root = &order.scratch;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).or_fail("cannot make mounts private (mount MS_PRIVATE)")?;
    mount("tmpfs", root, "tmpfs", PLAIN, c"mode=755")
        .or_fail("cannot mount a root (mount tmpfs)")?;
    let shown = shown(order)?;
    // What is granted may be in one of them.
    let temporary = ["/tmp", "/dev/shm"].map(Path::new);
    for folder in temporary {
        let place = below(root, folder);
        make(&place, |place| fs::create_dir(place))?;
        mount("tmpfs", &place, "tmpfs", PLAIN, c"mode=1777").at(folder)?;
    }
    let is_shown = |path: &Path| shown.keys().any(|above| path.starts_with(above));
    let is_temporary = |path: &Path| {
        path.ancestors()
            .skip(1)
            .any(|above| temporary.contains(&above))
    };
    let mut fixed = vec![root.clone()];
    // A file that a program writes where it was started, and that is lost, must not seem to be written.
    if is_temporary(&order.folder) && !is_shown(&order.folder) {
        let place = below(root, &order.folder);
        fs::create_dir_all(&place).at(&order.folder)?;
        mount("tmpfs", &place, "tmpfs", PLAIN, c"mode=755").at(&order.folder)?;
        fixed.push(place);
    }
    for (path, target) in &order.rules.links {
        if !is_shown(path) {
            make(&below(root, path), |place| symlink(target, place))?;
        }
    }
    for (path, source) in &shown {
        make_place(root, path, source.is_folder)?;
        attach(&source.file, opened(&below(root, path))?).at(path)?;
    }
    // A program that starts in another folder than the one asked for would do harm: the folder may be an empty one.
    for folder in [Some(order.folder.clone()), std::env::home_dir()]
        .into_iter()
        .flatten()
    {
        fs::create_dir_all(below(root, &folder)).at(&folder)?;
    }
    restrict_mounts(order, &shown)?;
    let pts = c"newinstance,ptmxmode=0666,mode=620";
    let own = [
        (
            "proc",
            "proc",
            PLAIN | MountFlags::NOEXEC | MountFlags::RDONLY,
            c"",
        ),
        ("dev/pts", "devpts", PLAIN & !MountFlags::NODEV, pts),
    ];
    for (place, kind, flags, options) in own {
        let place = root.join(place);
        make(&place, |place| fs::create_dir(place))?;
        mount(kind, &place, kind, flags, options).at(&place)?;
    }
    for (link, target) in LINKS {
        make(&root.join(link), |place| symlink(target, place))?;
    }
    let enter = || {
        for place in &fixed {
            mount_remount(place, PLAIN | MountFlags::BIND | MountFlags::RDONLY, "")?;
        }
        chdir(root)?;
        pivot_root(".", ".")?;
        unmount(".", UnmountFlags::DETACH)?;
        chdir(&order.folder)
    };
    enter().or_fail("cannot enter the view (mount, pivot_root)")
}

/// Something that is shown in the new root.
struct MountSource {
    file: OwnedFd,
    is_folder: bool,
    /// What is taken from it.
    flags: MountFlags,
}

/// Opens everything that the view shows, in the order of its paths.
fn shown(order: &ConfinementOrder) -> Result<BTreeMap<PathBuf, MountSource>, SandboxError> {
    let root = |name| order.scratch.join(name);
    let mut shown = BTreeMap::new();
    for device in DEVICES {
        show(
            &mut shown,
            device.as_ref(),
            opened(device.as_ref())?,
            MountFlags::NOSUID,
        )?;
    }
    let (no_file, no_folder) = (root(".file"), root(".folder"));
    make(&no_file, |place| File::create(place).map(drop))?;
    make(&no_folder, |place| fs::create_dir(place))?;
    for grant in &order.rules.grants {
        let file = grant.open()?;
        let (file, flags) = match grant.access {
            PathAccess::Write => (file, PLAIN),
            PathAccess::Read => (file, PLAIN | MountFlags::RDONLY),
            PathAccess::Hide if is_folder(&file)? => {
                (opened(&no_folder)?, PLAIN | MountFlags::RDONLY)
            }
            PathAccess::Hide => (opened(&no_file)?, PLAIN | MountFlags::RDONLY),
        };
        shown.remove(&grant.path);
        show(&mut shown, &grant.path, file, flags)?;
    }
    for nothing in [no_file, no_folder] {
        fs::set_permissions(&nothing, fs::Permissions::from_mode(0o000)).at(&nothing)?;
    }
    Ok(shown)
}

/// Shows a file at a path, unless something is shown there.
fn show(
    shown: &mut BTreeMap<PathBuf, MountSource>,
    path: &Path,
    file: OwnedFd,
    flags: MountFlags,
) -> Result<(), SandboxError> {
    let is_folder = is_folder(&file)?;
    shown.entry(path.to_owned()).or_insert(MountSource {
        file,
        is_folder,
        flags,
    });
    Ok(())
}

fn is_folder(file: impl AsFd) -> Result<bool, SandboxError> {
    let found = rustix::fs::fstat(file).or_fail("cannot look at a file (fstat)")?;
    Ok(rustix::fs::FileType::from_raw_mode(found.st_mode).is_dir())
}

impl Grant {
    /// Opens the path, if it still is what it was when the rules were made.
    pub(crate) fn open(&self) -> Result<OwnedFd, SandboxError> {
        let file = opened(&self.path)?;
        let found = rustix::fs::fstat(&file).at(&self.path)?;
        if (found.st_dev, found.st_ino) == self.identity {
            return Ok(file);
        }
        Err(SandboxError::path(
            &self.path,
            "something else took its place",
        ))
    }
}

/// Opens a path without following any link. A link at its end is opened itself.
pub(crate) fn opened(path: &Path) -> Result<OwnedFd, SandboxError> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    match file {
        Err(rustix::io::Errno::LOOP) => Err("a link took its place").at(path),
        file => file.at(path),
    }
}

/// Makes what a source is mounted on.
fn make_place(root: &Path, path: &Path, is_folder: bool) -> Result<(), SandboxError> {
    make(&below(root, path), |place| {
        if is_folder {
            fs::create_dir(place)
        } else {
            File::create_new(place).map(drop)
        }
    })
}

/// Mounts a copy of a source on a place. It takes what the source takes.
fn attach(source: impl AsFd, place: impl AsFd) -> rustix::io::Result<()> {
    let copy = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(source, "", copy)?;
    let empty = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    move_mount(&tree, "", place, "", empty)
}

/// Takes from each mount below the new root what its source takes, and holds what is protected. A mount within a mount is
/// one more of the kernel's, so its own list counts.
fn restrict_mounts(
    order: &ConfinementOrder,
    shown: &BTreeMap<PathBuf, MountSource>,
) -> Result<(), SandboxError> {
    let (root, list) = (&order.scratch, Path::new("/proc/self/mountinfo"));
    let mut writable = BTreeMap::new();
    for line in fs::read(list).at(list)?.split(|byte| *byte == b'\n') {
        let mut fields = line.split(|byte| *byte == b' ').skip(4);
        let (Some(place), Some(options)) = (fields.next(), fields.next()) else {
            continue;
        };
        let place = unescaped(place);
        let Ok(path) = place.strip_prefix(root) else {
            continue;
        };
        let path = Path::new("/").join(path);
        let mut above = path.ancestors();
        let nearest = above.find_map(|above| Some((above, shown.get(above)?)));
        let Some((grant, source)) = nearest.filter(|_| !place.is_symlink()) else {
            continue;
        };
        let mut flags = MountFlags::BIND | source.flags;
        for option in options.split(|byte| *byte == b',') {
            flags |= match option {
                b"ro" => MountFlags::RDONLY,
                b"nodev" => MountFlags::NODEV,
                b"noexec" => MountFlags::NOEXEC,
                _ => MountFlags::empty(),
            };
        }
        let holds = |held: &PathBuf| held.starts_with(grant);
        if !flags.contains(MountFlags::RDONLY) && order.held.keys().any(holds) {
            writable.insert(path.clone(), flags);
            flags |= MountFlags::RDONLY;
        }
        mount_remount(&place, flags, "").at(&path)?;
    }
    hold(order, writable)
}

/// Holds what is protected: each is a mount of its own, which the kernel neither renames nor removes. As long as the mounts
/// around them may only be read, so do the copies of them that are made; then those that may be written are opened again.
fn hold(
    order: &ConfinementOrder,
    mut writable: BTreeMap<PathBuf, MountFlags>,
) -> Result<(), SandboxError> {
    let root = &order.scratch;
    for (path, hold) in &order.held {
        let itself = opened(&below(root, path))?;
        attach(&itself, &itself).at(path)?;
        let mut above = path.ancestors();
        if *hold == PathHold::InPlace
            && let Some(flags) = above.find_map(|above| writable.get(above))
        {
            writable.insert(path.clone(), *flags);
        }
    }
    let own = |path: &Path| order.rules.grants.iter().any(|grant| grant.path == path);
    for (path, flags) in &writable {
        let mut above = path.ancestors().take_while(|above| !own(above));
        if !above.any(|above| order.held.get(above) == Some(&PathHold::Still)) {
            mount_remount(below(root, path), *flags, "").at(path)?;
        }
    }
    Ok(())
}

/// A path of the kernel's list, in which `\040` is a space.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut parts = text.split(|byte| *byte == b'\\');
    let mut bytes = parts.next().unwrap_or_default().to_vec();
    for part in parts {
        let (code, rest) = part.split_at(part.len().min(3));
        bytes.extend(
            str::from_utf8(code)
                .ok()
                .and_then(|code| u8::from_str_radix(code, 8).ok()),
        );
        bytes.extend(rest);
    }
    std::ffi::OsString::from_vec(bytes).into()
}

/// Makes something, with the folders that it is in, unless it is there.
fn make(place: &Path, make: impl Fn(&Path) -> io::Result<()>) -> Result<(), SandboxError> {
    if fs::symlink_metadata(place).is_ok() {
        return Ok(());
    }
    let folders = place.parent().map_or(Ok(()), fs::create_dir_all);
    folders.and_then(|()| make(place)).at(place)
}

fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}
