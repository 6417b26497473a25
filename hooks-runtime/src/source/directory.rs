//! The files of a folder as one bundle, such as a checkout of a Git repository.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use hooks_config::ConfigError;
use serde_json::Map;

use super::{Source, SourceError};
use crate::bundle::{Bundle, BundleError};

/// All files of a folder whose names end with `.toml` or `.json`, in the order of their names, as one set of hooks: a Git
/// checkout, or a folder that a deployment fills.
///
/// Each is a `hooks.toml`, or a bundle. A table beside the hooks, such as `builtin`, may stand in one file only, and no file
/// imports another. As in any bundle, commands run in the project, and a path in them is not relative to the folder.
/// Folders in it are not read, and neither are files whose names start with a dot. A file with a mistake changes nothing:
/// the last good set stays in force.
///
/// ```
/// use hooks_runtime::{Directory, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// for (file, event) in [("10-calls.toml", "BeforeToolCall"), ("20-stop.toml", "BeforeStop")] {
///     let text = format!("[[hooks.on]]\nname = '{event}'\nevent = '{event}'\nblock = 'no'");
///     std::fs::write(folder.path().join(file), text)?;
/// }
/// let runtime = Runtime::builder().source(Directory::new(folder.path())).build().await?;
/// assert_eq!(runtime.status().hooks[0].name, "BeforeToolCall");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// The files of this folder.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Directory(path.into())
    }

    /// Returns the files, in the order of their names.
    fn entries(&self) -> std::io::Result<Vec<PathBuf>> {
        let is_meant = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let ends = path
                .extension()
                .is_some_and(|end| end == "toml" || end == "json");
            ends && !name.starts_with('.') && path.is_file()
        };
        let entries = self.0.read_dir()?;
        let paths = entries.map(|entry| Ok(entry?.path()));
        let mut paths: Vec<_> = paths.collect::<std::io::Result<_>>()?;
        paths.retain(is_meant);
        paths.sort();
        Ok(paths)
    }
}

/// Reads the files as one bundle.
fn together(files: &[PathBuf]) -> Result<Bundle, BundleError> {
    let (mut hooks, mut tables) = (Vec::new(), Map::new());
    for file in files {
        let mut bundle = Bundle::of_file(file)?;
        hooks.append(&mut bundle.hooks);
        for (key, value) in bundle.tables() {
            let wrong = if key == "import" {
                "a file of a directory imports no other: put that file into the directory"
                    .to_owned()
            } else if tables.contains_key(key) {
                format!("`{key}` is in another file of the directory already: move it there")
            } else {
                tables.insert(key.clone(), value.clone());
                continue;
            };
            return Err(ConfigError::of_file(file, wrong).into());
        }
    }
    Bundle::new(hooks, tables)
}

#[async_trait]
impl Source for Directory {
    /// All files of the path.
    fn name(&self) -> String {
        format!("{}/*", self.0.display())
    }

    async fn fetch(&self, seen: Option<&str>) -> Result<Option<Bundle>, SourceError> {
        let unreachable = |error: std::io::Error| {
            SourceError::Unreachable(format!("the folder cannot be read: {error}"))
        };
        let bundle = together(&self.entries().map_err(unreachable)?)?;
        Ok((seen != Some(&*bundle.sha256())).then_some(bundle))
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = self.entries().unwrap_or_default();
        std::iter::once(Path::to_owned(&self.0))
            .chain(files)
            .collect()
    }
}
