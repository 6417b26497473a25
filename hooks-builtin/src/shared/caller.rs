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
use std::sync::{Arc, Mutex, PoisonError};

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
/// let (read, seen) = other.noting(read).await;
/// assert_eq!(read, (Some("/opt/bin".into()), Some("/work".into())));
///
/// let same = [("PATH".into(), "/opt/bin".into()), ("TERM".into(), "dumb".into())];
/// assert!(Caller::new(same, "/work").agrees(&seen));
/// assert!(!Caller::new([("PATH".into(), "/opt/bin".into())], "/tmp").agrees(&seen));
/// # }
/// ```
#[derive(Clone)]
pub struct Caller {
    process: Arc<Process>,
    /// Keeps what is read of the process, if a caller wants to know.
    notes: Option<Arc<Mutex<CallerReads>>>,
}

#[derive(PartialEq, Eq)]
struct Process {
    env: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
}

/// What some work has read of a process, so what its outcome depends on.
///
/// `Debug` shows no values, which may be secrets.
#[derive(Clone, Default)]
pub struct CallerReads {
    env: BTreeMap<OsString, Option<OsString>>,
    cwd: Option<PathBuf>,
    whole: Option<Arc<Process>>,
}

impl Caller {
    /// A process with these variables, in this folder.
    pub fn new(
        env: impl IntoIterator<Item = (OsString, OsString)>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        let (env, cwd) = (env.into_iter().collect(), cwd.into());
        Caller {
            process: Arc::new(Process { env, cwd }),
            notes: None,
        }
    }

    /// Runs a future for that process. What hooks start in the background for it counts as well.
    pub async fn scope<F: Future>(&self, future: F) -> F::Output {
        CALLER.scope(self.clone(), future).await
    }

    /// Runs a future for that process, and returns what it has read of it as well. The outcome is the same for each
    /// process that [agrees](Self::agrees).
    pub async fn noting<F: Future>(&self, future: F) -> (F::Output, CallerReads) {
        let notes = Arc::default();
        let noting = Caller {
            process: Arc::clone(&self.process),
            notes: Some(Arc::clone(&notes)),
        };
        let output = noting.scope(future).await;
        let seen = notes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (output, seen)
    }

    /// Whether that work would have read the same of this process.
    #[must_use]
    pub fn agrees(&self, seen: &CallerReads) -> bool {
        let Process { env, cwd } = &*self.process;
        let mut variables = seen.env.iter();
        variables.all(|(name, value)| env.get(name) == value.as_ref())
            && seen.cwd.as_ref().is_none_or(|seen| seen == cwd)
            && seen.whole.as_ref().is_none_or(|seen| *seen == self.process)
    }

    fn note(&self, note: impl FnOnce(&mut CallerReads)) {
        if let Some(notes) = &self.notes {
            note(&mut notes.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn var_os(&self, name: &OsStr) -> Option<OsString> {
        let value = self.process.env.get(name).cloned();
        self.note(|seen| drop(seen.env.insert(name.to_owned(), value.clone())));
        value
    }

    fn cwd(&self) -> PathBuf {
        let cwd = self.process.cwd.clone();
        self.note(|seen| seen.cwd = Some(cwd.clone()));
        cwd
    }

    fn whole(&self) -> &Process {
        self.note(|seen| seen.whole = Some(Arc::clone(&self.process)));
        &self.process
    }
}

impl CallerReads {
    /// Adds what other work has read.
    pub fn extend(&mut self, other: CallerReads) {
        self.env.extend(other.env);
        self.cwd = other.cwd.or(self.cwd.take());
        self.whole = other.whole.or(self.whole.take());
    }
}

impl std::fmt::Debug for CallerReads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seen")
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller")
            .field("cwd", &self.process.cwd)
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
    let of_other = CALLER.try_with(|caller| caller.var_os(name));
    of_other.unwrap_or_else(|_| std::env::var_os(name))
}

/// Returns a variable that is UTF-8.
pub fn var(name: impl AsRef<OsStr>) -> Option<String> {
    var_os(name)?.into_string().ok()
}

/// Returns the names of all variables.
#[must_use]
pub fn names() -> Vec<OsString> {
    let of_other = CALLER.try_with(|caller| caller.whole().env.keys().cloned().collect());
    of_other.unwrap_or_else(|_| std::env::vars_os().map(|(name, _)| name).collect())
}

/// Returns the current folder.
///
/// # Errors
///
/// If this process has none any more.
pub fn current_dir() -> io::Result<PathBuf> {
    let of_other = CALLER.try_with(Caller::cwd);
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
    if let Some(caller) = other() {
        let Process { env, cwd } = caller.whole();
        command.env_clear().envs(env).current_dir(cwd);
    }
    command
}
