//! Turns files into a revision: reads, checks and compiles everything, and reports all mistakes.
//!
//! Loading does not affect what runs. It returns a complete new [`Revision`], or a list of mistakes.
//!
//! # Why it is so
//!
//! - **All or nothing.** A file with a mistake must not take a guard away, and you mend a file faster if you see all its
//!   mistakes. So the loader goes on after a mistake, to the end, and then refuses the whole revision; the one in force
//!   stays. Other systems go on without a wrong entry. In their files, a definition that fails [closed] takes its place.
//! - **One collector, and not a row of passes.** Files lead to files: an import or the table of an agent is read while
//!   the file that names it is, under settings that hold for it and all below. Names, mistakes, notices and texts of all
//!   of them meet in one [`Loader`]. Places in the pipeline come last, in `finish`, when every name is known.
//! - **What runs well goes on.** A reload must not end a process, forget a breaker or give a limit anew. So each handler has
//!   a key of all that determines it, and a revision takes over from the one [before](Carryover) what has the same key.
//! - **Each file is read once.** The text that trust has covered is the text that is loaded, and that the hash names.

mod claude;
mod closed;
pub(crate) mod discover;
mod dry;
mod goclaw;
mod native;
mod near;
mod picoclaw;
mod refuse;
mod shared;
mod warn;

pub use self::goclaw::Edition;
pub use self::refuse::NotAllowed;
pub use self::warn::Warning;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_builtin::config::{FileHooks, HookFactoryRegistry, HooksConfig, Switch};
use hooks_builtin::{ApprovalConfig, Autonomy, SecurityPolicyConfig};
use hooks_config::{ConfigError, Document};
use hooks_core::agent::{AgentEvent, AgentHandler};
use hooks_core::{EventSet, Hook, HookRegistry, OnPanic};
use hooks_rules::pattern;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use crate::bundle::Bundle;
use crate::definition::{Body, Definition, DefinitionState};
use crate::dry_run::DryRun;
use crate::entry::{FileConfig, ImportEntry, LimitsConfig, Mode, OnFault, TestEntry};
use crate::handler::{Handler, Making, SettingsMistake};
use crate::json::canonical;
use crate::services::Services;
use crate::source::SourceState;
use crate::system::Dialect;
use crate::system::table::FileOwner;
use crate::system::table::UnitOrder;
use crate::trial;
use crate::trust::{Trust, real};
use crate::unit::late::Delivery;
use crate::unit::{EventRecords, RevisionHooks, RevisionLimits, Unit, UnitServices};

/// Where definitions come from.
#[derive(Clone, Debug)]
pub(crate) enum LoadOrigin {
    /// A file, in a dialect.
    File { path: PathBuf, dialect: Dialect },
    /// A file of ours that the program has found by itself.
    Found(PathBuf),
    /// A text in TOML.
    Text(String),
    /// The bundle that a source holds.
    Source(Arc<SourceState>),
}

/// The settings of a runtime.
pub(crate) struct RuntimeSettings {
    pub(crate) origins: Vec<LoadOrigin>,
    pub(crate) project_dir: Option<PathBuf>,
    pub(crate) trust: Trust,
    pub(crate) factories: HookFactoryRegistry,
    pub(crate) approver: Option<Arc<dyn hooks_builtin::Approver>>,
    pub(crate) strict: bool,
    /// The systems whose files are searched for.
    pub(crate) discover: Vec<Dialect>,
    pub(crate) user_dir: Option<PathBuf>,
    pub(crate) managed_dir: Option<PathBuf>,
    pub(crate) edition: Edition,
    /// What handlers get from the program.
    pub(crate) services: Services,
    /// What takes the place of handlers with effects, if nothing may have any.
    pub(crate) dry_run: Option<DryRun>,
    /// Whether the tests of the files are kept, and those in files beside them.
    pub(crate) tests: bool,
}

/// A unit without a place yet.
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) priority: i32,
    pub(crate) order: UnitOrder,
    /// Whether it is another system's file.
    pub(crate) is_foreign: bool,
    pub(crate) definitions: Vec<Definition>,
}

/// What survives from one revision to the next if its definition is unchanged: handlers and their state.
#[derive(Default)]
pub(crate) struct Carryover {
    bodies: HashMap<String, (Arc<dyn Handler>, Arc<DefinitionState>)>,
    builtin: Vec<(HooksConfig, FileHooks)>,
    limits: Option<Arc<RevisionLimits>>,
}

/// A file of a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceStatus {
    /// The file; none for a text.
    pub file: Option<PathBuf>,
    /// Its format.
    pub dialect: Dialect,
    /// The number of its definitions.
    pub definitions: usize,
    /// Whether it may run code. If not, its definitions do not run, and the notices list them.
    pub trusted: bool,
    /// The bundle, if it comes from a [`Source`](crate::Source).
    pub bundle: Option<BundleStatus>,
}

/// The bundle of a source that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BundleStatus {
    /// What people call the source, such as its address.
    pub source: String,
    /// The number of the bundle's revision.
    pub revision: u64,
    /// The bundle's identity.
    pub sha256: String,
    /// Why the source has not brought another one, the last time: it cannot be reached, or its bundle is refused.
    pub refused: Option<String>,
}

impl Carryover {
    /// Returns the security policy, if the files have exactly one under `builtin`.
    pub(crate) fn policy(&self) -> Option<&SecurityPolicyConfig> {
        let configs = self.builtin.iter();
        let mut policies = configs.filter_map(|(file, _)| file.builtin.security_policy.as_on());
        policies.next().filter(|_| policies.next().is_none())
    }
}

/// A complete revision.
pub(crate) struct Loaded {
    pub(crate) number: u64,
    pub(crate) hash: String,
    pub(crate) units: Vec<Arc<Unit>>,
    pub(crate) registry: HookRegistry<AgentEvent<'static>>,
    pub(crate) sources: Vec<SourceStatus>,
    /// Notices, which are not errors: warnings, entries that never run here, files that are not trusted.
    pub(crate) notices: Vec<String>,
    pub(crate) warnings: Vec<Warning>,
    /// The hooks that never run, and why.
    pub(crate) never: HashMap<String, String>,
    /// How many entries of other systems' files cannot be used.
    pub(crate) left_out: usize,
    /// What does not run because it is refused.
    pub(crate) not_allowed: Vec<NotAllowed>,
    pub(crate) kept: Carryover,
    /// The agents of your own that the files name.
    pub(crate) own: Vec<Dialect>,
    /// The tests of the files, if they are kept.
    pub(crate) tests: Vec<Test>,
    /// Where the hooks of our files are written, by their names, if tests are kept: the file, and the number there.
    pub(crate) written: HashMap<String, (hooks_config::Origin, usize)>,
}

/// A test of the hooks of a file.
///
/// ```
/// use hooks_runtime::{Runtime, Trials};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = "[[hooks.test]]\nname = 'all is well'\nevent = 'BeforeStop'\nexpect = 'continue'";
/// let trials = Trials::new(Runtime::builder().text(file)).await?;
/// assert_eq!(trials.runtime().tests()[0].source, "line 1");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Test {
    /// What the file says.
    pub entry: TestEntry,
    /// The file with the test, and the line.
    pub source: String,
}

/// The settings of `[[hooks.import]]` for all hooks of a file of ours, and of the files that it imports.
#[derive(Clone, Copy, Debug, Default)]
struct Imported {
    is_off: bool,
    is_strict: bool,
}

/// How many files are read at most. Files that import each other twice would be read without end.
const MOST_FILES: usize = 1000;
/// How many files of ours may import each other in a row.
const DEEPEST: usize = 16;

/// Collects definitions.
pub(crate) struct Loader<'a> {
    pub(crate) plan: &'a RuntimeSettings,
    pub(crate) mistakes: Vec<ConfigError>,
    pub(crate) notices: Vec<String>,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) sources: Vec<SourceStatus>,
    pub(crate) files: Vec<PathBuf>,
    /// The files that were read, and their texts.
    texts_read: Vec<(PathBuf, String)>,
    /// Whether each file that is read must be trusted.
    is_found: bool,
    /// Whether what is read is in a bundle.
    is_in_bundle: bool,
    /// How many entries of other systems' files cannot be used.
    left_out: usize,
    /// Whether a revision is in force already.
    is_reload: bool,
    /// The chain of our files that are being read; each one imports the next.
    open: Vec<PathBuf>,
    /// The settings for all hooks of the file, from the imports that lead to it.
    imported: Imported,
    /// The kinds of handlers that do not run, by the file and those that lead to it.
    refused: BTreeSet<String>,
    not_allowed: Vec<NotAllowed>,
    warnings: Vec<Warning>,
    /// The names that are taken, and their places.
    names: BTreeMap<String, String>,
    before: &'a Carryover,
    kept: Carryover,
    limits: LimitsConfig,
    /// The built-in hooks of each file: separately, and together in a registry.
    builtin: Vec<(FileHooks, HookRegistry<AgentEvent<'static>>)>,
    /// The input of the revision's hash.
    texts: Vec<Value>,
    /// The agents of your own that the files name.
    own: Vec<Dialect>,
    tests: Vec<Test>,
    written: HashMap<String, (hooks_config::Origin, usize)>,
}

/// The program that judges, also as it was called: package managers make a link to it.
fn own_program() -> impl Iterator<Item = PathBuf> {
    let program = std::env::current_exe().ok();
    let called = std::env::args_os().next().map(PathBuf::from);
    let called = called.filter(|called| {
        called.components().count() > 1 && program.as_ref().is_none_or(|program| program != called)
    });
    program.into_iter().chain(called)
}

/// The folder from which relative paths in a file are seen.
fn folder_of(config: &FileConfig) -> &Path {
    let folder = config.file().and_then(Path::parent);
    folder.unwrap_or(Path::new(""))
}

/// Reads a file of ours: in TOML, in JSON, or as a bundle, which is returned as well.
fn config_of(
    path: &Path,
    document: &Document,
    text: &str,
) -> Result<(FileConfig, Option<Bundle>), ConfigError> {
    if !Bundle::is_meant(document.value()) {
        return Ok((FileConfig::of(document)?, None));
    }
    let bundle = Bundle::read(text);
    let bundle = bundle.map_err(|error| ConfigError::of_file(path, error.to_string()))?;
    let config = FileConfig::part(document, &bundle.file()["hooks"])?;
    Ok((config, Some(bundle)))
}

impl<'a> Loader<'a> {
    fn new(plan: &'a RuntimeSettings, before: &'a Carryover) -> Self {
        Loader {
            plan,
            mistakes: Vec::new(),
            notices: Vec::new(),
            drafts: Vec::new(),
            sources: Vec::new(),
            files: Vec::new(),
            texts_read: Vec::new(),
            is_found: false,
            is_in_bundle: false,
            left_out: 0,
            is_reload: false,
            open: Vec::new(),
            imported: Imported::default(),
            refused: BTreeSet::new(),
            not_allowed: Vec::new(),
            warnings: Vec::new(),
            names: BTreeMap::new(),
            before,
            kept: Carryover::default(),
            limits: LimitsConfig::default(),
            builtin: Vec::new(),
            texts: Vec::new(),
            own: Vec::new(),
            tests: Vec::new(),
            written: HashMap::new(),
        }
    }

    /// Takes a name, if it is free.
    pub(crate) fn take_name(&mut self, name: &str, place: &str) -> Result<(), String> {
        if let Some(taken) = self.names.get(name) {
            return Err(format!("the name `{name}` is taken already, at {taken}"));
        }
        self.names.insert(name.to_owned(), place.to_owned());
        Ok(())
    }

    /// Returns the name, or the name with a number if it is taken.
    pub(crate) fn free_name(&mut self, name: &str, place: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2;
        while self.take_name(&free, place).is_err() {
            free = format!("{name}#{number}");
            number += 1;
        }
        free
    }

    /// Returns a handler, or the one of the previous revision if its definition is the same.
    ///
    /// `key` contains everything that determines the handler.
    pub(crate) fn handler(
        &mut self,
        key: &Value,
        make: impl FnOnce() -> Result<Arc<dyn Handler>, SettingsMistake>,
    ) -> Result<(Body, Arc<DefinitionState>), SettingsMistake> {
        let key = canonical(key);
        let kept = self
            .kept
            .bodies
            .get(&key)
            .or_else(|| self.before.bodies.get(&key));
        let (handler, state) = match kept {
            Some(kept) => kept.clone(),
            None => (make()?, Arc::default()),
        };
        self.kept
            .bodies
            .insert(key, (Arc::clone(&handler), Arc::clone(&state)));
        Ok((Body::Handler(handler), state))
    }

    /// Returns the surroundings for the handlers of a file.
    pub(crate) fn making(&self, file: Option<&Path>) -> Making {
        Making {
            folder: file
                .and_then(Path::parent)
                .map(Path::to_owned)
                .unwrap_or_default(),
            project_dir: self.plan.project_dir.clone(),
            services: self.plan.services.clone(),
            ..Making::default()
        }
    }

    fn all(&mut self) {
        let plan = self.plan;
        for origin in &plan.origins {
            self.origin(origin);
        }
        for dialect in &plan.discover {
            self.discover(*dialect);
        }
    }

    fn origin(&mut self, origin: &LoadOrigin) {
        match origin {
            LoadOrigin::Text(text) => {
                match Document::toml(text).and_then(|document| FileConfig::of(&document)) {
                    Ok(config) => self.native(&config, None),
                    Err(error) => self.mistakes.push(error),
                }
            }
            LoadOrigin::File {
                path,
                dialect: Dialect::Hooks,
            } => self.native_file(path),
            LoadOrigin::Found(path) => {
                self.is_found = true;
                self.native_file(path);
                self.is_found = false;
            }
            LoadOrigin::Source(held) => {
                self.files.extend(held.files());
                let Some(bundle) = held.bundle() else { return };
                let document = Document::of_file(format!("{}.json", held.name()), bundle.to_json());
                let config = document
                    .and_then(|document| FileConfig::part(&document, &bundle.file()["hooks"]));
                match config {
                    Ok(config) => {
                        self.native(&config, Some((&bundle, &held.name())));
                        self.sources[0].bundle = Some(BundleStatus {
                            source: held.name(),
                            revision: bundle.revision,
                            sha256: bundle.sha256(),
                            refused: None,
                        });
                    }
                    Err(error) => self.mistakes.push(error),
                }
            }
            LoadOrigin::File { path, dialect } => {
                let entry = ImportEntry::default();
                match self.read(path) {
                    Ok(text) => self.foreign(path, text, *dialect, &entry),
                    Err(error) => self.mistakes.push(error),
                }
            }
        }
    }

    /// Returns the text of a file, and watches the file from now on. A file is read once, so the text that was checked
    /// is the text that is loaded.
    fn read(&mut self, path: &Path) -> Result<String, ConfigError> {
        if self.texts_read.len() == MOST_FILES {
            let message = format!("more than {MOST_FILES} files are read: import each file once");
            return Err(ConfigError::of_file(path, message));
        }
        self.files.push(path.to_owned());
        let text = crate::text::read(path).map_err(|error| {
            ConfigError::of_file(path, format!("the file cannot be read: {error}"))
        })?;
        if self.is_found && !self.plan.trust.covers(path, &text) {
            let shown = path.display().to_string();
            let word = shlex::try_quote(&shown).unwrap_or_default();
            return Err(ConfigError::of_file(
                path,
                format!(
                    "this file was found, not named, and is not trusted in its current state. Review it, then run `hooks trust {word}`"
                ),
            ));
        }
        self.texts_read.push((path.to_owned(), text.clone()));
        Ok(text)
    }

    fn native_file(&mut self, path: &Path) {
        match self.read(path) {
            Ok(text) => self.native_text(path, &text),
            Err(error) => self.mistakes.push(error),
        }
        if self.plan.tests {
            self.tests_beside(path);
        }
    }

    /// Reads the files of tests beside a file: `*.test.toml`, but for those of another file that is there.
    fn tests_beside(&mut self, path: &Path) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let here = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        // A new file of tests counts as well.
        self.files.push(here.to_owned());
        let names = here.read_dir().into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let is_own = |name: &String| {
            let of = name
                .strip_suffix(".test.toml")
                .map(|of| folder.join(format!("{of}.toml")));
            of.is_some_and(|of| of == path || !of.exists())
        };
        let mut names: Vec<_> = names.filter(is_own).collect();
        names.sort();
        for path in names.iter().map(|name| folder.join(name)) {
            let read = self
                .read(&path)
                .and_then(|text| Document::of_file(&path, text));
            match read.and_then(|document| Ok((FileConfig::of(&document)?, document))) {
                Ok((config, document)) => {
                    let mut keys = document.value()["hooks"].as_object().into_iter().flatten();
                    if let Some((key, _)) = keys.find(|(key, _)| *key != "test") {
                        let place = ["hooks".into(), (**key).into()];
                        let message = "a file of tests has nothing but `[[hooks.test]]`";
                        self.mistakes.push(config.mistake(&place, message, None));
                    }
                    self.tests(&config);
                }
                Err(error) => self.mistakes.push(error),
            }
        }
    }

    /// Checks the tests of a file, and keeps them if they are asked for.
    fn tests(&mut self, config: &FileConfig) {
        self.mistakes.extend(trial::mistakes(config));
        if !self.plan.tests {
            return;
        }
        let tests = config.entries.test.iter().enumerate();
        self.tests.extend(tests.map(|(nth, entry)| {
            let line = config.line(&["hooks".into(), "test".into(), nth.into()]);
            let origin = crate::definition::DefinitionPlace::of(config.file(), line);
            Test {
                entry: entry.clone(),
                source: origin.to_string(),
            }
        }));
    }

    fn native_text(&mut self, path: &Path, text: &str) {
        match Document::of_file(path, text).and_then(|document| config_of(path, &document, text)) {
            Ok((config, bundle)) => {
                self.open.push(real(path));
                let source = path.display().to_string();
                self.native(&config, bundle.as_ref().map(|bundle| (bundle, &*source)));
                self.open.pop();
            }
            Err(error) => self
                .mistakes
                .push(of_another_system(path, text).unwrap_or(error)),
        }
    }

    /// Reads another file of ours, and applies the settings of its import.
    fn native_import(&mut self, path: &Path, text: &str, entry: &ImportEntry) {
        let (outside, drafts, builtin) = (self.imported, self.drafts.len(), self.builtin.len());
        self.imported.is_off |= entry.mode == Mode::Off;
        self.imported.is_strict |= entry.strict;
        if entry.mode == Mode::Off {
            let shown = path.display();
            self.notices.push(format!(
                "{shown}: skipped all hooks of this file: its import says `mode = \"off\"`"
            ));
        }
        self.native_text(path, text);
        self.imported = outside;
        for draft in &mut self.drafts[drafts..] {
            draft.priority = draft.priority.saturating_add(entry.priority);
            for definition in &mut draft.definitions {
                if entry.mode == Mode::Shadow {
                    definition.mode = Mode::Shadow;
                }
                if entry.strict {
                    (definition.on_timeout, definition.on_failure) = (None, Some(OnFault::Block));
                }
            }
        }
        let mut builtin = self.builtin[builtin..].iter();
        if entry.mode == Mode::Shadow && builtin.any(|(_, hooks)| !hooks.is_empty()) {
            self.mistakes.push(ConfigError::of_file(
                path,
                "the file has built-in hooks, which cannot be tried out: move them into the file that imports this one, \
                 or leave `mode = \"shadow\"` out of the import",
            ));
        }
    }

    /// Reads everything in a file of ours, or in a bundle and its source.
    fn native(&mut self, config: &FileConfig, bundle: Option<(&Bundle, &str)>) {
        self.texts
            .push(json!({ "hooks": config.hooks, "entries": config.entries }));
        // Also where all hooks are off, an agent is answered.
        self.agents(config);
        let before = self.drafts.len();
        if config.hooks.enabled && !self.imported.is_off {
            let outside = self.refused.clone();
            self.check_refused(config);
            self.refused.extend(config.entries.limits.refuse.clone());
            // The limits of the file that imports the others apply to all.
            if self.open.len() < 2 {
                self.limits = config.entries.limits.clone();
                self.check_limits(config);
            }
            self.builtin(config);
            self.entries(config);
            self.tests(config);
            self.processes(config, config.file(), &ImportEntry::default());
            self.imports(config);
            if let Some((bundle, source)) = bundle {
                self.kept_whole(bundle, source);
            }
            self.refuse_kinds(before);
            self.refused = outside;
        } else if !config.hooks.enabled {
            let path = ["hooks".into(), "enabled".into()];
            let origin = crate::definition::DefinitionPlace::of(config.file(), config.line(&path));
            self.notices.push(format!(
                "{origin}: skipped all hooks of this file: `enabled` is false"
            ));
        }
        let definitions = self.drafts[before..]
            .iter()
            .map(|draft| draft.definitions.len())
            .sum();
        self.sources.insert(
            0,
            SourceStatus {
                file: config.file().map(Path::to_owned),
                dialect: Dialect::Hooks,
                definitions,
                trusted: true,
                bundle: None,
            },
        );
    }

    /// A time of zero would make every handler fail.
    fn check_limits(&mut self, config: &FileConfig) {
        let LimitsConfig { chain, timeout, .. } = &self.limits;
        for (key, time) in [("chain", chain), ("timeout", timeout)] {
            if *time == Some(Duration::ZERO) {
                let path = ["hooks".into(), "limits".into(), key.into()];
                let message = format!("`{key}` must be longer than zero");
                let help = format!("write `{key} = \"10s\"`, or leave it out for the default");
                self.mistakes
                    .push(config.mistake(&path, message, Some(&help)));
            }
        }
    }

    /// Creates the hooks of `hooks-builtin`, which keep their state if their settings are unchanged.
    fn builtin(&mut self, file: &FileConfig) {
        for (path, name) in &file.off {
            let origin = crate::definition::DefinitionPlace::of(file.file(), file.line(path));
            self.notices
                .push(format!("{origin}: the hook `{name}` is off"));
        }
        let mut config = file.hooks.clone();
        let origin = crate::definition::DefinitionPlace::of(file.file(), None);
        self.check_shared(file, &mut config);
        self.refuse_builtin(&mut config, &origin);
        if let Switch::On(policy) = &mut config.builtin.security_policy {
            let files = self.files.iter().filter(|file| file.is_file()).cloned();
            let log = config.builtin.jsonl_log.as_on();
            let log = log.map(|log| log.path.clone());
            policy.loaded_from = files.chain(own_program()).chain(log).collect();
        }
        let leaves_asking = self.plan.dry_run.is_some() && !is_unapproved(&config);
        if self.plan.dry_run.is_some() {
            // What is left out must be right all the same.
            let checked = dry::inside(&config).hooks(&self.plan.factories);
            self.mistakes.extend(checked.err());
            let left_out = dry::leave_out(&mut config, self.plan.approver.is_some());
            let left_out = left_out.into_iter();
            self.notices
                .extend(left_out.map(|hook| format!("a dry run leaves out `{hook}`")));
        }
        if self.plan.approver.is_some() && is_unapproved(&config) {
            // There is an approver, and the policy needs one.
            config.builtin.approval = Switch::On(ApprovalConfig::default());
        } else if is_unapproved(&config) && !leaves_asking {
            self.notices.push(
                "`autonomy = \"supervised\"` without `approval`: a call that needs approval is blocked, because no person is asked, \
                 unless the agent itself asks its user; write `approval = true`, or `autonomy = \"full\"`"
                    .into(),
            );
        }
        let kept = self.before.builtin.iter();
        // In JSON, all secrets look the same.
        let kept = kept.clone().find(|(known, _)| *known == config);
        let hooks = match kept {
            Some((_, hooks)) => Ok(hooks.clone()),
            None => config.hooks(&self.plan.factories),
        };
        match hooks {
            Ok(mut hooks) => {
                // In a dry run no person is asked, and the policy leaves the question to the one who would be.
                hooks.builtin.is_asked_in_chain |= leaves_asking;
                if let Some(approver) = &self.plan.approver {
                    let approval = hooks.builtin.approval.take();
                    hooks.builtin.approval =
                        approval.map(|approval| approval.with_approver(Arc::clone(approver)));
                }
                let together = HookRegistry::new().on_panic(OnPanic::Block);
                match hooks.clone().register_in(&together) {
                    Ok(()) => self.builtin.push((hooks.clone(), together)),
                    Err(error) => {
                        let message = format!("a built-in hook cannot run here: {error}");
                        let wrong = config.mistake(&["hooks".into()], message, None);
                        self.mistakes.push(wrong);
                    }
                }
                self.kept.builtin.push((config, hooks));
            }
            Err(error) => self.mistakes.push(error),
        }
    }

    /// Reads the tables of the agents of your own.
    fn agents(&mut self, config: &FileConfig) {
        let folder = folder_of(config);
        for (index, entry) in config.agents.iter().enumerate() {
            let path = ["agents".into(), index.into(), "file".into()];
            if self.is_shared() {
                let message = "no file of this machine is read here";
                self.mistakes.push(config.mistake(&path, message, None));
                continue;
            }
            let file = folder.join(&entry.file);
            let read = self.may_import(config.file(), &file, Dialect::Hooks);
            if let Ok(Some(text)) = &read {
                self.texts.push(json!({ "agent": text }));
            }
            let table =
                read.and_then(|text| text.map(|text| Dialect::own(&file, text)).transpose());
            let agent = match table {
                Ok(None) => continue,
                Ok(Some(agent)) => agent,
                Err(error) => {
                    self.mistakes.push(error);
                    continue;
                }
            };
            let mut own = self.own.iter();
            match own.find(|other| other.as_str() == agent.as_str()) {
                None => self.own.push(agent),
                // The same table, which another file names, too.
                Some(other) if *other == agent => {}
                Some(_) => {
                    let message = format!("another file names an agent `{agent}`, too");
                    self.mistakes.push(config.mistake(&path, message, None));
                }
            }
        }
    }

    /// Reads the other systems' files that a file of ours imports.
    fn imports(&mut self, config: &FileConfig) {
        let folder = folder_of(config);
        for (index, entry) in config.entries.import.iter().enumerate() {
            let path = ["hooks".into(), "import".into(), index.into()];
            let origin = crate::definition::DefinitionPlace::of(config.file(), config.line(&path));
            if self.is_shared() || self.refuses_import(&origin, entry.mode) {
                continue;
            }
            match entry.files().as_slice() {
                [(key, file)] => {
                    let file = folder.join(file);
                    let found = match (*key, entry.dialect.as_deref()) {
                        ("file", None) => {
                            Err("the import does not say whose file it is".to_owned())
                        }
                        ("file", Some(name)) => {
                            let mut own = self.own.iter().copied();
                            let found = own.find(|own| own.as_str() == name);
                            found.ok_or_else(|| format!("`{name}` is not an agent of `[[agents]]`"))
                        }
                        (key, None) => Dialect::named(key, &[]),
                        (key, Some(_)) => Err(format!("`{key}` says already whose file it is")),
                    };
                    let dialect = match found {
                        Ok(dialect) => dialect,
                        Err(error) => {
                            let help =
                                "`dialect` is for `file`, and names an agent of `[[agents]]`";
                            self.mistakes.push(config.mistake(&path, error, Some(help)));
                            continue;
                        }
                    };
                    let text = match self.may_import(config.file(), &file, dialect) {
                        Ok(Some(text)) => text,
                        Ok(None) => continue,
                        Err(error) => {
                            let mut path = path.to_vec();
                            path.push((*key).into());
                            let message = format!("{}: {}", file.display(), error.message());
                            self.mistakes
                                .push(config.mistake(&path, message, error.help()));
                            continue;
                        }
                    };
                    if dialect == Dialect::Hooks && self.open.contains(&real(&file)) {
                        self.mistakes.push(config.mistake(
                            &path,
                            format!("`{}` imports itself", file.display()),
                            Some("leave this import out"),
                        ));
                    } else if dialect == Dialect::Hooks && self.open.len() >= DEEPEST {
                        self.mistakes.push(config.mistake(
                            &path,
                            format!("more than {DEEPEST} files import each other in a row"),
                            Some("import this file in the first of them"),
                        ));
                    } else if dialect == Dialect::Hooks && !entry.tools.is_empty() {
                        let mut path = path.to_vec();
                        path.push("tools".into());
                        self.mistakes.push(config.mistake(
                            &path,
                            "a file of this format uses the agent's own names of tools",
                            Some(
                                "leave `tools` out, or write the names into the hooks of that file",
                            ),
                        ));
                    } else if dialect == Dialect::Hooks {
                        self.native_import(&file, &text, entry);
                    } else {
                        self.foreign(&file, text, dialect, entry);
                    }
                }
                [] => self.mistakes.push(config.mistake(
                    &path,
                    "the import names no file",
                    Some(&format!(
                        "write `claude = \".claude/settings.json\"`, or another of `{}`",
                        ImportEntry::KEYS.join("`, `")
                    )),
                )),
                [_, (second, _), ..] => self.mistakes.push(config.mistake(
                    &path,
                    format!("the import names several files: `{second}` is one too many"),
                    Some("write a table `[[hooks.import]]` for each file"),
                )),
            }
        }
    }

    /// Reads another system's file.
    fn foreign(&mut self, path: &Path, text: String, dialect: Dialect, entry: &ImportEntry) {
        match dialect.document(path, text) {
            Ok(document) if !dialect.runs_hooks() => {
                let wrong = dialect.with_hooks().err().unwrap_or_default();
                self.mistakes.push(document.mistake(&[], wrong, None));
            }
            Ok(document) => match dialect {
                Dialect::Goclaw => self.goclaw(&document, entry),
                Dialect::Picoclaw => self.picoclaw(&document, entry),
                _ => {
                    let files = vec![claude::SettingsFile {
                        document,
                        whose: FileOwner::User,
                    }];
                    self.grouped(&files, dialect, entry);
                }
            },
            Err(error) => self.mistakes.push(error),
        }
    }

    /// Reads the hooks of a bundle that are other systems'. GoClaw's run one after the other, so they get one place.
    fn kept_whole(&mut self, bundle: &Bundle, source: &str) {
        let mut rows = Vec::new();
        for (hook, system, file) in bundle.foreign() {
            let dialect: Dialect = match system.parse() {
                Ok(dialect) => dialect,
                Err(error) => {
                    self.mistakes.push(ConfigError::of_file(source, error));
                    continue;
                }
            };
            let path = format!("{source}/{}.json", hook["name"].as_str().unwrap_or(system));
            let before = self.drafts.len();
            let entry = ImportEntry::default();
            self.is_in_bundle = true;
            self.foreign(Path::new(&path), file.to_string(), dialect, &entry);
            self.is_in_bundle = false;
            let mut drafts = self.drafts.split_off(before);
            for definition in drafts.iter_mut().flat_map(|draft| &mut draft.definitions) {
                definition.marks.version = hook["version"].as_u64();
                if let Some(why) = hook["refused"].as_str() {
                    self.refuse_for(definition, why);
                }
            }
            if dialect == Dialect::Goclaw && file.get("event").is_some() {
                rows.extend(drafts.into_iter().flat_map(|draft| draft.definitions));
            } else {
                self.drafts.append(&mut drafts);
            }
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.priority.unwrap_or_default()));
        let order = Dialect::Goclaw.system().files.order;
        self.add(
            &format!("goclaw:{source}"),
            order,
            &ImportEntry::default(),
            rows,
        );
    }

    /// Leaves out a wrong entry of another system's file. The others stay.
    fn left_out(&mut self, wrong: ConfigError, entry: &ImportEntry) {
        if self.is_refused(entry) {
            self.mistakes.push(wrong);
        } else {
            self.note_left_out(format!("skipped an entry: {wrong}"));
        }
    }

    /// Tells everybody of an entry that does not do what it says.
    fn note_left_out(&mut self, notice: String) {
        tracing::warn!("{notice}");
        self.left_out += 1;
        self.notices.push(notice);
    }

    /// Whether a file with a wrong entry is refused. A revision that is in force stays so.
    fn is_refused(&self, entry: &ImportEntry) -> bool {
        self.is_reload || self.is_strict(entry)
    }

    fn is_strict(&self, entry: &ImportEntry) -> bool {
        entry.strict || self.imported.is_strict || self.plan.strict
    }

    /// Adds the definitions of another system's file as one place in the pipeline.
    fn add(
        &mut self,
        name: &str,
        order: UnitOrder,
        entry: &ImportEntry,
        definitions: Vec<Definition>,
    ) {
        if definitions.is_empty() {
            return;
        }
        let name = self.free_name(name, name);
        self.drafts.push(Draft {
            name,
            priority: entry.priority,
            order,
            is_foreign: true,
            definitions,
        });
    }

    /// What records call the revision: as its bundle does, if all hooks come from one source; otherwise, by the number.
    fn recorded(&self, number: u64) -> u64 {
        if !matches!(&*self.plan.origins, [LoadOrigin::Source(_)]) || !self.plan.discover.is_empty()
        {
            return number;
        }
        let mut bundles = self
            .sources
            .iter()
            .filter_map(|source| source.bundle.as_ref());
        bundles.next().map_or(number, |bundle| bundle.revision)
    }

    /// Gives all drafts their places.
    fn finish(mut self, number: u64, shared: &Arc<UnitServices>) -> Result<Loaded, ConfigError> {
        ConfigError::all(std::mem::take(&mut self.mistakes))?;
        let recorded = self.recorded(number);
        if let Some(longest) = self.limits.timeout {
            let foreign = self.drafts.iter_mut().filter(|draft| draft.is_foreign);
            for definition in foreign.flat_map(|draft| &mut draft.definitions) {
                definition.timeout = definition.timeout.min(longest);
            }
        }
        self.drafts
            .sort_by_key(|draft| std::cmp::Reverse(draft.priority));
        self.notices.extend(warn::only_told(&self.drafts));
        let never = warn::never(&self.drafts);
        self.notices.extend(never.iter().map(warn::Never::notice));
        let definitions = self.drafts.iter().flat_map(|draft| &draft.definitions);
        let off = definitions.filter(|definition| definition.mode == Mode::Off);
        let notice = |off: &Definition| format!("{}: the hook `{}` is off", off.origin, off.name);
        self.notices.extend(off.map(notice));
        let limits = Arc::new(RevisionLimits::new(
            self.limits,
            self.before.limits.as_deref(),
        ));
        self.kept.limits = Some(Arc::clone(&limits));
        // Units catch the panics of their handlers themselves.
        let mut registry = HookRegistry::new().on_panic(OnPanic::Propagate);
        let guarded = registry.clone().on_panic(OnPanic::Block);
        for (hooks, together) in self.builtin {
            // Each hook gets its own place among the definitions. If a second file has the same hooks, its hooks get
            // one place together.
            let taken = registry.names();
            if together.names().iter().all(|name| !taken.contains(name)) {
                let placed = hooks.register_in(&guarded);
                placed.expect("the names are free, and the hooks ran behind a box in `together`");
            } else {
                let name = free_name(&registry.names().into_iter().collect(), "built-in hooks");
                registry = registry.with(together.named(name));
            }
        }
        let mut taken: HashSet<String> = registry.names().into_iter().collect();
        if !taken.is_empty() {
            // Also those inside a hook of a factory, so that no definition has the name of one.
            taken.extend(registry.plan().map(|row| row.hook.into()));
        }
        let mut order = RevisionHooks::new(taken.clone(), recorded);
        let mut units = Vec::new();
        let answers_late = |draft: &Draft| {
            draft
                .definitions
                .iter()
                .any(|definition| definition.answers_late)
        };
        if self.drafts.iter().any(answers_late) {
            registry = registry.with(Delivery(Arc::clone(shared)));
            taken.extend(registry.names());
        }
        for draft in self.drafts {
            let events = draft.definitions.iter().map(Definition::event_set);
            let unit = Arc::new(Unit {
                name: draft.name.into(),
                priority: draft.priority,
                events: events.fold(EventSet::NONE, EventSet::union),
                order: draft.order,
                is_foreign: draft.is_foreign,
                definitions: draft.definitions.into_iter().map(Arc::new).collect(),
                revision: recorded,
                limits: Arc::clone(&limits),
                shared: Arc::clone(shared),
            });
            if !unit.events.is_empty() {
                let hook: Arc<dyn AgentHandler> = Arc::clone(&unit) as _;
                let name = free_name(&taken, &unit.name);
                taken.insert(name.clone());
                order.add(&name, &unit.definitions);
                registry = registry.with(hook.named(name));
            }
            units.push(unit);
        }
        if let Some(recorder) = &shared.recorder {
            registry.attach(Arc::new(EventRecords::of(Arc::clone(recorder), order)));
        }
        let text = canonical(&Value::Array(self.texts));
        Ok(Loaded {
            number,
            hash: hex::encode(digest(&SHA256, text.as_bytes())),
            units,
            registry,
            sources: self.sources,
            notices: self.notices,
            warnings: self.warnings,
            never: never.into_iter().map(|one| (one.hook, one.why)).collect(),
            left_out: self.left_out,
            not_allowed: self.not_allowed,
            kept: self.kept,
            own: self.own,
            tests: self.tests,
            written: self.written,
        })
    }
}

/// The name, with a number behind it if it is taken.
fn free_name(taken: &HashSet<String>, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name}#{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names
        .find(|name| !taken.contains(name))
        .expect("the numbers do not end")
}

/// Loads everything, and creates a revision. It also returns the files that it read, even if one has a mistake.
pub(crate) fn load(
    plan: &RuntimeSettings,
    number: u64,
    before: &Carryover,
    shared: &Arc<UnitServices>,
) -> (Result<Loaded, ConfigError>, Vec<PathBuf>) {
    let _load = pattern::Load::begin();
    let mut loader = Loader::new(plan, before);
    loader.is_reload = number > 1;
    loader.all();
    let files = std::mem::take(&mut loader.files);
    (loader.finish(number, shared), files)
}

/// Reads everything, and returns each file with its text.
pub(crate) fn texts(plan: &RuntimeSettings) -> Result<Vec<(PathBuf, String)>, ConfigError> {
    let before = Carryover::default();
    let mut loader = Loader::new(plan, &before);
    loader.all();
    ConfigError::all(std::mem::take(&mut loader.mistakes))?;
    Ok(loader.texts_read)
}

/// Whether the file has a policy for a supervised agent, and no approval.
fn is_unapproved(config: &HooksConfig) -> bool {
    let policy = config.builtin.security_policy.as_on();
    let in_chain = config
        .chain
        .iter()
        .any(|entry| entry.enabled && entry.hook_type == "approval");
    let asks = config.builtin.approval.as_on().is_some()
        || in_chain
        || config
            .builtins
            .get("approval")
            .is_some_and(|entry| entry.enabled);
    !asks && policy.is_some_and(|policy| policy.autonomy == Autonomy::Supervised)
}

/// Returns one mistake for a file of another system. Otherwise, each of its keys would be a mistake.
fn of_another_system(path: &Path, text: &str) -> Option<ConfigError> {
    let document = Document::of_file(path, text).ok()?;
    let events = document.value().get("hooks")?.as_object()?;
    let dialect = Dialect::of_events(events.keys().map(String::as_str))?;
    let shown = path.display();
    let message = format!(
        "these are hooks in the format `{dialect}`, but the file is read as a `hooks.toml`"
    );
    let help = format!(
        "import the file in a `hooks.toml`, by `[[hooks.import]]` and `{dialect} = \"{shown}\"`; or read it as it is, by \
         `Runtime::builder().file_as(Dialect::{dialect:?}, \"{shown}\")` or the option `--from {dialect}`"
    );
    Some(document.mistake(&["hooks".into()], message, Some(&help)))
}
