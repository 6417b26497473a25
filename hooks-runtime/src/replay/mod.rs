//! Replay: asks hooks about events of the past, and counts which decisions would change. Nothing has an effect.
//!
//! | file | |
//! | --- | --- |
//! | `past` | reads our own records, and finds out whose a file is |
//! | `session` | reads the session files of other agents |
//! | `suggest` | what the security policy would have to allow |
//!
//! Files are read line by line, and asked about by all cores, so memory does not grow with them.

mod past;
mod session;
mod suggest;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hooks_config::ConfigError;
use hooks_core::agent::{AgentContext, AgentEvent};
use jiff::Timestamp;
use serde::Serialize;

use self::past::{Fate, Job, Past};
use self::suggest::Blocked;
pub use self::suggest::{SuggestedLine, Suggestion};
use crate::dry_run::DryRun;
use crate::entry::Mode;
use crate::owned::OwnedEvent;
use crate::record::{Record, RecordOutcome, RecordStep, Recorder};
use crate::runtime::{Runtime, RuntimeBuilder};

/// How many jobs wait for a thread at most.
const WAITING: usize = 32;

thread_local! {
    static ASKED: RefCell<ReplayQuestion> = RefCell::default();
}

/// The event that this thread asks about.
#[derive(Default)]
struct ReplayQuestion {
    /// What handlers said about it in the past.
    known: Vec<RecordStep>,
    /// What hooks say now, unless none ran.
    said: Option<Record>,
}

/// Keeps what hooks say, on the thread that asks.
struct Listening;

impl Recorder for Listening {
    fn record(&self, record: &Record) {
        ASKED.with_borrow_mut(|asked| asked.said = Some(record.clone()));
    }
}

/// Hooks that are asked about events of the past.
///
/// ```
/// use hooks_runtime::{JsonlRecorder, OwnedEvent, Replay, Runtime};
/// use hooks_core::agent::AgentContext;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("records.jsonl");
/// let recorder = JsonlRecorder::append(&path)?.keeping_events();
/// let runtime = Runtime::builder().recorder(recorder).build().await?;
/// let mut call = OwnedEvent::from_json("BeforeToolCall", serde_json::json!({ "name": "deploy" }))?;
/// runtime.fire(&AgentContext::new("s1"), &mut call).await;
/// drop(runtime);
///
/// let draft = "[[hooks.on]]\nname = 'no'\nevent = 'BeforeToolCall'\ntools = ['deploy']\nblock = 'not today'";
/// let replay = Replay::new(Runtime::builder().text(draft)).await?;
/// let replayed = replay.ask(&[path])?;
/// assert_eq!((replayed.asked, replayed.changed), (1, 1));
/// assert_eq!((&*replayed.groups[0].hook, &*replayed.groups[0].now), ("no", "block"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Replay {
    runtime: Runtime,
    /// The hooks that the others are compared with; without them, that is what was recorded.
    baseline: Option<Runtime>,
    /// The built-in hooks that are left out: each by its name, and by its key.
    left_out: Vec<(&'static str, &'static str)>,
    since: Option<Timestamp>,
    within: Option<Duration>,
    examples: usize,
    suggests: bool,
}

/// What a replay has found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Replayed {
    /// How many events were asked about.
    pub asked: u64,
    /// How many decisions would be another: than those that were recorded, or than those of the [other
    /// hooks](Replay::against).
    pub changed: u64,
    /// How many of the recorded decisions were others than those that the [other hooks](Replay::against) make now: they were
    /// published after it, or a hook of the agent's own code decided.
    pub outdated: u64,
    /// How many of the recorded decisions a hook of the agent's own code made, which is not here. Unless there are [other
    /// hooks](Replay::against), they are not asked about.
    pub elsewhere: u64,
    /// These decisions, by the hook that makes the difference; the most frequent first.
    pub groups: Vec<Group>,
    /// How often each decision is made, before and now, by its word.
    pub decisions: Vec<DecisionCount>,
    /// How often each hook of the files would have run, in their order: a matcher that never fits shows here.
    pub hooks: Vec<HookCount>,
    /// In how many sessions the events happened.
    pub sessions: u64,
    /// The handlers that could not be asked, and how often; then the decision is that of the others.
    pub left_out: Vec<LeftOut>,
    /// What could not be read, with its place; at most 20 of them.
    pub unread: Vec<String>,
    /// How many lines and files could not be read.
    pub unread_count: u64,
    /// What would let harmless calls pass, if [you ask](Replay::suggesting) and there is a `security_policy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggestion>,
    /// How many events no hook was asked about, because [the time](Replay::within) was over.
    pub late: u64,
}

/// Decisions that change in the same way.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The hook that decides now, or else the one that decided in the past; empty if neither is known.
    pub hook: String,
    /// The decision in the past, as the [outcome of a record](RecordOutcome).
    pub before: String,
    /// The decision now.
    pub now: String,
    /// How many.
    pub count: u64,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// How often a decision is made, of all events that were asked about: a part of [`Replayed`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DecisionCount {
    /// The decision, as the [outcome of a record](RecordOutcome).
    pub decision: String,
    /// How often in the past, or by the [other hooks](Replay::against).
    pub before: u64,
    /// How often now.
    pub now: u64,
}

/// An event whose decision changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Example {
    /// When it happened, if that is known.
    pub at: Option<Timestamp>,
    /// The event.
    pub event: String,
    /// The tool, if the event is about one.
    pub subject: Option<String>,
    /// The arguments of the tool, or the text; cut.
    pub text: String,
    /// The session.
    pub session_id: String,
    /// Its number in the store that the records come from.
    pub number: Option<u64>,
    /// The reason of the decision now.
    pub reason: Option<String>,
}

/// How often a hook would have run if no other hook had ended the event before: a part of [`Replayed`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HookCount {
    /// The hook.
    pub hook: String,
    /// For which events.
    pub events: u64,
    /// In how many sessions.
    pub sessions: u64,
    /// How often it ran now and failed, such as by a condition that cannot be computed.
    pub failed: u64,
    /// Whether any event happened that the hook is for. If not, these sessions say nothing about its matcher.
    pub had_events: bool,
}

/// A handler that a dry run does not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// The hook.
    pub hook: String,
    /// How often it would have been asked.
    pub count: u64,
}

/// One for all threads, so that a session is the same in each.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// What one thread has found.
#[derive(Default)]
struct ReplayFindings {
    asked: u64,
    outdated: u64,
    elsewhere: u64,
    groups: BTreeMap<(String, RecordOutcomeWord, RecordOutcomeWord), (u64, Vec<Example>)>,
    /// How often each decision is made: before, and now.
    decisions: BTreeMap<RecordOutcomeWord, (u64, u64)>,
    left_out: BTreeMap<String, u64>,
    failed: HashMap<String, u64>,
    /// How often each hook would have run, and the sessions, by their hashes.
    matched: HashMap<String, (u64, HashSet<u64>)>,
    sessions: HashSet<u64>,
    events: BTreeSet<&'static str>,
    unread: Vec<String>,
    unread_count: u64,
    blocked: Blocked,
    late: u64,
}

type RecordOutcomeWord = &'static str;

/// The built-in hooks that decide, and that a dry run leaves out.
const BUILTIN: [(&str, &str); 4] = [
    ("Approval", "approval"),
    ("RateLimit", "rate_limit"),
    ("ShellHook", "shell_hook"),
    ("ToolCache", "tool_cache"),
];

/// How many places that cannot be read are named.
const NAMED: usize = 20;

impl ReplayFindings {
    fn unread(&mut self, what: String) {
        self.unread_count += 1;
        if self.unread.len() < NAMED {
            self.unread.push(what);
        }
    }

    fn merge(&mut self, other: ReplayFindings, examples: usize) {
        self.asked += other.asked;
        self.outdated += other.outdated;
        self.elsewhere += other.elsewhere;
        for (key, (count, more)) in other.groups {
            let group = self.groups.entry(key).or_default();
            group.0 += count;
            group.1.extend(more);
            group.1.sort();
            group.1.truncate(examples);
        }
        for (decision, (before, now)) in other.decisions {
            let counts = self.decisions.entry(decision).or_default();
            *counts = (counts.0 + before, counts.1 + now);
        }
        for (hook, count) in other.left_out {
            *self.left_out.entry(hook).or_default() += count;
        }
        for (hook, count) in other.failed {
            *self.failed.entry(hook).or_default() += count;
        }
        for (hook, (count, sessions)) in other.matched {
            let matched = self.matched.entry(hook).or_default();
            matched.0 += count;
            matched.1.extend(sessions);
        }
        self.sessions.extend(other.sessions);
        self.events.extend(other.events);
        self.unread_count += other.unread_count;
        self.late += other.late;
        self.unread.extend(other.unread);
        self.unread.truncate(NAMED);
        self.blocked.merge(other.blocked);
    }
}

impl From<ReplayFindings> for Replayed {
    fn from(found: ReplayFindings) -> Self {
        let groups = found.groups.into_iter();
        let mut groups: Vec<_> = groups
            .map(|((hook, before, now), (count, examples))| Group {
                hook,
                before: before.to_owned(),
                now: now.to_owned(),
                count,
                examples,
            })
            .collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        let left_out = found.left_out.into_iter();
        let decisions = found.decisions.into_iter();
        Replayed {
            decisions: decisions
                .map(|(decision, (before, now))| DecisionCount {
                    decision: decision.to_owned(),
                    before,
                    now,
                })
                .collect(),
            asked: found.asked,
            outdated: found.outdated,
            elsewhere: found.elsewhere,
            changed: groups.iter().map(|group| group.count).sum(),
            groups,
            left_out: left_out
                .map(|(hook, count)| LeftOut { hook, count })
                .collect(),
            unread: found.unread,
            unread_count: found.unread_count,
            sessions: found.sessions.len() as u64,
            hooks: Vec::new(),
            suggestion: None,
            late: found.late,
        }
    }
}

impl Replay {
    /// Loads the hooks to ask, as a [dry run](RuntimeBuilder::dry_run). A recorder of the builder hears nothing.
    ///
    /// # Errors
    ///
    /// If any of the files contains a mistake.
    pub async fn new(builder: RuntimeBuilder) -> Result<Self, ConfigError> {
        let runtime = dry(builder).await?;
        let notices = runtime.status().notices;
        let mut left_out = BUILTIN.to_vec();
        left_out.retain(|(_, key)| notices.contains(&format!("a dry run leaves out `{key}`")));
        Ok(Replay {
            runtime,
            baseline: None,
            left_out,
            since: None,
            within: None,
            examples: 3,
            suggests: false,
        })
    }

    /// Compares what the hooks decide with what these others decide now, such as a draft with what is live, and not with what
    /// was recorded: other hooks may have been there then.
    ///
    /// # Errors
    ///
    /// If any of their files contains a mistake.
    pub async fn against(mut self, builder: RuntimeBuilder) -> Result<Self, ConfigError> {
        self.baseline = Some(dry(builder).await?);
        Ok(self)
    }

    /// Leaves out what happened before this. What has no time counts.
    #[must_use]
    pub fn since(mut self, since: Timestamp) -> Self {
        self.since = Some(since);
        self
    }

    /// Asks about no further event after this time. By default, there is no limit.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }

    /// Keeps this many examples of each change. The default is 3.
    #[must_use]
    pub fn examples(mut self, examples: usize) -> Self {
        self.examples = examples;
        self
    }

    /// Finds out as well what the `security_policy` would have to allow so that calls pass that it blocks now, and that ran
    /// in the past without a failure: the [suggestion](Replayed::suggestion).
    #[must_use]
    pub fn suggesting(mut self) -> Self {
        self.suggests = true;
        self
    }

    /// Returns the hooks that are asked, for their notices.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Asks about the events in these files, and in the files `*.jsonl` and `*.json` in these folders and below.
    ///
    /// # Errors
    ///
    /// If a file or a folder that is named cannot be read. What cannot be understood in it is in [`Replayed::unread`].
    pub fn ask(&self, paths: &[PathBuf]) -> io::Result<Replayed> {
        let files = past::files(paths)?;
        self.ask_all(|hand_out| past::read(&files, hand_out))
    }

    /// Asks about the events in these records, oldest first. It blocks its thread.
    ///
    /// # Errors
    ///
    /// If the system gives no threads. What cannot be understood is in [`Replayed::unread`].
    pub fn ask_records(&self, records: impl IntoIterator<Item = Record>) -> io::Result<Replayed> {
        self.ask_all(|hand_out| {
            past::hand_out(records, hand_out);
            Ok(())
        })
    }

    /// Asks about what is handed out, with all cores.
    fn ask_all(
        &self,
        read: impl FnOnce(&mut dyn FnMut(Job) -> bool) -> io::Result<()>,
    ) -> io::Result<Replayed> {
        let end = self
            .within
            .and_then(|time| Instant::now().checked_add(time));
        let mut found = ReplayFindings::default();
        for part in spread(read, |jobs| self.work(jobs, end))? {
            found.merge(part, self.examples);
        }
        let policy = self.runtime.policy().filter(|_| self.suggests);
        let suggestion = policy.map(|policy| found.blocked.suggestion(&policy));
        let hooks = self.runtime.status().hooks.into_iter();
        let hooks = hooks.filter(|hook| hook.mode != Mode::Off).map(|hook| {
            let (events, sessions) = found.matched.remove(&hook.name).unwrap_or_default();
            let failed = found.failed.remove(&hook.name).unwrap_or_default();
            HookCount {
                had_events: hook.events.iter().any(|event| found.events.contains(event)),
                hook: hook.name,
                events,
                sessions: sessions.len() as u64,
                failed,
            }
        });
        let hooks = hooks.collect();
        Ok(Replayed {
            hooks,
            suggestion,
            ..found.into()
        })
    }

    /// Does jobs until there are no more.
    fn work(&self, jobs: &Jobs<Job>, end: Option<Instant>) -> io::Result<ReplayFindings> {
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let mut found = ReplayFindings::default();
        loop {
            let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(job) = job else { return Ok(found) };
            let mut unread = Vec::new();
            let mut each = |past: Past| {
                if end.is_some_and(|end| Instant::now() >= end) {
                    found.late += 1;
                } else {
                    executor.block_on(self.ask_about(past, &mut found));
                }
            };
            job.each(&mut each, &mut |what| unread.push(what));
            for what in unread {
                found.unread(what);
            }
        }
    }

    async fn ask_about(&self, mut past: Past, found: &mut ReplayFindings) {
        let is_old = |since| past.at.is_some_and(|at| at < since);
        if self.since.is_some_and(is_old) {
            return;
        }
        // What a built-in hook decided that is left out now, no hook can say again.
        let is_left_out = |hook: &&String| self.left_out.iter().any(|(name, _)| name == hook);
        if let Some(hook) = past.hook.as_ref().filter(is_left_out) {
            *found.left_out.entry(hook.clone()).or_default() += 1;
            return;
        }
        let (cx, mut event) = (&past.cx, past.event);
        let session = HASHER.hash_one(&cx.session_id);
        found.sessions.insert(session);
        found.events.insert(event.name());
        self.runtime.would_run(cx, &event.view(), &mut |hook| {
            if !found.matched.contains_key(hook) {
                found.matched.insert(hook.to_owned(), Default::default());
            }
            if let Some((count, sessions)) = found.matched.get_mut(hook) {
                *count += 1;
                sessions.insert(session);
            }
        });
        if past.is_elsewhere {
            found.elsewhere += 1;
            if self.baseline.is_none() {
                return;
            }
        }
        found.asked += 1;
        let text = text_of(&event.view());
        let known = std::mem::take(&mut past.known);
        let before = match &self.baseline {
            Some(baseline) => {
                let same = OwnedEvent::from_json(event.name(), event.to_json());
                let mut same = same.expect("an event of the past is one again");
                let said = ask(baseline, cx, &mut same, known.clone()).await;
                found.outdated += u64::from(said.outcome != past.outcome);
                (said.outcome, said.hook)
            }
            None => (past.outcome, past.hook.unwrap_or_default()),
        };
        let said = ask(&self.runtime, cx, &mut event, known).await;
        for step in &said.steps {
            let counts = match step.outcome {
                RecordOutcome::Skipped => found.left_out.entry(step.hook.clone()).or_default(),
                RecordOutcome::Fault => found.failed.entry(step.hook.clone()).or_default(),
                _ => continue,
            };
            *counts += 1;
        }
        let now = said.outcome;
        found.decisions.entry(before.0.as_str()).or_default().0 += 1;
        found.decisions.entry(now.as_str()).or_default().1 += 1;
        if self.suggests && event.name() == "BeforeToolCall" {
            found.blocked.saw(cx);
            let is_policy = said.hook == "SecurityPolicy";
            if past.fate == Fate::Ran && now == RecordOutcome::Block && is_policy {
                found.blocked.add(cx, &event.view());
            }
        }
        if now == before.0 {
            return;
        }
        let hook = Some(said.hook).filter(|hook| !hook.is_empty());
        let key = (hook.unwrap_or(before.1), before.0.as_str(), now.as_str());
        let (count, examples) = found.groups.entry(key).or_default();
        *count += 1;
        if examples.len() < self.examples {
            examples.push(Example {
                at: past.at,
                event: event.name().to_owned(),
                subject: event.subject().map(str::to_owned),
                text,
                session_id: past.cx.session_id,
                number: past.number,
                reason: said.reason,
            });
        }
    }
}

/// Hands out the events in these files, and in the files `*.jsonl` and `*.json` in these folders and below, and returns what
/// cannot be read of them, with its place.
///
/// # Errors
///
/// If a file or a folder that is named cannot be read.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let folder = tempfile::tempdir()?;
/// let mut events = Vec::new();
/// hooks_runtime::past_events(&[folder.path().to_owned()], |cx, event| events.push((cx, event)))?;
/// assert!(events.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn past_events(
    paths: &[PathBuf],
    mut each: impl FnMut(AgentContext, OwnedEvent),
) -> io::Result<Vec<String>> {
    let mut unread = Vec::new();
    past::read(&past::files(paths)?, &mut |job| {
        let mut each = |past: Past| each(past.cx, past.event);
        job.each(&mut each, &mut |why| unread.push(why));
        true
    })?;
    Ok(unread)
}

/// Loads hooks that change nothing, and that this thread listens to.
async fn dry(builder: RuntimeBuilder) -> Result<Runtime, ConfigError> {
    let dry_run = DryRun::new().running_harmless().answering(known);
    builder.dry_run(dry_run).recorder(Listening).build().await
}

/// Asks hooks about an event, of which it is known what handlers said in the past.
async fn ask(
    hooks: &Runtime,
    cx: &AgentContext,
    event: &mut OwnedEvent,
    known: Vec<RecordStep>,
) -> Record {
    ASKED.set(ReplayQuestion { known, said: None });
    let _ = hooks.dispatch(cx, event.as_mut()).await;
    let said = ASKED.with_borrow_mut(|asked| asked.said.take());
    said.unwrap_or_else(|| Record::new("", event.name()))
}

/// Jobs that wait for a thread.
type Jobs<J> = Mutex<Receiver<J>>;

/// Hands out jobs to all cores, and returns what each of them has found. `read` gets a function that waits until a core takes
/// a job, and says whether there still is one.
///
/// # Errors
///
/// What `read` or one of the cores returns.
fn spread<J: Send, T: Send>(
    read: impl FnOnce(&mut dyn FnMut(J) -> bool) -> io::Result<()>,
    work: impl Fn(&Jobs<J>) -> io::Result<T> + Sync,
) -> io::Result<Vec<T>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (sender, receiver) = sync_channel(WAITING);
    let jobs = Arc::new(Mutex::new(receiver));
    thread::scope(|scope| {
        let work = &work;
        let start = || {
            let jobs = Arc::clone(&jobs);
            scope.spawn(move || work(&jobs))
        };
        let workers: Vec<_> = (0..threads).map(|_| start()).collect();
        // If all workers end, no worker takes jobs: only they may hold the other end of the channel.
        drop(jobs);
        let read = read(&mut |job| sender.send(job).is_ok());
        drop(sender);
        let found = workers.into_iter().map(|worker| {
            let found = worker.join();
            found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let found = found.collect::<io::Result<_>>()?;
        read.map(|()| found)
    })
}

/// Returns what a handler said about the event that this thread asks about.
fn known(hook: &str, _: &AgentContext, _: &AgentEvent<'_>) -> Option<RecordStep> {
    ASKED.with_borrow(|asked| asked.known.iter().find(|one| one.hook == hook).cloned())
}

/// The longest text of an example, in characters.
const LONGEST: usize = 120;

/// Returns the arguments of a call, or the text of another event, cut.
fn text_of(event: &AgentEvent<'_>) -> String {
    let fields = match event {
        AgentEvent::BeforeToolCall(call) => return cut(&call.args.to_string()),
        event => serde_json::to_value(event).unwrap_or_default(),
    };
    let texts = ["content", "prompt", "response"];
    let text = texts.iter().find_map(|key| fields[*key].as_str());
    match &fields["args"] {
        serde_json::Value::Null => cut(text.unwrap_or_default()),
        args => cut(&args.to_string()),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether a file may hold events of the past, by its name.
fn is_meant(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end == "jsonl" || end == "json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_that_end_hold_nobody_up() {
        let hand_out = |hand_out: &mut dyn FnMut(usize) -> bool| {
            (0..WAITING * 4).all(hand_out);
            Ok(())
        };
        let failed = spread(hand_out, |_| {
            io::Result::<()>::Err(io::Error::other("no executor"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no executor");
        let sums = spread(hand_out, |jobs: &Jobs<usize>| {
            let next = || jobs.lock().unwrap().recv().ok();
            Ok(std::iter::from_fn(next).sum::<usize>())
        });
        let sum: usize = sums.unwrap().iter().sum();
        assert_eq!(sum, (0..WAITING * 4).sum::<usize>());
    }
}
