//! The handle to hooks that are configured in files: it loads, swaps, explains and ends them.

mod coverage;
mod fresh;
mod order;
mod outcome;
mod trials;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use hooks_builtin::config::{HookFactory, HookFactoryRegistry};
use hooks_builtin::ssrf::Guard;
use hooks_builtin::{__caller as caller, Approver, SecurityPolicyConfig};
use hooks_config::ConfigError;
use hooks_core::agent::{AgentContext, AgentEvent, AgentEventMut, AgentSaid};
use hooks_core::{HandlerSource, HookRegistry};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::budget::Budget;
use crate::bundle::Bundle;
use crate::definition::{Body, DefinitionState};
use crate::dry_run::DryRun;
use crate::entry::Mode;
use crate::evaluator::Evaluator;
use crate::filter::Unmet;
use crate::load::{
    self, Carryover, Edition, LoadOrigin, Loaded, NotAllowed, RuntimeSettings, SourceStatus, Test,
    Warning,
};
use crate::record::{RecordStep, Recorder};
use crate::safeguard::BreakerState;
use crate::secrets::Secrets;
use crate::services::Services;
use crate::source::{Source, SourceState};
use crate::system::Dialect;
use crate::system::table::UnitOrder;
use crate::trust::Trust;
use crate::unit::UnitServices;

pub use self::coverage::{CoveredPart, CoveredRule};
use self::fresh::Fresh;
pub use self::order::Ordered;
pub use self::outcome::{Decided, Outcome};
pub use self::trials::{Tested, Told, Trials};
use self::watch::Watcher;

/// Hooks that are configured in files. A clone is a handle to the same hooks.
///
/// It is a source of handlers: `hooks![deny_rm, ..runtime.clone()]` runs each definition at its own priority, between
/// the static hooks.
///
/// ```no_run
/// use hooks_core::hooks;
/// use hooks_runtime::Runtime;
///
/// # async fn load() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::load("hooks.toml").await?;
/// let hooks = hooks![..runtime.clone()];
/// println!("{}", hooks.plan());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runtime(Arc<RuntimeState>);

struct RuntimeState {
    plan: Arc<RuntimeSettings>,
    /// The hooks of the current revision. They are replaced only while `current` is locked.
    hooks: HookRegistry<AgentEvent<'static>>,
    shared: Arc<UnitServices>,
    /// Allows one reload at a time.
    reloading: tokio::sync::Mutex<()>,
    current: Mutex<Current>,
    /// The files whose changes make another revision: those that were read last, also if they were refused.
    files: Mutex<Vec<PathBuf>>,
    watcher: OnceLock<Watcher>,
    fresh: Fresh,
}

/// The revision that is in force, and the files that were refused since.
struct Current {
    loaded: Arc<Loaded>,
    refused: Option<Refused>,
}

impl Runtime {
    /// Returns the settings that it was built with.
    pub(crate) fn settings(&self) -> &RuntimeSettings {
        &self.0.plan
    }
}

/// A runtime that may have been dropped.
#[derive(Clone)]
pub(crate) struct WeakRuntime(Weak<RuntimeState>);

impl WeakRuntime {
    pub(crate) fn upgrade(&self) -> Option<Runtime> {
        self.0.upgrade().map(Runtime)
    }
}

/// A complete and valid set of definitions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Revision {
    /// The number, counted from 1.
    pub number: u64,
    /// The SHA-256 of the canonical text of all files, in hexadecimal digits.
    pub hash: String,
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = self.hash.get(..12).unwrap_or(&self.hash);
        write!(f, "{} ({short})", self.number)
    }
}

/// Files that were not loaded, because they contain mistakes.
///
/// It displays as what a person needs: when they were refused, and every mistake.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// When they were refused.
    pub at: Timestamp,
    /// Every mistake.
    pub error: Arc<ConfigError>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused at {:.0}: {}", self.at, self.error)
    }
}

/// The state of one definition.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookStatus {
    /// The name.
    pub name: String,
    /// The version, if it comes from a store.
    pub version: Option<u64>,
    /// The file with the definition, and the line.
    pub source: String,
    /// The dialect of the file.
    pub dialect: Dialect,
    /// The events on which the definition runs.
    pub events: Vec<&'static str>,
    /// The conditions under which it runs, other than its events; empty if it always runs.
    pub filter: String,
    /// The kind of its handler, and what the handler runs.
    pub handler: String,
    /// The name of its place in the pipeline: its own, or that of the other system's file that contains it.
    pub place: String,
    /// Its priority. A hook of GoClaw has it among those of its file.
    pub priority: i32,
    /// Whether it enforces its decisions.
    pub mode: Mode,
    /// Whether its entry says that its handler changes nothing outside of itself.
    pub harmless: bool,
    /// Whether it is asked, or not asked because it has failed too often.
    pub breaker: BreakerState,
    /// Why it never runs, if that is known: another hook always ends its events before it.
    pub never: Option<String>,
    /// Its last record.
    pub last: Option<RecordStep>,
}

/// A hook that failed while an event went on all the same, because its policy, its system or a limit says so.
///
/// An answer that was not understood, and ignored as its system does, is such a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedOpen {
    /// The name of the hook.
    pub hook: String,
    /// How often. It starts again when the definition changes.
    pub count: u64,
    /// Why, the last time.
    pub reason: String,
}

/// The state of a [`Runtime`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Status {
    /// The revision that is in force.
    pub revision: Revision,
    /// The files of the revision.
    pub sources: Vec<SourceStatus>,
    /// All definitions, in the order in which they run. Those that are off are there as well.
    pub hooks: Vec<HookStatus>,
    /// Notices about the files, which are not errors.
    pub notices: Vec<String>,
    /// How many entries of other systems' files cannot be used; the notices name them. On an event that can be blocked,
    /// such an entry blocks.
    pub left_out: usize,
    /// The hooks that do not run because they are refused. Where they could block, they block.
    pub not_allowed: Vec<NotAllowed>,
    /// The hooks on decided events that failed while the event went on: guards that did not guard.
    pub failed_open: Vec<FailedOpen>,
    /// Files that were refused since that revision, because they contain mistakes.
    pub refused: Option<Refused>,
    /// How many observed events were not passed to a hook, because too many ran in the background.
    pub dropped: u64,
}

/// Whether a definition would run on an event, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The definition.
    pub hook: String,
    /// The file with the definition, and the line.
    pub source: String,
    /// The kind of its handler, and what the handler runs.
    pub handler: String,
    /// Its priority.
    pub priority: i32,
    /// Whether it would run.
    pub runs: bool,
    /// Whether it is for this event, whatever its other conditions say.
    pub is_for_event: bool,
    /// Whether it is for this event and this tool, whatever its other conditions say.
    pub is_meant: bool,
    /// The reason, in a sentence.
    pub why: String,
}

/// Builds a [`Runtime`].
///
/// ```
/// use hooks_runtime::{Records, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let records = Records::latest(100);
/// let runtime = Runtime::builder()
///     .text("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'nothing runs here'")
///     .recorder(records.clone())
///     .build()
///     .await?;
/// assert_eq!(runtime.status().hooks[0].name, "BeforeToolCall-1");
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is loaded before `build`"]
pub struct RuntimeBuilder {
    plan: RuntimeSettings,
    recorder: Option<Arc<dyn Recorder>>,
}

impl fmt::Debug for RuntimeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeBuilder")
            .field("origins", &self.plan.origins)
            .finish_non_exhaustive()
    }
}

impl RuntimeBuilder {
    /// Adds a file in our own format, whose name ends with `.toml` or `.json`.
    pub fn file(self, path: impl Into<PathBuf>) -> Self {
        self.file_as(Dialect::Hooks, path)
    }

    /// Adds a file of another system, unchanged.
    pub fn file_as(mut self, dialect: Dialect, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.plan.origins.push(LoadOrigin::File { path, dialect });
        self
    }

    /// Adds a file in our own format that the user has not named: your program has found it in a project. It must be
    /// [trusted](Self::trust) as it is now, and so must each file that it imports; otherwise it is a mistake.
    ///
    /// ```
    /// use hooks_runtime::{Runtime, Trust};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let project = tempfile::tempdir()?;
    /// # let file = project.path().join("hooks.toml");
    /// let text = "[[hooks.on]]\nevent = 'BeforeToolCall'\ncommand = './gate.sh'";
    /// std::fs::write(&file, text)?;
    /// assert!(Runtime::builder().found(&file).build().await.is_err());
    ///
    /// let trust = Trust::none().with_text(&file, &Trust::fingerprint(text));
    /// assert!(Runtime::builder().found(&file).trust(trust).build().await.is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn found(mut self, path: impl Into<PathBuf>) -> Self {
        self.plan.origins.push(LoadOrigin::Found(path.into()));
        self
    }

    /// Adds a text in TOML, in our own format.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.plan.origins.push(LoadOrigin::Text(text.into()));
        self
    }

    /// Adds a source of bundles, such as [`HttpBundle`](crate::HttpBundle). [`watch`](Runtime::watch) follows it.
    pub fn source(mut self, source: impl Source + 'static) -> Self {
        let held = Arc::new(SourceState::new(Box::new(source)));
        self.plan.origins.push(LoadOrigin::Source(held));
        self
    }

    /// Keeps the last good bundle of the source that was added last in this file. If the source cannot be reached when
    /// the agent starts, the runtime starts with that bundle.
    ///
    /// # Panics
    ///
    /// If there is no source before it.
    pub fn cache(mut self, path: impl Into<PathBuf>) -> Self {
        let held = match self.plan.origins.last_mut() {
            Some(LoadOrigin::Source(held)) => Arc::get_mut(held),
            _ => None,
        };
        held.expect("`cache` follows the `source` that it is for")
            .keep_in(path.into());
        self
    }

    /// Adds the files that these systems find by themselves: the user's, the organisation's, and those of the
    /// [project](Self::project_dir). By default, the runtime looks for none.
    ///
    /// Files of the project run code only if you [trust](Self::trust) them. [`Runtime::status`] lists the others, with
    /// what to write to trust them.
    ///
    /// ```
    /// use hooks_runtime::{Dialect, Runtime};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let project = tempfile::tempdir()?;
    /// # let home = tempfile::tempdir()?;
    /// let runtime = Runtime::builder()
    ///     .project_dir(project.path())
    ///     .discover([Dialect::Claude])
    /// #   .user_dir(home.path()).managed_dir(home.path())
    ///     .build()
    ///     .await?;
    /// for notice in runtime.status().notices {
    ///     println!("{notice}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn discover(mut self, dialects: impl IntoIterator<Item = Dialect>) -> Self {
        self.plan.discover.extend(dialects);
        self
    }

    /// Sets the user's folder, in which [`discover`](Self::discover) looks. The default comes from the environment.
    pub fn user_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.plan.user_dir = Some(path.into());
        self
    }

    /// Sets the folder of the organisation's files. The default is that of Claude Code on this system, such as
    /// `/etc/claude-code`.
    pub fn managed_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.plan.managed_dir = Some(path.into());
        self
    }

    /// Sets the edition of GoClaw; by default [`Edition::Lite`]. Commands of GoClaw's hooks run only on that edition.
    pub fn edition(mut self, edition: Edition) -> Self {
        self.plan.edition = edition;
        self
    }

    /// Sets the root of the project that the agent works in.
    pub fn project_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.plan.project_dir = Some(path.into());
        self
    }

    /// Sets who is asked before a tool runs, instead of what the files say.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.plan.approver = Some(Arc::new(approver));
        self
    }

    /// Sets the recorder, which receives every record.
    pub fn recorder(mut self, recorder: impl Recorder + 'static) -> Self {
        self.recorder = Some(Arc::new(recorder));
        self
    }

    /// Makes a runtime whose hooks decide, and change nothing: handlers with effects are left out, or give the answers
    /// that are known. [`DryRun`] says what that means for each kind of hook.
    pub fn dry_run(mut self, dry_run: DryRun) -> Self {
        self.plan.dry_run = Some(dry_run);
        self
    }

    /// Sets whether the [tests](Runtime::tests) of the files are kept, and those in the files `*.test.toml` beside each file that
    /// you add. The default is no: tests are checked, and then forgotten.
    pub fn tests(mut self, tests: bool) -> Self {
        self.plan.tests = tests;
        self
    }

    /// Sets which files may run code.
    pub fn trust(mut self, trust: Trust) -> Self {
        self.plan.trust = trust;
        self
    }

    /// Adds a type of hook for `[[hooks.chain]]`.
    pub fn factory(mut self, factory: impl HookFactory + 'static) -> Self {
        self.plan.factories = self.plan.factories.with(factory);
        self
    }

    /// Sets where the values come from that files name as `secret:NAME`. The default is [the
    /// environment](crate::EnvironmentSecrets), with `HOOKS_SECRET_` before the name.
    pub fn secrets(mut self, secrets: impl Secrets + 'static) -> Self {
        self.plan.services.secrets = Arc::new(secrets);
        self
    }

    /// Sets what asks a model, for definitions with `prompt`: [`HttpEvaluator`](crate::HttpEvaluator), or your own.
    /// There is no default: without an evaluator, a `prompt` is a mistake in the file.
    pub fn evaluator(mut self, evaluator: impl Evaluator + 'static) -> Self {
        self.plan.services.evaluator = Some(Arc::new(evaluator));
        self
    }

    /// Sets what counts the tokens that prompts use. The default is [a count in memory](crate::MemoryBudget).
    pub fn budget(mut self, budget: impl Budget + 'static) -> Self {
        self.plan.services.budget = Arc::new(budget);
        self
    }

    /// Sets which URLs hooks may call, and how their hosts are resolved. The default allows public hosts, resolved by
    /// the system.
    ///
    /// The hosts in a definition's `allow_loopback` are added for that definition.
    ///
    /// ```
    /// use hooks_builtin::ssrf::Guard;
    /// use hooks_runtime::Runtime;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = Runtime::builder()
    ///     .guard(Guard::new().allow_loopback(["localhost".parse()?]))
    ///     .text("[[hooks.on]]\nevent = 'BeforeToolCall'\nhttp = 'http://localhost:9000/gate'")
    ///     .build()
    ///     .await?;
    /// assert_eq!(runtime.status().hooks[0].handler, "http: POST http://localhost:9000/…");
    /// # Ok(())
    /// # }
    /// ```
    pub fn guard(mut self, guard: Guard) -> Self {
        self.plan.services.guard = guard;
        self
    }

    /// Sets whether people write the hooks who may not act as this process, such as those of a server's tenants. The
    /// default is no.
    ///
    /// Then each of these is a mistake: `[[agents]]`, `[[hooks.import]]`, `[hooks.processes]`, the built-in hooks `shell_hook` and
    /// `jsonl_log`, a `$VARIABLE` in a header or in a secret, and `allow_loopback`. `secret:NAME` is what
    /// [`secrets`](Self::secrets) knows; set it, because the default reads the environment. Hosts of this machine are what
    /// [`guard`](Self::guard) allows. A `command` or `process` in `[[hooks.on]]`, or in another system's file, still runs: which
    /// kinds do not is said by [`refuse`](crate::entry::LimitsConfig::refuse).
    ///
    /// ```
    /// use hooks_runtime::Runtime;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let text = "[[hooks.on]]\nevent = 'BeforeToolCall'\n\
    ///             http = { url = 'https://example.com', headers = { X-Home = '$HOME' } }";
    /// let error = Runtime::builder().shared(true).text(text).build().await.unwrap_err();
    /// assert!(error.to_string().contains("the environment variable `HOME` is not for this hook"));
    /// # }
    /// ```
    pub fn shared(mut self, shared: bool) -> Self {
        self.plan.services.is_shared = shared;
        self
    }

    /// Sets whether failing hooks of other systems' files block, whatever their system's rules say, and whether a wrong
    /// entry in their files is an error instead of a hook that blocks what the entry is for. The default is no.
    pub fn strict(mut self, strict: bool) -> Self {
        self.plan.strict = strict;
        self
    }

    /// Reads all files and those that they import, and returns each with its text: what a person has to read, and to
    /// trust, before it runs. Nothing runs.
    ///
    /// # Errors
    ///
    /// If any of the files contains a mistake. The error contains every mistake.
    pub fn texts(self) -> Result<Vec<(PathBuf, String)>, ConfigError> {
        load::texts(&self.plan)
    }

    /// Loads everything.
    ///
    /// # Errors
    ///
    /// If any of the files contains a mistake. The error contains every mistake.
    pub async fn build(self) -> Result<Runtime, ConfigError> {
        let shared = Arc::new(UnitServices::new(self.recorder, self.plan.dry_run.clone()));
        let plan = Arc::new(self.plan);
        let offered = Offered::of(&plan).await?;
        let (loaded, files) = apart({
            let (plan, shared) = (Arc::clone(&plan), Arc::clone(&shared));
            move || load::load(&plan, 1, &Carryover::default(), &shared)
        })
        .await
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let mut loaded = loaded?;
        offered.accept(&mut loaded);
        let hooks = HookRegistry::new();
        hooks.swap(&loaded.registry);
        Ok(Runtime(Arc::new(RuntimeState {
            plan,
            hooks,
            shared,
            reloading: tokio::sync::Mutex::new(()),
            current: Mutex::new(Current {
                loaded: Arc::new(loaded),
                refused: None,
            }),
            files: Mutex::new(files),
            watcher: OnceLock::new(),
            fresh: Fresh::default(),
        })))
    }
}

/// The bundles that sources offer. Unless they are accepted, those from before come back.
struct Offered {
    before: Vec<(Arc<SourceState>, Option<Arc<Bundle>>)>,
    notices: Vec<String>,
}

impl Offered {
    /// Fetches a bundle of each source.
    async fn of(plan: &RuntimeSettings) -> Result<Self, ConfigError> {
        let mut offered = Offered {
            before: Vec::new(),
            notices: Vec::new(),
        };
        for origin in &plan.origins {
            let LoadOrigin::Source(held) = origin else {
                continue;
            };
            let (bundle, notice) = held.next().await?;
            offered.notices.extend(notice);
            let before = held.put(Some(bundle));
            offered.before.push((Arc::clone(held), before));
        }
        Ok(offered)
    }

    /// They are in force now.
    fn accept(mut self, loaded: &mut Loaded) {
        loaded.notices.append(&mut self.notices);
        for (held, before) in self.before.drain(..) {
            let is_new = held.bundle() != before;
            if is_new {
                held.keep();
            }
        }
    }
}

impl Drop for Offered {
    fn drop(&mut self) {
        for (held, before) in self.before.drain(..) {
            held.put(before);
        }
    }
}

/// Does work that reads files where it does not hold up the executor, if there is one.
///
/// # Errors
///
/// If the work panics: what it panicked with.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> std::thread::Result<T> {
    match tokio::runtime::Handle::try_current() {
        Ok(executor) => {
            let done = executor.spawn_blocking(caller::inherited_by(work)).await;
            let ended = |_| Box::new("the executor has ended") as _;
            done.map_err(|error| error.try_into_panic().unwrap_or_else(ended))
        }
        Err(_) => std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)),
    }
}

impl Runtime {
    /// Loads a file in our own format: built-in hooks, the chain, definitions, and the files that it imports.
    ///
    /// # Errors
    ///
    /// If the file contains a mistake. The error contains every mistake.
    pub async fn load(path: impl Into<PathBuf>) -> Result<Self, ConfigError> {
        Runtime::builder().file(path).build().await
    }

    /// Returns a builder, for several files, files of other systems, or a recorder.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder {
            plan: RuntimeSettings {
                origins: Vec::new(),
                project_dir: None,
                trust: Trust::none(),
                factories: HookFactoryRegistry::with_builtins(),
                approver: None,
                strict: false,
                discover: Vec::new(),
                user_dir: None,
                managed_dir: None,
                edition: Edition::default(),
                services: Services::default(),
                dry_run: None,
                tests: false,
            },
            recorder: None,
        }
    }

    fn locked(&self) -> MutexGuard<'_, Current> {
        let current = self.0.current.lock();
        current.unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> Arc<Loaded> {
        Arc::clone(&self.locked().loaded)
    }

    /// Loads all files again, and puts them into force together.
    ///
    /// A dispatch that has begun ends with the revision that it began with. Handlers whose definitions are unchanged
    /// keep their state: a process keeps running, and a breaker stays open.
    ///
    /// # Errors
    ///
    /// If any of the files contains a mistake. Then the current revision stays in force, and [`status`](Self::status)
    /// shows the mistakes. A half of a file may be a valid file: call it when the files are written, or use
    /// [`watch`](Self::watch), which waits for that.
    pub async fn reload(&self) -> Result<Revision, ConfigError> {
        let _one_at_a_time = self.0.reloading.lock().await;
        let before = self.current();
        let (plan, shared) = (Arc::clone(&self.0.plan), Arc::clone(&self.0.shared));
        let offered = match Offered::of(&plan).await {
            Ok(offered) => offered,
            Err(error) => return self.refuse(error),
        };
        let read = apart(move || load::load(&plan, before.number + 1, &before.kept, &shared)).await;
        let (loaded, files) = read.unwrap_or_else(|_| {
            let message = "a part of the program panicked while it was loaded";
            let error = ConfigError::of_file("the hooks", message);
            (Err(error), self.files())
        });
        *self.0.files.lock().unwrap_or_else(PoisonError::into_inner) = files;
        self.follow_files();
        match loaded {
            Ok(mut loaded) => {
                offered.accept(&mut loaded);
                let revision = loaded.revision();
                let new = Current {
                    loaded: Arc::new(loaded),
                    refused: None,
                };
                let mut current = self.locked();
                // What is old is dropped after the lock: a hook may ask for the status then.
                let _old_hooks = self.0.hooks.swap(&new.loaded.registry);
                let _old = std::mem::replace(&mut *current, new);
                drop(current);
                tracing::info!(%revision, "reloaded the hooks");
                Ok(revision)
            }
            Err(error) => {
                drop(offered);
                self.refuse(error)
            }
        }
    }

    /// Keeps the last revision in force, and why another is not.
    fn refuse(&self, error: ConfigError) -> Result<Revision, ConfigError> {
        tracing::warn!(%error, "refused the new hooks: the last revision stays in force");
        let shown = Arc::new(error);
        self.locked().refused = Some(Refused {
            at: Timestamp::now(),
            error: Arc::clone(&shown),
        });
        // The caller gets a copy, because the error itself stays in the status.
        Err(ConfigError::clone(&shown))
    }

    /// Follows the files from now on: when one changes, all are loaded again, as [`reload`](Self::reload) does.
    ///
    /// If a file has a mistake, the last good revision stays in force, and [`status`](Self::status) shows the mistakes.
    /// A file is loaded when its writer has closed it, or has written nothing for two seconds. Links are followed, so a
    /// link to another file or folder is a change. Where the system reports no changes, such as on a network, files are
    /// compared every two seconds. They are followed until the last handle to the runtime is dropped.
    ///
    /// # Errors
    ///
    /// If the system cannot watch the folders of the files.
    ///
    /// # Panics
    ///
    /// If it is called outside of a tokio runtime.
    pub fn watch(&self) -> io::Result<()> {
        if self.0.watcher.get().is_none() {
            let watcher = Watcher::start(self)?;
            // Another caller may have been faster.
            let _ = self.0.watcher.set(watcher);
        }
        Ok(())
    }

    pub(crate) fn downgrade(&self) -> WeakRuntime {
        WeakRuntime(Arc::downgrade(&self.0))
    }

    /// Returns the sources of bundles.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Arc<SourceState>> {
        let origins = self.0.plan.origins.iter();
        origins.filter_map(|origin| match origin {
            LoadOrigin::Source(held) => Some(Arc::clone(held)),
            _ => None,
        })
    }

    /// Returns the settings of the security policy, if there is one.
    pub(crate) fn policy(&self) -> Option<SecurityPolicyConfig> {
        self.current().kept.policy().cloned()
    }

    /// Returns the files and folders that are watched for changes.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.0
            .files
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Follows files that have come with a reload, such as imports.
    fn follow_files(&self) {
        let files = self.files();
        if let Some(Err(error)) = self.0.watcher.get().map(|watcher| watcher.follow(&files)) {
            tracing::warn!(%error, "cannot watch a file of hooks");
        }
    }

    /// Watches the folders of all files anew.
    pub(crate) fn watch_again(&self) {
        if let Some(watcher) = self.0.watcher.get() {
            watcher.forget();
        }
        self.follow_files();
    }

    /// The revision that is in force.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.current().revision()
    }

    /// Returns the notices about the files, as [`status`](Self::status) has them, without the rest of it.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        self.current().notices.clone()
    }

    /// Returns the tests of the files, if they are [kept](RuntimeBuilder::tests). [`Trials`] runs them.
    #[must_use]
    pub fn tests(&self) -> Vec<Test> {
        self.current().tests.clone()
    }

    /// Returns what is probably not intended in hooks that people [share](RuntimeBuilder::shared).
    ///
    /// ```
    /// use hooks_runtime::Runtime;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let file = "[[hooks.on]]\nname = 'no'\nevent = 'BeforeToolCall'\nblock = 'not today'";
    /// let warnings = Runtime::builder().text(file).shared(true).build().await?.warnings();
    /// assert_eq!(warnings[0].text, "the hook blocks every tool call");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        self.current().warnings.clone()
    }

    /// Returns the events of an agent for which there are hooks, each with the time that the hooks may take there.
    ///
    /// The agent's settings must name these, or the hooks never run, and must give them this time.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use hooks_runtime::{Dialect, Runtime};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let file = "[[hooks.on]]\nevent = 'AfterCompact'\ncommand = 'true'\ntimeout = '8s'";
    /// let runtime = Runtime::builder().text(file).build().await?;
    /// let needed = runtime.needed(Dialect::Claude);
    /// assert_eq!(needed.into_iter().collect::<Vec<_>>(), [("PostCompact".to_owned(), Duration::from_secs(8))]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn needed(&self, dialect: Dialect) -> BTreeMap<String, Duration> {
        let loaded = self.current();
        let mut needed = BTreeMap::new();
        for unit in &loaded.units {
            let mut of_unit = BTreeMap::<String, Duration>::new();
            for definition in &unit.definitions {
                let events = definition.events.iter();
                let names = events.flat_map(|(info, named)| dialect.events_for(info.name, named));
                let names: BTreeSet<String> = names.collect();
                for name in names {
                    let time = of_unit.entry(name).or_default();
                    *time = match unit.order {
                        UnitOrder::AtOnce => definition.timeout.max(*time),
                        UnitOrder::InTurn => definition.timeout + *time,
                    };
                }
            }
            for (name, time) in of_unit {
                *needed.entry(name).or_default() += time;
            }
        }
        needed
    }

    /// Returns a dialect by its name: that of an agent of your own, which the files name now, or one of [`Dialect::ALL`].
    ///
    /// ```
    /// use hooks_runtime::{Dialect, Runtime};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let table = "name = 'robot'\n[says]\ndeny = { why = '$reason' }\n[event.tool]\nis = 'BeforeToolCall'\nfields = { tool = 'name!' }\nsays = ['deny']\n";
    /// std::fs::write(folder.path().join("robot.toml"), table)?;
    /// std::fs::write(folder.path().join("hooks.toml"), "hooks = {}\n[[agents]]\nfile = 'robot.toml'\n")?;
    /// let runtime = Runtime::load(folder.path().join("hooks.toml")).await?;
    /// assert_eq!(runtime.dialect("robot")?.title(), "robot");
    /// assert_eq!(runtime.dialect("claude")?, Dialect::Claude);
    /// assert!(runtime.dialect("robots").is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If there is none. The sentence names those that there are.
    pub fn dialect(&self, name: &str) -> Result<Dialect, String> {
        Dialect::named(name, &self.current().own)
    }

    /// Returns the agents of your own that the files name now.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = hooks_runtime::Runtime::builder().text("hooks = {}").build().await?;
    /// assert!(runtime.agents().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn agents(&self) -> Vec<Dialect> {
        self.current().own.clone()
    }

    /// Hands out the names of the hooks of the files that would run on an event if no other ended it before.
    pub(crate) fn would_run(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        each: &mut dyn FnMut(&str),
    ) {
        for unit in &self.current().units {
            for (definition, checked) in unit.explain(cx, event) {
                if matches!(checked, Ok(Ok(()))) {
                    each(&definition.name);
                }
            }
        }
    }

    /// Returns the current state.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status_of(|_| true)
    }

    /// Returns the current state without the hooks that have nothing to tell: only those whose breaker is not closed, or that
    /// have failed open. For a daemon that looks at many runtimes every few seconds, that is enough.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use hooks_runtime::Runtime;
    /// let hooks = "[[hooks.on]]\nname = \"no-deploy\"\nevent = \"BeforeToolCall\"\ntools = [\"deploy\"]\nblock = \"no\"";
    /// let runtime = Runtime::builder().text(hooks).build().await?;
    /// assert_eq!((runtime.status().hooks.len(), runtime.troubled().hooks.len()), (1, 0));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn troubled(&self) -> Status {
        self.status_of(|state| {
            let failed = state
                .failed_open
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            failed.0 > 0 || state.breaker.state() != BreakerState::Closed
        })
    }

    fn status_of(&self, tells: impl Fn(&DefinitionState) -> bool) -> Status {
        let (loaded, refused) = {
            let current = self.locked();
            (Arc::clone(&current.loaded), current.refused.clone())
        };
        let mut sources = loaded.sources.clone();
        for bundle in sources
            .iter_mut()
            .filter_map(|source| source.bundle.as_mut())
        {
            let held = self.sources().find(|held| held.name() == bundle.source);
            bundle.refused = held.and_then(|held| held.refused());
        }
        let mut hooks = Vec::new();
        let mut failed_open = Vec::new();
        for unit in &loaded.units {
            let definitions = unit.definitions.iter();
            for definition in definitions.filter(|definition| tells(&definition.state)) {
                let failed = definition.state.failed_open.lock();
                let (count, reason) = &*failed.unwrap_or_else(PoisonError::into_inner);
                if *count > 0 {
                    failed_open.push(FailedOpen {
                        hook: definition.name.to_string(),
                        count: *count,
                        reason: reason.clone(),
                    });
                }
                let last = definition
                    .state
                    .last
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                hooks.push(HookStatus {
                    name: definition.name.to_string(),
                    version: definition.marks.version,
                    source: definition.origin.to_string(),
                    dialect: definition.dialect,
                    events: definition
                        .events
                        .iter()
                        .map(|(event, _)| event.name)
                        .collect(),
                    filter: definition.filter.to_string(),
                    handler: shown(&definition.body),
                    place: unit.name.to_string(),
                    priority: definition.priority.unwrap_or(unit.priority),
                    mode: definition.mode,
                    harmless: definition.marks.is_harmless,
                    breaker: definition.state.breaker.state(),
                    never: loaded.never.get(&*definition.name).cloned(),
                    last: last.clone(),
                });
            }
        }
        Status {
            revision: loaded.revision(),
            sources,
            hooks,
            notices: loaded.notices.clone(),
            left_out: loaded.left_out,
            not_allowed: loaded.not_allowed.clone(),
            failed_open,
            refused,
            dropped: self.0.shared.dropped.load(Ordering::Relaxed),
        }
    }

    /// Closes the breaker of a definition, so that it is asked again at once. Returns whether there is such a definition.
    #[expect(
        clippy::must_use_candidate,
        reason = "who knows the hook need not look"
    )]
    pub fn reset_breaker(&self, hook: &str) -> bool {
        let loaded = self.current();
        let definitions = loaded.units.iter().flat_map(|unit| &unit.definitions);
        let named: Vec<_> = definitions.filter(|one| &*one.name == hook).collect();
        for definition in &named {
            definition.state.breaker.reset();
        }
        !named.is_empty()
    }

    /// Runs all hooks of the files on an event of any type, and returns their decision.
    ///
    /// They change the event in place. Use it for events that you know only at run time, such as an
    /// [`OwnedEvent`](crate::OwnedEvent). For events that your agent raises itself, use a pipeline `hooks![…,
    /// ..runtime]`.
    ///
    /// ```
    /// use hooks_core::agent::AgentContext;
    /// use hooks_runtime::{OwnedEvent, Runtime};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = Runtime::builder()
    ///     .text("[[hooks.on]]\nevent = 'BeforeStop'\nblock = 'run the tests first'")
    ///     .build()
    ///     .await?;
    /// let mut stop = OwnedEvent::from_json("BeforeStop", serde_json::json!({ "response": "Done." }))?;
    /// assert!(!runtime.dispatch(&AgentContext::new("s1"), stop.as_mut()).await.is_continue());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn dispatch(&self, cx: &AgentContext, event: AgentEventMut<'_>) -> AgentSaid {
        self.0.hooks.dispatch(cx, event).await
    }

    /// Returns for each definition whether it would run on an event, and if not, why. It runs nothing.
    pub async fn explain<'a>(
        &self,
        cx: &AgentContext,
        event: impl Into<AgentEvent<'a>>,
    ) -> Vec<Explanation> {
        let event = event.into();
        let loaded = self.current();
        let mut explanations = Vec::new();
        for unit in &loaded.units {
            for (definition, checked) in unit.explain(cx, &event) {
                let filter = &definition.filter;
                let is_for_event = !matches!(checked, Ok(Err(Unmet::Event)))
                    || definition.named(crate::events::info(&event)).is_some();
                let is_meant = !matches!(checked, Ok(Err(Unmet::Event | Unmet::Subject)));
                let (runs, why) = match checked {
                    _ if definition.mode == Mode::Off => (false, "the hook is off".to_owned()),
                    Ok(Ok(())) if filter.condition.is_some() => {
                        (true, format!("matched: {}", filter.because(cx, &event)))
                    }
                    Ok(Ok(())) => (
                        true,
                        match filter.unsure(cx, &event) {
                            Some(why) => format!(
                                "matched, since what the command runs cannot be told: {why}"
                            ),
                            None => "matched".to_owned(),
                        },
                    ),
                    Ok(Err(unmet)) => (
                        false,
                        match unmet {
                            Unmet::Event => {
                                let events: Vec<_> = definition
                                    .events
                                    .iter()
                                    .map(|(event, _)| event.name)
                                    .collect();
                                format!("only for {}; this is {}", events.join(", "), event.name())
                            }
                            Unmet::Subject if filter.compared.is_some() => {
                                format!("the matcher does not match: {}", filter.subjects)
                            }
                            Unmet::Subject => match crate::events::subject(&event) {
                                Some(subject) => format!(
                                    "only for the tools {}; this call is {subject}",
                                    filter.subjects
                                ),
                                None => format!(
                                    "only for the tools {}; this event is not about a tool",
                                    filter.subjects
                                ),
                            },
                            Unmet::Tenant => format!(
                                "only for the tenants {}; this is {}",
                                filter.tenants.join(", "),
                                cx.tenant_id.as_deref().unwrap_or("none")
                            ),
                            Unmet::Agent => format!(
                                "only for the agents {}; this is {}",
                                filter.agents.join(", "),
                                cx.agent_id
                            ),
                            Unmet::Condition => {
                                format!("the condition is false: {}", filter.because(cx, &event))
                            }
                            Unmet::Rule => {
                                let rule = filter.rule.as_ref().map(hooks_rules::input::Rule::text);
                                format!("the rule does not match: {}", rule.unwrap_or_default())
                            }
                            Unmet::When => {
                                let mut whens = filter.whens.iter();
                                let when = whens.find(|(name, _)| *name == event.name());
                                let words = when.map_or("others", |(_, when)| when.words());
                                format!("only for {words}")
                            }
                        },
                    ),
                    Err(fault) => (true, format!("{fault}: that is a failure of the hook")),
                };
                explanations.push(Explanation {
                    hook: definition.name.to_string(),
                    source: definition.origin.to_string(),
                    handler: shown(&definition.body),
                    priority: definition.priority.unwrap_or(unit.priority),
                    runs,
                    is_for_event,
                    is_meant,
                    why,
                });
            }
        }
        explanations
    }

    /// Waits for hooks that run in the background, and ends the processes of hooks.
    ///
    /// Call it before your program ends. Hooks in the background get ten seconds.
    pub async fn shutdown(&self) {
        let mut tasks = {
            let mut background = self
                .0
                .shared
                .background
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *background, JoinSet::new())
        };
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(LAST_WORK, all).await.is_err() {
            tracing::warn!("hooks in the background have not ended in time");
        }
        let loaded = self.current();
        for unit in &loaded.units {
            for definition in &unit.definitions {
                if let Body::Handler(handler) = &definition.body {
                    handler.shut_down().await;
                }
            }
        }
    }
}

/// How long hooks in the background have to end.
const LAST_WORK: Duration = Duration::from_secs(10);

fn shown(body: &Body) -> String {
    format!("{}: {}", body.kind(), body.target())
}

impl Loaded {
    pub(crate) fn revision(&self) -> Revision {
        Revision {
            number: self.number,
            hash: self.hash.clone(),
        }
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("revision", &self.revision())
            .finish_non_exhaustive()
    }
}

/// Each definition runs at its own priority.
impl HandlerSource for Runtime {
    type Vocabulary = AgentEvent<'static>;

    #[inline]
    fn registry(&self) -> Option<&HookRegistry<AgentEvent<'static>>> {
        Some(&self.0.hooks)
    }
}
