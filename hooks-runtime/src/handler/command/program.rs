//! Finds the program of a command, in its folder or in `PATH`.
//!
//! We search for it ourselves, because the standard library uses the slow way (`fork`) if it must search in another
//! `PATH` than its own.

use hooks_builtin::__caller as caller;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Resolves the program of a command: a path is relative to the file's folder (or to the command's directory, if there
/// is no file), a name is searched for.
pub(crate) fn in_folder(
    program: &str,
    folder: &Path,
    cwd: Option<&Path>,
    path: Option<&OsStr>,
) -> Result<PathBuf, String> {
    if !is_path(program) {
        return found(program, path);
    }
    let here = caller::current_dir().unwrap_or_default();
    let base = if folder.as_os_str().is_empty() {
        here.join(cwd.unwrap_or(Path::new("")))
    } else {
        here.join(folder)
    };
    Ok(base.join(program))
}

fn is_path(program: &str) -> bool {
    program.contains(std::path::is_separator)
}

/// Searches for a program by its name.
///
/// # Errors
///
/// A sentence, if the program is not found.
pub(super) fn found(program: &str, path: Option<&OsStr>) -> Result<PathBuf, String> {
    // Windows has its own rules, and no `fork`.
    if is_path(program) || cfg!(windows) && path.is_some() {
        return Ok(program.into());
    }
    let own = caller::var_os("PATH");
    let path = path
        .or(own.as_deref())
        .unwrap_or(OsStr::new("/usr/bin:/bin"));
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|file| is_executable(file))
        .ok_or_else(|| format!("there is no program `{program}` in any folder of `PATH`"))
}

/// Whether a file is a program that may be run.
#[cfg(unix)]
#[must_use]
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let Ok(metadata) = file.metadata() else {
        return false;
    };
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
#[must_use]
pub fn is_executable(file: &Path) -> bool {
    file.is_file() || file.with_extension("exe").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_name_is_searched_for_and_a_path_starts_at_the_folder() {
        let shell = found("sh", Some(OsStr::new("/nowhere:relative:/bin"))).unwrap();
        assert_eq!(shell, Path::new("/bin/sh"));
        let error = found("sh", Some(OsStr::new("/nowhere"))).unwrap_err();
        assert!(error.contains("`sh`"), "{error}");
        // A folder is not a program.
        assert!(found("bin", Some(OsStr::new("/usr"))).is_err());
        let path = |folder| in_folder("./check", Path::new(folder), Some(Path::new("/work")), None);
        assert_eq!(path("/etc/agent").unwrap(), Path::new("/etc/agent/./check"));
        assert_eq!(path("").unwrap(), Path::new("/work/./check"));
    }
}
