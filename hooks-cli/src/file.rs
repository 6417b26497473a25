//! Finds the file, and loads it.

use std::future::Future;
use std::path::{Path, PathBuf};

use hooks_runtime::{Runtime, RuntimeBuilder};

use crate::Failure;

/// The name of our file.
pub(crate) const NAME: &str = "hooks.toml";

/// Returns the named file, or the one in the current folder or a folder above it.
pub(crate) fn find(named: Option<PathBuf>) -> Result<PathBuf, Failure> {
    if let Some(file) = named {
        return Ok(file);
    }
    let here = std::env::current_dir().map_err(Failure::usage)?;
    above(&here).ok_or_else(|| nothing_above(&here))
}

/// Returns the file in a folder, or in a folder above it.
pub(crate) fn above(folder: &Path) -> Option<PathBuf> {
    let mut files = folder.ancestors().map(|folder| folder.join(NAME));
    files.find(|file| file.is_file())
}

/// The error if there is no file.
pub(crate) fn nothing_above(folder: &Path) -> Failure {
    Failure::usage(format!(
        "there is no {NAME} in {} or above: name a file, or write one with `hooks init`",
        folder.display()
    ))
}

/// Runs a future to completion, on this thread.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::found)?;
    Ok(executor.block_on(future))
}

/// Returns the builder of a file's runtime. A file that the user names is trusted.
pub(crate) fn builder(file: &Path) -> RuntimeBuilder {
    let builder = Runtime::builder().file(file);
    match std::env::current_dir() {
        Ok(folder) => builder.project_dir(folder),
        Err(_) => builder,
    }
}
