//! What an agent's settings have registered: commands, the events that start them, and how long the agent waits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use super::Dialect;
use super::table::{FileOwner, Means};

/// A call of this program as an agent's hook, whatever else is in it: what [`Registration`](super::Registration) writes, or
/// a person after it.
///
/// ```
/// use hooks_runtime::HooksCall;
///
/// let call = HooksCall::parse("'/my tools/hooks' run hooks.toml --as claude --records r.jsonl").expect("ours");
/// assert_eq!((&*call.agent, call.file.as_deref()), ("claude", Some("hooks.toml".as_ref())));
/// assert_eq!(HooksCall::parse("./hooks/check.sh run --as me"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HooksCall {
    /// The program, as it is written.
    pub program: PathBuf,
    /// The file of hooks; none if the program looks for it.
    pub file: Option<PathBuf>,
    /// The agent that calls: the word after `--as`.
    pub agent: String,
    /// The event, if the command names it.
    pub event: Option<String>,
}

impl HooksCall {
    /// Understands a command as a shell does.
    #[must_use]
    pub fn parse(command: &str) -> Option<Self> {
        let words = shlex::split(command)?;
        let is_set = |word: &&str| {
            let name = word.split_once('=').map(|(name, _)| name);
            name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        };
        Self::of_words(words.iter().map(String::as_str).skip_while(is_set))
    }

    /// Understands the words of a command.
    ///
    /// ```
    /// use hooks_runtime::HooksCall;
    ///
    /// let call = HooksCall::of_words(["hooks", "serve", "--stdio", "hooks.toml"]).expect("ours");
    /// assert_eq!(call.agent, "picoclaw");
    /// ```
    #[must_use]
    pub fn of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<Self> {
        let mut words = words.into_iter();
        let program = PathBuf::from(words.next()?);
        let is_named = program.file_stem().is_some_and(|name| name == "hooks");
        if !is_named && std::env::current_exe().ok().as_ref() != Some(&program) {
            return None;
        }
        let is_process = match words.find(|word| !word.starts_with('-'))? {
            "run" => false,
            "serve" => true,
            _ => return None,
        };
        let (mut file, mut agent, mut event) = (None, None, None);
        let mut speaks = false;
        while let Some(word) = words.next() {
            let (option, mut value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word, None),
            };
            match option {
                "--stdio" => speaks = true,
                "--as" | "--event" | "--records" | "--from" | "--edition" => {
                    value = value.or_else(|| words.next());
                    match option {
                        "--as" => agent = value,
                        "--event" => event = value,
                        _ => {}
                    }
                }
                _ if option.starts_with('-') => {}
                _ => file = file.or(Some(word)),
            }
        }
        // The one agent that keeps a process.
        let agent = if is_process {
            speaks.then_some("picoclaw")
        } else {
            agent
        }?;
        Some(HooksCall {
            program,
            file: file.map(PathBuf::from),
            agent: agent.to_owned(),
            event: event.map(str::to_owned),
        })
    }
}

/// A command in an agent's settings: what [`Dialect::registered`] returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Registered {
    /// The command, as it is written.
    pub command: String,
    /// The call of ours that it is, if it is one.
    pub call: Option<HooksCall>,
    /// The agent's event.
    pub event: Option<String>,
    /// The matcher of its group, if that has one.
    pub matcher: Option<String>,
    /// How long the agent waits for it; none if the settings do not say it, and the agent's own time is not known.
    pub timeout: Option<Duration>,
}

/// What is known on the way to a command.
#[derive(Clone, Copy, Default)]
struct Around<'v> {
    event: Option<&'v str>,
    matcher: Option<&'v str>,
    timeout: Option<Duration>,
}

impl Dialect {
    /// Returns the files in which the agent finds its hooks in a project: those of the project, and those of the user.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// let files = Dialect::Claude.settings_files("shop".as_ref());
    /// assert!(files.iter().any(|file| file.ends_with("shop/.claude/settings.local.json")));
    /// ```
    #[must_use]
    pub fn settings_files(self, project: &Path) -> Vec<PathBuf> {
        let system = self.system();
        let first = system.init.as_ref().map(|init| init.path(project));
        let home = std::env::home_dir();
        let found = system
            .files
            .found()
            .filter_map(|(whose, name)| match whose {
                FileOwner::Project => Some(project.join(name)),
                FileOwner::User => Some(home.as_deref()?.join(name)),
                FileOwner::Managed => None,
            });
        let mut files: Vec<PathBuf> = Vec::new();
        let mut known = Vec::new();
        for file in first.into_iter().chain(found) {
            // A link to a file is that file.
            let real = file.canonicalize().unwrap_or_else(|_| file.clone());
            if !known.contains(&real) {
                known.push(real);
                files.push(file);
            }
        }
        files
    }

    /// Returns a command of the agent's settings with the folder of the project in it, for every variable by which the agent
    /// names that; nothing if it has other variables.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// let of = |command| Dialect::Claude.filled(command, "/shop".as_ref());
    /// assert_eq!(of("\"$CLAUDE_PROJECT_DIR\"/check.sh").as_deref(), Some("\"/shop\"/check.sh"));
    /// assert_eq!(of("$TOOLS/check.sh"), None);
    /// ```
    #[must_use]
    pub fn filled(self, command: &str, project: &Path) -> Option<String> {
        let variables = self.system().call.iter().flat_map(|call| &call.project);
        let project = project.to_string_lossy();
        let home = std::env::home_dir().unwrap_or_default();
        let home = home.to_string_lossy();
        let named = variables
            .map(|name| (name.as_str(), &*project))
            .chain([("HOME", &*home)]);
        let mut text = command.to_owned();
        for (name, value) in named {
            text = text.replace(&format!("${{{name}}}"), value);
            text = replaced(&text, &format!("${name}"), value);
        }
        // A shell does not split what it makes of a tilde.
        if !home.contains(' ') {
            text = format!(" {text}").replace(" ~/", &format!(" {home}/"));
            text.remove(0);
        }
        if text.starts_with('~') || text.contains(" ~") {
            return None;
        }
        (!text.contains(['$', '`'])).then_some(text)
    }

    /// Returns the commands in the agent's settings.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// let settings = r#"{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "./done.sh", "timeout": 5 }] }] } }"#;
    /// let all = Dialect::Claude.registered(&serde_json::from_str(settings)?);
    /// assert_eq!((&*all[0].command, all[0].event.as_deref()), ("./done.sh", Some("Stop")));
    /// assert_eq!(all[0].timeout.map(|time| time.as_secs()), Some(5));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn registered(self, settings: &Value) -> Vec<Registered> {
        let init = self.system().init.as_ref();
        let at = init.and_then(|init| init.first_key());
        // Hooks anywhere else are not the agent's.
        let hooks = match at {
            Some(key) => settings.get(key).unwrap_or(&Value::Null),
            None => settings,
        };
        let mut all = Vec::new();
        self.collect(hooks, Around::default(), &mut all);
        all
    }

    /// Returns the folder in which the agent runs the commands of a file.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// let of = |agent: Dialect, file: &str| agent.runs_in(file.as_ref(), "/shop".as_ref());
    /// assert_eq!(of(Dialect::Claude, "/shop/.claude/settings.json"), std::path::Path::new("/shop"));
    /// assert_eq!(of(Dialect::Antigravity, "/shop/.agents/hooks.json"), std::path::Path::new("/shop/.agents"));
    /// ```
    #[must_use]
    pub fn runs_in(self, file: &Path, project: &Path) -> PathBuf {
        let files = &self.system().files;
        let is_users = files.user_runs_at_file && !file.starts_with(project);
        let folder = file.parent().filter(|_| files.runs_at_file || is_users);
        folder.unwrap_or(project).to_owned()
    }

    /// Whether a command refuses by this exit code, whatever the event is.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// assert!(Dialect::Claude.refuses_by(2) && !Dialect::Claude.refuses_by(1));
    /// ```
    #[must_use]
    pub fn refuses_by(self, exit_code: u8) -> bool {
        let exits = &self.system().hooks.exit;
        let means = exits.get(&exit_code.to_string());
        means.or_else(|| exits.get("other")) == Some(&Means::Refuse)
    }

    fn collect<'v>(self, value: &'v Value, around: Around<'v>, all: &mut Vec<Registered>) {
        match value {
            Value::Array(values) => values
                .iter()
                .for_each(|value| self.collect(value, around, all)),
            Value::Object(keys) => self.object(keys, around, all),
            _ => {}
        }
    }

    fn object<'v>(
        self,
        keys: &'v Map<String, Value>,
        mut around: Around<'v>,
        all: &mut Vec<Registered>,
    ) {
        let system = self.system();
        let is_event = |name: &str| {
            system.named(name).is_some() || system.never.iter().any(|never| never == name)
        };
        let timeouts = &system.files.timeout;
        let keys_of = |word| system.init.iter().flat_map(move |init| init.keys_of(word));
        let time = |number: f64, unit: Duration| unit.mul_f64(number.clamp(0.0, 1e9));
        let number = |key: &str| keys.get(key)?.as_f64();
        let by_template = |word, unit| Some(time(keys_of(word).find_map(number)?, unit));
        let mut by_table = timeouts.keys.iter().filter_map(|key| number(key));
        let by_table = by_table
            .next()
            .map(|number| time(number, timeouts.unit(number)));
        around.timeout = by_table
            .or_else(|| by_template("$millis", Duration::from_millis(1)))
            .or_else(|| by_template("$seconds", Duration::from_secs(1)))
            .or(around.timeout);
        let mut named = keys_of("$event").filter_map(|key| keys.get(key)?.as_str());
        around.event = named.find(|name| is_event(name)).or(around.event);
        around.matcher = keys
            .get("matcher")
            .and_then(Value::as_str)
            .or(around.matcher);
        let mut commands = system.files.commands().chain(keys_of("$command"));
        let of_words = |words: Vec<&str>| {
            let command = shlex::try_join(words.iter().copied()).ok()?;
            Some((command, HooksCall::of_words(words)))
        };
        let texts = |values: &'v Vec<Value>| values.iter().filter_map(Value::as_str);
        let args = keys.get("args").and_then(Value::as_array);
        let command = commands.find_map(|key| match (keys.get(key)?, args) {
            (Value::String(program), Some(args)) => of_words(
                std::iter::once(program.as_str())
                    .chain(texts(args))
                    .collect(),
            ),
            (Value::String(text), None) => Some((text.clone(), HooksCall::parse(text))),
            (Value::Array(words), _) => of_words(texts(words).collect()),
            _ => None,
        });
        // Other settings have commands, too, such as that of a server.
        let is_hook =
            |(_, call): &(String, Option<HooksCall>)| around.event.is_some() || call.is_some();
        if let Some((command, mut call)) = command.filter(is_hook) {
            // A hook of another type, or without one, does not run a command.
            let needs_type = keys_of("command").any(|key| key == "type");
            if needs_type && keys.get("type").is_none_or(|kind| kind != "command") {
                call = None;
            }
            let usual = system
                .runs_hooks()
                .then(|| Duration::from_secs_f64(timeouts.default));
            let named = call.as_ref().and_then(|call| call.event.as_deref());
            let event = around.event.or(named);
            all.push(Registered {
                event: event.map(str::to_owned),
                matcher: around.matcher.map(str::to_owned),
                timeout: around.timeout.or(usual),
                command,
                call,
            });
        }
        for (key, value) in keys {
            let event = if is_event(key) {
                Some(key.as_str())
            } else {
                around.event
            };
            self.collect(value, Around { event, ..around }, all);
        }
    }
}

/// Replaces a variable, and not one whose name begins with it.
fn replaced(text: &str, variable: &str, value: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(variable) {
        let is_longer = after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        all.push_str(before);
        all.push_str(if is_longer { variable } else { value });
        rest = after;
    }
    all + rest
}
