//! Whose environment and folder count: those of this process, or those of another one that it answers for.
//!
//! A daemon decides for other processes of its user, with the answer that each would get by itself. So nothing that a
//! dispatch does reads the environment or the current folder by `std::env`, but here.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

tokio::task_local! {
    static CALLER: Caller;
}

/// The environment and the current folder of a process that asks another one to decide for it.
///
/// A clone is a handle to the same ones. `Debug` shows no values, which may be secrets.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use hooks_builtin::__caller::{self as caller, Caller};
///
/// let other = Caller::new([("PATH".into(), "/opt/bin".into())], "/work");
/// let read = async { (caller::var_os("PATH"), caller::current_dir().ok()) };
/// assert_eq!(other.scope(read).await, (Some("/opt/bin".into()), Some("/work".into())));
/// # }
/// ```
#[derive(Clone)]
pub struct Caller(Arc<(BTreeMap<OsString, OsString>, PathBuf)>);

impl Caller {
    /// A process with these variables, in this folder.
    pub fn new(
        env: impl IntoIterator<Item = (OsString, OsString)>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Caller(Arc::new((env.into_iter().collect(), cwd.into())))
    }

    /// Runs a future for that process. What hooks start in the background for it counts as well.
    pub async fn scope<F: Future>(&self, future: F) -> F::Output {
        CALLER.scope(self.clone(), future).await
    }
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller")
            .field("cwd", &self.0.1)
            .finish_non_exhaustive()
    }
}

/// Returns the process that this task answers for, if it is another one: then nothing known of this one counts.
#[must_use]
pub fn other() -> Option<Caller> {
    CALLER.try_with(Caller::clone).ok()
}

/// Lets a future that is spawned answer for the same process as this task.
pub fn inherited<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let caller = other();
    async move {
        match caller {
            Some(caller) => caller.scope(future).await,
            None => future.await,
        }
    }
}

/// Lets work on another thread answer for the same process as this task.
pub fn inherited_by<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let caller = other();
    move || match caller {
        Some(caller) => CALLER.sync_scope(caller, work),
        None => work(),
    }
}

/// Returns a variable.
pub fn var_os(name: impl AsRef<OsStr>) -> Option<OsString> {
    let name = name.as_ref();
    let of_other = CALLER.try_with(|caller| caller.0.0.get(name).cloned());
    of_other.unwrap_or_else(|_| std::env::var_os(name))
}

/// Returns a variable that is UTF-8.
pub fn var(name: impl AsRef<OsStr>) -> Option<String> {
    var_os(name)?.into_string().ok()
}

/// Returns the names of all variables.
#[must_use]
pub fn names() -> Vec<OsString> {
    let of_other = CALLER.try_with(|caller| caller.0.0.keys().cloned().collect());
    of_other.unwrap_or_else(|_| std::env::vars_os().map(|(name, _)| name).collect())
}

/// Returns the current folder.
///
/// # Errors
///
/// If this process has none any more.
pub fn current_dir() -> io::Result<PathBuf> {
    let of_other = CALLER.try_with(|caller| caller.0.1.clone());
    of_other.map_or_else(|_| std::env::current_dir(), Ok)
}

/// Returns the home directory of the user.
#[must_use]
pub fn home_dir() -> Option<PathBuf> {
    let named = |_| var_os("HOME").filter(|home| !home.is_empty());
    let of_other = other().and_then(named).map(PathBuf::from);
    of_other.or_else(std::env::home_dir)
}

/// Creates a command that starts with the environment and in the folder of that process.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if let Some(Caller(of_other)) = other() {
        command.env_clear().envs(&of_other.0);
        command.current_dir(&of_other.1);
    }
    command
}
