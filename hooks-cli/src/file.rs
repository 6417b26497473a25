//! Finds the file, and loads it.

use std::future::Future;
use std::path::{Path, PathBuf};

use hooks_runtime::{
    Dialect, Edition, EnvironmentEvaluator, JsonlRecorder, Runtime, RuntimeBuilder, Trust,
};

use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::paint::{WARN, lines, painted};

/// The name of our file.
pub(crate) const NAME: &str = "hooks.toml";

/// The file of a command, and whose format it has.
#[derive(Debug, clap::Args)]
pub(crate) struct FileArgs {
    /// The file; by default the hooks.toml here or in a folder above.
    file: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// How a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, clap::Args)]
pub(crate) struct FormatArgs {
    /// Whose format the file has; by default the one that its name tells, such as `.claude/settings.json`, or ours.
    #[arg(long, value_name = "DIALECT")]
    from: Option<Dialect>,
    /// The edition of GoClaw that its files are for: `lite`, the default, or `standard`, which runs no commands.
    #[arg(long)]
    pub(crate) edition: Option<Edition>,
}

/// A file, and whether the user has named it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct NamedFile {
    pub(crate) path: PathBuf,
    /// The file was found, so a stranger may have written it. It runs only if the user trusts it.
    is_found: bool,
}

impl From<PathBuf> for NamedFile {
    /// A user who names a file trusts it.
    fn from(path: PathBuf) -> Self {
        NamedFile {
            path,
            is_found: false,
        }
    }
}

impl NamedFile {
    /// The same file, by another path.
    pub(crate) fn map(self, path: impl FnOnce(&Path) -> PathBuf) -> Self {
        NamedFile {
            path: path(&self.path),
            ..self
        }
    }
}

impl FileArgs {
    /// The file, and the builder of a runtime that runs nothing: only to look at.
    pub(crate) fn look(&self) -> Result<(PathBuf, RuntimeBuilder), Failure> {
        let path = find(self.file.clone())?.path;
        Ok((path.clone(), builder(&path.into(), self.format)))
    }

    /// The file, and the builder of a runtime that runs hooks.
    pub(crate) fn open(&self) -> Result<(PathBuf, RuntimeBuilder), Failure> {
        let file = find(self.file.clone())?;
        let builder = builder(&file, self.format);
        Ok((file.path, builder))
    }

    /// Whose format the file has.
    pub(crate) fn dialect(&self) -> Dialect {
        let by_name = || self.file.as_deref().and_then(dialect_of);
        self.format.from.or_else(by_name).unwrap_or_default()
    }
}

/// The file that is named, or the one here or in a folder above.
pub(crate) fn find(named: Option<PathBuf>) -> Result<NamedFile, Failure> {
    match named {
        Some(file) => Ok(file.into()),
        None => above(&std::env::current_dir().map_err(Failure::usage)?),
    }
}

/// Returns the file in a folder, or in a folder above it.
pub(crate) fn above(folder: &Path) -> Result<NamedFile, Failure> {
    let mut files = folder.ancestors().map(|folder| folder.join(NAME));
    let found = files.find(|file| file.is_file());
    let found = found.map(|path| NamedFile {
        path,
        is_found: true,
    });
    found.ok_or_else(|| {
        Failure::usage(format!(
            "there is no {NAME} in {} or above: name a file, or write one with `hooks init`",
            folder.display()
        ))
    })
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

/// The builder of a file's runtime. The key of a model comes from the environment.
pub(crate) fn builder_as(
    file: &NamedFile,
    format: FormatArgs,
    warnings: &mut Vec<String>,
) -> RuntimeBuilder {
    let path = &file.path;
    let builder = if file.is_found {
        Runtime::builder().found(path)
    } else {
        let dialect = format.from.or_else(|| dialect_of(path)).unwrap_or_default();
        Runtime::builder().file_as(dialect, path)
    };
    builder
        .edition(format.edition.unwrap_or_default())
        .trust(trusted(warnings))
        .evaluator(EnvironmentEvaluator::new())
}

/// What the user trusts. If that cannot be read, it is nothing.
fn trusted(warnings: &mut Vec<String>) -> Trust {
    let read = Trust::user_file().map(|kept| Trust::read(&kept));
    read.unwrap_or_else(|| Ok(Trust::none()))
        .unwrap_or_else(|error| {
            warnings.push(format!("cannot read what you trust: {error}"));
            Trust::none()
        })
}

/// Tells a user who looks for a reason.
pub(crate) fn warn(message: &str) {
    anstream::eprintln!("{}: {}", painted(WARN, "warning"), lines(message));
}

/// Tells all of it.
pub(crate) fn warn_all(warnings: &[String]) {
    for warning in warnings {
        warn(warning);
    }
}

/// Records every hook and every event in a file, if one is named. Records are for people: without them the hooks run all the same.
pub(crate) fn recorded(
    builder: RuntimeBuilder,
    file: Option<&Path>,
    warnings: &mut Vec<String>,
) -> RuntimeBuilder {
    let Some(file) = file else { return builder };
    match JsonlRecorder::append(file) {
        Ok(recorder) => builder.recorder(recorder.keeping_events()),
        Err(error) => {
            let file = file.display();
            warnings.push(format!("cannot write records to {file}: {error}"));
            builder
        }
    }
}

/// The same, for the project here.
pub(crate) fn builder(file: &NamedFile, format: FormatArgs) -> RuntimeBuilder {
    let mut warnings = Vec::new();
    let builder = builder_as(file, format, &mut warnings);
    warn_all(&warnings);
    match std::env::current_dir() {
        Ok(folder) => builder.project_dir(folder),
        Err(_) => builder,
    }
}

/// What is worth knowing about the files, for a user who looks for the reason why a hook does not run.
pub(crate) fn notices(runtime: &Runtime, concerns: impl Fn(&str) -> bool) -> Vec<String> {
    let notices = runtime.notices().into_iter();
    notices.filter(|notice| concerns(notice)).collect()
}

/// Prints a notice.
pub(crate) fn note(notice: &str) {
    anstream::eprintln!("note: {}", lines(notice));
}

/// Prints all notices.
pub(crate) fn print_notices(runtime: &Runtime) {
    for notice in notices(runtime, |_| true) {
        note(&notice);
    }
}
