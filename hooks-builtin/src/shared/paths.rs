//! Where a path really leads: `~`, `.`, `..` and symbolic links resolved as the system would.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::caller;

/// The number of links that Linux follows before it gives up.
const MOST_LINKS: usize = 40;

/// Returns where `path` leads from the directory `base`, which is absolute and without links.
///
/// `~` and `~/…` are the home directory, as in a shell. Existing links are followed, and `..` leaves the directory that
/// a link led to. The part of the path that does not exist yet is kept as it is written, so that you can also resolve a
/// path that is about to be created.
///
/// # Errors
///
/// If the path contains a NUL, is in the home directory of another user (`~name`), or has a cycle of links; if the home
/// directory is needed and unknown; or if a link cannot be read.
pub(crate) fn resolve(path: &str, base: &Path) -> io::Result<PathBuf> {
    let wrong = |reason: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    if path.contains('\0') {
        return wrong("the path contains a NUL character");
    }
    match path.strip_prefix('~') {
        None if Path::new(path).has_root() => follow(root_of(&base.join(path)), &base.join(path)),
        None => follow(base.to_owned(), Path::new(path)),
        Some(rest) if rest.is_empty() || rest.starts_with('/') => match caller::home_dir() {
            Some(home) if home.is_absolute() => {
                let path = home.join(rest.trim_start_matches('/'));
                follow(root_of(&path), &path)
            }
            _ => wrong("the home directory is not known"),
        },
        Some(_) => wrong("the path is in the home directory of another user"),
    }
}

/// Returns the folder at a path, absolute and without links. A relative path is under the current directory, and `~` is
/// the home directory.
///
/// # Errors
///
/// As [`resolve`], or if there is no folder. The current directory is read only if the path is relative.
pub(crate) fn folder(path: &Path) -> io::Result<PathBuf> {
    let text = path
        .to_str()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path is not UTF-8"))?;
    let base = if path.has_root() || text.starts_with('~') {
        PathBuf::from("/")
    } else {
        caller::current_dir()?
    };
    let folder = resolve(text, &base)?.canonicalize()?;
    if !folder.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(folder)
}

/// Returns the path as it is written, except for a `~` at its beginning.
///
/// # Errors
///
/// As [`resolve`].
pub(crate) fn in_home(path: &Path) -> io::Result<PathBuf> {
    match path.to_str() {
        Some(text) if text.starts_with('~') => resolve(text, Path::new("/")),
        _ => Ok(path.to_owned()),
    }
}

/// Returns the root of an absolute path: `/`, or that of a drive.
fn root_of(path: &Path) -> PathBuf {
    path.ancestors().last().unwrap_or(path).to_owned()
}

/// Follows the links of a path from a directory without links.
fn follow(mut done: PathBuf, path: &Path) -> io::Result<PathBuf> {
    let mut ahead: VecDeque<OsString> = VecDeque::new();
    push_front(&mut ahead, path);
    let root = root_of(&done);
    let mut links = 0;
    while let Some(name) = ahead.pop_front() {
        if name == ".." {
            done.pop();
            continue;
        }
        done.push(&name);
        match done.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(io::Error::other("the links form a loop"));
                }
                let target = done.read_link()?;
                done.pop();
                if target.is_absolute() {
                    done.clone_from(&root);
                }
                push_front(&mut ahead, &target);
            }
            Ok(_) => {}
            Err(error) if missing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Whether there is nothing at a path, and so no link. This includes a path through a file, and a name that is too long
/// to exist.
fn missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

fn push_front(ahead: &mut VecDeque<OsString>, path: &Path) {
    for component in path.components().rev() {
        match component {
            Component::Normal(name) => ahead.push_front(name.to_owned()),
            Component::ParentDir => ahead.push_front("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_and_stop_at_the_root() {
        let at = |path| resolve(path, Path::new("/no/such")).unwrap();
        assert_eq!(at("a/./b/../c"), Path::new("/no/such/a/c"));
        assert_eq!(at("../../../../etc/passwd"), Path::new("/etc/passwd"));
        assert_eq!(at("/x//y/"), Path::new("/x/y"));
        assert_eq!(at(""), Path::new("/no/such"));
    }

    #[test]
    fn a_home_directory_is_the_users_own() {
        let home = std::env::home_dir().unwrap();
        assert_eq!(
            resolve("~/.ssh", Path::new("/w")).unwrap(),
            follow("/".into(), &home.join(".ssh")).unwrap()
        );
        assert!(resolve("~root/.ssh", Path::new("/w")).is_err());
        assert_eq!(
            resolve("a/~", Path::new("/w")).unwrap(),
            Path::new("/w/a/~")
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_before_the_dots_after_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/deep")).unwrap();
        std::os::unix::fs::symlink("real/deep", root.join("link")).unwrap();
        std::os::unix::fs::symlink("/etc", root.join("etc")).unwrap();
        std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();

        assert_eq!(resolve("link/../x", &root).unwrap(), root.join("real/x"));
        assert_eq!(
            resolve("etc/passwd", &root).unwrap(),
            Path::new("/etc/passwd")
        );
        assert!(resolve("loop/x", &root).is_err());
    }
}
