//! The names of well-known tools in different systems, and those of their arguments.
//!
//! A file may mean a tool by any of its names. Where a hook's file uses another name than the agent, the hook reads that
//! name, and the arguments have the names that go with it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use hooks_builtin::__tools::{Same, arguments, arguments_of, names as tools_of, same};
use hooks_builtin::Profile;
use serde_json::{Map, Value};

use super::Dialect;
use super::table::Pairs;
use crate::answer::{Answer, Change};
use crate::events::EventInfo;

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Shell,
    Read,
    Edit,
    Web,
    Other,
}

impl Class {
    fn of(word: &str) -> Self {
        match word {
            "shell" => Class::Shell,
            "read" => Class::Read,
            "edit" => Class::Edit,
            "web" => Class::Web,
            _ => Class::Other,
        }
    }
}

/// The well-known tools, from the table of `hooks-builtin`.
static TOOLS: LazyLock<Vec<Same>> = LazyLock::new(|| same().collect());

/// Returns the dialect's name of each tool; an empty one if it has none.
fn named(dialect: Dialect) -> Vec<&'static str> {
    let profile = dialect.system().files.profile;
    let own: Vec<_> = profile.into_iter().flat_map(tools_of).collect();
    let tools = TOOLS.iter().map(|tool| {
        let [claude, codex, gemini, goose] = tool.names;
        match dialect {
            _ if profile.is_some() => {
                if let Some(own) = dialect.system().files.renamed.get(claude) {
                    return own.as_str();
                }
                let mut names = tool.names().filter(|name| own.contains(name));
                names.next().unwrap_or_default()
            }
            Dialect::Codex => codex,
            Dialect::Gemini => gemini,
            Dialect::Goose => goose,
            _ => claude,
        }
    });
    tools.collect()
}

/// Returns what a tool of any system does, if its name is well known.
pub(crate) fn class_of(name: &str) -> Option<Class> {
    let mut tools = TOOLS.iter();
    let tool = tools.find(|tool| tool.names().any(|known| known == name))?;
    Some(Class::of(tool.class))
}

/// The names that agents of the user's own give to tools, each after a name by which files mean the tool.
pub(crate) fn of_own(agents: &[Dialect]) -> Vec<(String, String)> {
    let tables = agents.iter().flat_map(|agent| &agent.system().tools.0);
    let named = tables.flat_map(|(tool, others)| {
        let known = TOOLS
            .iter()
            .find(|known| known.names().any(|name| name == tool));
        let names: Vec<&str> = match known {
            Some(known) => known.names().collect(),
            None => vec![tool],
        };
        let pairs = names.into_iter().flat_map(move |name| {
            others
                .iter()
                .map(move |other| (name.to_owned(), other.clone()))
        });
        pairs.collect::<Vec<_>>()
    });
    named.collect()
}

/// Every name that a tool may have in the matchers of a system; none if not all of its tools are known.
pub(crate) fn known(dialect: Dialect) -> Vec<&'static str> {
    let system = dialect.system();
    let Some(init) = &system.init else {
        return Vec::new();
    };
    let claudes = system.files.claudes_tools.then_some(Profile::ClaudeCode);
    let profiles = init.profiles.iter().copied().chain(claudes);
    let mut known: Vec<&str> = profiles.flat_map(tools_of).collect();
    known.extend(init.tools.iter().map(String::as_str));
    for (name, others) in &system.tools.0 {
        known.push(name);
        known.extend(others.iter().map(String::as_str));
    }
    known
}

/// The names by which a file may mean a tool, for each name that an agent may give it.
#[derive(Clone, Debug)]
pub(crate) struct Aliases {
    theirs: Arc<HashMap<String, Vec<String>>>,
    /// The names that the file's agent itself has for one tool.
    same: &'static Pairs<Vec<String>>,
    /// Whether hooks read the file's name of a tool even if the file does not name tools.
    renames: bool,
    /// Whether hooks read that name even if the file asks for another one.
    is_fixed: bool,
    /// The agent whose names of arguments hooks read.
    pub(crate) agent: Option<Profile>,
}

impl Default for Aliases {
    fn default() -> Self {
        Aliases {
            theirs: Arc::default(),
            same: const { &Pairs(Vec::new()) },
            renames: false,
            is_fixed: false,
            agent: None,
        }
    }
}

impl Aliases {
    /// Returns the dialect's names for well-known tools. In our own files, a tool has all of its names.
    pub(crate) fn of(dialect: Dialect) -> Self {
        let has_table = matches!(
            dialect,
            Dialect::Hooks | Dialect::Claude | Dialect::Codex | Dialect::Gemini | Dialect::Goose
        );
        if !has_table && dialect.system().files.profile.is_none() {
            return Aliases::default();
        }
        let of = dialect
            .system()
            .aliases
            .get_or_init(|| Aliases::made(dialect));
        of.clone()
    }

    fn made(dialect: Dialect) -> Self {
        let is_ours = dialect == Dialect::Hooks;
        let takes_claudes = dialect.system().files.claudes_tools;
        let own = named(dialect);
        let mut theirs: HashMap<String, Vec<String>> = HashMap::new();
        for (tool, own_name) in TOOLS.iter().zip(&own) {
            let meant: Vec<_> = if is_ours {
                tool.names().collect()
            } else {
                let claudes = takes_claudes.then_some(tool.names[0]);
                let all = [*own_name].into_iter().chain(claudes);
                all.filter(|name| !name.is_empty()).collect()
            };
            for known in tool.names() {
                // A name that the dialect uses for another tool means that tool.
                let is_another = known != *own_name || !takes_claudes;
                if !is_ours && is_another && own.contains(&known) {
                    continue;
                }
                let names = theirs.entry(known.to_owned()).or_default();
                for name in meant.iter().filter(|name| **name != known || takes_claudes) {
                    if !names.iter().any(|other| other == name) {
                        names.push((*name).to_owned());
                    }
                }
            }
        }
        Aliases {
            theirs: Arc::new(theirs),
            same: &dialect.system().tools,
            renames: !is_ours,
            is_fixed: takes_claudes,
            agent: dialect.system().files.profile,
        }
    }

    /// Returns them with the names that a file sets, which count alone: each with this agent's.
    pub(crate) fn with(self, own: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut set: HashMap<String, Vec<String>> = HashMap::new();
        for (theirs, ours) in own {
            set.entry(ours).or_default().push(theirs);
        }
        if set.is_empty() {
            return self;
        }
        let mut theirs = Arc::unwrap_or_clone(self.theirs);
        theirs.extend(set);
        Aliases {
            theirs: Arc::new(theirs),
            ..self
        }
    }

    /// Returns the other names by which the file may mean an agent's tool.
    pub(crate) fn of_tool<'a>(&'a self, ours: &'a str) -> impl Iterator<Item = &'a String> {
        let same =
            self.same.0.iter().filter(move |(tool, others)| {
                tool == ours || others.iter().any(|other| other == ours)
            });
        let same = same.flat_map(|(tool, others)| std::iter::once(tool).chain(others));
        self.names(ours).iter().chain(same)
    }

    fn names(&self, ours: &str) -> &[String] {
        self.theirs.get(ours).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the name of a tool in the terms of a file: one that its matcher asks for, if it has one.
    pub(crate) fn theirs<'a>(
        &'a self,
        ours: &'a str,
        asks_for: Option<impl Fn(&str) -> bool>,
    ) -> &'a str {
        if self.is_fixed {
            return self.names(ours).first().map_or(ours, String::as_str);
        }
        let is_asked_for = asks_for.as_ref().is_some_and(|asks_for| asks_for(ours));
        if is_asked_for || asks_for.is_none() && !self.renames {
            return ours;
        }
        let mut names = self.of_tool(ours);
        let asked_for = asks_for.and_then(|asks_for| names.find(|name| asks_for(name)));
        let first = || self.names(ours).first().filter(|_| self.renames);
        let name = asked_for.or_else(first);
        name.map_or(ours, String::as_str)
    }
}

/// Returns the text of a command, which may be a list: the script of a shell, or all words.
pub(crate) fn text_of(command: &Value) -> Option<Cow<'_, str>> {
    if let Some(text) = command.as_str() {
        return Some(text.into());
    }
    let words: Option<Vec<&str>> = command.as_array()?.iter().map(Value::as_str).collect();
    Some(match words?.as_slice() {
        [_, "-c" | "-lc" | "-cl", script] | [_, "-l", "-c", script] => (*script).into(),
        words => words.join(" ").into(),
    })
}

/// Returns two arguments of a call that mean the same, but differ: nobody knows which of them the tool reads.
pub(crate) fn ambiguous(args: &Value) -> Option<(&'static str, &'static str)> {
    // Every condition asks, and most calls have no two arguments that could mean the same.
    let args = args.as_object().filter(|args| args.len() > 1)?;
    let mut seen = 0;
    let is_again = |name: &String| {
        let meanings = meanings_of(name);
        let is_again = seen & meanings != 0;
        seen |= meanings;
        is_again
    };
    if !args.keys().any(is_again) {
        return None;
    }
    MEANINGS.iter().find_map(|meaning| {
        let mut given = meaning.iter().filter(|name| args.contains_key(**name));
        let first = given.next()?;
        let other = given.find(|other| args[**other] != args[*first])?;
        Some((*first, *other))
    })
}

/// Returns the other names of an argument.
pub(crate) fn other_names(argument: &str) -> &'static [&'static str] {
    let meaning = MEANINGS.iter().find(|names| names[0] == argument);
    meaning.map_or(&[], |names| &names[1..])
}

/// The names of arguments that mean the same.
static MEANINGS: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| arguments().collect());

/// Returns what an argument of this name may mean: a bit for each of [`MEANINGS`].
fn meanings_of(name: &str) -> u64 {
    /// By the length of the name: few have the same, and most of these begin otherwise.
    static BY_LENGTH: LazyLock<Vec<Vec<(&str, u64)>>> = LazyLock::new(|| {
        let mut all = Vec::<Vec<(&str, u64)>>::new();
        for (nth, names) in MEANINGS.iter().enumerate() {
            for name in names {
                all.resize(all.len().max(name.len() + 1), Vec::new());
                let of_length = &mut all[name.len()];
                match of_length.iter_mut().find(|(known, _)| known == name) {
                    Some((_, meanings)) => *meanings |= 1 << nth,
                    None => of_length.push((name, 1 << nth)),
                }
            }
        }
        all
    });
    let first = name.as_bytes().first();
    let mut known = BY_LENGTH.get(name.len()).into_iter().flatten();
    let found = known.find(|(known, _)| known.as_bytes().first() == first && *known == name);
    found.map_or(0, |(_, meanings)| *meanings)
}

/// The arguments of a call, with the names that go with another name of the tool.
#[derive(Clone, Debug)]
pub(crate) struct Renamed {
    /// The arguments, as the variable of conditions and templates.
    variable: [(&'static str, Value); 1],
    /// The file's name of each argument, and the agent's.
    names: Vec<(String, String)>,
}

impl Renamed {
    /// Returns the arguments for a tool of this name, of an agent or of any; none if they have these names already.
    pub(crate) fn of(tool: &str, args: &Value, agent: Option<Profile>) -> Option<Self> {
        let args = args.as_object()?;
        let expected: Vec<_> = arguments_of(tool, agent).collect();
        let mut names = Vec::new();
        for meaning in MEANINGS.iter() {
            let mut wanted = meaning.iter().filter(|name| expected.contains(name));
            let Some(theirs) = wanted.clone().next() else {
                continue;
            };
            let mut given = meaning.iter().filter(|name| args.contains_key(**name));
            if let (Some(ours), None) = (given.next(), given.next())
                && !wanted.any(|name| name == ours)
            {
                names.push(((*theirs).to_owned(), (*ours).to_owned()));
            }
        }
        if names.is_empty() {
            return None;
        }
        let renamed = args.iter().map(|(name, value)| {
            let theirs = names.iter().find(|(_, ours)| ours == name);
            let name = theirs.map_or(name, |(theirs, _)| theirs);
            (name.clone(), value.clone())
        });
        Some(Renamed {
            variable: [("args", Value::Object(renamed.collect()))],
            names,
        })
    }

    pub(crate) fn args(&self) -> &Value {
        let [(_, args)] = &self.variable;
        args
    }

    /// Returns them as a variable of conditions and templates.
    pub(crate) fn variables(of: Option<&Self>) -> &[(&'static str, Value)] {
        of.map(|renamed| &renamed.variable[..]).unwrap_or_default()
    }

    /// Gives arguments that a hook has set the agent's names again.
    pub(crate) fn back(&self, args: Map<String, Value>) -> Map<String, Value> {
        let ours = args.into_iter().map(|(name, value)| {
            let ours = self.names.iter().find(|(theirs, _)| *theirs == name);
            (ours.map_or(name, |(_, ours)| ours.clone()), value)
        });
        ours.collect()
    }
}

impl Answer {
    /// Returns the answer with the agent's own names of a tool's arguments.
    pub(crate) fn renamed(mut self, names: Option<&Renamed>, info: &EventInfo) -> Self {
        let Some(names) = names.filter(|_| info.takes_args) else {
            return self;
        };
        self.change = self.change.map(|change| match change {
            Change::Merge(keys) => Change::Merge(names.back(keys)),
            Change::Replace(Value::Object(args)) => Change::Replace(names.back(args).into()),
            other => other,
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn two_arguments_of_one_meaning_that_differ_are_found() {
        assert!(MEANINGS.len() <= 64, "a bit for each");
        for meaning in MEANINGS.iter() {
            for (nth, one) in meaning.iter().enumerate() {
                for other in &meaning[nth + 1..] {
                    let differ = json!({ *one: "a", *other: "b", "unrelated": 1 });
                    assert!(ambiguous(&differ).is_some(), "{one}, {other}");
                    assert_eq!(
                        ambiguous(&json!({ *one: "a", *other: "a" })),
                        None,
                        "{one}, {other}"
                    );
                }
                assert_eq!(
                    ambiguous(&json!({ *one: "a", "unrelated": "b" })),
                    None,
                    "{one}"
                );
            }
        }
    }

    #[test]
    fn tools_have_the_names_of_the_dialect() {
        let of = |dialect, ours: &'static str| {
            let aliases = Aliases::of(dialect);
            aliases.theirs(ours, None::<fn(&str) -> bool>).to_owned()
        };
        assert_eq!(of(Dialect::Claude, "shell"), "Bash");
        assert_eq!(of(Dialect::Claude, "run_shell_command"), "Bash");
        assert_eq!(of(Dialect::Claude, "Bash"), "Bash");
        assert_eq!(of(Dialect::Gemini, "shell"), "run_shell_command");
        assert_eq!(of(Dialect::Gemini, "file_write"), "write_file");
        assert_eq!(of(Dialect::Claude, "deploy"), "deploy");
        assert_eq!(of(Dialect::Goclaw, "shell"), "shell");
        assert_eq!(of(Dialect::Hooks, "Bash"), "Bash");
    }

    /// `tool("…")` of `#[hook]` and `tools` in a file of ours.
    #[test]
    fn a_glob_means_the_same_tools_in_rust_and_in_a_file() {
        let aliases = Aliases::of(Dialect::Hooks);
        for glob in [
            "shell", "replace", "web_*", "*edit*", "Bash", "deploy", "mcp__*",
        ] {
            let glob = hooks_builtin::Glob::new(glob).unwrap();
            let in_rust = hooks_glob::tools::names(&glob);
            for name in TOOLS
                .iter()
                .flat_map(Same::names)
                .chain(["deploy", "bash2"])
            {
                let mut others = aliases.of_tool(name);
                let in_a_file = glob.matches(name) || others.any(|other| glob.matches(other));
                let in_rust = glob.matches(name) || in_rust.contains(&name);
                assert_eq!(in_rust, in_a_file, "{glob} {name}");
            }
        }
    }

    #[test]
    fn the_matcher_chooses_between_names() {
        let asks = |wanted: &'static str| Some(move |name: &str| name == wanted);
        let aliases = Aliases::of(Dialect::Claude);
        assert_eq!(aliases.theirs("replace", asks("MultiEdit")), "MultiEdit");
        assert_eq!(aliases.theirs("replace", asks("")), "Edit");
        let ours = Aliases::of(Dialect::Hooks);
        assert_eq!(ours.theirs("Bash", asks("shell")), "shell");
        assert_eq!(ours.theirs("run_terminal_command", asks("Bash")), "Bash");
        assert_eq!(ours.theirs("Bash", asks("other")), "Bash");
    }

    #[test]
    fn arguments_have_the_names_that_go_with_the_tools() {
        let of = |tool: &str, args: Value| {
            Renamed::of(tool, &args, None).map(|renamed| renamed.args().clone())
        };
        assert_eq!(
            of("Read", json!({ "path": ".env", "limit": 1 })),
            Some(json!({ "file_path": ".env", "limit": 1 }))
        );
        assert_eq!(
            of("shell", json!({ "CommandLine": "ls", "Cwd": "/" })),
            Some(json!({ "command": "ls", "cwd": "/" }))
        );
        assert_eq!(of("Bash", json!({ "command": "ls" })), None);
        assert_eq!(of("deploy", json!({ "cmd": "ls" })), None);
        // Two that mean the same stay as they are.
        assert_eq!(of("Read", json!({ "path": "a", "filename": "b" })), None);
        let renamed =
            Renamed::of("Edit", &json!({ "filePath": "a", "oldString": "b" }), None).unwrap();
        let set = json!({ "file_path": "c", "old_string": "b", "more": 1 });
        let Value::Object(set) = set else { panic!() };
        assert_eq!(
            Value::Object(renamed.back(set)),
            json!({ "filePath": "c", "oldString": "b", "more": 1 })
        );
    }
}
