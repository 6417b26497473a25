//! Finds the file, and loads it.

use std::future::Future;
use std::path::{Path, PathBuf};

use hooks_runtime::{Dialect, EnvironmentEvaluator, JsonlRecorder, Runtime, RuntimeBuilder};

use crate::Failure;
use crate::paint::{WARN, lines, painted};

/// The name of our file.
pub(crate) const NAME: &str = "hooks.toml";

/// The file of a command, and whose format it has.
#[derive(Debug, clap::Args)]
pub(crate) struct FileArgs {
    /// The file; by default the hooks.toml here or in a folder above.
    file: Option<PathBuf>,
    /// Whose format the file has; by default the one that its name tells, such as `.claude/settings.json`, or ours.
    #[arg(long, value_name = "DIALECT")]
    from: Option<Dialect>,
}

impl FileArgs {
    /// The file, and the builder of its runtime.
    pub(crate) fn open(&self) -> Result<(PathBuf, RuntimeBuilder), Failure> {
        let file = find(self.file.clone())?;
        let builder = builder(&file, self.from);
        Ok((file, builder))
    }
}

/// The file that is named, or the one here or in a folder above.
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

/// Whose format a file has, by its name. `settings.json` in the folder `.claude` is Claude Code's, also where that is the
/// current folder.
pub(crate) fn dialect_of(file: &Path) -> Option<Dialect> {
    Dialect::of_path(&std::path::absolute(file).ok()?)
}

/// The builder of a file's runtime. Whoever names a file trusts it, and has the key of a model in the environment.
pub(crate) fn builder_as(file: &Path, from: Option<Dialect>) -> RuntimeBuilder {
    let dialect = from.or_else(|| dialect_of(file)).unwrap_or_default();
    Runtime::builder()
        .file_as(dialect, file)
        .evaluator(EnvironmentEvaluator::new())
}

/// Records every hook in a file, if one is named. Records are for people: without them the hooks run all the same.
pub(crate) fn recorded(builder: RuntimeBuilder, file: Option<&Path>) -> RuntimeBuilder {
    let Some(file) = file else { return builder };
    match JsonlRecorder::append(file) {
        Ok(recorder) => builder.recorder(recorder),
        Err(error) => {
            let file = file.display();
            anstream::eprintln!(
                "{}: cannot write records to {file}: {error}",
                painted(WARN, "warning")
            );
            builder
        }
    }
}

/// The same, for the project here.
pub(crate) fn builder(file: &Path, from: Option<Dialect>) -> RuntimeBuilder {
    let builder = builder_as(file, from);
    match std::env::current_dir() {
        Ok(folder) => builder.project_dir(folder),
        Err(_) => builder,
    }
}

/// Prints what is worth knowing about the files, for whoever looks for the reason why a hook does not run.
pub(crate) fn print_notices(runtime: &Runtime) {
    for notice in runtime.status().notices {
        anstream::eprintln!("note: {}", lines(&notice));
    }
}
