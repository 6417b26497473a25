//! What an agent's settings need, so that the agent calls `hooks run`: written by `hooks init`, compared by `hooks doctor`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks_builtin::Profile;
use serde_json::{Map, Value, json};

use super::table::{EventCondition, EventListing, EventSubject, SystemEvent, at};
use super::{Dialect, Registered};

/// How an agent's settings look, and what a first file of hooks for the agent has: a part of the agent's table.
///
/// ```
/// use hooks_runtime::Dialect;
///
/// let init = Dialect::Codex.init().expect("`hooks init --agent codex`");
/// assert!(init.path("shop".as_ref()).ends_with("shop/.codex/hooks.json"));
/// assert!(init.note.contains("/hooks"));
/// ```
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Init {
    /// The settings, below the project or the user's folder.
    file: PathBuf,
    #[serde(default)]
    home: bool,
    /// Files of other agents that the agent reads as well, below the project: what is registered in both runs twice.
    #[serde(default)]
    pub also: Vec<PathBuf>,
    /// Whether the file has nothing else.
    #[serde(default)]
    whole: bool,
    /// What turns all hooks off in the settings: a path, and its value.
    #[serde(default)]
    off: Map<String, Value>,
    /// What the settings have beside the entries.
    #[serde(default)]
    root: Map<String, Value>,
    /// Where the list of an event is.
    #[serde(default = "usual_place")]
    at: String,
    /// What an event gets. Without it, the agent names no events.
    #[serde(default)]
    entry: Option<Value>,
    /// What is around the entry of an event that has a matcher.
    #[serde(default)]
    group: Option<Value>,
    /// What the entry of a gate has, too.
    #[serde(default)]
    closed: Value,
    /// Whether the command names the event.
    #[serde(default)]
    event: bool,
    /// The text of the file, if it is a program of the agent's.
    #[serde(default)]
    script: Option<String>,
    /// The agents whose tools the policy must know.
    pub profiles: Vec<Profile>,
    /// Names of tools that are in none of these.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The tools that run commands.
    #[serde(default = "shell")]
    pub shells: Vec<String>,
    /// Why commands run as they are written, without a sandbox; none if the agent takes another command than it asks about.
    #[serde(skip)]
    pub as_written: Option<String>,
    /// More tables of the built-in policy, as TOML.
    #[serde(default)]
    pub policy: String,
    /// What the built-in hook `redact` does there.
    #[serde(default = "nothing")]
    pub redacts: String,
    /// What is left to do for the user; empty if nothing is.
    #[serde(default)]
    pub note: String,
}

fn usual_place() -> String {
    "hooks.$event".to_owned()
}

fn shell() -> Vec<String> {
    vec!["shell".to_owned()]
}

fn nothing() -> String {
    "changes nothing here: the agent lets no hook change a text".to_owned()
}

/// How an agent is to call `hooks run`.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The program `hooks`.
    pub program: PathBuf,
    /// The file of hooks.
    pub file: PathBuf,
    /// The agent's events for which the file has hooks, and how long these may take: what
    /// [`Runtime::needed`](crate::Runtime::needed) returns.
    pub needs: BTreeMap<String, Duration>,
}

/// What the settings get.
#[derive(Clone, Debug, PartialEq)]
pub enum Settings {
    /// Keys and entries in a file that has others, too.
    Merged(Value),
    /// A file that has nothing else.
    Whole(String),
}

impl Dialect {
    /// Returns what is known about the agent's settings; nothing if `hooks init` does not write them.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// assert_eq!(Dialect::Claude.init().expect("known").shells, ["Bash"]);
    /// assert!(Dialect::Goclaw.init().is_none());
    /// ```
    #[must_use]
    pub fn init(self) -> Option<&'static Init> {
        self.system().init.as_ref()
    }
}

impl Init {
    /// Whether the settings are a program of the agent's, which has our command in it.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// assert!(Dialect::Opencode.init().is_some_and(|init| init.is_script()));
    /// ```
    #[must_use]
    pub fn is_script(&self) -> bool {
        self.script.is_some()
    }

    /// Returns the keys of the settings that turn all hooks of the agent off.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// let init = Dialect::Claude.init().expect("known");
    /// let settings = serde_json::json!({ "disableAllHooks": true });
    /// assert_eq!(init.turned_off(&settings).collect::<Vec<_>>(), ["disableAllHooks"]);
    /// ```
    pub fn turned_off<'s>(&'s self, settings: &'s Value) -> impl Iterator<Item = &'s str> {
        let off = self.off.iter();
        let off = off.filter(|(path, value)| at(settings, path) == Some(value));
        off.map(|(path, _)| path.as_str())
    }

    /// Returns the agent's settings for a project.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// let init = Dialect::Cursor.init().expect("known");
    /// assert_eq!(init.path("shop".as_ref()), std::path::Path::new("shop/.cursor/hooks.json"));
    /// ```
    #[must_use]
    pub fn path(&self, project: &Path) -> PathBuf {
        if self.home {
            std::env::home_dir().unwrap_or_default().join(&self.file)
        } else {
            project.join(&self.file)
        }
    }

    /// The key under which all entries are; none if they are at the root.
    pub(super) fn first_key(&self) -> Option<&str> {
        // What keeps a process has no entries.
        let first = self.at.split('.').next().filter(|_| self.entry.is_some());
        first.filter(|key| *key != "$event")
    }

    /// Returns the first key that means nothing, and why.
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let has_group = |value: &Value| value.to_string().contains("\"$entry\"");
        let lines = [Some(&self.redacts), Some(&self.note)];
        let is_line = |text: &&String| !text.contains(char::is_control);
        for (key, is_right, message) in [
            (
                "entry",
                !self.keys_of("$command").is_empty(),
                "an entry has a key with the value `$command`",
            ),
            (
                "group",
                self.group.as_ref().is_none_or(has_group),
                "a group has the value `$entry`",
            ),
            (
                "closed",
                self.closed.is_null() || self.closed.is_object(),
                "the value has keys of an entry",
            ),
            (
                "at",
                self.at.split('.').all(|key| !key.is_empty()),
                "the value is a path of keys",
            ),
            (
                "redacts",
                lines.into_iter().flatten().all(|text| is_line(&text)),
                "a text is one line",
            ),
            (
                "shells",
                !self.shells.is_empty(),
                "name a tool that runs commands",
            ),
            (
                "policy",
                toml::from_str::<toml::Table>(&self.policy).is_ok(),
                "the text is not TOML",
            ),
        ] {
            if !is_right {
                return Err((key, message));
            }
        }
        Ok(())
    }

    /// The keys of an entry that have this word, such as `$command`.
    pub(super) fn keys_of(&self, word: &str) -> Vec<&str> {
        fn keys<'e>(value: &'e Value, word: &str, all: &mut Vec<&'e str>) {
            match value {
                Value::Array(values) => values.iter().for_each(|value| keys(value, word, all)),
                Value::Object(object) => {
                    for (key, value) in object {
                        if value == word {
                            all.push(key);
                        }
                        keys(value, word, all);
                    }
                }
                _ => {}
            }
        }
        let mut all = Vec::new();
        self.entry
            .iter()
            .for_each(|entry| keys(entry, word, &mut all));
        all
    }
}

impl Registration {
    /// Returns the command that the agent runs.
    ///
    /// ```
    /// use hooks_runtime::{Dialect, Registration};
    ///
    /// let call = Registration { program: "/bin/hooks".into(), file: "/my shop/hooks.toml".into(), needs: Default::default() };
    /// assert_eq!(call.command(Dialect::Claude), "/bin/hooks run '/my shop/hooks.toml' --as claude");
    /// ```
    #[must_use]
    pub fn command(&self, agent: Dialect) -> String {
        self.command_on(agent, None)
    }

    fn command_on(&self, agent: Dialect, event: Option<&str>) -> String {
        let (program, mark) = (quoted(&self.program), self.mark(agent));
        match event {
            Some(event) => format!("{program} run --event {}{mark}", quoted(Path::new(event))),
            None => format!("{program} run{mark}"),
        }
    }

    /// Returns the end of each command for the agent, by which a text with one is known: an older command may name the
    /// program by another path.
    ///
    /// ```
    /// use hooks_runtime::{Dialect, Registration};
    ///
    /// let call = Registration { program: "/a run b/hooks".into(), file: "hooks.toml".into(), needs: Default::default() };
    /// assert_eq!(call.mark(Dialect::Claude), " hooks.toml --as claude");
    /// ```
    #[must_use]
    pub fn mark(&self, agent: Dialect) -> String {
        format!(" {} --as {agent}", quoted(&self.file))
    }

    /// How long the agent waits for the hooks on an event, in seconds: a moment longer than they may take.
    fn seconds(&self, event: &str) -> u64 {
        let needed = self.needs.get(event).copied().unwrap_or_default();
        (needed.as_secs() + 5 + u64::from(needed.subsec_nanos() > 0)).max(30)
    }

    /// Returns the agent's events that are registered, by their names: those that most files have hooks for, and those of
    /// this file.
    fn events(&self, agent: Dialect) -> Vec<(&str, &'static SystemEvent)> {
        let system = agent.system();
        let all = system.events().iter().filter(|event| event.calls);
        let always = all.filter(|event| event.listing != EventListing::IfNeeded);
        let mut events: Vec<_> = always.map(|event| (&*event.named, event)).collect();
        // Two events of one kind would run a hook twice.
        let known: Vec<_> = events.iter().map(|(_, event)| kind(event)).collect();
        for name in self.needs.keys() {
            // An event that is none of ours has no row.
            let event = system.named(name);
            if !event.is_some_and(|event| known.contains(&kind(event))) {
                events.push((name, event.unwrap_or(&system.other)));
            }
        }
        events
    }

    /// Returns the agent's events that have to be registered, and that are not: those for which the file has hooks, and those
    /// for our events that built-in hooks run on.
    ///
    /// ```
    /// use hooks_runtime::{Dialect, Registration};
    ///
    /// let call = Registration { program: "hooks".into(), file: "hooks.toml".into(), needs: Default::default() };
    /// let built_in = ["BeforeToolCall".to_owned()].into();
    /// assert_eq!(call.missing(Dialect::Claude, &[], &built_in), ["PreToolUse"]);
    /// ```
    #[must_use]
    pub fn missing(
        &self,
        agent: Dialect,
        registered: &[Registered],
        built_in: &BTreeSet<String>,
    ) -> Vec<String> {
        let system = agent.system();
        let has = |named: &str, event: &SystemEvent| {
            let mut ours = registered
                .iter()
                .filter(|one| one.call.is_some())
                .filter_map(|one| one.event.as_deref());
            ours.any(|other| {
                other == named
                    || system
                        .called(other)
                        .is_some_and(|other| kind(other) == kind(event))
            })
        };
        let wanted = self.events(agent).into_iter().filter(|(named, event)| {
            self.needs.contains_key(*named) || built_in.contains(event.ours)
        });
        wanted
            .filter(|(named, event)| !has(named, event))
            .map(|(named, _)| named.to_owned())
            .collect()
    }

    /// Returns what the agent's settings get; nothing if `hooks init` does not write them.
    ///
    /// ```
    /// use hooks_runtime::{Dialect, Registration, Settings};
    ///
    /// let call = Registration { program: "hooks".into(), file: "hooks.toml".into(), needs: Default::default() };
    /// let Some(Settings::Merged(settings)) = call.settings(Dialect::Cursor) else { panic!("keys for `.cursor/hooks.json`") };
    /// assert_eq!(settings["hooks"]["beforeShellExecution"][0]["command"], "hooks run hooks.toml --as cursor");
    /// ```
    #[must_use]
    pub fn settings(&self, agent: Dialect) -> Option<Settings> {
        let init = agent.init()?;
        if let Some(script) = &init.script {
            let words = json!([self.program, "run", self.file, "--as", agent]);
            let text = script.replace("\"COMMAND LINE\"", &self.command(agent));
            return Some(Settings::Whole(
                text.replace("[\"COMMAND\"]", &words.to_string()),
            ));
        }
        let fill = |name: &str| match name {
            "$program" => Some(json!(self.program)),
            "$file" => Some(json!(self.file)),
            _ => None,
        };
        let mut settings = filled(&init.root.clone().into(), &fill);
        for (named, event) in init.entry.iter().flat_map(|_| self.events(agent)) {
            let keys = init.at.split('.');
            let keys = keys.map(|key| if key == "$event" { named } else { key });
            let list = keys.fold(&mut settings, |at, key| {
                if !at.is_object() {
                    *at = json!({});
                }
                &mut at[key]
            });
            match list {
                Value::Array(list) => list.push(self.entry(init, agent, named, event)),
                other => *other = json!([self.entry(init, agent, named, event)]),
            }
        }
        Some(if init.whole {
            Settings::Whole(format!("{settings:#}\n"))
        } else {
            Settings::Merged(settings)
        })
    }

    /// The entry of an event.
    fn entry(&self, init: &Init, agent: Dialect, named: &str, event: &SystemEvent) -> Value {
        let seconds = self.seconds(named);
        let fill = |name: &str| match name {
            "$command" => Some(self.command_on(agent, init.event.then_some(named)).into()),
            "$event" => Some(named.into()),
            // Such a number is in milliseconds from 1000 on.
            "$seconds" if agent.system().files.timeout.is_odd_as_seconds(seconds) => {
                Some((1000 * seconds).into())
            }
            "$seconds" => Some(seconds.into()),
            "$millis" => Some((1000 * seconds).into()),
            text => text
                .contains("$event")
                .then(|| text.replace("$event", named).into()),
        };
        let mut entry = filled(init.entry.as_ref().unwrap_or(&Value::Null), &fill);
        if event.listing == EventListing::Closed {
            lay(&mut entry, &init.closed);
        }
        if let Some(group) = init
            .group
            .as_ref()
            .filter(|_| event.subject != EventSubject::None)
        {
            entry = filled(group, &|name| (name == "$entry").then(|| entry.clone()));
        }
        lay(&mut entry, &event.init);
        entry
    }
}

/// What an event is about, for which one registration is enough: one for some tools is as one for all.
fn kind(event: &SystemEvent) -> (&str, EventCondition) {
    match event.when {
        when @ (EventCondition::Failed | EventCondition::Nested) => (event.ours, when),
        _ => (event.ours, EventCondition::Always),
    }
}

/// A template with what its words that begin with `$` mean.
fn filled(template: &Value, with: &dyn Fn(&str) -> Option<Value>) -> Value {
    match template {
        Value::String(text) => with(text).unwrap_or_else(|| template.clone()),
        Value::Object(keys) => {
            let keys = keys
                .iter()
                .map(|(key, value)| (key.clone(), filled(value, with)));
            keys.collect::<Map<_, _>>().into()
        }
        Value::Array(values) => values.iter().map(|value| filled(value, with)).collect(),
        other => other.clone(),
    }
}

/// Adds what a pattern has to a value: to keys by their names, to the items of a list by their places.
fn lay(on: &mut Value, pattern: &Value) {
    match (on, pattern) {
        (Value::Object(keys), Value::Object(pattern)) => {
            for (key, value) in pattern {
                lay(keys.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(items), Value::Array(pattern)) => {
            for (item, value) in items.iter_mut().zip(pattern) {
                lay(item, value);
            }
        }
        (_, Value::Null) => {}
        (on, value) => *on = value.clone(),
    }
}

/// Quotes a path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    // No path has the one character that cannot be quoted.
    shlex::try_quote(&text).unwrap_or_default().into_owned()
}
